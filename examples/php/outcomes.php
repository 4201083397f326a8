<?php

/* Shows what to do about each of the three outcomes of a call that failed. */

declare(strict_types=1);

require __DIR__ . '/example.php';

use MerchantPay\Client;
use MerchantPay\Exception\MerchantPayException;
use MerchantPay\Keypair;
use MerchantPay\Outcome;

/** Makes a call that has to fail, and prints the decision that its error asks for. */
function print_outcome(callable $call): void
{
    try {
        $call();
    } catch (MerchantPayException $error) {
        echo implode(' ', array_filter([$error->outcome(), $error->code(), $error->reason()])), ': ';
        echo match ($error->outcomeCase()) {
            Outcome::NotSent => 'safe to send again',
            Outcome::Rejected => 'nothing took effect',
            default => 'ask for the status', // Outcome::Unknown, and whatever a later version adds.
        }, "\n";
        return;
    }
    throw new LogicException('a call succeeded that had to fail');
}

example_run(static function (): void {
    $client = Client::fromEnv();
    $request = ['sum' => '1500.55', 'paymentMethod' => 'sbp', 'customerAccount' => '79001234567'];

    // Nobody listens here: not one byte was sent.
    $unreachable = example_client(baseUrl: 'http://127.0.0.1:1', maxRetries: 0);
    print_outcome(static fn () => $unreachable->newPayment(...$request));

    // The service refuses, and signs that it does.
    print_outcome(static fn () => $client->cancel('no-such-order'));

    // A client with another key for the service can verify no reply. What it asks for happens all the same.
    $payment = $client->newPayment(...$request);
    echo "order $payment->orderId\n";
    $mistaken = example_client(serverPublicKey: Keypair::generate()->publicKey);
    print_outcome(static fn () => $mistaken->confirm($payment->orderId));

    // Never confirm twice on a guess: the status shows whether the first one counted.
    echo "status {$client->wait($payment->orderId, timeoutMs: 60_000)->status}\n";
});
