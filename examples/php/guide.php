<?php

/* The code of the package's README, which shows the lines between two marks. tests/docs runs it: guide.php RECEIPT */

declare(strict_types=1);

require __DIR__ . '/vendor/autoload.php';

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

// [client]
$client = Client::fromEnv();
// [/client]

// [pay]
function pay(Client $client): Payment
{
    try {
        $payment = $client->newPayment(
            sum: '1500.50',
            paymentMethod: 'sbp',
            customerAccount: '79001234567',
            merchantId: 'order-1017',
        );
    } catch (MerchantPayException $error) {
        echo match ($error->outcomeCase()) {
            Outcome::NotSent => "nothing was sent: {$error->getMessage()}\n",
            Outcome::Rejected => "refused: {$error->description()}\n",
            default => "a payment may exist, do not send again: {$error->getMessage()}\n",
        };
        throw $error;
    }
    echo "$payment->orderId: pay at $payment->deeplink\n";
    return $payment;
}
// [/pay]

// [available]
function available(Client $client): void
{
    $amounts = $client->getAvailableAmounts(sum: 1500, paymentMethod: 'sbp');
    foreach ($amounts->availableAmounts as $amount) {
        echo "available: $amount RUB\n";
    }
    echo 'other amounts may succeed too: ', $amounts->otherAmountsPossible ? 'yes' : 'no', "\n";
}
// [/available]

// [confirm]
function confirm(Client $client, string $orderId): bool
{
    $client->confirm($orderId); // the customer says that the money was sent
    $payment = $client->wait($orderId, timeoutMs: 60_000); // calls getStatus until the status is final
    return $payment->statusCase() === Status::DoneSuccess && $payment->paid('1500.50') === Paid::Exactly;
}
// [/confirm]

// [cancel]
function cancel(Client $client, string $orderId): void
{
    try {
        $client->cancel($orderId);
        echo "$orderId: cancelled\n";
    } catch (RejectedException) {
        echo "$orderId: {$client->getStatus($orderId)->status}\n"; // too late to cancel: the status shows why
    }
}
// [/cancel]

// [receipt]
function attach(Client $client, string $orderId, string $file): void
{
    $client->attachReceipt($orderId, [$file]); // a PDF, JPEG or PNG by its content; or [name, bytes, content type]
}
// [/receipt]

// [money]
function money(Payment $payment): void
{
    $usdt = Balance::Usdt;
    $converted = Balance::convert('1500.50', rate: '92.45', balance: $usdt, scale: 6, rounding: Rounding::HalfEven);
    assert($converted === '16.230395');
    // The payment's dealCurrency names the merchant's balance:
    echo 'paid ', $payment->paid('1500.50')?->value ?? '-', ', balance ', $payment->dealCurrency ?? '-', "\n";
}
// [/money]

// [keys]
function keys(): string
{
    $pair = Keypair::generate();
    echo "for the service: $pair->publicKey\n";
    return $pair->privateKey; // keep it only in a secret store
}
// [/keys]

// [rotation]
function rotated(string $privateKey, string $old, string $new): Client
{
    // Responses and webhooks verify with either key.
    return new Client(
        baseUrl: 'https://pay.example',
        keyId: 'merchant-1',
        privateKey: $privateKey,
        serverPublicKey: [$old, $new],
    );
}
// [/rotation]

// [webhook]
/** Takes the unchanged body, and the headers X-Signature and X-KeyId. Returns the HTTP status of the answer. */
function receive(WebhookVerifier $verifier, string $body, string $signature, ?string $keyId): int
{
    try {
        $event = $verifier->verify($body, $signature, $keyId); // or verifyGlobals(), which reads the request itself
    } catch (MerchantPayException $error) {
        $why = $verifier->explain($body, $signature, $keyId);
        error_log('webhook refused: ' . ($why?->hint ?? $error->getMessage())); // for your log, not for the sender
        return 400;
    }
    error_log(match ($event->kindCase()) { // not echo, which the sender would read
        EventKind::Credentials => "show the customer {$event->payment->deeplink}",
        EventKind::CredentialsFailed => "{$event->payment->orderId}: no payee",
        EventKind::Status => "{$event->payment->orderId}: {$event->payment->status}",
        null => 'a kind that a later version added',
    });
    return 200; // only when the event is stored
}
// [/webhook]

// [journal]
function journal(Client $client): Journal
{
    $place = (string) getenv('MERCHANTPAY_JOURNAL'); // a file's absolute path, postgresql:// or mysql://
    return new Journal($client, $place, callbackUrl: 'https://shop.example/pay/callback');
}

function sell(Journal $journal): ?Payment
{
    $entry = $journal->pay('order-1017', sum: '1500.50', paymentMethod: 'sbp', customerAccount: '79001234567');
    return $entry->credentials; // a repeated call returns the same payment; null unless the customer can pay now
}

function customer_has_paid(Journal $journal): void
{
    $journal->confirm('order-1017', 1); // the order's first attempt
}

function callback(Journal $journal): void
{
    http_response_code($journal->receiveGlobals()->httpStatus); // reads php://input and $_SERVER
}

/** @param callable(Entry): void $ship */
function every_few_seconds(Journal $journal, callable $ship): void
{
    $journal->settle(); // asks the service about open attempts that are due
    foreach ($journal->news() as $entry) { // unacknowledged changes, also from before a crash
        if ($entry->succeeded) {
            $ship($entry); // doneSuccess, and exactly the requested sum was paid
        }
        $journal->acknowledge($entry);
    }
}
// [/journal]

// [protocol]
function pay_with_my_own_stack(): Payment
{
    $request = Protocol::fromEnv()->prepareNewPayment(
        sum: '1500.50',
        paymentMethod: 'sbp',
        customerAccount: '79001234567',
    );
    $header = array_map(fn (string $name) => "$name: {$request->headers[$name]}", array_keys($request->headers));
    $http = ['method' => $request->method, 'header' => $header, 'content' => $request->body];
    $once = ['ignore_errors' => true, 'follow_location' => 0];
    $body = file_get_contents($request->url, context: stream_context_create(['http' => $http + $once]));
    if ($body === false) {
        throw new RuntimeException('The outcome is unknown: the request may have taken effect.');
    }
    return $request->open((int) explode(' ', $http_response_header[0])[1], $http_response_header, $body);
}
// [/protocol]

$client->connect();
available($client);
$payment = pay($client);
money($payment);
assert(confirm($client, $payment->orderId));
cancel($client, $payment->orderId);
cancel($client, pay($client)->orderId);

$disputed = $client->newPayment(sum: '1500.50', paymentMethod: 'card', customerAccount: 'arbitration');
$client->confirm($disputed->orderId);
while ($client->getStatus($disputed->orderId)->statusCase() !== Status::ReceiptRequired) {
    usleep(50_000);
}
attach($client, $disputed->orderId, $argv[1]);

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
