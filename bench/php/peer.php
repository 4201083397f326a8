<?php

/*
 * Makes the measured calls without the package, with curl and sodium. curl's handle keeps its connection open. The
 * program signs exactly the body that it sends, and verifies a reply before it parses the reply. The reply must be about
 * the order of the request.
 *
 * The package does more than this program: exact money (json_decode only has floats), checks of key ids, of duplicate
 * names in JSON and of the fields' types, a limit of the reply's size, retries, and outcomes.
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
$newHandle = static function () use (&$signature): CurlHandle {
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
    return $curl;
};
$curl = $newHandle();

/* Signs and sends the body. Verifies and parses the reply, and compares the reply's order with the request's order. */
$call = static function (string $path, array $content) use (&$curl, $open, $read, $privateKey, &$signature): void {
    $body = json_encode($content, JSON_THROW_ON_ERROR);
    $signature = '';
    curl_setopt_array($curl, [
        CURLOPT_URL => URL . '/api/v1/merchant/pay/' . $path,
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
};

$amount = ['sum' => 1500.50, 'currency' => 'RUB', 'paymentMethod' => 'sbp'];
$newPayment = static fn () => $call('new', [...$amount, 'customerAccount' => '79001234567']);

serve([
    'webhook' => static fn () => $read($open(WEBHOOK, SIGNATURE)),
    'status' => static fn () => $call('status', ['orderId' => ORDER_ID]),
    'new' => $newPayment,
    // Makes the three calls of a payment one after another.
    'sale' => static function () use ($call, $amount, $newPayment): void {
        $call('available', $amount);
        $newPayment();
        $call('confirm', ['orderId' => ORDER_ID]);
    },
    'cold' => static function () use (&$curl, $newHandle, $newPayment): void {
        $curl = $newHandle();
        $newPayment();
    },
]);
