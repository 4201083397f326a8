<?php

declare(strict_types=1);

require_once __DIR__ . '/shop.php';

use MerchantPay\Exception\MerchantPayException;
use MerchantPay\WebhookVerifier;

$verifier = new WebhookVerifier(
    (string) getenv('MERCHANTPAY_SERVER_PUBLIC_KEY'),
    serverKeyId: (string) getenv('MERCHANTPAY_SERVER_KEY_ID'),
    keyId: (string) getenv('MERCHANTPAY_KEY_ID'),
);
try {
    $event = $verifier->verifyGlobals();
    shop_note('events', "$event->kind {$event->payment->orderId} {$event->payment->sum}");
    shop_answer(200, $event->kind);
} catch (MerchantPayException $error) {
    shop_answer(400, $error->code());
}
