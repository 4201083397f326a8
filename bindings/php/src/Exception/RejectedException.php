<?php

declare(strict_types=1);

namespace MerchantPay\Exception;

/** The service refused, provably: see description() and reason(). */
final class RejectedException extends MerchantPayException
{
}
