<?php

/* The code of the guides in docs/: php guide.php RECEIPT. A test runs it. Pages show the lines between two marks. */

declare(strict_types=1);

require __DIR__ . '/../../bindings/php/autoload.php';

use MerchantPay\Balance;
use MerchantPay\Client;
use MerchantPay\EventKind;
use MerchantPay\Exception\MerchantPayException;
use MerchantPay\Exception\RejectedException;
use MerchantPay\Keypair;
use MerchantPay\Outcome;
use MerchantPay\Paid;
use MerchantPay\Payment;
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
echo "the end\n";
