<?php

declare(strict_types=1);

namespace MerchantPay;

/** Amounts with a counter-offer right now. No amount is reserved. */
final class AvailableAmounts
{
    /**
     * The library makes this object. A test can make such an object with named arguments.
     *
     * @param list<string> $availableAmounts
     * @param string $json the verified body of the reply
     */
    public function __construct(
        /** @var list<string> decimal text with the digits that the service sent */
        public readonly array $availableAmounts,
        /** True if amounts outside the list can succeed too: an empty list is then not a refusal. */
        public readonly bool $otherAmountsPossible,
        private readonly string $json = '',
    ) {
    }

    /** The verified body of the reply, unchanged. */
    public function json(): string
    {
        return $this->json;
    }
}
