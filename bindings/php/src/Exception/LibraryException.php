<?php

declare(strict_types=1);

namespace MerchantPay\Exception;

/** The shared library is not found, does not fit, or PHP is not allowed to load it; the message says what to change. */
final class LibraryException extends InvalidArgumentException
{
}
