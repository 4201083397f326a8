<?php

/* The program of the conformance suite in PHP: a command a line on stdin, its result as a line on stdout. See ../../README.md. */

declare(strict_types=1);

use MerchantPay\Client;
use MerchantPay\Exception\MerchantPayException;
use MerchantPay\Payment;
use MerchantPay\WebhookVerifier;

require dirname(__DIR__, 4) . '/bindings/php/autoload.php';

const PAYMENT_FIELDS = [
    'orderId', 'sum', 'currency', 'payeeAccount', 'payeeAccountBank', 'payeeName',
    'dealSum', 'dealCurrency', 'dealRate', 'deeplink', 'status',
];

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

    /** @return array<string, string> those that are there, under their names in PHP */
    public function some(string ...$names): array
    {
        $arguments = [];
        foreach ($names as $name) {
            if (isset($this->fields[$name])) {
                $arguments[inPhp($name)] = $this->fields[$name][0];
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
    foreach (PAYMENT_FIELDS as $name) {
        $result[inSnakeCase($name)] = $payment->$name;
    }
    $result['final'] = $payment->status === null ? null : (string) (int) $payment->isFinal();
    return $result;
}

function client(Command $command): Client
{
    $numbers = $command->some('timeout_ms', 'connect_timeout_ms', 'max_retries', 'max_reply_bytes');
    return new Client(
        ...$command->some('base_url', 'key_id', 'ca_file', 'proxy'),
        ...array_map(intval(...), $numbers),
        privateKey: $command->get('private_key'),
        serverPublicKey: $command->all('server_public_key'),
        serverKeyId: $command->all('server_key_id'),
    );
}

/** @return array<string, ?string> */
function call(Client $client, Command $command, string $name): array
{
    $shared = ['sum', 'payment_method', 'customer_account', 'currency'];
    $payment = [...$shared, 'payer_bank', 'merchant_id', 'status_webhook_url', 'credentials_webhook_url'];
    $orderId = (string) $command->get('order_id');
    switch ($name) {
        case 'get_available_amounts':
            $amounts = $client->getAvailableAmounts(...$command->some(...$shared, ...['sum_drift_up', 'sum_drift_down']));
            $list = implode(',', $amounts->availableAmounts);
            return ['amounts' => $list, 'other' => (string) (int) $amounts->otherAmountsPossible];
        case 'new_payment':
            return payment($client->newPayment(...$command->some(...$payment)));
        case 'new_payment_async':
            return ['order_id' => $client->newPaymentAsync(...$command->some(...$payment))->orderId];
        case 'get_status':
            return payment($client->getStatus($orderId));
        case 'attach_receipt':
            $files = $command->all('file');
            if ($command->get('file_data') !== null) {
                $files[] = [$command->get('file_name'), $command->get('file_data'), $command->get('file_type')];
            }
            $client->attachReceipt($orderId, $files);
            return [];
        default:
            $client->$name($orderId);
            return [];
    }
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
function obey(Command $command): array
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
    foreach (obey(new Command($line)) as $name => $value) {
        if ($value !== null) {
            $words[] = $name . '=' . rawurlencode($value);
        }
    }
    echo implode(' ', $words), "\n";
}
