<?php

declare(strict_types=1);

namespace MerchantPay\Exception;

/** The host's own signer failed: what it threw is the previous exception. Nothing was sent. */
final class SignerException extends MerchantPayException
{
}
