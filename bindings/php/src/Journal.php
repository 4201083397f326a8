<?php

declare(strict_types=1);

namespace MerchantPay;

use MerchantPay\Database\Connection;
use MerchantPay\Database\Driver;
use MerchantPay\Database\StatementException;
use MerchantPay\Exception\InvalidArgumentException;
use MerchantPay\Exception\MerchantPayException;
use MerchantPay\Exception\StorageException;
use MerchantPay\Ffi\Argument;
use MerchantPay\Ffi\Call;
use MerchantPay\Ffi\Database;
use MerchantPay\Ffi\Handle;
use MerchantPay\Ffi\JournalCalls;
use MerchantPay\Ffi\JournalConfig;
use MerchantPay\Ffi\JournalOperations;
use MerchantPay\Ffi\JournalUpkeep;
use MerchantPay\Ffi\NamedTexts;
use MerchantPay\Ffi\Opaque;
use MerchantPay\Ffi\Out;
use PDO;
use Psr\Http\Message\RequestInterface;

/**
 * Takes payments by the merchant's own order numbers. Each number has at most one payment that a customer can
 * pay, even after crashes and lost or repeated messages. Since 0.2.0.
 *
 * The journal keeps its rows in a SQLite file that only the journal may open, or in the merchant's own database,
 * through separate connections. Its methods throw StorageException if the journal cannot be read or written.
 * The methods do not throw an error of the service: that error is in the entry's field error.
 */
final class Journal implements JournalInterface
{
    use JournalCalls;
    use JournalOperations;
    use JournalUpkeep;
    use Opaque;

    private ?Handle $handle = null;

    /** @var ?array<string, list<string>> the settings; null after the journal was closed */
    private ?array $settings;

    private readonly ?Connection $connection;

    /** The database of the journal. This object is kept here because the C library's journal calls it. */
    private readonly ?Database $database;

    /**
     * Opens a journal. A file is opened immediately, a database at its first use. The journal needs PHP with 64 bits.
     *
     * @param Client $client the client with which the journal calls the service
     * @param string|\Closure(): PDO $place the absolute path of the SQLite file, which only the journal may
     * open; or a factory of connections that only the journal uses, with the driver pgsql, mysql or sqlite. The
     * factory is called when a connection is needed, and again after a connection was lost. `merchantpay journal
     * schema` prints the tables
     * @param ?string $callbackUrl the URL to which the service sends webhooks; each attempt adds its own token.
     * Without a URL only pay works, and if a reply is lost, only an operator can find the payment
     * @param ?string $account the name of the merchant's account; the client's base URL unless set
     * @param ?int $timeoutMs the deadline of a payment, including its storage: 30000 unless set, at least
     * 15000
     * @param ?int $callsPerSecond the largest number of calls that settle makes in a second: 10 unless set
     * @param bool $create creates the file or the tables if they are missing. In production
     * `merchantpay journal init` or a migration creates them once
     * @param ?int $payWaitMs the time for which pay waits for a running call of the same payment: 5000 unless
     * set; 0 does not wait
     * @param ?string $durabilityVouched comma-separated settings of the database that the merchant accepts
     * although they can lose a row: opening does not refuse them
     * @param ?int $callsAtOnce the largest number of calls that settle makes at the same time: 4 unless set
     * @throws MerchantPayException
     */
    public function __construct(
        private readonly Client $client,
        string|\Closure $place,
        ?string $callbackUrl = null,
        ?string $account = null,
        ?int $timeoutMs = null,
        ?int $callsPerSecond = null,
        bool $create = false,
        ?int $payWaitMs = null,
        ?string $durabilityVouched = null,
        ?int $callsAtOnce = null,
    ) {
        if (PHP_INT_SIZE < 8) {
            throw InvalidArgumentException::because('a journal needs a PHP of 64 bits: its times do not fit into 32');
        }
        $settings = compact('callbackUrl', 'account', 'timeoutMs', 'callsPerSecond', 'create', 'payWaitMs');
        $this->settings = NamedTexts::of($settings + compact('durabilityVouched', 'callsAtOnce'))
            + (is_string($place) ? ['file' => [JournalConfig::file($place)]] : []);
        $this->connection = is_string($place) ? null : new Connection($place);
        $this->database = $this->connection === null ? null : new Database($this->connection->run(...));
        if ($this->connection === null) {
            $this->handle();
        }
    }

    /**
     * Reports to the service that the customer has paid this attempt. The journal stores the report before it
     * sends it, and settle retries the report while its outcome is unknown. The returned entry has the state of
     * the report in its field confirm.
     *
     * @throws MerchantPayException
     */
    public function confirm(Entry $entry): Entry
    {
        return $this->one('mpay_journal_confirm', [Entry::partOf($entry)]);
    }

    /**
     * Cancels this attempt. From now on its entries have no credentials. When the service has accepted the
     * cancel, the attempt can be replaced.
     *
     * @throws MerchantPayException
     */
    public function cancel(Entry $entry): Entry
    {
        return $this->one('mpay_journal_cancel', [Entry::partOf($entry)]);
    }

    /**
     * Confirms the attempt with this reference and number, for a caller that has no Entry.
     *
     * @param int $attempt the attempt's number, from 1
     * @throws MerchantPayException InvalidArgumentException if there is no such attempt
     */
    public function confirmBy(string $reference, int $attempt): Entry
    {
        return $this->one('mpay_journal_confirm_by', self::attempt($reference, $attempt));
    }

    /**
     * Cancels the attempt with this reference and number, for a caller that has no Entry.
     *
     * @param int $attempt the attempt's number, from 1
     * @throws MerchantPayException InvalidArgumentException if there is no such attempt
     */
    public function cancelBy(string $reference, int $attempt): Entry
    {
        return $this->one('mpay_journal_cancel_by', self::attempt($reference, $attempt));
    }

    /**
     * Takes a webhook. The method throws no exception if the webhook is invalid or the journal fails: the result
     * has the HTTP status of the answer.
     *
     * @param string $path the webhook's path or URL
     * @param string $body the unchanged body
     * @param ?string $signature the value of the header X-Signature; null if the header is absent
     * @param ?string $keyId the value of the header X-KeyId
     */
    public function receive(
        #[\SensitiveParameter] string $path,
        #[\SensitiveParameter] string $body,
        #[\SensitiveParameter] ?string $signature,
        ?string $keyId = null,
    ): Received {
        try {
            $status = new Out('int32_t');
            $arguments = [
                $this->handle(),
                self::whole($path),
                $body,
                strlen($body),
                self::whole($signature),
                self::whole($keyId),
                $status,
            ];
            $entry = Call::make('mpay_entry', 'mpay_journal_receive', $arguments, self::entry(...));
            return new Received($status->value(), $entry);
        } catch (MerchantPayException $error) {
            // The status is missing if the journal could not be opened.
            return new Received(isset($status) ? $status->value() ?: 503 : 503, null, $error);
        }
    }

    /** Takes the webhook that PHP is serving: the path and the headers in $_SERVER, and php://input. */
    public function receiveGlobals(): Received
    {
        $text = static fn (string $name): ?string => is_string($_SERVER[$name] ?? null) ? $_SERVER[$name] : null;
        return $this->receive(
            (string) $text('REQUEST_URI'),
            (string) file_get_contents('php://input'),
            $text('HTTP_X_SIGNATURE'),
            $text('HTTP_X_KEYID'),
        );
    }

    /** Takes a webhook from a PSR-7 request, whose body must be unchanged. */
    public function receiveRequest(RequestInterface $request): Received
    {
        $header = static fn (string $name): ?string =>
            $request->hasHeader($name) ? $request->getHeaderLine($name) : null;
        return $this->receive(
            $request->getUri()->getPath(),
            (string) $request->getBody(),
            $header('X-Signature'),
            $header('X-KeyId'),
        );
    }

    /**
     * Asks the service about at most $limit attempts that are due, and retries unanswered confirms and
     * cancels. Call it from cron or in a loop; several workers may share the work.
     *
     * @throws MerchantPayException
     */
    public function settle(int $limit = 100): Settled
    {
        $done = new Out('uint32_t');
        $next = new Out('int64_t');
        Call::run('mpay_journal_settle', $this->handle(), Argument::uint32('limit', $limit), $done, $next);
        return new Settled($done->value(), $next->value() < 0 ? null : $next->value());
    }

    /**
     * Waits until the last attempt of a reference has reached the event $until, for at most the given time, and
     * returns the attempt's entry. During the wait it asks the service about the attempt.
     *
     * @throws MerchantPayException
     */
    public function wait(string $reference, int $timeoutMs, Until|string $until = Until::Credentials): Entry
    {
        return $this->one('mpay_journal_wait', [
            Argument::text('reference', $reference),
            Argument::uint32('timeoutMs', $timeoutMs),
            self::number('until', Until::class, $until),
        ]);
    }

    /**
     * Finds the entry of a reference, with its earlier attempts; null if there is no such reference.
     *
     * @throws MerchantPayException
     */
    public function find(string $reference): ?Entry
    {
        return $this->one('mpay_journal_find', [Argument::text('reference', $reference)]);
    }

    /**
     * Lists at most $limit entries, of one standing or of all standings, the newest first, without their earlier
     * attempts. With $before, the list has only entries that are older than $before.
     *
     * @param ?Entry $before the last entry of the previous page
     * @return list<Entry>
     * @throws MerchantPayException
     */
    public function list(Standing|string|null $standing = null, int $limit = 100, ?Entry $before = null): array
    {
        return $this->many('mpay_journal_list', [
            $standing === null ? 0 : self::number('standing', Standing::class, $standing),
            Argument::uint32('limit', $limit),
            $before === null ? null : Entry::partOf($before),
        ]);
    }

    /**
     * Returns at most $limit entries whose level is above the acknowledged level, the oldest first. Act on a
     * payment only when this method returns its entry. The method claims each entry, so that concurrent workers get
     * different entries. An entry that is not acknowledged before the claim ends is returned again.
     *
     * @param int $claimMs the length of the claim; 0 means a minute
     * @return list<Entry>
     * @throws MerchantPayException
     */
    public function news(int $limit = 100, int $claimMs = 0): array
    {
        $limit = Argument::uint32('limit', $limit);
        return $this->many('mpay_journal_news', [$limit, Argument::uint32('claimMs', $claimMs)]);
    }

    /**
     * Records that the merchant has acted on this entry's level; news reports later changes again.
     * Returns true if this call acknowledged the entry: of two workers only one gets true.
     *
     * $transaction is the merchant's own connection with an open transaction. The acknowledgement becomes part
     * of this transaction. Call acknowledge first in the transaction: then the transaction's other work is done
     * exactly once. If another worker has acknowledged the entry, acknowledge throws a ConflictException: roll
     * back. Keep the transaction short, and use the isolation level READ COMMITTED.
     *
     * @throws MerchantPayException
     */
    public function acknowledge(Entry $entry, ?PDO $transaction = null): bool
    {
        return $this->isAcknowledged('mpay_journal_acknowledge', [Entry::partOf($entry)], $transaction);
    }

    /**
     * Acknowledges the attempt with this reference and number, for a caller that has no Entry. news still reports
     * a higher level.
     *
     * @param int $attempt the attempt's number, from 1
     * @param Level|string $level the level on which the caller has acted: the field reported of the entry that the
     * caller has read
     * @param ?PDO $transaction as for acknowledge
     * @throws MerchantPayException InvalidArgumentException if there is no such attempt, or if the level is
     * Level::None or above the reported level
     */
    public function acknowledgeBy(
        string $reference,
        int $attempt,
        Level|string $level,
        ?PDO $transaction = null,
    ): bool {
        $attempt = [...self::attempt($reference, $attempt), self::number('level', Level::class, $level)];
        return $this->isAcknowledged('mpay_journal_acknowledge_by', $attempt, $transaction);
    }

    /**
     * Lists the items about which an operator must decide: at most $limit attempts, at most $limit orphans, and a
     * changed database server.
     *
     * @return list<Entry>
     * @throws MerchantPayException
     */
    public function attention(int $limit = 100): array
    {
        return $this->many('mpay_journal_attention', [Argument::uint32('limit', $limit)]);
    }

    /**
     * Stores an operator's decision about an attempt. Pass one of $orderId, $noPayment and $seen; for an orphan
     * only $seen is possible. The object $entry does not change: find returns the new entry.
     *
     * @param string $note who decided, and why: 1 to 500 characters
     * @param ?string $orderId the attempt belongs to this order. The journal first asks the service for the
     * order's status, and requires that the order's sum is the requested sum
     * @param bool $noPayment the service made no payment for the attempt
     * @param bool $seen the operator has seen the item. The item leaves the list of attention until it has a new
     * reason
     * @throws MerchantPayException
     */
    public function resolve(
        Entry $entry,
        string $note,
        ?string $orderId = null,
        bool $noPayment = false,
        bool $seen = false,
    ): void {
        $resolution = self::constant(match ([$orderId !== null, $noPayment, $seen]) {
            [true, false, false] => 'MPAY_RESOLUTION_ORDER_ID',
            [false, true, false] => 'MPAY_RESOLUTION_NO_PAYMENT',
            [false, false, true] => 'MPAY_RESOLUTION_SEEN',
            default => throw InvalidArgumentException::because(
                'exactly one of orderId, noPayment and seen is required',
            ),
        });
        $entry = Entry::partOf($entry);
        $orderId = Argument::text('orderId', $orderId);
        $note = Argument::text('note', $note);
        Call::run('mpay_journal_resolve', $this->handle(), $entry, $resolution, $orderId, $note);
    }

    /**
     * Frees the journal and closes its connection now, not only when PHP destroys the object. The journal's
     * entries stay valid.
     */
    public function close(): void
    {
        $this->handle?->free();
        $this->settings = null;
        $this->connection?->close();
    }

    private function handle(): Handle
    {
        return $this->handle ??= $this->open();
    }

    private function open(): Handle
    {
        $settings = $this->settings ?? throw InvalidArgumentException::because('this object was closed');
        $dialect = $this->connection === null ? '' : $this->driver()->dialect();
        $config = new JournalConfig($settings, $this->database, $dialect);
        return Call::make('mpay_journal', 'mpay_journal_open', [Client::handleOf($this->client), $config]);
    }

    /** Returns the driver of the first connection. The driver determines the SQL dialect. */
    private function driver(): Driver
    {
        try {
            return $this->connection->driver();
        } catch (StatementException $failure) {
            $message = 'the journal failed: ' . $failure->getMessage();
            $previous = $failure->getPrevious();
            throw new StorageException($message, Outcome::NotSent, isTransient: true, previous: $previous);
        }
    }
}
