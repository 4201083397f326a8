<?php

declare(strict_types=1);

namespace MerchantPay\Exception;

/** The deadline passed. */
final class TimeoutException extends MerchantPayException
{
}
