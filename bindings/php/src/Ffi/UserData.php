<?php

declare(strict_types=1);

namespace MerchantPay\Ffi;

use FFI\CData;

/**
 * The user data of callbacks: the number of the object that a callback calls.
 *
 * PHP keeps the C function of a closure until the request ends. So there is only one closure for each type of
 * callback. The owner of the handle keeps the object alive. A strong reference from this class would prevent PHP
 * from collecting reference cycles.
 *
 * @internal
 */
final class UserData
{
    /** @var array<int, \WeakReference<object>> */
    private static array $objects = [];
    private static int $last = 0;

    /** @var array<string, CData> the C functions, by the types of the callbacks */
    private static array $functions = [];

    /**
     * @param string $type the type of the callback, such as mpay_log_callback
     * @return array{CData, CData, CData} the setter's arguments: the callback, its user_data, and the
     * function that releases the user_data
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

    /** The object with this number; null if the object does not exist any more. */
    public static function object(CData $userData): ?object
    {
        return (self::$objects[self::number($userData)] ?? null)?->get();
    }

    /** Removes the object with this number from the list, because no callback uses the object any more. */
    public static function release(CData $userData): void
    {
        unset(self::$objects[self::number($userData)]);
    }

    /**
     * Returns the number. The conversion goes through a char *, because PHP would read the memory at a void *.
     */
    private static function number(CData $userData): int
    {
        $ffi = Library::ffi();
        return $ffi->cast('intptr_t', $ffi->cast('char *', $userData))->cdata;
    }
}
