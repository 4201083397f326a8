<?php

declare(strict_types=1);

namespace MerchantPay\Exception;

/** A key that cannot be right: not base64, of a wrong length, halves that differ, not a point of the curve. */
final class InvalidKeyException extends MerchantPayException
{
}
