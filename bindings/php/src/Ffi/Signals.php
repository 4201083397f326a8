<?php

declare(strict_types=1);

namespace MerchantPay\Ffi;

use MerchantPay\Exception\InterruptedException;

/**
 * Blocks handlers of asynchronous signals (pcntl_async_signals) during a call. Otherwise a handler could run,
 * and throw an exception, inside the library's callbacks, or before the library's result becomes a PHP value.
 *
 * @internal
 */
final class Signals
{
    private static ?bool $there = null;

    /** Whether a signal handler could run during a call; if not, no handler needs to be blocked. */
    public static function mayInterrupt(): bool
    {
        return (self::$there ??= function_exists('pcntl_async_signals')) && pcntl_async_signals();
    }

    /**
     * Runs a function that calls the library, and then runs pending signal handlers. If a handler throws an
     * exception, this method throws it, as any PHP call would. The call's result is then at the end of the chain
     * of previous exceptions. PHP runs handlers after a call of a built-in function, at a jump, and at the
     * beginning of a PHP function. The result cannot be lost at any of these points.
     */
    public static function around(string $function, \Closure $work): mixed
    {
        $result = $ended = null;
        try {
            pcntl_async_signals(false);
            $result = $work();
        } catch (\Throwable $ended) {
        }
        if ($ended === null) {
            try {
                pcntl_async_signals(true);
                pcntl_signal_dispatch();
                return $result;
            } catch (\Throwable $thrown) {
                pcntl_async_signals(false);
                $ended = self::chained(new InterruptedException(self::nameOf($function), $result), $thrown);
            }
        } else {
            try {
                pcntl_async_signals(true);
                pcntl_signal_dispatch();
                pcntl_async_signals(false);
            } catch (\Throwable $thrown) {
                pcntl_async_signals(false);
                $ended = self::chained($ended, $thrown);
            }
        }
        try {
            throw $ended;
        } finally {
            pcntl_async_signals(true); // If a handler throws here, PHP adds $ended to the exception's chain.
        }
    }

    /**
     * Throws the second exception while the first is active, so that PHP appends the first exception to the
     * chain of the second.
     */
    private static function chained(\Throwable $ended, \Throwable $thrown): \Throwable
    {
        try {
            try {
                throw $ended;
            } finally {
                throw $thrown;
            }
        } catch (\Throwable $chained) {
            Trace::strip($chained);
            return $chained;
        }
    }

    /** Converts the name of a C function to its method: mpay_new_payment becomes newPayment. */
    private static function nameOf(string $function): string
    {
        return lcfirst(str_replace('_', '', ucwords(substr($function, strlen('mpay_')), '_')));
    }
}
