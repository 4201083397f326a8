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

    private ?CData $pointer;

    /** A logger may close the client that is calling it: what is lent to a call is not freed under it. */
    private int $lent = 0;

    /** @param string $free the function that frees it */
    public function __construct(CData $pointer, private readonly string $free)
    {
        $this->pointer = $pointer;
    }

    public function __destruct()
    {
        $this->release();
    }

    /** @throws InvalidArgumentException if a call is running on it */
    public function free(): void
    {
        if ($this->lent > 0) {
            throw InvalidArgumentException::because('it cannot be closed while a call is running on it');
        }
        $this->release();
    }

    /** @throws InvalidArgumentException if it was freed */
    public function pointer(): CData
    {
        return $this->pointer ?? throw InvalidArgumentException::because('it was closed');
    }

    public function lend(): CData
    {
        $pointer = $this->pointer();
        $this->lent++;
        return $pointer;
    }

    public function takeBack(): void
    {
        $this->lent--;
    }

    private function release(): void
    {
        if ($this->pointer !== null) {
            $pointer = $this->pointer;
            $this->pointer = null;
            Library::ffi()->{$this->free}($pointer);
        }
    }
}
