<?php

/*
 * Finds a payment again whose reply was lost: php recover.php FILE [PORT], where FILE keeps the orders and PORT is
 * where webhooks come, any free one unless given. Run it again with both after a crash: it goes on with the order that
 * is open.
 *
 * It serves HTTP by itself, on loopback: what comes while a call is under way waits in the listener's queue. In a shop
 * PHP runs behind a web server, the receiver is a page of its own, and the orders are in a database.
 */

declare(strict_types=1);

namespace Shop;

require __DIR__ . '/example.php';

use MerchantPay\Client;
use MerchantPay\Exception\MerchantPayException;
use MerchantPay\Outcome;
use MerchantPay\WebhookVerifier;
use RuntimeException;

/** No webhook of the contract is near it. */
const LARGEST_BODY = 65536;

/** The shop's orders, a line each: token, sum and order id, which is - while it is not known. */
final class Orders
{
    /** @var array<string, array{sum: string, id: ?string}> by token */
    public array $all = [];

    public function __construct(private readonly string $file)
    {
        foreach (is_file($file) ? file($file, FILE_IGNORE_NEW_LINES) : [] as $line) {
            [$token, $sum, $id] = explode(' ', $line);
            $this->all[$token] = ['sum' => $sum, 'id' => $id === '-' ? null : $id];
        }
    }

    /** All of it or nothing, also if the machine stops here. */
    public function save(): void
    {
        $file = fopen("$this->file.new", 'w');
        foreach ($this->all as $token => $order) {
            fwrite($file, "$token {$order['sum']} " . ($order['id'] ?? '-') . "\n");
        }
        if (!fsync($file) || !fclose($file) || !rename("$this->file.new", $this->file)) {
            throw new RuntimeException('the orders cannot be written');
        }
    }

    /**
     * Gives an order its id, unless it has another one or that one is another order's: an old message that is played
     * back has a good signature too.
     */
    public function name(string $token, string $id): bool
    {
        foreach ($this->all as $other => $order) {
            if ((string) $other === $token ? ($order['id'] ?? $id) !== $id : $order['id'] === $id) {
                return false;
            }
        }
        $this->all[$token]['id'] = $id;
        $this->save();
        return true;
    }
}

/** Makes an order and calls for its payment. Says whether its webhook has to be waited for. */
function ask_for_payment(Client $client, Orders $orders, string $address): bool
{
    $token = bin2hex(random_bytes(32));
    // Before the call: what is lost in it has to be found by this.
    $orders->all[$token] = ['sum' => '1500.55', 'id' => null];
    $orders->save();
    echo "stored 1500.55 RUB\n";
    try {
        $payment = $client->newPayment(
            sum: '1500.55',
            paymentMethod: 'sbp',
            customerAccount: '79001234567',
            statusWebhookUrl: "http://$address/hooks/$token",
        );
    } catch (MerchantPayException $error) {
        if (in_array($error->outcomeCase(), [Outcome::NotSent, Outcome::Rejected], true)) {
            // There is no such payment.
            unset($orders->all[$token]);
            $orders->save();
            throw $error;
        }
        echo "unknown {$error->code()}: wait for the webhook\n";
        return true;
    }
    if (!$orders->name($token, $payment->orderId)) {
        throw new RuntimeException('this reply is about another order');
    }
    echo "order $payment->orderId\n";
    return false;
}

/**
 * Reads one request.
 *
 * @param resource $connection
 * @return array{string, array<string, string>, string} its first line, headers by name in lower case, and the body
 */
function read_request($connection): array
{
    $headers = [];
    $first = (string) fgets($connection, 8192);
    while (($line = fgets($connection, 8192)) !== false && rtrim($line) !== '' && count($headers) < 100) {
        [$name, $value] = explode(':', $line, 2) + ['', ''];
        $headers[strtolower(trim($name))] = trim($value);
    }
    $length = min((int) ($headers['content-length'] ?? 0), LARGEST_BODY);
    $body = '';
    while (strlen($body) < $length && ($read = fread($connection, $length - strlen($body))) !== false && $read !== '') {
        $body .= $read;
    }
    return [$first, $headers, $body];
}

/**
 * Verifies one webhook or refuses it.
 *
 * @param resource $connection
 * @return array{string, ?string} the status to answer, and the order id that it has found
 */
function receive($connection, Orders $orders, WebhookVerifier $verifier): array
{
    [$first, $headers, $body] = read_request($connection);
    // The token says which order is meant. It proves nothing: it stands in logs, and the signature is the proof.
    if (preg_match('~^POST /hooks/([0-9a-f]{64}) ~', $first, $found) !== 1 || !isset($orders->all[$found[1]])) {
        return ['404 Not Found', null];
    }
    try {
        // The bytes as they came: a parser in between would make other bytes of them.
        $event = $verifier->verify($body, $headers['x-signature'] ?? null, $headers['x-keyid'] ?? null);
    } catch (MerchantPayException $error) {
        echo "refused {$error->code()}\n";
        return ['400 Bad Request', null];
    }
    // Written before it is answered: a webhook that was taken does not come again.
    if (!$orders->name($found[1], $event->payment->orderId)) {
        echo "refused other_order\n";
        return ['409 Conflict', null];
    }
    return ['200 OK', $event->payment->orderId];
}

if ($argc < 2 || $argc > 3 || ($argc === 3 && !ctype_digit($argv[2]))) {
    fwrite(STDERR, "usage: recover FILE [PORT]\n");
    exit(2);
}

example_run(static function () use ($argv): void {
    $orders = new Orders($argv[1]);
    $client = Client::fromEnv();
    $verifier = new WebhookVerifier(
        serverPublicKey: (string) example_setting('SERVER_PUBLIC_KEY'),
        serverKeyId: example_setting('SERVER_KEY_ID') ?? [],
        keyId: example_setting('KEY_ID'),
    );
    $listener = stream_socket_server('tcp://127.0.0.1:' . ($argv[2] ?? '0'));
    $address = stream_socket_get_name($listener, false);
    echo 'listening ', substr(strrchr($address, ':'), 1), "\n";

    $open = array_filter($orders->all, static fn (array $order) => $order['id'] === null);
    if ($open !== []) {
        // The program ended in its call, or before the webhook came: nobody knows whether it took effect.
        echo 'open ', reset($open)['sum'], " RUB\n";
    } elseif (!ask_for_payment($client, $orders, $address)) {
        return;
    }
    for ($id = null; $id === null;) {
        $connection = stream_socket_accept($listener, -1);
        stream_set_timeout($connection, 10);
        [$status, $id] = receive($connection, $orders, $verifier);
        @fwrite($connection, "HTTP/1.1 $status\r\nContent-Length: 0\r\nConnection: close\r\n\r\n");
        fclose($connection);
    }
    echo "found $id\n";
    example_print('status', $client->getStatus($id)->status);
});
