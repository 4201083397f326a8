<?php

declare(strict_types=1);

namespace MerchantPay\Ffi;

use FFI\CData;
use FFI\CType;

/**
 * Calls those functions of the library that can fail: lends them their handles, and turns an error into an exception.
 * A logger or a signer may make calls inside of a call, so each has out-pointers of its own.
 *
 * @internal
 */
final class Call
{
    /** @var array<string, CType> of out-pointers, which cost more to parse than to use */
    private static array $types = [];

    /** For a function without a result. */
    public static function run(string $function, mixed ...$arguments): void
    {
        Signals::after($function, static fn () => self::invoke($function, $arguments));
    }

    /**
     * For a function that makes an object.
     *
     * @param string $type the object's, such as mpay_payment
     */
    public static function make(string $type, string $function, mixed ...$arguments): Handle
    {
        return Signals::after($function, static fn (): Handle => self::object($type, $function, $arguments));
    }

    /**
     * For a function that makes an object of which only a value is kept.
     *
     * @template T
     * @param \Closure(Handle): T $reader makes the value
     * @param array<mixed> $arguments
     * @return T
     */
    public static function read(\Closure $reader, string $type, string $function, array $arguments): mixed
    {
        return Signals::after($function, static function () use ($reader, $type, $function, &$arguments): mixed {
            try {
                return $reader(self::object($type, $function, $arguments));
            } finally {
                $arguments = []; // What only this call needs is freed before a handler can run in between.
            }
        });
    }

    /** @param array<mixed> $arguments */
    private static function object(string $type, string $function, array $arguments): Handle
    {
        $out = self::slot($type);
        self::invoke($function, $arguments, $out);
        return new Handle($out[0], $type . '_free');
    }

    /** @param array<mixed> $arguments */
    private static function invoke(string $function, array $arguments, CData ...$out): void
    {
        $ffi = Library::ffi();
        $error = self::slot('mpay_error');
        $lent = [];
        $outer = Callbacks::exchangeThrown(null);
        try {
            foreach ($arguments as $index => $argument) {
                if ($argument instanceof Handle) {
                    $arguments[$index] = $argument->lend();
                    $lent[] = $argument;
                }
            }
            $code = $ffi->$function(...$arguments, ...$out, ...[$error]);
        } finally {
            foreach ($lent as $handle) {
                $handle->takeBack();
            }
            $thrown = Callbacks::exchangeThrown($outer);
        }
        if ($code !== 0) {
            throw Failure::take($error[0], $thrown);
        }
    }

    private static function slot(string $type): CData
    {
        $ffi = Library::ffi();
        return $ffi->new(self::$types[$type] ??= $ffi->type($type . ' *[1]'));
    }
}
