<?php

declare(strict_types=1);

require_once __DIR__ . '/shop.php';

use MerchantPay\Client;
use MerchantPay\Exception\MerchantPayException;

$logger = new class {
    public function log(mixed $level, string $message): void
    {
        shop_note('log', $message);
    }
};

try {
    $client = new Client(
        baseUrl: (string) getenv('MERCHANTPAY_BASE_URL'),
        keyId: (string) getenv('MERCHANTPAY_KEY_ID'),
        privateKey: (string) getenv('MERCHANTPAY_PRIVATE_KEY'),
        serverPublicKey: (string) getenv('MERCHANTPAY_SERVER_PUBLIC_KEY'),
        logger: $logger,
    );
    $hook = 'http://' . $_SERVER['SERVER_ADDR'] . ':' . $_SERVER['SERVER_PORT'] . '/hook';
    $payment = $client->newPaymentAsync('1500.50', 'sbp', '7900', $hook, statusWebhookUrl: $hook);
    $receipt = [['a.pdf', '%PDF', 'application/pdf']];
    try {
        $client->attachReceipt($payment->orderId, $receipt);
    } catch (MerchantPayException $error) {
        $refusal = $error->outcome();
    }
    shop_answer(200, ['orderId' => $payment->orderId, 'refusal' => $refusal ?? null, 'pid' => getmypid()]);
} catch (Throwable $error) {
    shop_answer(500, ['class' => $error::class, 'message' => $error->getMessage()]);
}
