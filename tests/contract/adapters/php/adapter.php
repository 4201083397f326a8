<?php

/* The adapter in PHP: reads one command per line from stdin, and writes one result per line to stdout. See
 * ../../README.md. */

declare(strict_types=1);

namespace MerchantPay\Adapter;

use MerchantPay\AvailableAmounts;
use MerchantPay\Client;
use MerchantPay\Exception\MerchantPayException;
use MerchantPay\HttpRequest;
use MerchantPay\Payment;
use MerchantPay\Protocol;
use MerchantPay\WebhookVerifier;
use ReflectionMethod;

require dirname(__DIR__, 4) . '/bindings/php/autoload.php';
require __DIR__ . '/journal.php';

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

/**
 * Calls a method. The arguments are texts with snake-case names. They are converted to the types of the parameters.
 *
 * @param array<string, mixed> $given
 */
function callBy(ReflectionMethod $method, ?object $on, array $given): mixed
{
    $arguments = [];
    foreach ($method->getParameters() as $parameter) {
        $name = inSnakeCase($parameter->name);
        $types = explode('|', ltrim((string) $parameter->getType(), '?'));
        if (array_key_exists($name, $given)) {
            $value = $given[$name];
            $arguments[$parameter->name] = match (true) {
                is_string($value) && in_array('int', $types, true) => (int) $value,
                is_string($value) && in_array('bool', $types, true) => $value === '1',
                default => $value,
            };
            unset($given[$name]);
        } elseif (!$parameter->isOptional()) {
            // The argument is missing, so it becomes an empty value of the type that PHP requires.
            $arguments[$parameter->name] = $parameter->allowsNull() ? null : '';
        }
    }
    if ($given !== []) {
        throw new Cannot('an argument that the method does not have');
    }
    return $on === null
        ? $method->getDeclaringClass()->newInstance(...$arguments)
        : $method->invoke($on, ...$arguments);
}

/**
 * @param class-string $class
 * @param array<string, mixed> $settings
 */
function make(string $class, array $settings): object
{
    return callBy(new ReflectionMethod($class, '__construct'), null, $settings);
}

/**
 * @param array<string, mixed> $arguments
 * @return array<string, mixed> the arguments, with files and texts of invalid UTF-8 in PHP's types
 */
function arguments(array $arguments): array
{
    $arguments = array_map(static fn (mixed $value): mixed => hex2bin($value['hex'] ?? '') ?: $value, $arguments);
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
        default => [],
    };
}

/** @return array<string, mixed> */
function failure(MerchantPayException $error): array
{
    return array_filter([
        'code' => $error->code(),
        'outcome' => $error->outcome(),
        'is_transient' => $error->isTransient(),
        'description' => $error->description(),
        'reason' => $error->reason(),
        'http_status' => $error->httpStatus(),
        'retry_after_ms' => $error->retryAfterMs(),
        'order_id' => $error->orderId(),
        'content_type' => $error->contentType(),
        'excerpt' => $error->excerpt(),
        'body' => $error->body() === null ? null : bin2hex($error->body()),
    ], static fn (mixed $value): bool => $value !== null);
}

/**
 * @param array<string, mixed> $command
 * @return array<string, mixed>
 */
function answer(array $command): array
{
    static $journal = new JournalCommands();
    $settings = $command['settings'] ?? [];
    $prepare = static function () use ($command, $settings): HttpRequest {
        $protocol = make(Protocol::class, $settings);
        $method = new ReflectionMethod($protocol, inPhp('prepare_' . $command['operation']));
        return callBy($method, $protocol, arguments($command['arguments']));
    };
    switch ($command['do']) {
        case 'settings':
            make($command['makes'] === 'protocol' ? Protocol::class : WebhookVerifier::class, $settings);
            return [];
        case 'prepare':
            $request = $prepare();
            $headers = array_map(null, array_keys($request->headers), array_values($request->headers));
            return ['url' => $request->url, 'headers' => $headers, 'body' => bin2hex($request->body)];
        case 'open':
            $headers = [];
            foreach ($command['reply']['headers'] as [$name, $value]) {
                $headers[$name][] = $value;
            }
            return shown($prepare()->open($command['reply']['status'], $headers, hex2bin($command['reply']['body'])));
        case 'verify':
            $verifier = make(WebhookVerifier::class, $settings);
            $signature = $command['signature'] ?? null;
            $event = $verifier->verify(hex2bin($command['body']), $signature, $command['key_id'] ?? null);
            return ['kind' => $event->kind] + shown($event->payment);
        case 'explain':
            $verifier = make(WebhookVerifier::class, $settings);
            $body = hex2bin($command['body']);
            $explanation = $verifier->explain($body, $command['signature'] ?? null, $command['key_id'] ?? null);
            return ['cause' => $explanation->cause ?? '', 'hint' => $explanation?->hint];
        case 'call':
            $client = make(Client::class, $settings);
            $method = new ReflectionMethod($client, inPhp($command['operation']));
            for ($left = $command['times'] ?? 1; $left > 0; $left--) {
                $result = callBy($method, $client, arguments($command['arguments']));
            }
            return shown($result);
        default:
            return $journal->answer($command);
    }
}

while (($line = fgets(STDIN)) !== false) {
    try {
        $result = ['ok' => (object) answer(json_decode($line, true, flags: JSON_THROW_ON_ERROR))];
    } catch (MerchantPayException $error) {
        $result = ['error' => failure($error)];
    } catch (Cannot $reason) {
        $result = ['cannot' => $reason->getMessage()];
    } catch (\Throwable $error) {
        $result = ['crash' => $error::class . ': ' . $error->getMessage()];
    }
    echo json_encode($result, JSON_THROW_ON_ERROR | JSON_UNESCAPED_SLASHES | JSON_UNESCAPED_UNICODE), "\n";
}
