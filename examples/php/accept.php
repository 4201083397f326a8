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
    // A shop writes the order id down before it does anything else.
    echo "order $payment->orderId\n";
    echo "pay $payment->sum $payment->currency to $payment->payeeAccount\n";
    example_print('bank', $payment->payeeAccountBank);
    example_print('holder', $payment->payeeName);
    example_print('link', $payment->deeplink);

    // The customer says that the money is on its way.
    $client->confirm($payment->orderId);
    echo "confirmed\n";

    $paid = $client->wait($payment->orderId, timeoutMs: 60_000);
    echo "status $paid->status\n";
    // A payment that has failed has a sum too. It is not always what was asked for: the customer may have paid more or
    // less.
    if ($paid->statusCase() === Status::DoneSuccess) {
        example_print('paid', $paid->sum);
    }
});
