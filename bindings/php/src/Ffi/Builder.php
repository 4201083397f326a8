<?php

declare(strict_types=1);

namespace MerchantPay\Ffi;

/**
 * Becomes an object of the library when it is given to a call, while handlers of signals are kept away.
 *
 * @internal
 */
interface Builder
{
    public function build(): Handle;
}
