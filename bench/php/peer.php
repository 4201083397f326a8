<?php

/*
 * Makes the measured calls by hand, with curl and sodium.
 *
 * The package does more than this program: exact money (json_decode only has floats), checks of key ids, of duplicate
 * names in JSON and of the fields' types, a limit of the reply's size, retries, and outcomes.
 */

declare(strict_types=1);

require __DIR__ . '/commands.php';

$privateKey = base64_decode(getenv('BENCH_PRIVATE_KEY'), true);
$serverPublicKey = base64_decode(getenv('BENCH_SERVER_PUBLIC_KEY'), true);
$url = getenv('BENCH_URL') . '/api/v1/merchant/pay/';

$read = static function (string $body, string $signature) use ($serverPublicKey): void {
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
    expect($payment['status'] === 'doneSuccess' && $payment['sum'] > 0);
};

$signature = '';
$curl = curl_init();
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
if (CA_FILE !== null) {
    curl_setopt($curl, CURLOPT_CAINFO, CA_FILE);
}

$call = static function (string $path, array $content) use ($curl, &$signature, $url, $read, $privateKey): void {
    $body = json_encode($content, JSON_THROW_ON_ERROR);
    $signature = '';
    curl_setopt_array($curl, [
        CURLOPT_URL => $url . $path,
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
    $read($reply, $signature);
};

$payment = ['sum' => 1500.50, 'currency' => 'RUB', 'paymentMethod' => 'sbp', 'customerAccount' => '79001234567'];

serve([
    'webhook' => static fn () => $read(WEBHOOK, SIGNATURE),
    'status' => static fn () => $call('status', ['orderId' => ORDER_ID]),
    'new' => static fn () => $call('new', $payment),
]);
