<?php

declare(strict_types=1);

namespace MerchantPay\Ffi;

use MerchantPay\Exception\InvalidArgumentException;

/**
 * Checks what only PHP can check: its types, and its setting open_basedir, which the library does not know.
 *
 * @internal
 */
final class Argument
{
    /**
     * Sums and rates are text or whole numbers, never a float, because a float changes the digits.
     *
     * @return ($value is null ? null : string)
     */
    public static function amount(string $name, mixed $value): ?string
    {
        if (is_int($value) || is_string($value) || $value instanceof \Stringable) {
            return (string) $value;
        }
        return $value === null ? null : throw InvalidArgumentException::because(
            "$name must be a decimal number as a string, int or Stringable, not " . get_debug_type($value),
        );
    }

    /** @return ($value is null ? null : string) */
    public static function word(\BackedEnum|string|null $value): ?string
    {
        return $value instanceof \BackedEnum ? (string) $value->value : $value;
    }

    /**
     * A setting that can have several values. An empty list is not set.
     *
     * @param string|array<mixed>|null $values
     */
    public static function list(string $name, #[\SensitiveParameter] string|array|null $values): ?string
    {
        foreach ((array) $values as $value) {
            if (!is_string($value)) {
                throw InvalidArgumentException::because("$name must be a string or a list of strings");
            }
        }
        return $values === null || $values === [] ? null : Frame::of(...array_values((array) $values));
    }

    public static function path(string $name, string $path): string
    {
        if ((string) ini_get('open_basedir') !== '' && !@is_readable($path)) {
            throw InvalidArgumentException::because("$name cannot be read, or is outside open_basedir");
        }
        return $path;
    }

    /** @param array<string, mixed> $settings settings and variables, of which some name files */
    public static function paths(#[\SensitiveParameter] array $settings): void
    {
        foreach ($settings as $name => $value) {
            if (str_ends_with($name, '_file') && $value !== null) {
                self::path(lcfirst(str_replace('_', '', ucwords($name, '_'))), $value);
            } elseif (str_ends_with($name, '_FILE') && $value !== '') {
                self::path($name, $value);
            }
        }
    }
}
