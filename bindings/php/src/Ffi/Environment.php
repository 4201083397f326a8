<?php

declare(strict_types=1);

namespace MerchantPay\Ffi;

/**
 * The variables of PHP's environment. Under php-fpm each request has its own, but the library would read those of
 * the process. A variable that getenv() does not have is read from $_ENV and $_SERVER, where Symfony and Laravel
 * store the values of a .env file. A request cannot set a variable by a header, because PHP adds HTTP_ to the
 * header's name.
 *
 * @internal
 */
final class Environment
{
    private const PREFIX = 'MERCHANTPAY_';

    /** @return array<string, string> */
    public static function variables(): array
    {
        $variables = [];
        foreach (getenv() + $_ENV + $_SERVER as $name => $value) {
            if (str_starts_with((string) $name, self::PREFIX)) {
                $own = getenv($name);
                $variables[$name] = $own === false ? (is_scalar($value) ? (string) $value : '') : $own;
            }
        }
        return $variables;
    }
}
