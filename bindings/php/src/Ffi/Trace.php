<?php

declare(strict_types=1);

namespace MerchantPay\Ffi;

/**
 * Takes the arguments out of this package's part of a stack trace, keys and accounts among them: PHP before 8.2 lets
 * none of them be marked.
 *
 * @internal
 */
final class Trace
{
    /** Strips an exception, and those before it. */
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
            // What the package calls, such as a signer, has its arguments from the package.
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
