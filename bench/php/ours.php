<?php

/* Makes the measured calls with the PHP package. */

declare(strict_types=1);

require __DIR__ . '/commands.php';
require __DIR__ . '/../../bindings/php/autoload.php';

use MerchantPay\Client;
use MerchantPay\Payment;
use MerchantPay\WebhookVerifier;

$verifier = new WebhookVerifier(getenv('BENCH_SERVER_PUBLIC_KEY'));
$settings = [getenv('BENCH_URL'), KEY_ID, getenv('BENCH_PRIVATE_KEY'), getenv('BENCH_SERVER_PUBLIC_KEY')];
$client = new Client(...$settings, caFile: CA_FILE);

function read(Payment $payment): void
{
    expect($payment->orderId === ORDER_ID && $payment->status === 'doneSuccess' && $payment->sum !== null);
}

serve([
    'webhook' => static fn () => read($verifier->verify(WEBHOOK, SIGNATURE, 'service-1')->payment),
    'status' => static fn () => read($client->getStatus(ORDER_ID)),
    'new' => static fn () => read($client->newPayment(sum: '1500.50', paymentMethod: 'sbp', customerAccount: '79001234567')),
]);
