<?php

declare(strict_types=1);

namespace MerchantPay\Exception;

/** The reply or webhook is not provably the service's. */
final class UnverifiedException extends MerchantPayException
{
}
