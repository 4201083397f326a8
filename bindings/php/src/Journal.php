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
 * Takes payments by the merchant's own order numbers: at most one that a customer could pay for each, whatever crashes,
 * is lost, comes twice or out of order. Since 0.2.0.
 *
 * It is kept in an SQLite file, which belongs to it alone, or in the merchant's own database, over connections of its
 * own. Its methods throw StorageException if the journal cannot be read or written; what a call about a payment said is
 * the error of its entry.
 */
final class Journal implements JournalInterface
{
    use JournalCalls;
    use JournalOperations;
    use JournalUpkeep;
    use Opaque;

    private ?Handle $handle = null;

    /** @var ?array<string, list<string>> until it is closed */
    private ?array $settings;

    private readonly ?Connection $connection;

    /** Lives as long as the handle. */
    private readonly ?Database $database;

    /**
     * A file is opened at once, a database when it is first used.
     *
     * @param Client $client it is kept as long as the journal
     * @param string|\Closure(): PDO $place the absolute path of the SQLite file, which nothing else may open; or
     * what makes a connection for the journal alone, by the driver pgsql, mysql or sqlite: called when one is needed,
     * and again when one was lost. The tables are those of `merchantpay journal schema`
     * @param ?string $callbackUrl where the service's webhooks come; each attempt adds a token of its own. Without it
     * only pay works, and a lost reply is found by nobody but a person
     * @param ?string $account whose payments these are; the client's base URL unless set
     * @param ?int $timeoutMs the deadline of a payment, its storing included: 30000 unless set, at least 15000
     * @param ?int $callsPerSecond how many calls settle makes in a second at most: 10 unless set
     * @param bool $create creates the file or the tables if they are missing. In production
     * `merchantpay journal init` or a migration creates them once
     * @param ?int $payWaitMs how long pay waits for a running call of the same payment: 5000 unless set;
     * 0 does not wait
     * @param ?string $durabilityVouched settings of the database, separated by commas, that the merchant vouches for:
     * opening does not refuse them
     * @param ?int $callsAtOnce how many calls of settle run side by side at most: 4 unless set
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
     * Reports to the service that the customer has paid this attempt. It is stored first, and settle retries it
     * while its outcome is unknown; confirm of the returned entry has its state.
     *
     * @throws MerchantPayException
     */
    public function confirm(Entry $entry): Entry
    {
        return $this->one('mpay_journal_confirm', [Entry::partOf($entry)]);
    }

    /**
     * Cancels this attempt. Its credentials are not shown from now on; once it is accepted the attempt can be replaced.
     *
     * @throws MerchantPayException
     */
    public function cancel(Entry $entry): Entry
    {
        return $this->one('mpay_journal_cancel', [Entry::partOf($entry)]);
    }

    /**
     * Confirms an attempt by value, for a caller that keeps no entry.
     *
     * @param int $attempt its number, from 1
     * @throws MerchantPayException InvalidArgumentException if there is no such attempt
     */
    public function confirmBy(string $reference, int $attempt): Entry
    {
        return $this->one('mpay_journal_confirm_by', self::attempt($reference, $attempt));
    }

    /**
     * Cancels an attempt by value, for a caller that keeps no entry.
     *
     * @param int $attempt its number, from 1
     * @throws MerchantPayException InvalidArgumentException if there is no such attempt
     */
    public function cancelBy(string $reference, int $attempt): Entry
    {
        return $this->one('mpay_journal_cancel_by', self::attempt($reference, $attempt));
    }

    /**
     * Takes a webhook. It does not throw for one that is wrong, or if the journal fails: the result says what to
     * answer.
     *
     * @param string $path its path or URL
     * @param string $body as it came
     * @param ?string $signature the text of the header X-Signature; null if it is absent
     * @param ?string $keyId the text of the header X-KeyId
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
            // Nothing was called where the journal could not be opened.
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

    /** Takes the webhook that is a request of PSR-7, whose body must be as it came. */
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
     * Asks the service about at most $limit attempts that are due, and retries unanswered confirms and cancels. From
     * cron or in a loop; several may share the work.
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
     * Waits for the last attempt of a reference, asks the service about it meanwhile, and returns it as it is when that
     * is reached or the time is up.
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
     * The entry of a reference, with the attempts before it; null where there is no such reference.
     *
     * @throws MerchantPayException
     */
    public function find(string $reference): ?Entry
    {
        return $this->one('mpay_journal_find', [Argument::text('reference', $reference)]);
    }

    /**
     * At most $limit entries, of one standing or of all, the newest first, without the attempts before them.
     *
     * @param ?Entry $before only those behind this one in that order
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
     * At most $limit entries that report more than was acknowledged, the oldest first: the one place to act. Each is
     * this caller's for a while, so that several workers do not get the same; one that is not acknowledged comes again.
     *
     * @param int $claimMs for how long; 0 is a minute
     * @return list<Entry>
     * @throws MerchantPayException
     */
    public function news(int $limit = 100, int $claimMs = 0): array
    {
        $limit = Argument::uint32('limit', $limit);
        return $this->many('mpay_journal_news', [$limit, Argument::uint32('claimMs', $claimMs)]);
    }

    /**
     * Reports that the merchant has acted on this entry's level; later changes are reported again. Returns whether
     * there was anything to acknowledge: of two workers it is true for one.
     *
     * With $transaction, a connection of the merchant's own that is in a transaction, it is a part of that: called
     * first in it, what is done in it is done exactly once. It throws a ConflictException where another
     * worker has acknowledged it: roll back. Keep that transaction short, and READ COMMITTED.
     *
     * @throws MerchantPayException
     */
    public function acknowledge(Entry $entry, ?PDO $transaction = null): bool
    {
        return $this->isAcknowledged('mpay_journal_acknowledge', [Entry::partOf($entry)], $transaction);
    }

    /**
     * The same by value, for a caller that keeps no entry. What was reported after that level is reported again.
     *
     * @param int $attempt its number, from 1
     * @param Level|string $level what the entry reported when it was read
     * @param ?PDO $transaction as for acknowledge
     * @throws MerchantPayException InvalidArgumentException if there is no such attempt, and for a level that is
     * Level::None or above what is reported
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
     * At most $limit attempts, and as many orphans, that an operator must decide.
     *
     * @return list<Entry>
     * @throws MerchantPayException
     */
    public function attention(int $limit = 100): array
    {
        return $this->many('mpay_journal_attention', [Argument::uint32('limit', $limit)]);
    }

    /**
     * Stores an operator's decision about an attempt: one of $orderId, $noPayment and $seen. An orphan
     * takes $seen alone. The entry stays as it is: see find.
     *
     * @param string $note who decided, and why: 1 to 500 characters
     * @param ?string $orderId the attempt is this order; its status is asked for first, and its sum compared
     * @param bool $noPayment the service made no payment for it
     * @param bool $seen looked at: it goes off the list until something new is found
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
            default => throw InvalidArgumentException::because('one of orderId, noPayment and seen is needed'),
        });
        $entry = Entry::partOf($entry);
        $orderId = Argument::text('orderId', $orderId);
        $note = Argument::text('note', $note);
        Call::run('mpay_journal_resolve', $this->handle(), $entry, $resolution, $orderId, $note);
    }

    /** Frees it now, and closes its connection, not when PHP destroys the object. Entries that it gave stay. */
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
        $settings = $this->settings ?? throw InvalidArgumentException::because('it was closed');
        $dialect = $this->connection === null ? '' : $this->driver()->dialect();
        $config = new JournalConfig($settings, $this->database, $dialect);
        return Call::make('mpay_journal', 'mpay_journal_open', [Client::handleOf($this->client), $config]);
    }

    /** Which SQL it is, the first connection says. */
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
