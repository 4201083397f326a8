<?php

declare(strict_types=1);

namespace MerchantPay\Database;

use MerchantPay\Exception\InvalidArgumentException;
use PDO;
use PDOException;

/**
 * The PDO drivers that the journal supports, by their PDO names.
 *
 * @internal
 */
enum Driver: string
{
    case Postgresql = 'pgsql';
    case Mysql = 'mysql';
    case Sqlite = 'sqlite';

    public static function of(PDO $pdo): self
    {
        $name = (string) $pdo->getAttribute(PDO::ATTR_DRIVER_NAME);
        return self::tryFrom($name) ?? throw InvalidArgumentException::because(
            "the journal supports the PDO drivers pgsql, mysql and sqlite, not $name",
        );
    }

    /** The name of the library's constant for this driver's SQL dialect. */
    public function dialect(): string
    {
        return 'MPAY_DIALECT_' . strtoupper($this->name);
    }

    /**
     * Sets the attributes that the journal needs on its own connection. They replace what the factory has set.
     *
     * @throws StatementException if the connection is in a transaction that PDO does not know
     */
    public function prepare(PDO $pdo): void
    {
        $pdo->setAttribute(PDO::ATTR_ERRMODE, PDO::ERRMODE_EXCEPTION);
        $pdo->setAttribute(PDO::ATTR_ORACLE_NULLS, PDO::NULL_NATURAL);
        $pdo->setAttribute(PDO::ATTR_STRINGIFY_FETCHES, true);
        if ($this === self::Mysql) {
            $pdo->exec('SET NAMES utf8mb4');
            // Emulated prepares need only one round trip per statement. They are unsafe if quote() escapes texts
            // for a different character set, or without backslashes.
            $pdo->setAttribute(PDO::ATTR_EMULATE_PREPARES, $pdo->quote("\xBF\\") === "'\xBF\\\\'");
        }
        if ($this === self::Sqlite && !$pdo->inTransaction()) {
            try {
                $pdo->beginTransaction();
                $pdo->rollBack();
            } catch (PDOException $error) {
                throw new StatementException(Effect::None, Connection::IN_TRANSACTION, $error);
            }
        }
    }

    /**
     * With a pooler, such as pgbouncer in transaction mode, the next statement can run on a different server
     * connection, which does not have the prepared statement. So PostgreSQL gets a statement's text and its
     * parameters together.
     *
     * @return array<int, mixed> the options of PDO::prepare
     */
    public function options(): array
    {
        if ($this !== self::Postgresql) {
            return [];
        }
        // PHP 8.4 has renamed this constant. PHP 8.5 warns about the old name.
        $moved = 'Pdo\Pgsql::ATTR_DISABLE_PREPARES';
        return [defined($moved) ? constant($moved) : PDO::PGSQL_ATTR_DISABLE_PREPARES => true];
    }

    /** The possible effect of a failed statement. After an unknown error the effect is unclear. */
    public function effect(PDOException $error): Effect
    {
        [$state, $number] = [...($error->errorInfo ?? []), '', 0];
        return match ($this) {
            self::Postgresql => self::ofPostgresql((string) $state),
            self::Mysql => self::ofMysql((string) $state, (int) $number),
            self::Sqlite => self::ofSqlite((int) $number, $error->getMessage()),
        };
    }

    /**
     * After errors of these classes or states, the statement's own transaction is rolled back. Other errors end
     * the connection, and the transaction may have been committed before.
     */
    private static function ofPostgresql(string $state): Effect
    {
        $classes = ['0A', '22', '23', '25', '26', '28', '3D', '3F', '42', '44', '54'];
        $isNone = in_array(substr($state, 0, 2), $classes, true)
            || in_array($state, ['40001', '40P01', '53100', '53200', '53300', '55P03', 'P0001'], true);
        return match (true) {
            $state === '23505' => Effect::Duplicate,
            $isNone => Effect::None,
            default => Effect::Unclear,
        };
    }

    /**
     * Errors with numbers from 2000 to 2999 come from the client library: the connection was lost, or could not
     * be opened.
     */
    private static function ofMysql(string $state, int $number): Effect
    {
        $isNone = in_array(substr($state, 0, 2), ['21', '22', '23', '28', '42'], true)
            // After these errors nothing was written: too many connections, table full, lock wait timeout,
            // deadlock, read-only server or transaction, the option --read-only, a field without default, wrong
            // value.
            || in_array($number, [1040, 1114, 1205, 1213, 1290, 1364, 1366, 1792, 1836], true);
        return match (true) {
            $number === 1062 => Effect::Duplicate,
            $number >= 2000 && $number < 3000 => Effect::Unclear,
            $isNone => Effect::None,
            default => Effect::Unclear,
        };
    }

    /** The lower eight bits of an extended code are the primary code. */
    private static function ofSqlite(int $number, string $message): Effect
    {
        $isKey = str_contains($message, 'UNIQUE constraint failed') || str_contains($message, 'PRIMARY KEY');
        return match ($number & 0xFF) {
            19 => $isKey ? Effect::Duplicate : Effect::None,
            1, 3, 5, 6, 8, 14, 17, 20, 25, 26 => Effect::None,
            default => Effect::Unclear,
        };
    }
}
