<?php

declare(strict_types=1);

namespace MerchantPay\Ffi;

use MerchantPay\Exception\InvalidArgumentException;

/**
 * Checks arguments that C cannot check: C would cut a text at a NUL, and use only the low bits of a number.
 *
 * @internal
 */
final class Argument
{
    /** @return ($value is null ? null : string) */
    public static function text(string $name, #[\SensitiveParameter] ?string $value): ?string
    {
        if ($value !== null && str_contains($value, "\0")) {
            throw InvalidArgumentException::because("$name contains a NUL byte");
        }
        return $value;
    }

    /** Checks a file that the library will read: the library itself ignores PHP's setting open_basedir. */
    public static function path(string $name, string $value): string
    {
        self::text($name, $value);
        if ((string) ini_get('open_basedir') !== '' && !@is_readable($value)) {
            throw InvalidArgumentException::because("$name cannot be read, or is outside open_basedir");
        }
        return $value;
    }

    /**
     * Checks sums and rates. They are text or whole numbers, never a float, because a float changes the digits.
     */
    public static function amount(string $name, mixed $value): string
    {
        if (is_int($value)) {
            return (string) $value;
        }
        if (is_string($value) || $value instanceof \Stringable) {
            return self::text($name, (string) $value);
        }
        throw InvalidArgumentException::because(
            "$name must be a decimal number as a string, int or Stringable, not " . get_debug_type($value),
        );
    }

    public static function uint32(string $name, int $value): int
    {
        if ($value < 0 || $value > 0xFFFFFFFF) {
            throw InvalidArgumentException::because("$name must be from 0 to 4294967295");
        }
        return $value;
    }

    /**
     * @param array<mixed> $values
     * @return list<string>
     */
    public static function strings(string $name, #[\SensitiveParameter] array $values): array
    {
        foreach ($values as $value) {
            if (!is_string($value)) {
                throw InvalidArgumentException::because("$name must be a string or a list of strings");
            }
        }
        return array_values($values);
    }
}
