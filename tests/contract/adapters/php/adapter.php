<?php

/* The adapter in PHP: reads one command per line from stdin, and writes one result per line to stdout. See
 * ../../README.md. */

declare(strict_types=1);

namespace MerchantPay\Adapter;

use MerchantPay\AvailableAmounts;
use MerchantPay\Client;
use MerchantPay\Event;
use MerchantPay\Exception\MerchantPayException;
use MerchantPay\Explanation;
use MerchantPay\Payment;
use MerchantPay\Protocol;
use MerchantPay\WebhookVerifier;
use ReflectionMethod;

require dirname(__DIR__, 4) . '/bindings/php/autoload.php';
require __DIR__ . '/callbacks.php';
require __DIR__ . '/journal.php';

const ERROR = [
    'code', 'outcome', 'is_transient', 'description', 'reason', 'http_status', 'retry_after_ms', 'order_id',
    'content_type', 'excerpt',
];

/** A command with a value that no argument in PHP can express. */
final class Cannot extends \RuntimeException
{
}

function inPhp(string $name): string
{
    return lcfirst(str_replace('_', '', ucwords($name, '_')));
}

function inSnakeCase(string $name): string
{
    return strtolower((string) preg_replace('/[A-Z]/', '_$0', $name));
}

/** Converts a text to the type of a parameter. */
function typed(mixed $value, string $type): mixed
{
    $wanted = array_intersect(['int', 'bool'], explode('|', ltrim($type, '?')));
    return match (true) {
        is_array($value) && isset($value['hex']) => hex2bin($value['hex']),
        !is_string($value) || $wanted === [] => $value,
        preg_match(in_array('bool', $wanted, true) ? '/^[01]$/' : '/^-?\d{1,18}$/', $value) === 1 => (int) $value,
        default => throw new Cannot('a number or a flag that is none'),
    };
}

/**
 * Calls a method. The arguments are by their names in snake case. Another that the method needs is empty.
 *
 * @param array<string, mixed> $given
 */
function callBy(object|string $on, string $name, array $given): mixed
{
    $method = new ReflectionMethod($on, $name);
    $arguments = [];
    foreach ($method->getParameters() as $parameter) {
        $key = inSnakeCase($parameter->name);
        if (array_key_exists($key, $given)) {
            $value = typed($given[$key], (string) $parameter->getType());
            $arguments[$parameter->name] = (string) $parameter->getType() === 'bool' ? (bool) $value : $value;
            unset($given[$key]);
        } elseif (!$parameter->isOptional()) {
            $arguments[$parameter->name] = $parameter->allowsNull() ? null : '';
        }
    }
    if ($given !== []) {
        throw new Cannot('an argument that the method does not have');
    }
    $object = is_object($on) ? $on : null;
    return $name === '__construct' ? new $on(...$arguments) : $method->invoke($object, ...$arguments);
}

/**
 * @param class-string $class
 * @param array<string, mixed> $command
 */
function make(string $class, array $command): object
{
    $from = ($command['from_environment'] ?? false) === true ? 'fromEnv' : '__construct';
    return callBy($class, $from, $command['callbacks']->arguments() + $command['settings']);
}

/**
 * @param array<string, mixed> $arguments
 * @return array<string, mixed> the arguments, with files in PHP's types
 */
function arguments(array $arguments): array
{
    foreach ($arguments['files'] ?? [] as $number => $file) {
        $bytes = [$file['name'] ?? '', hex2bin($file['data'] ?? ''), $file['content_type'] ?? ''];
        $arguments['files'][$number] = $file['path'] ?? $bytes;
    }
    return $arguments;
}

/** @return array<string, string> the present fields */
function fields(object $of): array
{
    $fields = array_filter(get_object_vars($of), static fn (mixed $value): bool => $value !== null);
    return array_combine(array_map(inSnakeCase(...), array_keys($fields)), $fields);
}

/** @return array<string, mixed> */
function shown(mixed $result): array
{
    return match (true) {
        $result instanceof Payment => [
            'payment' => (object) fields($result),
            'final' => $result->isFinal(),
            'known' => $result->statusCase() !== null,
            'json' => $result->json(),
        ],
        $result instanceof AvailableAmounts => [
            'amounts' => $result->availableAmounts,
            'other_amounts_possible' => $result->otherAmountsPossible,
            'json' => $result->json(),
        ],
        $result instanceof Event => ['kind' => $result->kind] + shown($result->payment),
        $result instanceof Explanation => fields($result),
        default => [],
    };
}

/** @return array<string, mixed> */
function failure(MerchantPayException $error): array
{
    $fields = ['message' => $error->getMessage(), 'body' => $error->body() === null ? null : bin2hex($error->body())];
    foreach (ERROR as $name) {
        $fields[$name] = $error->{inPhp($name)}();
    }
    return array_filter($fields, static fn (mixed $value): bool => $value !== null);
}

/**
 * @param array<string, mixed> $command
 * @return array<string, mixed>
 */
function answer(array $command): array
{
    static $journal = new JournalCommands();
    $kinds = ['client' => Client::class, 'protocol' => Protocol::class, 'verifier' => WebhookVerifier::class];
    $operate = static fn (object $on, string $prefix = ''): mixed
        => callBy($on, inPhp($prefix . $command['operation']), arguments($command['arguments']));
    switch ($command['do']) {
        case 'settings':
            make($kinds[$command['makes']], $command);
            return [];
        case 'prepare':
            $request = $operate(make(Protocol::class, $command), 'prepare_');
            $headers = array_map(null, array_keys($request->headers), array_values($request->headers));
            return ['url' => $request->url, 'headers' => $headers, 'body' => bin2hex($request->body)];
        case 'open':
            $headers = [];
            foreach ($command['reply']['headers'] as [$name, $value]) {
                $headers[$name][] = $value;
            }
            $request = $operate(make(Protocol::class, $command), 'prepare_');
            return shown($request->open($command['reply']['status'], $headers, hex2bin($command['reply']['body'])));
        case 'verify':
        case 'explain':
            $webhook = [hex2bin($command['body']), $command['signature'] ?? null, $command['key_id'] ?? null];
            return shown(make(WebhookVerifier::class, $command)->{$command['do']}(...$webhook)) ?: ['cause' => ''];
        case 'call':
            $client = make(Client::class, $command);
            for ($left = $command['times'] ?? 1; $left > 0; $left--) {
                $result = $operate($client);
            }
            return shown($result);
        default:
            return $journal->answer($command);
    }
}

while (($line = fgets(STDIN)) !== false) {
    $command = json_decode($line, true, flags: JSON_THROW_ON_ERROR);
    $command['callbacks'] = new Callbacks($command);
    try {
        $result = ['ok' => (object) (answer($command) + $command['callbacks']->got)];
    } catch (MerchantPayException $error) {
        $result = ['error' => failure($error) + $command['callbacks']->got];
    } catch (Cannot $reason) {
        $result = ['cannot' => $reason->getMessage()];
    } catch (\Throwable $error) {
        $result = ['crash' => $error::class . ': ' . $error->getMessage()];
    }
    echo json_encode($result, JSON_THROW_ON_ERROR | JSON_UNESCAPED_SLASHES | JSON_UNESCAPED_UNICODE), "\n";
}
