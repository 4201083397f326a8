<?php

/*
 * One of the paying processes, in PHP: it works like src/journal/worker.rs and shop.rs, with PostgreSQL
 * through PDO. It serves the callbacks between its calls.
 */

declare(strict_types=1);

namespace MerchantPay\Soak;

require __DIR__ . '/../../../bindings/php/autoload.php';
require __DIR__ . '/../../../bindings/php/tests/Support/Http.php';

use MerchantPay\Client;
use MerchantPay\Entry;
use MerchantPay\Exception\MerchantPayException;
use MerchantPay\Intent;
use MerchantPay\Journal;
use MerchantPay\Standing;
use MerchantPay\Tests\Support\Http;
use PDO;

const WORKERS = 8;
const PATIENCE_S = 60;

final class Worker
{
    private readonly Journal $journal;

    /** @var resource */
    private $log;

    /** @var resource */
    private $listener;

    public function __construct(private readonly int $worker, private readonly string $path)
    {
        $this->log = fopen($path, 'a');
        $connect = static fn (): PDO =>
            new PDO('pgsql:host=' . getenv('SOCKET') . ';dbname=' . getenv('DATABASE'), 'shop');
        $this->journal = new Journal(
            Client::fromEnv(),
            $connect,
            callbackUrl: getenv('HOOKS'),
            timeoutMs: 15_000,
            callsPerSecond: 1000,
        );
        $this->listener = stream_socket_server('tcp://127.0.0.1:0');
        echo 'listening ', explode(':', stream_socket_get_name($this->listener, false))[1], "\n";
    }

    public function work(int $payments): never
    {
        for ($number = $this->reached(); $number < $payments; $number++) {
            if (in_array($number % WORKERS, [$this->worker, ($this->worker + 1) % WORKERS], true)) {
                $this->take($number);
                $this->turn(4);
                $this->note("done $number");
            }
        }
        echo "finished\n";
        while (true) {
            if (!$this->turn(20)) {
                $this->receive(50_000);
            }
        }
    }

    /** Each line is one write, so that a kill leaves no half line. */
    private function note(string $line): void
    {
        if (fwrite($this->log, "$line\n") !== strlen($line) + 1) {
            throw new \RuntimeException('the log');
        }
    }

    /** The number of the payment that this process had reached before it was killed. */
    private function reached(): int
    {
        $done = preg_grep('/^done /', file($this->path));
        return $done === [] ? 0 : (int) substr(end($done), 5) + 1;
    }

    /**
     * Repeats a call while the journal or its database is busy.
     *
     * @template T
     * @param \Closure(): T $call
     * @return T
     */
    private function steadily(\Closure $call): mixed
    {
        $end = time() + PATIENCE_S;
        while (true) {
            try {
                return $call();
            } catch (MerchantPayException $error) {
                if (!$error->isTransient() || time() > $end) {
                    throw $error;
                }
            }
            $this->receive(20_000);
        }
    }

    private function numberOf(Entry $entry): int
    {
        return (int) substr($entry->reference, strlen('order-'));
    }

    /** Each payment has a different sum. */
    private function pay(int $number, ?int $replace = null): Entry
    {
        $minor = 10_010 + 10 * $number;
        $pay = $number % 2 === 0 ? $this->journal->pay(...) : $this->journal->payAsync(...);
        $account = match ($number % 40) {
            3 => 'no-credentials',
            5 => 'pays-less',
            9 => 'payment-fails',
            default => '79001234567',
        };
        return $this->steadily(static fn (): Entry => $pay(
            "order-$number",
            sum: sprintf('%d.%02d', intdiv($minor, 100), $minor % 100),
            paymentMethod: 'sbp',
            customerAccount: $account,
            replace: $replace,
        ));
    }

    /**
     * Gives the credentials, if any, to a customer who pays immediately. For one customer in fifty the shop cancels the
     * payment and makes another one.
     */
    private function serve(Entry $entry): void
    {
        if ($entry->orderId === null || $entry->credentials === null) {
            return;
        }
        $this->note("handed $entry->reference $entry->attempt $entry->orderId");
        if ($this->numberOf($entry) % 50 === 7 && $entry->attempt === 1) {
            $cancelled = $this->steadily(fn (): Entry => $this->journal->cancel($entry));
            if ($cancelled->cancelCase() === Intent::Accepted) {
                $this->note("cancelled $entry->reference $entry->attempt");
                $this->serve($this->pay($this->numberOf($entry), $entry->attempt));
            }
        } elseif ($entry->confirm === null) {
            $this->steadily(fn (): Entry => $this->journal->confirm($entry));
        }
    }

    /** Creates a payment. A cashier replaces one third of the payments whose reply is lost. */
    private function take(int $number): void
    {
        $entry = $this->pay($number);
        $this->serve($entry);
        if ($entry->standingCase() === Standing::Unknown && $number % 3 === 0) {
            $this->serve($this->pay($number, $entry->attempt));
        }
    }

    /** Handles some reported changes (news), and settles some due attempts. Returns whether there was anything to do. */
    private function turn(int $limit): bool
    {
        $news = $this->steadily(fn (): array => $this->journal->news($limit));
        foreach ($news as $entry) {
            $this->serve($entry);
            if ($this->steadily(fn (): bool => $this->journal->acknowledge($entry)) && $entry->succeeded) {
                $this->note("shipped $entry->reference");
            }
        }
        $settled = $this->steadily(fn () => $this->journal->settle($limit));
        $this->receive(0);
        return $news !== [] || $settled->done > 0;
    }

    /**
     * Handles the pending callbacks, and waits at most this long for the first callback. At the end of the run the
     * parent closes this process's input.
     */
    private function receive(int $microseconds): void
    {
        do {
            $ready = [STDIN, $this->listener];
            $none = null;
            if (stream_select($ready, $none, $none, 0, $microseconds) === 0) {
                return;
            }
            if (in_array(STDIN, $ready, true)) {
                exit(0);
            }
            $this->answer(stream_socket_accept($this->listener));
            $microseconds = 0;
        } while (true);
    }

    /** @param resource $connection */
    private function answer($connection): void
    {
        ['first' => $first, 'headers' => $headers, 'body' => $body] = Http::read($connection);
        $path = explode(' ', $first)[1];
        $received = $this->journal->receive($path, $body, $headers['x-signature'] ?? null, $headers['x-keyid'] ?? null);
        fwrite($connection, Http::message("HTTP/1.1 $received->httpStatus Received", [], ''));
    }
}

(new Worker((int) getenv('WORKER'), getenv('LOG')))->work((int) getenv('PAYMENTS'));
