<?php

require __DIR__ . '/vendor/autoload.php';

$client = MerchantPay\Client::fromEnv();
$payment = $client->newPayment(sum: '1500.50', paymentMethod: 'sbp', customerAccount: '79001234567');
echo "pay $payment->sum to $payment->payeeAccount\n";
$client->confirm($payment->orderId); // the customer says that the money was sent
$payment = $client->wait($payment->orderId, timeoutMs: 60_000); // asks for the status until it is final
echo "$payment->status $payment->sum\n";
