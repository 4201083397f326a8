<?php

declare(strict_types=1);

namespace MerchantPay;

use FFI\CData;
use MerchantPay\Ffi\Handle;
use MerchantPay\Ffi\Library;

/**
 * A payment as a verified reply or webhook tells of it, in the contract's names. Every field other than orderId may be
 * absent: null. Sums and rates are decimal text with the digits that the service sent.
 *
 * It holds personal data: var_dump and print_r show only what may stand in a log.
 */
final class Payment
{
    private function __construct(
        /** The service's identifier of the payment. */
        public readonly string $orderId,
        /** The amount actually paid; it changes if the customer pays more or less. */
        public readonly ?string $sum,
        public readonly ?string $currency,
        /** The account that the customer pays to. */
        public readonly ?string $payeeAccount,
        public readonly ?string $payeeAccountBank,
        /** The holder; in the reply of getStatus in Latin letters. */
        public readonly ?string $payeeName,
        /** In the balance's currency, with commission; fixed when credentials are issued. */
        public readonly ?string $dealSum,
        public readonly ?string $dealCurrency,
        /** See Balance::convert. */
        public readonly ?string $dealRate,
        /** The URL of the customer's payment frame. */
        public readonly ?string $deeplink,
        /** One of Status, or one that this version does not know. */
        public readonly ?string $status,
        private readonly bool $final,
        private readonly string $json,
    ) {
    }

    /** The status, or null if there is none or this version does not know it. */
    public function statusCase(): ?Status
    {
        return $this->status === null ? null : Status::tryFrom($this->status);
    }

    /** Whether there is a status that never changes again. One that this version does not know is never final. */
    public function isFinal(): bool
    {
        return $this->final;
    }

    /** The verified body as it came; fields that this version does not know are in it. */
    public function json(): string
    {
        return $this->json;
    }

    /** @return array<string, mixed> */
    public function __debugInfo(): array
    {
        return ['orderId' => $this->orderId, 'sum' => $this->sum, 'status' => $this->status];
    }

    /** @internal Reads all fields at once, so that nothing of the library's is kept. */
    public static function read(Handle $handle): self
    {
        return self::borrowed($handle->pointer());
    }

    /** @internal */
    public static function borrowed(CData $payment): self
    {
        $ffi = Library::ffi();
        return new self(
            $ffi->mpay_payment_order_id($payment),
            $ffi->mpay_payment_sum($payment),
            $ffi->mpay_payment_currency($payment),
            $ffi->mpay_payment_payee_account($payment),
            $ffi->mpay_payment_payee_account_bank($payment),
            $ffi->mpay_payment_payee_name($payment),
            $ffi->mpay_payment_deal_sum($payment),
            $ffi->mpay_payment_deal_currency($payment),
            $ffi->mpay_payment_deal_rate($payment),
            $ffi->mpay_payment_deeplink($payment),
            $ffi->mpay_payment_status($payment),
            $ffi->mpay_payment_is_final($payment) === 1,
            $ffi->mpay_payment_json($payment),
        );
    }
}
