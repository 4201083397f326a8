<?php

/* A shop that php-fpm serves in the tests. The first part of the path names the function that answers. */

declare(strict_types=1);

use MerchantPay\Client;
use MerchantPay\Exception\MerchantPayException;
use MerchantPay\Journal;
use MerchantPay\WebhookVerifier;

require_once dirname(__DIR__, 2) . '/autoload.php'; // With preloading, the classes already exist.

function note(string $file, string $line): void
{
    file_put_contents(dirname(__DIR__, 3) . "/$file", $line . "\n", FILE_APPEND | LOCK_EX);
}

function refused(\Closure $call): string
{
    try {
        $call();
        return 'accepted';
    } catch (MerchantPayException $error) {
        return $error->outcome();
    }
}

/** @return array<string, mixed> */
function pay(): array
{
    $logger = new class {
        public function log(mixed $level, string $message): void
        {
            note('log', $message);
        }
    };
    $client = Client::fromEnv($logger);
    $hook = "http://{$_SERVER['SERVER_ADDR']}:{$_SERVER['SERVER_PORT']}/hook";
    $payment = $client->newPaymentAsync('1500.50', 'sbp', '7900', $hook, statusWebhookUrl: $hook);
    $attach = static fn () => $client->attachReceipt($payment->orderId, [['a.pdf', '%PDF', 'application/pdf']]);
    return ['orderId' => $payment->orderId, 'refusal' => refused($attach), 'pid' => getmypid()];
}

/** @return array<string, mixed> */
function hook(): array
{
    $event = WebhookVerifier::fromEnv()->verifyGlobals();
    note('events', "$event->kind {$event->payment->orderId} {$event->payment->sum}");
    return [];
}

/** Pays the order that the path names. Each request opens the journal anew. @return array<string, mixed> */
function journal(string $order): array
{
    $journal = new Journal(Client::fromEnv(), (string) getenv('SHOP_JOURNAL'), timeoutMs: 15000);
    $entry = $journal->pay($order, sum: '10', paymentMethod: 'sbp', customerAccount: '79001234567');
    return ['standing' => $entry->standing, 'pid' => getmypid()];
}

/** Ends in the way that the path names, while a client is open. @return array<string, mixed> */
function fatal(string $end): array
{
    $client = Client::fromEnv();
    $ask = static fn (): string => refused(fn () => $client->getStatus('nobody'));
    $ask();
    if ($end !== 'none') {
        register_shutdown_function(static function () use ($ask): void {
            ini_set('memory_limit', '64M');
            note('ends', $ask());
        });
    }
    ini_set('memory_limit', '8M');
    switch ($end) {
        case 'large':
            str_repeat('x', 1 << 26);
            break;
        case 'small':
            for ($list = [];;) {
                $list = [$list];
            }
            // no break
        case 'thrown':
            throw new LogicException('end of it');
    }
    preg_match('/VmRSS:\s+(\d+)/', (string) file_get_contents('/proc/self/status'), $found);
    return ['pid' => getmypid(), 'files' => count(scandir('/proc/self/fd')), 'kilobytes' => (int) $found[1]];
}

[, $function, $argument] = explode('/', $_SERVER['REQUEST_URI']) + ['', '', ''];
try {
    $answer = $function($argument);
} catch (MerchantPayException $error) {
    http_response_code(500);
    $answer = ['class' => $error::class, 'message' => $error->getMessage()];
}
header('Content-Type: application/json');
echo json_encode($answer);
