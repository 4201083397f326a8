<?php

declare(strict_types=1);

namespace MerchantPay\Database;

use MerchantPay\Ffi\Opaque;
use MerchantPay\Ffi\Trace;
use PDO;

/**
 * The journal's own connection, made by the merchant's factory when it is first needed, and again when it was lost.
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

    /** The process that made it: a forked child shares the socket, and needs a connection of its own. */
    private int $process = 0;

    /** @var list<PDO> made by the parent process: closing one here would end the parent's session */
    private array $inherited = [];

    /** @param \Closure(): PDO $factory */
    public function __construct(private readonly \Closure $factory)
    {
    }

    /**
     * Which driver it is, from the first connection on.
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
                $this->pdo = null; // The next statement gets another one, wherever this one has been.
            }
            throw $failure;
        }
    }

    /** Closes it. */
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
