<?php

/* Shows what to do about each of the three outcomes of a call that failed. */

declare(strict_types=1);

require __DIR__ . '/example.php';

use MerchantPay\Client;
use MerchantPay\Exception\MerchantPayException;
use MerchantPay\Keypair;
use MerchantPay\Outcome;

/** Makes a call that must fail, and prints what to do about its error. */
function print_outcome(callable $call): void
{
    try {
        $call();
    } catch (MerchantPayException $error) {
        echo implode(' ', array_filter([$error->outcome(), $error->code(), $error->reason()])), ': ';
        echo match ($error->outcomeCase()) {
            Outcome::NotSent => 'safe to send again',
            Outcome::Rejected => 'nothing took effect',
            default => 'ask for the status', // Outcome::Unknown, and any outcome that a later version adds.
        }, "\n";
        return;
    }
    throw new LogicException('a call succeeded that had to fail');
}

example_run(static function (): void {
    $client = Client::fromEnv();
    $request = ['sum' => '1500.55', 'paymentMethod' => 'sbp', 'customerAccount' => '79001234567'];

    // No server listens at this URL, so no byte was sent.
    $unreachable = example_client(baseUrl: 'http://127.0.0.1:1', maxRetries: 0);
    print_outcome(static fn () => $unreachable->newPayment(...$request));

    // The service refuses the request, and signs its refusal.
    print_outcome(static fn () => $client->cancel('no-such-order'));

    // A client with a wrong service key cannot verify a reply. The service still executes the client's requests.
    $payment = $client->newPayment(...$request);
    echo "order $payment->orderId\n";
    $mistaken = example_client(serverPublicKey: Keypair::generate()->publicKey);
    print_outcome(static fn () => $mistaken->confirm($payment->orderId));

    // Do not guess and confirm again: the status shows whether the first confirm took effect.
    echo "status {$client->wait($payment->orderId, timeoutMs: 60_000)->status}\n";
});
