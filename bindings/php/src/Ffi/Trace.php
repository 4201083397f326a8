<?php

declare(strict_types=1);

namespace MerchantPay\Ffi;

/**
 * Removes the arguments, which may be keys and accounts, from this package's part of a stack trace: PHP
 * before 8.2 cannot mark them as sensitive.
 *
 * @internal
 */
final class Trace
{
    /** Strips an exception and its previous exceptions. */
    public static function strip(\Throwable $thrown): void
    {
        for ($each = $thrown; $each !== null; $each = $each->getPrevious()) {
            self::put($each, self::without($each->getTrace()));
        }
    }

    /** @param list<array<string, mixed>> $trace */
    public static function put(\Throwable $thrown, array $trace): void
    {
        $class = $thrown instanceof \Exception ? \Exception::class : \Error::class;
        (new \ReflectionProperty($class, 'trace'))->setValue($thrown, $trace);
    }

    /**
     * @param list<array<string, mixed>> $trace
     * @return list<array<string, mixed>>
     */
    public static function without(array $trace): array
    {
        $sources = dirname(__DIR__) . DIRECTORY_SEPARATOR;
        foreach ($trace as $index => $frame) {
            // Functions that the package calls, such as a signer, get their arguments from the package.
            if (
                str_starts_with($frame['class'] ?? '', 'MerchantPay\\')
                || str_starts_with($frame['file'] ?? '', $sources)
            ) {
                unset($trace[$index]['args']);
            }
        }
        return $trace;
    }
}
