<?php

/* Takes a payment through arbitration: php arbitrate.php FILE, where FILE is a receipt (PDF, JPEG or PNG). */

declare(strict_types=1);

require __DIR__ . '/example.php';

use MerchantPay\Client;
use MerchantPay\Status;

if ($argc !== 2) {
    fwrite(STDERR, "usage: php arbitrate.php FILE\n");
    exit(2);
}

example_run(static function () use ($argv): void {
    $client = Client::fromEnv();
    // This is a test account of the sandbox: its payments go to arbitration.
    $payment = $client->newPayment(sum: '1500.55', paymentMethod: 'card', customerAccount: 'arbitration');
    echo "order $payment->orderId\n";

    $client->confirm($payment->orderId);
    echo "confirmed\n";

    if (example_wait($client, $payment->orderId, Status::ReceiptRequired)->isFinal()) {
        return;
    }
    $client->attachReceipt($payment->orderId, [$argv[1]]);
    echo "receipt attached\n";

    echo "status {$client->wait($payment->orderId, timeoutMs: 60_000)->status}\n";
});
