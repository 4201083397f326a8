<?php

declare(strict_types=1);

namespace MerchantPay\Database;

use MerchantPay\Ffi\Opaque;
use MerchantPay\Ffi\Trace;
use PDO;

/**
 * A connection that only the journal uses. The factory, a function of the merchant, makes the connection at the
 * first use, and a new connection after a connection was lost.
 *
 * @internal
 */
final class Connection
{
    use Opaque;

    public const IN_TRANSACTION =
        'its connection is in a transaction: give the journal connections of its own, in autocommit';

    private ?PDO $pdo = null;
    private ?Driver $driver = null;

    /**
     * The process that made the connection. A forked child shares the socket, so it needs its own connection.
     */
    private int $process = 0;

    /**
     * @var list<PDO> connections that the parent process made. They are kept open: closing one in this process
     *     would end the parent's session
     */
    private array $inherited = [];

    /** @param \Closure(): PDO $factory */
    public function __construct(private readonly \Closure $factory)
    {
    }

    /**
     * Returns the driver of the first connection.
     *
     * @throws StatementException
     */
    public function driver(): Driver
    {
        $this->pdo();
        return $this->driver;
    }

    /**
     * @param list<?string> $parameters
     * @throws StatementException
     */
    public function run(string $sql, #[\SensitiveParameter] array $parameters): Rows
    {
        $pdo = $this->pdo();
        try {
            if ($pdo->inTransaction()) {
                throw new StatementException(Effect::None, self::IN_TRANSACTION);
            }
            return Statement::run($pdo, $this->driver, $sql, $parameters);
        } catch (StatementException $failure) {
            if ($failure->effect !== Effect::Duplicate) {
                $this->pdo = null; // The connection's state is unknown, so the next statement gets a new connection.
            }
            throw $failure;
        }
    }

    /** Closes the connection. */
    public function close(): void
    {
        $this->pdo = null;
    }

    private function pdo(): PDO
    {
        if ($this->pdo !== null && $this->process !== getmypid()) {
            $this->inherited[] = $this->pdo;
            $this->pdo = null;
        }
        return $this->pdo ??= $this->connect();
    }

    private function connect(): PDO
    {
        try {
            $pdo = ($this->factory)();
            if (!$pdo instanceof PDO) {
                throw new \UnexpectedValueException('the factory has to return a PDO, not ' . get_debug_type($pdo));
            }
            $driver = Driver::of($pdo);
            if ($this->driver !== null && $driver !== $this->driver) {
                throw new \UnexpectedValueException('the factory has to return the same driver again');
            }
            $driver->prepare($pdo);
        } catch (StatementException $failure) {
            throw $failure;
        } catch (\Throwable $error) {
            Trace::strip($error);
            throw new StatementException(Effect::None, 'no connection: ' . Statement::text($error), $error);
        }
        $this->driver = $driver;
        $this->process = (int) getmypid();
        return $pdo;
    }
}
