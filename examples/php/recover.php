<?php

/*
 * Makes exactly one payment, whatever fails: php recover.php FILE [PORT]. FILE is the journal: a path,
 * postgresql:// or mysql://. The program receives webhooks on PORT; without PORT, on any free port. Kill the program,
 * lose its replies, and run it again with the same arguments: it continues the same payment.
 *
 * The program serves HTTP itself, on loopback, so that it needs no web server. In a shop PHP runs behind a web server:
 * there $journal->receiveGlobals() is the whole receiver, and a worker calls settle. shop.php shows both.
 */

declare(strict_types=1);

require __DIR__ . '/example.php';

use MerchantPay\Client;
use MerchantPay\Entry;
use MerchantPay\Journal;
use MerchantPay\Standing;

/** The largest body that is read, in bytes. Every webhook of the contract is far smaller. */
const LARGEST_BODY = 65536;

/**
 * Answers one request with the HTTP status that the journal returns.
 *
 * @param resource $connection
 */
function receive($connection, Journal $journal): void
{
    $headers = [];
    [, $path] = explode(' ', (string) fgets($connection, 8192)) + ['', ''];
    while (($line = fgets($connection, 8192)) !== false && rtrim($line) !== '' && count($headers) < 100) {
        [$name, $value] = explode(':', $line, 2) + ['', ''];
        $headers[strtolower(trim($name))] = trim($value);
    }
    $length = min((int) ($headers['content-length'] ?? 0), LARGEST_BODY);
    // Uses the unchanged bytes: a parsed and rewritten body does not verify.
    $body = (string) stream_get_contents($connection, $length);
    $received = $journal->receive($path, $body, $headers['x-signature'] ?? null, $headers['x-keyid'] ?? null);
    @fwrite($connection, "HTTP/1.1 $received->httpStatus Is\r\nContent-Length: 0\r\nConnection: close\r\n\r\n");
}

/** Whether the attempt is over, and its last change is acknowledged. */
function is_over(Entry $entry): bool
{
    return in_array($entry->standingCase(), [Standing::Final, Standing::Refused], true)
        && $entry->acknowledged;
}

if ($argc < 2 || $argc > 3 || ($argc === 3 && !ctype_digit($argv[2]))) {
    fwrite(STDERR, "usage: recover FILE [PORT]\n");
    exit(2);
}

example_run(static function () use ($argv): void {
    $listener = stream_socket_server('tcp://127.0.0.1:' . ($argv[2] ?? '0'));
    $address = stream_socket_get_name($listener, false);
    echo 'listening ', substr(strrchr($address, ':'), 1), "\n";
    $journal = new Journal(Client::fromEnv(), $argv[1], callbackUrl: "http://$address/hooks");

    // A repeated call returns the same payment. If the reply is lost, a webhook still brings the credentials.
    $entry = $journal->payAsync('order-1017', sum: '1500.55', paymentMethod: 'sbp', customerAccount: '79001234567');
    echo "$entry->reference $entry->standing\n";
    do {
        $ready = [$listener];
        $none = null;
        if (stream_select($ready, $none, $none, 0, 100_000) > 0) {
            $connection = stream_socket_accept($listener);
            stream_set_timeout($connection, 10);
            receive($connection, $journal);
            fclose($connection);
        }
        $journal->settle();
        foreach ($journal->news() as $news) {
            $task = $news->credentials ? ': show the credentials' : '';
            echo "$news->reference $news->standing", $news->succeeded ? ': ship it' : $task, "\n";
            $journal->acknowledge($news);
        }
    } while (!is_over($journal->find('order-1017') ?? $entry));
});
