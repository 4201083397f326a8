<?php

/*
 * Receives webhooks: php webhook.php [COUNT]. The program ends after COUNT webhooks; without COUNT it does not end.
 *
 * The program serves HTTP itself, on loopback, so that it needs no web server. In a shop PHP runs behind a web server,
 * and the whole receiver is $verifier->verifyGlobals(), as the README of the package shows.
 */

declare(strict_types=1);

require __DIR__ . '/example.php';

use MerchantPay\Event;
use MerchantPay\EventKind;
use MerchantPay\Exception\MerchantPayException;
use MerchantPay\WebhookVerifier;

/** The largest body that is accepted, in bytes. Every webhook of the contract is far smaller. */
const LARGEST_BODY = 65536;

function print_event(Event $event): void
{
    $payment = $event->payment;
    echo match ($event->kindCase()) {
        EventKind::Credentials => "credentials $payment->orderId pay " . ($payment->sum ?? '-') . ' RUB to '
            . ($payment->payeeAccount ?? '-'),
        EventKind::CredentialsFailed => "credentials_failed $payment->orderId",
        EventKind::Status => "status $payment->orderId $payment->status",
        null => "event $payment->orderId", // A later version of the library may know more kinds.
    }, "\n";
}

/**
 * Reads one request.
 *
 * @param resource $connection
 * @return array{string, array<string, string>, ?string} the method, headers by name in lower case, and the body unless
 *     it is too large
 */
function read_request($connection): array
{
    $headers = [];
    $method = explode(' ', (string) fgets($connection, 8192))[0];
    while (($line = fgets($connection, 8192)) !== false && rtrim($line) !== '' && count($headers) < 100) {
        [$name, $value] = explode(':', $line, 2) + ['', ''];
        $headers[strtolower(trim($name))] = trim($value);
    }
    $length = (int) ($headers['content-length'] ?? 0);
    if ($length > LARGEST_BODY) {
        return [$method, $headers, null];
    }
    $body = '';
    while (strlen($body) < $length && ($read = fread($connection, $length - strlen($body))) !== false && $read !== '') {
        $body .= $read;
    }
    return [$method, $headers, $body];
}

example_run(static function () use ($argv): void {
    $count = (int) ($argv[1] ?? 0); // With 0 the program does not end.
    $verifier = new WebhookVerifier(
        serverPublicKey: (string) example_setting('SERVER_PUBLIC_KEY'),
        serverKeyId: example_setting('SERVER_KEY_ID') ?? [],
        keyId: example_setting('KEY_ID'),
    );
    $listener = stream_socket_server('tcp://127.0.0.1:0');
    echo 'listening ', substr(strrchr(stream_socket_get_name($listener, false), ':'), 1), "\n";

    for ($received = 0; $count === 0 || $received < $count;) {
        $connection = stream_socket_accept($listener, -1);
        stream_set_timeout($connection, 10);
        [$method, $headers, $body] = read_request($connection);
        $status = '400 Bad Request';
        if ($method !== 'POST') {
            $status = '405 Method Not Allowed';
        } elseif ($body === null) {
            echo "refused too_large\n";
        } else {
            try {
                // Uses the unchanged bytes: a parsed and rewritten body does not verify.
                [$signature, $keyId] = [$headers['x-signature'] ?? null, $headers['x-keyid'] ?? null];
                print_event($verifier->verify($body, $signature, $keyId));
                // The same event may come again: a shop must handle an event only once.
                $status = '200 OK';
                $received++;
            } catch (MerchantPayException $error) {
                echo "refused {$error->code()}\n";
                $why = $verifier->explain($body, $signature, $keyId);
                $why = $why === null ? $error->getMessage() : "$why->cause: $why->hint";
                fwrite(STDERR, "webhook refused: $why\n"); // for your log, not for the sender
            }
        }
        @fwrite($connection, "HTTP/1.1 $status\r\nContent-Length: 0\r\nConnection: close\r\n\r\n");
        fclose($connection);
    }
});
