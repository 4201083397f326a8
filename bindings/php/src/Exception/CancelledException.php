<?php

declare(strict_types=1);

namespace MerchantPay\Exception;

/** The caller interrupted the call. */
final class CancelledException extends MerchantPayException
{
}
