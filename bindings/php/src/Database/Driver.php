<?php

declare(strict_types=1);

namespace MerchantPay\Database;

use MerchantPay\Exception\InvalidArgumentException;
use MerchantPay\Ffi\Library;
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
     * Sets the attributes that the journal needs on its own connection. They replace the attributes that the
     * factory has set.
     *
     * @throws StatementException if the connection is in a transaction that PDO does not know
     */
    public function prepare(PDO $pdo): void
    {
        $pdo->setAttribute(PDO::ATTR_ERRMODE, PDO::ERRMODE_EXCEPTION);
        $pdo->setAttribute(PDO::ATTR_ORACLE_NULLS, PDO::NULL_NATURAL);
        $pdo->setAttribute(PDO::ATTR_STRINGIFY_FETCHES, true);
        if ($this === self::Postgresql) {
            $pdo->exec("SET client_encoding TO 'UTF8'");
        }
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

    /** The possible effect of a failed statement. If the error does not come from the server, the effect is unclear. */
    public function effect(PDOException $error): Effect
    {
        [$state, $number] = [...($error->errorInfo ?? []), '', 0];
        $code = match ($this) {
            self::Postgresql => (string) $state,
            self::Mysql => (string) $number,
            self::Sqlite => self::extended((int) $number, $error->getMessage()),
        };
        $ffi = Library::ffi();
        return match ($ffi->mpay_database_failure($ffi->{$this->dialect()}, $code)) {
            $ffi->MPAY_DATABASE_DUPLICATE => Effect::Duplicate,
            $ffi->MPAY_DATABASE_FAILED => Effect::None,
            default => Effect::Unclear,
        };
    }

    /** Returns SQLite's extended error code of a duplicate key. PDO has only the primary code, which is less exact. */
    private static function extended(int $number, string $message): string
    {
        $isKey = str_contains($message, 'UNIQUE constraint failed') || str_contains($message, 'PRIMARY KEY');
        return $isKey ? '2067' : (string) $number;
    }
}
