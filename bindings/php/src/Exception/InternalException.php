<?php

declare(strict_types=1);

namespace MerchantPay\Exception;

/** A bug of this library. */
final class InternalException extends MerchantPayException
{
}
