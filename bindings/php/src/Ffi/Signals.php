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
     * Does the work of a function of the library, and only then lets handlers run. What a handler throws wins, as it
     * does in any PHP call; how the work ended is at the end of its chain of previous exceptions. Handlers run after a
     * call of a function of PHP's own, at a jump, and where a function of ours begins: none of these is where an end
     * could be lost.
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
            pcntl_async_signals(true); // What a handler throws here has $ended in its chain, by PHP itself.
        }
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

    /** mpay_new_payment → newPayment */
    private static function nameOf(string $function): string
    {
        return lcfirst(str_replace('_', '', ucwords(substr($function, strlen('mpay_')), '_')));
    }
}
