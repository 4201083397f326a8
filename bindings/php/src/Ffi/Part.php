<?php

declare(strict_types=1);

namespace MerchantPay\Ffi;

use FFI\CData;

/**
 * A pointer that is borrowed from an object of the library. This class keeps that object alive.
 *
 * @internal
 */
final class Part
{
    use Opaque;

    public function __construct(private readonly Handle $owner, private readonly CData $pointer)
    {
    }

    public function use(): CData
    {
        $this->owner->use();
        return $this->pointer;
    }

    public function takeBack(): void
    {
        $this->owner->takeBack();
    }
}
