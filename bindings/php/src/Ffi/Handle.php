<?php

declare(strict_types=1);

namespace MerchantPay\Ffi;

use FFI\CData;
use MerchantPay\Exception\InvalidArgumentException;

/**
 * Owns an object of the library, and frees it once.
 *
 * @internal
 */
final class Handle
{
    use Opaque;

    /** @var ?\WeakMap<self, true> all handles that exist */
    private static ?\WeakMap $live = null;

    private ?CData $pointer;

    /**
     * The number of calls that use the object. During a call the object cannot be freed, for example if the
     * call's logger closes the client.
     */
    private int $users = 0;

    /** @param string $free the function that frees the object */
    public function __construct(CData $pointer, private readonly string $free)
    {
        $this->pointer = $pointer;
        if (self::$live === null) {
            self::$live = new \WeakMap();
            register_shutdown_function(self::atEnd(...));
        }
        self::$live[$this] = true;
    }

    public function __destruct()
    {
        $this->release();
    }

    /** @throws InvalidArgumentException if a call uses the object */
    public function free(): void
    {
        if ($this->users > 0) {
            throw InvalidArgumentException::because('this object cannot be closed while a call is running on it');
        }
        $this->release();
    }

    /** @throws InvalidArgumentException if the object was freed */
    public function pointer(): CData
    {
        return $this->pointer ?? throw InvalidArgumentException::because('this object was closed');
    }

    public function use(): CData
    {
        $pointer = $this->pointer ?? $this->pointer();
        $this->users++;
        return $pointer;
    }

    public function takeBack(): void
    {
        $this->users--;
    }

    private function release(): void
    {
        if ($this->pointer === null) {
            return;
        }
        if (Signals::mayInterrupt()) {
            Signals::around($this->free, $this->release(...));
            return;
        }
        $pointer = $this->pointer;
        $this->pointer = null;
        Library::ffi()->{$this->free}($pointer);
    }

    /**
     * Frees all objects after a fatal error. PHP then calls no destructors, and a php-fpm worker would keep
     * sockets and keys. Other shutdown functions may still use the objects, so this function runs after them. If
     * the fatal error ended a call, the object that the call used is never freed.
     */
    private static function atEnd(): void
    {
        $error = error_get_last();
        $fatal = E_ERROR | E_CORE_ERROR | E_COMPILE_ERROR | E_USER_ERROR | E_RECOVERABLE_ERROR | E_PARSE;
        if ($error === null || ($error['type'] & $fatal) === 0) {
            return;
        }
        register_shutdown_function(static function (): void {
            Call::freeUnread();
            foreach (self::$live as $handle => $isLive) {
                if ($handle->users === 0) {
                    $handle->release();
                }
            }
        });
    }
}
