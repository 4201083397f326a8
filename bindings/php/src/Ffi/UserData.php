<?php

declare(strict_types=1);

namespace MerchantPay\Ffi;

use FFI\CData;

/**
 * What C hands back to a callback: the number of the object whose call it is.
 *
 * PHP keeps what it makes of a closure for C until the request ends. So there is one of each type. What owns the handle
 * keeps the object: if it were kept here, PHP would collect no cycle that it is in.
 *
 * @internal
 */
final class UserData
{
    /** @var array<int, \WeakReference<object>> */
    private static array $objects = [];
    private static int $last = 0;

    /** @var array<string, CData> by their types */
    private static array $functions = [];

    /**
     * @param string $type of the callback, such as mpay_log_callback
     * @return array{CData, CData, CData} what a setter takes: the callback, its user_data, and what releases that
     */
    public static function of(object $object, string $type, \Closure $callback): array
    {
        $ffi = Library::ffi();
        foreach ([$type => $callback, 'mpay_release_callback' => self::release(...)] as $name => $closure) {
            if (!isset(self::$functions[$name])) {
                self::$functions[$name] = $ffi->new($name . '[1]');
                self::$functions[$name][0] = $closure;
            }
        }
        self::$objects[++self::$last] = \WeakReference::create($object);
        $userData = $ffi->cast('void *', self::$last);
        return [self::$functions[$type][0], $userData, self::$functions['mpay_release_callback'][0]];
    }

    /** The object; null if it is gone. */
    public static function object(CData $userData): ?object
    {
        return (self::$objects[self::number($userData)] ?? null)?->get();
    }

    /** Forgets it: nothing calls back any more. */
    public static function release(CData $userData): void
    {
        unset(self::$objects[self::number($userData)]);
    }

    /** By way of a char *, because PHP would read what a void * points to. */
    private static function number(CData $userData): int
    {
        $ffi = Library::ffi();
        return $ffi->cast('intptr_t', $ffi->cast('char *', $userData))->cdata;
    }
}
