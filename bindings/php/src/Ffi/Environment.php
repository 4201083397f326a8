<?php

declare(strict_types=1);

namespace MerchantPay\Ffi;

use MerchantPay\Exception\InvalidArgumentException;

/**
 * The settings as PHP's environment has them: that of a request of php-fpm is not the process's, which the library
 * would read.
 *
 * @internal
 */
final class Environment
{
    private const PRIVATE_KEY = 'MERCHANTPAY_PRIVATE_KEY';

    /**
     * @param bool $hasSigner whether a private key is not needed
     * @return array<string, string> by their variables
     */
    public static function texts(bool $hasSigner): array
    {
        $texts = [];
        foreach (SettingTable::NEEDED as $variable => $isNeeded) {
            $text = (string) getenv($variable);
            if ($text === '' && $variable === self::PRIVATE_KEY) {
                $text = self::privateKey();
            }
            if ($text !== '') {
                $texts[$variable] = $text;
            } elseif ($isNeeded && !($hasSigner && $variable === self::PRIVATE_KEY)) {
                throw InvalidArgumentException::because("$variable is not set");
            }
        }
        return $texts;
    }

    private static function privateKey(): string
    {
        $variable = self::PRIVATE_KEY . '_FILE';
        $path = (string) getenv($variable);
        $text = $path === '' ? '' : trim((string) @file_get_contents($path));
        if ($path !== '' && $text === '') {
            throw InvalidArgumentException::because("$variable is not a file that can be read and holds the key");
        }
        return $text;
    }
}
