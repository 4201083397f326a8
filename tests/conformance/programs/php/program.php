<?php

/* The program of the conformance suite in PHP: a command a line on stdin, its result as a line on stdout. See ../../README.md. */

declare(strict_types=1);

use MerchantPay\AvailableAmounts;
use MerchantPay\Client;
use MerchantPay\Exception\MerchantPayException;
use MerchantPay\Payment;
use MerchantPay\WebhookVerifier;

require dirname(__DIR__, 4) . '/bindings/php/autoload.php';

/** The fields of a command that PHP has an argument of the same name for. */
final class Command
{
    /** @var array<string, list<string>> */
    private array $fields = [];

    public function __construct(string $line)
    {
        foreach (explode(' ', trim($line)) as $word) {
            [$name, $value] = explode('=', $word, 2);
            $this->fields[$name][] = rawurldecode($value);
        }
    }

    public function get(string $name): ?string
    {
        return $this->fields[$name][0] ?? null;
    }

    /** @return list<string> */
    public function all(string $name): array
    {
        return $this->fields[$name] ?? [];
    }

    /**
     * @param list<ReflectionParameter> $parameters
     * @return array<string, mixed> those that are there, by their names in PHP and of their types
     */
    public function arguments(array $parameters): array
    {
        $arguments = [];
        foreach ($parameters as $parameter) {
            $values = $this->all(inSnakeCase($parameter->name));
            if ($values !== []) {
                $types = explode('|', ltrim((string) $parameter->getType(), '?'));
                $arguments[$parameter->name] = match (true) {
                    in_array('array', $types, true) => $values,
                    in_array('int', $types, true) => (int) $values[0],
                    in_array('bool', $types, true) => $values[0] === '1',
                    default => $values[0],
                };
            }
        }
        return $arguments;
    }
}

function inPhp(string $name): string
{
    return lcfirst(str_replace('_', '', ucwords($name, '_')));
}

function inSnakeCase(string $name): string
{
    return strtolower((string) preg_replace('/[A-Z]/', '_$0', $name));
}

/** @return array<string, ?string> */
function payment(Payment $payment): array
{
    $result = [];
    foreach (get_object_vars($payment) as $name => $value) {
        $result[inSnakeCase($name)] = $value;
    }
    $result['final'] = $payment->status === null ? null : (string) (int) $payment->isFinal();
    return $result;
}

function client(Command $command): Client
{
    $parameters = (new ReflectionMethod(Client::class, '__construct'))->getParameters();
    $needed = ['privateKey' => null, 'serverPublicKey' => []];
    return new Client(...array_merge($needed, $command->arguments($parameters)));
}

/** @return array<string, ?string> */
function call(Client $client, Command $command, string $name): array
{
    $method = new ReflectionMethod($client, inPhp($name));
    $arguments = $command->arguments($method->getParameters());
    if ($name === 'attach_receipt') {
        $arguments['files'] = $command->all('file');
        if ($command->get('file_data') !== null) {
            $arguments['files'][] = [$command->get('file_name'), $command->get('file_data'), $command->get('file_type')];
        }
    } elseif ($command->get('order_id') === null && $method->getParameters()[0]->name === 'orderId') {
        $arguments['orderId'] = '';
    }
    $result = $method->invokeArgs($client, $arguments);
    return match (true) {
        $result instanceof AvailableAmounts => [
            'amounts' => implode(',', $result->availableAmounts),
            'other' => (string) (int) $result->otherAmountsPossible,
        ],
        $name === 'new_payment_async' => ['order_id' => $result->orderId],
        $result instanceof Payment => payment($result),
        default => [],
    };
}

/** @return array<string, ?string> */
function verify(Command $command): array
{
    $verifier = new WebhookVerifier(
        serverPublicKey: $command->all('server_public_key'),
        serverKeyId: $command->all('server_key_id'),
        keyId: $command->get('key_id'),
    );
    $body = (string) $command->get('body');
    $event = $verifier->verify($body, $command->get('signature'), $command->get('webhook_key_id'));
    return ['kind' => $event->kind] + payment($event->payment);
}

/** @return array<string, ?string> */
function dispatch(Command $command): array
{
    $name = (string) $command->get('do');
    try {
        if ($name === 'verify_webhook') {
            return ['ok' => '1'] + verify($command);
        }
        $client = client($command);
        $result = [];
        for ($left = (int) ($command->get('repeat') ?? 1); $left > 0; $left--) {
            $result = call($client, $command, $name);
        }
        return ['ok' => '1'] + $result;
    } catch (MerchantPayException $error) {
        return [
            'ok' => '0',
            'code' => $error->code(),
            'outcome' => $error->outcome(),
            'description' => $error->description(),
            'reason' => $error->reason(),
            'order_id' => $error->orderId(),
            'http_status' => $error->httpStatus() === null ? null : (string) $error->httpStatus(),
        ];
    }
}

while (($line = fgets(STDIN)) !== false) {
    $words = [];
    foreach (dispatch(new Command($line)) as $name => $value) {
        if ($value !== null) {
            $words[] = $name . '=' . rawurlencode($value);
        }
    }
    echo implode(' ', $words), "\n";
}
