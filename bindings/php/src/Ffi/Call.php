<?php

declare(strict_types=1);

namespace MerchantPay\Ffi;

use FFI\CData;

/**
 * Calls those functions of the library that can fail: lends them their handles, and turns an error into an exception.
 *
 * @internal
 */
final class Call
{
    /** @var array<string, CData> out-pointers by their type; the library reads and writes them on this thread alone */
    private static array $slots = [];

    /** For a function without a result. */
    public static function run(string $function, mixed ...$arguments): void
    {
        $error = self::slot('mpay_error');
        self::invoke($function, $arguments, [$error], $error);
    }

    /**
     * For a function that makes an object.
     *
     * @param string $type the object's, such as mpay_payment
     */
    public static function make(string $type, string $function, mixed ...$arguments): Handle
    {
        $error = self::slot('mpay_error');
        $out = self::slot($type);
        self::invoke($function, $arguments, [$out, $error], $error);
        return new Handle($out[0], $type . '_free');
    }

    /**
     * @param array<mixed> $arguments
     * @param list<CData> $slots
     */
    private static function invoke(string $function, array $arguments, array $slots, CData $error): void
    {
        $ffi = Library::ffi();
        $lent = [];
        try {
            foreach ($arguments as $index => $argument) {
                if ($argument instanceof Handle) {
                    $arguments[$index] = $argument->lend();
                    $lent[] = $argument;
                }
            }
            $code = $ffi->$function(...$arguments, ...$slots);
        } finally {
            foreach ($lent as $handle) {
                $handle->takeBack();
            }
        }
        if ($code !== 0) {
            throw Failure::take($error[0], Callbacks::takeThrown());
        }
    }

    private static function slot(string $type): CData
    {
        return self::$slots[$type] ??= Library::ffi()->new($type . ' *[1]');
    }
}
