<?php

declare(strict_types=1);

namespace MerchantPay\Ffi;

/** @internal */
final class Name
{
    /** @var array<string, string> */
    private static array $known = [];

    /** serverPublicKey → server_public_key */
    public static function inC(string $name): string
    {
        return self::$known[$name] ??= strtolower((string) preg_replace('/[A-Z]/', '_$0', $name));
    }
}
