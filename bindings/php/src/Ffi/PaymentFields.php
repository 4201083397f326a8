<?php

declare(strict_types=1);

namespace MerchantPay\Ffi;

/**
 * The fields of a payment, with the contract's names.
 *
 * @internal
 */
trait PaymentFields
{
    /**
     * The library makes payments. A test can make a payment with named arguments.
     *
     * @param bool|string|null $final whether the status is final: true, false, "1" or "0"; with null the enum
     * Status decides
     * @param string $json the verified body
     */
    public function __construct(
        // generated: begin fields
        /** The service's identifier of the payment. */
        public readonly string $orderId,
        /**
         * The payment's sum in its currency. After the customer has paid, it is the amount that was actually paid,
         * which can be more or less than requested. A failed payment has a sum too. Decimal text.
         */
        public readonly ?string $sum = null,
        /** The currency of the sum. The reply to newPayment and the credentials webhook have it. */
        public readonly ?string $currency = null,
        /** The account to which the customer pays. */
        #[\SensitiveParameter] public readonly ?string $payeeAccount = null,
        /** The bank of the payee's account. */
        public readonly ?string $payeeAccountBank = null,
        /** The holder of the payee's account. In the reply to getStatus the name is in Latin letters. */
        #[\SensitiveParameter] public readonly ?string $payeeName = null,
        /**
         * The sum in the currency of the merchant's balance, with commission. The sum is fixed when the service issues
         * the credentials. Decimal text.
         */
        public readonly ?string $dealSum = null,
        /** The currency of the merchant's balance. */
        public readonly ?string $dealCurrency = null,
        /** The rate from the payment's currency to the currency of the merchant's balance. Decimal text. */
        public readonly ?string $dealRate = null,
        /** The URL of the customer's payment frame. */
        #[\SensitiveParameter] public readonly ?string $deeplink = null,
        /**
         * The payment's status (contract, section 3). The reply to getStatus and status webhooks have it. One of
         * Status, or a name that this version does not know.
         */
        public readonly ?string $status = null,
        // generated: end
        private readonly bool|string|null $final = null,
        #[\SensitiveParameter] private readonly string $json = '',
    ) {
    }

    /**
     * @internal
     * @param list<?string> $texts "1" if the status is final, the JSON, and the fields in the order of the
     *     arguments above; a later version of the library can append fields
     */
    public static function of(#[\SensitiveParameter] array $texts): self
    {
        // generated: begin count
        $fields = array_slice($texts, 2, 11);
        // generated: end
        return new self(...$fields, final: $texts[0], json: (string) $texts[1]);
    }
}
