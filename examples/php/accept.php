<?php

/* Accepts a payment: php accept.php [CUSTOMER_ACCOUNT] */

declare(strict_types=1);

require __DIR__ . '/example.php';

use MerchantPay\Client;
use MerchantPay\Status;

example_run(static function () use ($argv): void {
    $client = Client::fromEnv();
    $account = $argv[1] ?? '79001234567';

    // Money is decimal text, never a float.
    $amounts = $client->getAvailableAmounts(sum: '1500.55', paymentMethod: 'sbp', customerAccount: $account);
    foreach ($amounts->availableAmounts as $amount) {
        echo "available $amount RUB\n";
    }
    echo 'others possible ', $amounts->otherAmountsPossible ? 'yes' : 'no', "\n";

    $payment = $client->newPayment(sum: '1500.55', paymentMethod: 'sbp', customerAccount: $account);
    // A shop stores the order id before it does anything else.
    echo "order $payment->orderId\n";
    echo "pay $payment->sum $payment->currency to $payment->payeeAccount\n";
    example_print('bank', $payment->payeeAccountBank);
    example_print('holder', $payment->payeeName);
    example_print('link', $payment->deeplink);

    // The customer has reported the transfer, so the shop reports it to the service.
    $client->confirm($payment->orderId);
    echo "confirmed\n";

    $paid = $client->wait($payment->orderId, timeoutMs: 60_000);
    echo "status $paid->status\n";
    // A failed payment also has a sum. The paid sum can differ from the requested sum.
    if ($paid->statusCase() === Status::DoneSuccess) {
        example_print('paid', $paid->sum);
    }
});
