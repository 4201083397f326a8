<?php

declare(strict_types=1);

namespace MerchantPay;

use MerchantPay\Exception\MerchantPayException;

/** The result of Journal::receive for a webhook. Since 0.2.0. */
final class Received
{
    /** The library makes this object. A test can make such an object with named arguments. */
    public function __construct(
        /**
         * The HTTP status of the answer: 200 if the webhook was applied, now or earlier; 400 if it does not verify;
         * 404 for an unknown token in its URL; 409 if the attempt has a different order; 503 if the journal failed,
         * so that the service retries.
         */
        public readonly int $httpStatus,
        /** The attempt after the webhook was applied; null if the webhook belongs to no attempt. */
        public readonly ?Entry $entry = null,
        /** The reason why the webhook was not applied; null for 200, 404 and 409. */
        public readonly ?MerchantPayException $error = null,
    ) {
    }
}
