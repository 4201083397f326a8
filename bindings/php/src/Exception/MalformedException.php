<?php

declare(strict_types=1);

namespace MerchantPay\Exception;

/** Provably the service's, but not what the contract says, or for another order. */
final class MalformedException extends MerchantPayException
{
}
