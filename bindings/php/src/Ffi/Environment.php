<?php

declare(strict_types=1);

namespace MerchantPay\Ffi;

use MerchantPay\Exception\InvalidArgumentException;

/**
 * The settings as the environment has them. An error names the variable and never shows its value.
 *
 * @internal
 */
final class Environment
{
    private const PRIVATE_KEY_FILE = 'MERCHANTPAY_PRIVATE_KEY_FILE';

    /**
     * @param bool $hasSigner whether a private key is not needed
     * @return array<string, mixed> by the names of the arguments
     */
    public static function settings(bool $hasSigner): array
    {
        $settings = ['privateKey' => null];
        foreach (SettingTable::ALL as $name => ['kind' => $kind, 'variable' => $variable, 'isNeeded' => $isNeeded]) {
            $text = self::text($variable);
            if ($text === null && $name === 'privateKey') {
                $text = self::privateKey();
            }
            if ($text !== null) {
                $settings[$name] = self::value($kind, $variable, $text);
            } elseif ($isNeeded && !($hasSigner && $name === 'privateKey')) {
                throw InvalidArgumentException::because("$variable is not set");
            }
        }
        return $settings;
    }

    private static function text(string $variable): ?string
    {
        $text = getenv($variable);
        return is_string($text) && $text !== '' ? $text : null;
    }

    private static function privateKey(): ?string
    {
        $path = self::text(self::PRIVATE_KEY_FILE);
        if ($path === null) {
            return null;
        }
        $text = @file_get_contents($path);
        if ($text === false || trim($text) === '') {
            throw self::unreadable(self::PRIVATE_KEY_FILE, 'a file that can be read and holds the key');
        }
        return trim($text);
    }

    /** @return string|int|bool|list<string> */
    private static function value(
        string $kind,
        string $variable,
        #[\SensitiveParameter] string $text,
    ): string|int|bool|array {
        return match ($kind) {
            'Texts' => self::texts($text),
            'Milliseconds', 'Number' => self::number($variable, $text, 0xFFFFFFFF),
            'Bytes' => self::number($variable, $text, PHP_INT_MAX),
            'Flag' => match ($text) {
                '1' => true,
                '0' => false,
                default => throw self::unreadable($variable, '1 or 0'),
            },
            default => $text,
        };
    }

    /** @return list<string> */
    private static function texts(string $text): array
    {
        $texts = array_map(trim(...), explode(',', $text));
        return array_values(array_filter($texts, static fn (string $text): bool => $text !== ''));
    }

    private static function number(string $variable, string $text, int $largest): int
    {
        $number = filter_var($text, FILTER_VALIDATE_INT, ['options' => ['min_range' => 0, 'max_range' => $largest]]);
        if ($number === false || !ctype_digit($text)) {
            throw self::unreadable($variable, "a whole number from 0 to $largest");
        }
        return $number;
    }

    private static function unreadable(string $variable, string $wanted): InvalidArgumentException
    {
        return InvalidArgumentException::because("$variable is not $wanted");
    }
}
