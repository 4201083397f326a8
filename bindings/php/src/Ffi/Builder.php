<?php

declare(strict_types=1);

namespace MerchantPay\Ffi;

/**
 * An argument that becomes an object of the library within a call, while signal handlers are blocked.
 *
 * @internal
 */
interface Builder
{
    public function build(): Handle;
}
