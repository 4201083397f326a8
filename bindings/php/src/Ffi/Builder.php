<?php

declare(strict_types=1);

namespace MerchantPay\Ffi;

/**
 * An argument from which Call makes an object of the library. Signal handlers are blocked meanwhile.
 *
 * @internal
 */
interface Builder
{
    public function build(): Handle;
}
