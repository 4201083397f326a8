<?php

/* The common code of the examples. */

declare(strict_types=1);

// With Composer: require 'vendor/autoload.php';
require_once __DIR__ . '/../../bindings/php/autoload.php';

use MerchantPay\Client;
use MerchantPay\Exception\MerchantPayException;
use MerchantPay\Payment;
use MerchantPay\Status;

/** Reads a setting from the environment; null if it is not set. */
function example_setting(string $name): ?string
{
    $value = getenv("MERCHANTPAY_$name");
    return is_string($value) && $value !== '' ? $value : null;
}

/** Makes a client with the settings of the environment. The arguments replace some of these settings. */
function example_client(mixed ...$others): Client
{
    return new Client(...array_merge([
        'baseUrl' => (string) example_setting('BASE_URL'),
        'keyId' => (string) example_setting('KEY_ID'),
        'privateKey' => (string) example_setting('PRIVATE_KEY'),
        'serverPublicKey' => (string) example_setting('SERVER_PUBLIC_KEY'),
        'serverKeyId' => example_setting('SERVER_KEY_ID') ?? [],
    ], $others));
}

/** Prints a field, unless it is absent or empty. */
function example_print(string $name, ?string $value): void
{
    if ($value !== null && $value !== '') {
        echo "$name $value\n";
    }
}

/**
 * Asks for the status until the status is final or equal to $wanted, and prints the status. A shop uses webhooks
 * instead; without webhooks it asks every few seconds. To wait for a final status, use $client->wait.
 */
function example_wait(Client $client, string $orderId, Status $wanted): Payment
{
    while (true) {
        $payment = $client->getStatus($orderId);
        if ($payment->isFinal() || $payment->statusCase() === $wanted) {
            example_print('status', $payment->status);
            return $payment;
        }
        usleep(200_000);
    }
}

/** Runs a program, and prints the error that it ends with. */
function example_run(callable $program): never
{
    try {
        $program();
    } catch (MerchantPayException $error) {
        fwrite(STDERR, "error {$error->code()} {$error->outcome()}: {$error->getMessage()}\n");
        if ($error->description() !== null) {
            fwrite(STDERR, "the service says: {$error->description()}\n");
        }
        exit(1);
    }
    exit(0);
}
