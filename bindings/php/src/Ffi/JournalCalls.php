<?php

declare(strict_types=1);

namespace MerchantPay\Ffi;

use MerchantPay\Database\Driver;
use MerchantPay\Database\Statement;
use MerchantPay\Entry;
use MerchantPay\Exception\InvalidArgumentException;
use MerchantPay\Level;
use MerchantPay\Standing;
use MerchantPay\Until;
use PDO;

/**
 * Makes the calls of a Journal. The first argument of each C function is the journal.
 *
 * @internal
 */
trait JournalCalls
{
    /**
     * @param array<mixed> $attempt the function's arguments after the journal
     * @return bool whether this call acknowledged the level
     */
    private function isAcknowledged(string $function, array $attempt, ?PDO $transaction): bool
    {
        $changed = new Out('int32_t');
        if ($transaction === null) {
            Call::run($function, $this->handle(), ...[...$attempt, $changed]);
            return $changed->value() === 1;
        }
        if ($this->connection === null) {
            throw InvalidArgumentException::because(
                'the journal is in its own SQLite file, which cannot be part of your transaction',
            );
        }
        $driver = Driver::of($transaction);
        if ($driver !== $this->driver()) {
            throw InvalidArgumentException::because('the transaction is in a different database from the journal');
        }
        if (!$transaction->inTransaction() && $driver !== Driver::Sqlite) {
            throw InvalidArgumentException::because(
                'the connection has no open transaction: begin a transaction first',
            );
        }
        $within = new Database(
            static fn (string $sql, array $parameters) => Statement::within($transaction, $driver, $sql, $parameters),
        );
        $journal = $this->handle();
        [$callback, $userData] = $within->callback();
        try {
            Call::run($function . '_with', $journal, ...[...$attempt, $callback, $userData, $changed]);
        } finally {
            UserData::release($userData);
        }
        return $changed->value() === 1;
    }

    /** @return array{string, int} */
    private static function attempt(string $reference, int $attempt): array
    {
        return [Argument::text('reference', $reference), Argument::uint32('attempt', $attempt)];
    }

    /** @param array<string, mixed> $fields the fields of the request */
    private function take(
        string $function,
        string $reference,
        ?int $replace,
        #[\SensitiveParameter] array $fields,
    ): Entry {
        $reference = Argument::text('reference', $reference);
        return $this->one($function, [$reference, new Request($fields), Argument::uint32('replace', $replace ?? 0)]);
    }

    /** @param array<mixed> $arguments the function's arguments after the journal */
    private function one(string $function, #[\SensitiveParameter] array $arguments): ?Entry
    {
        return Call::make('mpay_entry', $function, [$this->handle(), ...$arguments], self::entry(...));
    }

    /**
     * @param array<mixed> $arguments the function's arguments after the journal
     * @return list<Entry>
     */
    private function many(string $function, array $arguments): array
    {
        $reader = static function (Handle $entries): array {
            $ffi = Library::ffi();
            $pointer = $entries->pointer();
            $all = [];
            for ($place = 0, $count = $ffi->mpay_entries_count($pointer); $place < $count; $place++) {
                $all[] = Entry::read($ffi->mpay_entries_get($pointer, $place), $entries);
            }
            return $all;
        };
        return Call::read($reader, 'mpay_entries', $function, [$this->handle(), ...$arguments], true);
    }

    private static function entry(Handle $entry): Entry
    {
        return Entry::read($entry->pointer(), $entry);
    }

    /** @internal A constant of the library's header, read without a call. */
    private static function constant(string $name): int
    {
        return Library::ffi()->$name;
    }

    /**
     * A valid text of a request contains no NUL. C would cut the text at a NUL, so a NUL is replaced by a
     * different invalid character.
     */
    private static function whole(#[\SensitiveParameter] ?string $text): ?string
    {
        return $text === null ? null : strtr($text, "\0", "\x01");
    }

    /** @param class-string<Until|Standing|Level> $enum */
    private static function number(string $name, string $enum, Until|Standing|Level|string $value): int
    {
        $case = is_string($value) ? $enum::tryFrom($value) : $value;
        if ($case === null) {
            $names = implode(', ', array_column($enum::cases(), 'value'));
            throw InvalidArgumentException::because("$name must be one of: $names");
        }
        return $case->number();
    }
}
