<?php

declare(strict_types=1);

namespace MerchantPay\Ffi;

use MerchantPay\Exception\InterruptedException;

/**
 * Keeps handlers of asynchronous signals (pcntl_async_signals) out of a call: they would run, and might throw, inside
 * of the library's callbacks, or between its result and the PHP value that is made of it.
 *
 * @internal
 */
final class Signals
{
    private static ?bool $there = null;

    /** Whether a handler could run in the middle of a call; if not, there is nothing to do here. */
    public static function mayInterrupt(): bool
    {
        return (self::$there ??= function_exists('pcntl_async_signals')) && pcntl_async_signals();
    }

    /**
     * Does the work, and only then lets handlers run. What a handler throws wins, as it does in any PHP call; how the
     * work ended is at the end of its chain of previous exceptions.
     *
     * @template T
     * @param \Closure(): T $work
     * @return T
     */
    public static function after(string $function, \Closure $work): mixed
    {
        $result = $failure = null;
        try {
            pcntl_async_signals(false);
            $result = $work();
        } catch (\Throwable $failure) {
        }
        try {
            pcntl_async_signals(true);
            pcntl_signal_dispatch();
        } catch (\Throwable $thrown) {
            $ended = $failure ?? new InterruptedException($function, $result instanceof Handle ? null : $result);
            throw self::chained($ended, $thrown);
        }
        return $failure === null ? $result : throw $failure;
    }

    /** PHP appends an exception that another one replaces to the other's chain. */
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
}
