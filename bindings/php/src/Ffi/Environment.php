<?php

declare(strict_types=1);

namespace MerchantPay\Ffi;

use MerchantPay\Exception\InvalidArgumentException;

/**
 * The settings as PHP's environment has them: that of a request of php-fpm is not the process's, which the library
 * would read. A variable that getenv() does not have is read from $_ENV and $_SERVER, where Symfony and Laravel put
 * those of a .env file. No request can set one: PHP puts HTTP_ in front of a header's name.
 *
 * @internal
 */
final class Environment
{
    private const PRIVATE_KEY = 'MERCHANTPAY_PRIVATE_KEY';

    /** What a verifier takes, and whether it needs it. It refuses what the merchant's own key signed. */
    private const VERIFIER = [
        'MERCHANTPAY_SERVER_PUBLIC_KEY' => true,
        'MERCHANTPAY_SERVER_KEY_ID' => false,
        'MERCHANTPAY_KEY_ID' => false,
        'MERCHANTPAY_PUBLIC_KEY' => false,
        self::PRIVATE_KEY => false,
    ];

    /**
     * @param bool $hasSigner whether a private key is not needed
     * @return array<string, string> by their variables
     */
    public static function texts(bool $hasSigner): array
    {
        return self::read(array_replace(SettingTable::NEEDED, [self::PRIVATE_KEY => !$hasSigner]));
    }

    /** @return array<string, string> those of a verifier, by their variables */
    public static function verifier(): array
    {
        return self::read(self::VERIFIER);
    }

    /**
     * @param array<string, bool> $variables and whether each is needed
     * @return array<string, string>
     */
    private static function read(array $variables): array
    {
        $texts = [];
        foreach ($variables as $variable => $isNeeded) {
            $text = self::text($variable);
            if ($text === '' && $variable === self::PRIVATE_KEY) {
                $text = self::privateKey();
            }
            if ($text !== '') {
                $texts[$variable] = $text;
            } elseif ($isNeeded) {
                throw InvalidArgumentException::because("$variable is not set");
            }
        }
        return $texts;
    }

    private static function text(string $variable): string
    {
        $text = getenv($variable);
        $text = $text === false ? $_ENV[$variable] ?? $_SERVER[$variable] ?? '' : $text;
        return is_scalar($text) ? (string) $text : '';
    }

    private static function privateKey(): string
    {
        $variable = self::PRIVATE_KEY . '_FILE';
        $path = self::text($variable);
        if ($path === '') {
            return '';
        }
        error_clear_last();
        $text = @file_get_contents($path);
        if ($text === false) {
            // What PHP says names the file, but for its end, which is the system's reason.
            $reason = preg_replace('/^.*: /s', '', error_get_last()['message'] ?? 'unknown reason');
            throw InvalidArgumentException::because("$variable names a file that cannot be read: $reason");
        }
        return trim($text) ?: throw InvalidArgumentException::because("$variable names a file that is empty");
    }
}
