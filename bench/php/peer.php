<?php

/*
 * The same by hand: curl and sodium. The handle keeps its connection, the body is signed as it is sent, the reply is verified before
 * it is parsed and must be about the same order.
 *
 * What the package does beside that and this does not: exact money (json_decode has floats alone), key ids, duplicate names in
 * JSON, types of fields, a bound of the reply's size, retries, what became of the money.
 */

declare(strict_types=1);

require __DIR__ . '/commands.php';

$privateKey = base64_decode(PRIVATE_KEY, true);
$serverPublicKey = base64_decode(SERVER_PUBLIC_KEY, true);

$open = static function (string $body, string $signature) use ($serverPublicKey): array {
    $bytes = base64_decode($signature, true);
    if ($bytes === false || strlen($bytes) !== 64 || !sodium_crypto_sign_verify_detached($bytes, $body, $serverPublicKey)) {
        throw new RuntimeException('the reply is not signed by the service');
    }
    $payment = json_decode($body, true, flags: JSON_THROW_ON_ERROR);
    if ($payment['success'] !== true) {
        throw new RuntimeException($payment['errorDescription'] ?? 'refused');
    }
    if ($payment['orderId'] !== ORDER_ID) {
        throw new RuntimeException('the reply is about another order');
    }
    return $payment;
};

$read = static fn (array $payment) => expect($payment['status'] === 'doneSuccess' && $payment['sum'] > 0);

$signature = '';
$curl = curl_init(URL . '/api/v1/merchant/pay/status');
curl_setopt_array($curl, [
    CURLOPT_RETURNTRANSFER => true,
    CURLOPT_TIMEOUT => 30,
    CURLOPT_HEADERFUNCTION => static function ($curl, string $line) use (&$signature): int {
        if (strncasecmp($line, 'X-Signature:', 12) === 0) {
            $signature = trim(substr($line, 12));
        }
        return strlen($line);
    },
]);

serve([
    'webhook' => static fn () => $read($open(WEBHOOK, SIGNATURE)),
    'status' => static function () use ($curl, $open, $read, $privateKey, &$signature): void {
        $body = json_encode(['orderId' => ORDER_ID], JSON_THROW_ON_ERROR);
        $signature = '';
        curl_setopt_array($curl, [
            CURLOPT_POSTFIELDS => $body,
            CURLOPT_HTTPHEADER => [
                'Content-Type: application/json',
                'X-KeyId: ' . KEY_ID,
                'X-Signature: ' . base64_encode(sodium_crypto_sign_detached($body, $privateKey)),
            ],
        ]);
        $reply = curl_exec($curl);
        if ($reply === false) {
            throw new RuntimeException(curl_error($curl));
        }
        $read($open($reply, $signature));
    },
]);
