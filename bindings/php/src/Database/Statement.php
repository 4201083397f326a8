<?php

declare(strict_types=1);

namespace MerchantPay\Database;

use PDO;
use PDOException;

/**
 * One statement of the journal on a connection.
 *
 * @internal
 */
final class Statement
{
    /**
     * @param list<?string> $parameters
     * @throws StatementException
     */
    public static function run(PDO $pdo, Driver $driver, string $sql, #[\SensitiveParameter] array $parameters): Rows
    {
        try {
            $statement = $pdo->prepare($sql, $driver->options());
            // If the connection was lost, PHP raises a warning in addition to the exception.
            @$statement->execute($parameters);
            if ($statement->columnCount() === 0) {
                return new Rows([], $statement->rowCount());
            }
            $rows = array_map(self::texts(...), $statement->fetchAll(PDO::FETCH_NUM));
            $statement->closeCursor();
            return new Rows($rows, 0);
        } catch (PDOException $error) {
            throw new StatementException($driver->effect($error), self::text($error));
        } catch (\Throwable $error) {
            throw new StatementException(Effect::Unclear, self::text($error));
        }
    }

    /**
     * Runs a statement like the method run, on the merchant's own connection. The settings of that connection
     * stay unchanged.
     *
     * @param list<?string> $parameters
     * @throws StatementException
     */
    public static function within(PDO $pdo, Driver $driver, string $sql, #[\SensitiveParameter] array $parameters): Rows
    {
        $needed = [PDO::ATTR_ERRMODE => PDO::ERRMODE_EXCEPTION, PDO::ATTR_ORACLE_NULLS => PDO::NULL_NATURAL];
        if ($driver === Driver::Mysql) {
            // PDO would quote for its own character set. SET NAMES may have chosen another character set in the
            // server.
            $needed[PDO::ATTR_EMULATE_PREPARES] = false;
        }
        $set = [];
        foreach ($needed as $attribute => $value) {
            $set[$attribute] = $pdo->getAttribute($attribute);
            $pdo->setAttribute($attribute, $value);
        }
        try {
            return self::run($pdo, $driver, $sql, $parameters);
        } finally {
            foreach ($set as $attribute => $value) {
                $pdo->setAttribute($attribute, $value);
            }
        }
    }

    /** The first line of an error's text. Later lines can contain a row's values. */
    public static function text(\Throwable $error): string
    {
        return strtok($error->getMessage(), "\n") ?: $error::class;
    }

    /**
     * @param list<mixed> $row
     * @return list<?string>
     */
    private static function texts(array $row): array
    {
        foreach ($row as $place => $value) {
            if (is_resource($value)) {
                $row[$place] = stream_get_contents($value);
            } elseif ($value !== null) {
                $row[$place] = (string) $value;
            }
        }
        return $row;
    }
}
