<?php

require __DIR__ . '/../../bindings/php/autoload.php'; // with Composer vendor/autoload.php

$client = MerchantPay\Client::fromEnv();
$payment = $client->newPayment(sum: '1500.50', paymentMethod: 'sbp', customerAccount: '79001234567');
echo "$payment->orderId: pay $payment->sum RUB at $payment->deeplink\n";
