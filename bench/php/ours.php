<?php

/* Makes the measured calls with the PHP package. */

declare(strict_types=1);

require __DIR__ . '/commands.php';
require __DIR__ . '/../../bindings/php/autoload.php';

use MerchantPay\Client;
use MerchantPay\Payment;
use MerchantPay\Protocol;
use MerchantPay\WebhookVerifier;

$verifier = new WebhookVerifier(SERVER_PUBLIC_KEY);
$protocol = new Protocol('https://pay.example', KEY_ID, PRIVATE_KEY, SERVER_PUBLIC_KEY);
$newClient = static fn () => new Client(URL, KEY_ID, PRIVATE_KEY, SERVER_PUBLIC_KEY, caFile: CA_FILE);
$client = $newClient();

function read(Payment $payment): void
{
    expect($payment->orderId === ORDER_ID && $payment->status === 'doneSuccess' && $payment->sum !== null);
}

$newPayment = static function () use (&$client): void {
    read($client->newPayment(sum: '1500.50', paymentMethod: 'sbp', customerAccount: '79001234567'));
};

serve([
    'webhook' => static fn () => read($verifier->verify(WEBHOOK, SIGNATURE, SERVER_KEY_ID)->payment),
    'status' => static function () use (&$client): void {
        read($client->getStatus(ORDER_ID));
    },
    'prepare' => static function () use ($protocol): void {
        $request = $protocol->prepareNewPayment(sum: '1500.50', paymentMethod: 'sbp', customerAccount: '79001234567');
        expect($request->headers !== [] && $request->body !== '');
    },
    'new' => $newPayment,
    // Makes the three calls of a payment one after another.
    'sale' => static function () use (&$client, $newPayment): void {
        expect($client->getAvailableAmounts(sum: '1500.50', paymentMethod: 'sbp')->availableAmounts !== []);
        $newPayment();
        $client->confirm(ORDER_ID);
    },
    'cold' => static function () use (&$client, $newClient, $newPayment): void {
        $client = $newClient();
        $newPayment();
    },
]);
