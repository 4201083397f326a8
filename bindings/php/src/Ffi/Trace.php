<?php

declare(strict_types=1);

namespace MerchantPay\Ffi;

/**
 * Removes arguments from this package's part of a stack trace, because they can be keys and accounts. PHP before
 * 8.2 cannot mark parameters as sensitive.
 *
 * @internal
 */
final class Trace
{
    /** Removes the arguments from an exception and from its previous exceptions. */
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
            // The arguments of functions that the package calls, such as a signer, are removed too.
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
