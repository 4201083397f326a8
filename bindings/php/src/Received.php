<?php

declare(strict_types=1);

namespace MerchantPay;

use MerchantPay\Exception\MerchantPayException;

/** The result of a webhook. Since 0.2.0. */
final class Received
{
    /** Made by the library; a test may make one by named arguments. */
    public function __construct(
        /**
         * What to answer: 200 applied or seen before, 400 not verified, 404 no such token, 409 another order, 503 the
         * journal failed, so that the service sends it again.
         */
        public readonly int $httpStatus,
        /** The attempt that it was for, as it is now. */
        public readonly ?Entry $entry = null,
        /** Why it was not applied. */
        public readonly ?MerchantPayException $error = null,
    ) {
    }
}
