<?php

declare(strict_types=1);

namespace MerchantPay\Exception;

use MerchantPay\Code;
use MerchantPay\Outcome;

/** A value that is wrong, and was caught before anything was sent. */
class InvalidArgumentException extends MerchantPayException
{
    /** @internal */
    public static function because(
        string $message,
        ?\Throwable $previous = null,
        Outcome $outcome = Outcome::NotSent,
    ): static {
        return new static(
            message: $message,
            number: Code::InvalidArgument->number(),
            code: Code::InvalidArgument->value,
            outcome: $outcome->value,
            previous: $previous,
        );
    }
}
