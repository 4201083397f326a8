<?php

declare(strict_types=1);

namespace MerchantPay;

/**
 * Explains why a webhook does not verify. Write the explanation to the log, and do not return it to the sender.
 * Since 0.3.0.
 */
final class Explanation
{
    /** The library makes this object. A test can make such an object with named arguments. */
    public function __construct(
        /** The name of the cause, one of Cause. A later version of the library can have more causes. */
        public readonly string $cause,
        /** A text about the exact fault and its remedy. The text contains no data of the webhook. */
        public readonly string $hint,
    ) {
    }

    /** The cause, or null if this version does not know the cause. */
    public function causeCase(): ?Cause
    {
        return Cause::tryFrom($this->cause);
    }
}
