<?php

declare(strict_types=1);

namespace MerchantPay;

/** What settle did. Since 0.2.0. */
final class Settled
{
    /** Made by the library; a test may make one by named arguments. */
    public function __construct(
        /** How many attempts it looked at. */
        public readonly int $done,
        /** In how many milliseconds the next one is due; null for never. */
        public readonly ?int $nextDueMs = null,
    ) {
    }
}
