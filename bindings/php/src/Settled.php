<?php

declare(strict_types=1);

namespace MerchantPay;

/** The result of Journal::settle. Since 0.2.0. */
final class Settled
{
    /** The library makes this object. A test can make such an object with named arguments. */
    public function __construct(
        /** The number of processed attempts. */
        public readonly int $done,
        /** The milliseconds until the next attempt is due; null if no attempt will be due. */
        public readonly ?int $nextDueMs = null,
    ) {
    }
}
