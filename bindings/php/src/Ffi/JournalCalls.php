<?php

declare(strict_types=1);

namespace MerchantPay\Ffi;

use FFI\CData;
use MerchantPay\Attention;
use MerchantPay\Client;
use MerchantPay\Entry;
use MerchantPay\Exception\InvalidArgumentException;
use MerchantPay\Standing;
use MerchantPay\Until;

/**
 * Makes the calls of a Journal. The first argument of each C function is the journal.
 *
 * @internal
 */
trait JournalCalls
{
    /** @param array<string, mixed> $settings */
    private function open(Client $client, #[\SensitiveParameter] array $settings): void
    {
        if (PHP_INT_SIZE < 8) {
            throw InvalidArgumentException::because('a journal needs a PHP of 64 bits: its times do not fit into 32');
        }
        $this->client = $client;
        $arguments = [Client::handleOf($client), new JournalConfig($settings)];
        $this->handle = Call::make('mpay_journal', 'mpay_journal_open', $arguments);
    }

    /** @return array{string, int} the reference and the number of an attempt */
    private static function key(Entry|string $reference, ?int $attempt = null): array
    {
        if (($reference instanceof Entry) !== ($attempt === null)) {
            throw InvalidArgumentException::because('attempt is needed with a reference, and only with a reference');
        }
        if ($reference instanceof Entry) {
            [$reference, $attempt] = [$reference->reference, $reference->attempt];
        }
        return [Argument::text('reference', $reference), Argument::uint32('attempt', $attempt)];
    }

    /** @param array<mixed> $arguments the function's arguments after the journal */
    private function one(string $function, #[\SensitiveParameter] array $arguments): ?Entry
    {
        return Call::read(Entry::read(...), 'mpay_entry', $function, [$this->handle, ...$arguments]);
    }

    /**
     * @param array<mixed> $arguments the function's arguments after the journal
     * @return list<Entry>
     */
    private function many(string $function, array $arguments): array
    {
        $reader = static function (CData $entries): array {
            $ffi = Library::ffi();
            $all = [];
            for ($place = 0, $count = $ffi->mpay_entries_count($entries); $place < $count; $place++) {
                $all[] = Entry::read($ffi->mpay_entries_get($entries, $place));
            }
            return $all;
        };
        return Call::read($reader, 'mpay_entries', $function, [$this->handle, ...$arguments]);
    }

    /** @param list<Attention|string> $reasons */
    private static function reasons(array $reasons): string
    {
        $name = static fn (Attention|string $reason): string => is_string($reason) ? $reason : $reason->value;
        return Argument::text('seen', implode(',', array_map($name, $reasons)));
    }

    /**
     * A valid text of a request contains no NUL. C would cut the text at a NUL, so a NUL is replaced by a
     * different invalid character.
     */
    private static function whole(#[\SensitiveParameter] ?string $text): ?string
    {
        return $text === null ? null : strtr($text, "\0", "\x01");
    }

    /** @param class-string<Until|Standing> $enum */
    private static function number(string $name, string $enum, Until|Standing|string $value): int
    {
        $case = is_string($value) ? $enum::tryFrom($value) : $value;
        if ($case === null) {
            $names = implode(', ', array_column($enum::cases(), 'value'));
            throw InvalidArgumentException::because("$name must be one of: $names");
        }
        return $case->number();
    }
}
