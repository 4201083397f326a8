<?php

declare(strict_types=1);

namespace MerchantPay\Ffi;

use MerchantPay\Exception\InvalidArgumentException;

/**
 * Reads the settings from PHP's environment. Under php-fpm each request has its own environment, but the library
 * would read the environment of the process. A variable that getenv() does not have is read from $_ENV and
 * $_SERVER, where Symfony and Laravel store the values of a .env file. A request cannot set a variable by a
 * header, because PHP adds HTTP_ to the header's name.
 *
 * @internal
 */
final class Environment
{
    private const PRIVATE_KEY = 'MERCHANTPAY_PRIVATE_KEY';

    /**
     * The settings of a verifier, and whether each is required. With the merchant's own key, the verifier
     * refuses signatures by that key.
     */
    private const VERIFIER = [
        'MERCHANTPAY_SERVER_PUBLIC_KEY' => true,
        'MERCHANTPAY_SERVER_KEY_ID' => false,
        'MERCHANTPAY_KEY_ID' => false,
        'MERCHANTPAY_PUBLIC_KEY' => false,
        self::PRIVATE_KEY => false,
    ];

    /**
     * @param bool $hasSigner whether no private key is needed
     * @return array<string, string> the texts by variable
     */
    public static function texts(bool $hasSigner): array
    {
        return self::read(array_replace(SettingTable::NEEDED, [self::PRIVATE_KEY => !$hasSigner]));
    }

    /** @return array<string, string> the texts for a verifier, by variable */
    public static function verifier(): array
    {
        return self::read(self::VERIFIER);
    }

    /**
     * @param array<string, bool> $variables the variables, and whether each is required
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
        if (str_ends_with($path, "\r")) {
            throw InvalidArgumentException::because("$variable ends with CR: the file has Windows line ends");
        }
        error_clear_last();
        $text = @file_get_contents($path);
        if ($text === false) {
            // PHP's message contains the file's path. Only the end of the message is used, which is the system's
            // reason.
            $reason = preg_replace('/^.*: /s', '', error_get_last()['message'] ?? 'unknown reason');
            throw InvalidArgumentException::because("$variable names a file that cannot be read: $reason");
        }
        return trim($text) ?: throw InvalidArgumentException::because("$variable names a file that is empty");
    }
}
