<?php

declare(strict_types=1);

namespace MerchantPay\Ffi;

use FFI\CData;

/**
 * Calls the functions of the library that can fail. This class builds the arguments, keeps the handles alive
 * during the call, and turns an error into an exception or the result into a PHP value. Signal handlers are
 * blocked during all these steps, and also while a Handle frees its object.
 *
 * @internal
 */
final class Call
{
    /**
     * The out-pointers of earlier calls, by the type of the result. They are kept because making an out-pointer
     * is costly. A running call takes its out-pointers out of this array, because its logger or signer can make
     * another call.
     *
     * @var array<string, ?array{CData, ?CData}>
     */
    private static array $spare = [];

    /**
     * @var ?array{string, CData} the object that is being read, and the function that frees it; no other call
     * runs during that time
     */
    private static ?array $unread = null;

    /** Calls a function without a result. */
    public static function run(string $function, mixed ...$arguments): void
    {
        self::read(null, '', $function, $arguments);
    }

    /**
     * Calls a function that makes an object, and keeps the object; null if the function makes no object.
     *
     * @param string $type the object's type, such as mpay_payment
     * @param array<mixed> $arguments
     * @param ?\Closure(Handle): object $owner makes the owner of the handle; null returns the handle itself
     */
    public static function make(string $type, string $function, array $arguments, ?\Closure $owner = null): ?object
    {
        $owner ??= static fn (Handle $handle): Handle => $handle;
        return self::read($owner, $type, $function, $arguments, true);
    }

    /**
     * Calls a function that makes an object, reads a value from the object, and frees the object; null if the
     * function makes no object.
     *
     * @param ?\Closure(CData): mixed $reader reads the value; null for a function that makes no object
     * @param array<mixed> $arguments
     * @param bool $isKept whether the object is kept and passed to the reader as a Handle
     */
    public static function read(
        ?\Closure $reader,
        string $type,
        string $function,
        #[\SensitiveParameter] array $arguments,
        bool $isKept = false,
    ): mixed {
        // This is not a conditional expression, because PHP would compile it to a jump after the call, and PHP
        // runs signal handlers at jumps.
        if (Signals::mayInterrupt()) {
            $work = static fn (): mixed => self::read($reader, $type, $function, $arguments, $isKept);
            return Signals::around($function, $work);
        }
        $made = self::invoke($function, $arguments, $type);
        if ($reader === null || $made === null) {
            return null;
        }
        $free = $type . '_free';
        if ($isKept) {
            return $reader(new Handle($made, $free));
        }
        self::$unread = [$free, $made];
        try {
            return $reader($made);
        } finally {
            self::$unread = null;
            Library::ffi()->$free($made);
        }
    }

    /** Frees the object that a call was reading when a fatal error ended PHP. */
    public static function freeUnread(): void
    {
        if (self::$unread !== null) {
            [$free, $pointer] = self::$unread;
            self::$unread = null;
            Library::ffi()->$free($pointer);
        }
    }

    /**
     * @param array<mixed> $arguments
     * @param string $type the type of the object that the function makes, or '' for nothing
     */
    private static function invoke(string $function, #[\SensitiveParameter] array $arguments, string $type): ?CData
    {
        $used = [];
        $outer = Callbacks::$thrown;
        Callbacks::$thrown = null;
        [$error, $out] = $pointers = self::$spare[$type] ?? self::outPointers($type);
        self::$spare[$type] = null;
        try {
            foreach ($arguments as $index => $argument) {
                if (is_object($argument) && !$argument instanceof CData) {
                    $handle = $argument instanceof Builder ? $argument->build() : $argument;
                    $arguments[$index] = $handle->use();
                    $used[] = $handle;
                }
            }
            if ($out !== null) {
                $arguments[] = $out;
            }
            $arguments[] = $error;
            $code = Library::ffi()->$function(...$arguments);
        } finally {
            foreach ($used as $handle) {
                $handle->takeBack();
            }
            $thrown = Callbacks::$thrown;
            Callbacks::$thrown = $outer;
            self::$spare[$type] = $pointers;
        }
        if ($code !== 0) {
            throw Failure::take($error[0], $code, $thrown);
        }
        return $out === null ? null : $out[0]; // $out[0] must be copied, and the operator ?? makes no copy.
    }

    /** @return array{CData, ?CData} the out-pointers for an error, and for the made object */
    private static function outPointers(string $type): array
    {
        $ffi = Library::ffi();
        return [$ffi->new('mpay_error *[1]'), $type === '' ? null : $ffi->new($type . ' *[1]')];
    }
}
