<?php

declare(strict_types=1);

namespace MerchantPay\Ffi;

/**
 * A block of values, in which arguments and results cross: their count, their lengths and then their bytes. The
 * page docs/c-abi-description.md has the format.
 *
 * @internal
 */
final class Frame
{
    /** A value that crosses beside the frame, because it is large. */
    public const BULK = true;

    private const ABSENT = -1;
    private const BESIDE = -2;

    public static function of(#[\SensitiveParameter] string|int|bool|null ...$values): string
    {
        $lengths = [];
        $bytes = '';
        foreach ($values as $value) {
            if ($value === null) {
                $lengths[] = self::ABSENT;
            } elseif ($value === self::BULK) {
                $lengths[] = self::BESIDE;
            } else {
                $lengths[] = strlen((string) $value);
                $bytes .= $value;
            }
        }
        return pack('l*', count($lengths), ...$lengths) . $bytes;
    }

    /**
     * Names and values by turns. What is null or false is not set.
     *
     * @param array<string, string|int|bool|null> $values
     */
    public static function pairs(#[\SensitiveParameter] array $values): string
    {
        $pairs = [];
        foreach ($values as $name => $value) {
            if ($value !== null && $value !== false) {
                array_push($pairs, $name, $value === true ? '1' : $value);
            }
        }
        return self::of(...$pairs);
    }

    /** @return list<?string> the values; one that an older library does not write is missing at the end */
    public static function read(#[\SensitiveParameter] string $frame): array
    {
        $count = $frame === '' ? 0 : unpack('l', $frame)[1];
        if ($count === 0) {
            return [];
        }
        $values = [];
        $place = 4 + 4 * $count;
        foreach (unpack("l$count", $frame, 4) as $length) {
            if ($length < 0) {
                $values[] = null;
            } else {
                $values[] = substr($frame, $place, $length);
                $place += $length;
            }
        }
        return $values;
    }

    /** Overwrites a text with a secret. Other variables must not share the text. */
    public static function wipe(#[\SensitiveParameter] string &$text): void
    {
        if (function_exists('sodium_memzero')) {
            sodium_memzero($text);
        } else {
            for ($place = strlen($text); $place-- > 0;) {
                $text[$place] = "\0";
            }
        }
        $text = '';
    }
}
