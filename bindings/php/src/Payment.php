<?php

declare(strict_types=1);

namespace MerchantPay;

use MerchantPay\Exception\MerchantPayException;
use MerchantPay\Ffi\Argument;
use MerchantPay\Ffi\Handle;
use MerchantPay\Ffi\PaymentFields;

/**
 * A payment from a verified reply or webhook, with the contract's names. Every field except orderId may be
 * absent, and is then null. Sums and rates are decimal text with the service's digits.
 *
 * A payment contains personal data: var_dump and print_r show only values that are allowed in logs.
 */
final class Payment
{
    use PaymentFields;

    /** The status, or null if there is no status or this version does not know the status. */
    public function statusCase(): ?Status
    {
        return $this->status === null ? null : Status::tryFrom($this->status);
    }

    /** Returns true if there is a status and it is final. A status that this version does not know is never final. */
    public function isFinal(): bool
    {
        return (bool) ($this->final ?? $this->statusCase()?->isFinal());
    }

    /**
     * Compares the paid sum with $asked, the requested sum; null if there is no sum. The sums are compared as
     * numbers, in the payment's currency. The status doneSuccess alone does not mean that the customer paid
     * everything. The result is final only with a final status; before that, the payment's sum is the sum that
     * the service expects so far.
     *
     * @param int|string|\Stringable $asked decimal text or whole rubles, never a float
     * @throws MerchantPayException if $asked is not a decimal number
     */
    public function paid(mixed $asked): ?Paid
    {
        $asked = Argument::amount('asked', $asked);
        $paid = Handle::library()->libraryPaid($this->sum ?? $asked, $asked);
        return $this->sum === null ? null : Paid::from($paid);
    }

    /** The verified body, unchanged. It also has the fields that this version does not know. */
    public function json(): string
    {
        return $this->json;
    }

    /** @return array<string, mixed> */
    public function __debugInfo(): array
    {
        return ['orderId' => $this->orderId, 'sum' => $this->sum, 'status' => $this->status];
    }
}
