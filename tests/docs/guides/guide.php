<?php

/* Runs the code of the pages, which guides.py puts in. examples.py sets the environment. */

declare(strict_types=1);

require getenv('EXAMPLES') . '/php/vendor/autoload.php';

use MerchantPay\Balance;
use MerchantPay\Client;
use MerchantPay\Entry;
use MerchantPay\EventKind;
use MerchantPay\Exception\MerchantPayException;
use MerchantPay\Exception\RejectedException;
use MerchantPay\Journal;
use MerchantPay\Keypair;
use MerchantPay\Outcome;
use MerchantPay\Paid;
use MerchantPay\Payment;
use MerchantPay\Protocol;
use MerchantPay\Rounding;
use MerchantPay\Status;
use MerchantPay\WebhookVerifier;

// docs/payments.md

// docs/money.md

// docs/keys.md

// docs/webhooks.md

// docs/journal.md

// bindings/php/README.md

$client->connect();
available($client);
$payment = pay($client);
money($payment);
assert(confirm($client, $payment->orderId));
cancel($client, $payment->orderId);
cancel($client, pay($client)->orderId);

attach($client, (string) getenv('DISPUTED'), (string) getenv('RECEIPT'));

rotated(keys(), Keypair::generate()->publicKey, Keypair::generate()->publicKey);
$verifier = new WebhookVerifier(serverPublicKey: (string) getenv('MERCHANTPAY_SERVER_PUBLIC_KEY'));
$signature = (string) getenv('WEBHOOK_SIGNATURE');
assert(receive($verifier, (string) getenv('WEBHOOK_BODY'), $signature, null) === 200);
assert(receive($verifier, '{}', $signature, null) === 400);
assert(pay_with_my_own_stack()->orderId !== '');

$journal = journal($client);
assert(sell($journal)?->payeeAccount === sell($journal)?->payeeAccount);
customer_has_paid($journal);
callback($journal);
$shipped = [];
while ($shipped === []) {
    every_few_seconds($journal, function (Entry $entry) use (&$shipped): void {
        $shipped[] = $entry->reference;
    });
    usleep(50_000);
}
assert($shipped === ['order-1017']);
echo "the end\n";
