<?php

declare(strict_types=1);

namespace MerchantPay;

use MerchantPay\Exception\MerchantPayException;

/** The result of a webhook. Since 0.2.0. */
final class Received
{
    /** The library makes it; a test may make one with named arguments. */
    public function __construct(
        /**
         * The answer to send: 200 applied, now or before; 400 not verified; 404 unknown token; 409 another
         * order; 503 the journal failed, so the service should retry.
         */
        public readonly int $httpStatus,
        /** The attempt of the webhook, after it was applied. */
        public readonly ?Entry $entry = null,
        /** The reason why the webhook was not applied. */
        public readonly ?MerchantPayException $error = null,
    ) {
    }
}
