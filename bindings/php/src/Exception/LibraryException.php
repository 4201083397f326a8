<?php

declare(strict_types=1);

namespace MerchantPay\Exception;

use MerchantPay\Code;

/**
 * The shared library is not found, does not fit, or PHP is not allowed to load it; the message says what to
 * change. It is not an InvalidArgumentException, because no argument of a call is wrong. Its code is
 * invalid_argument, as for any other wrong setting, and its outcome not_sent.
 */
final class LibraryException extends MerchantPayException
{
    protected const CODE = Code::InvalidArgument;
}
