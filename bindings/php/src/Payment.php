<?php

declare(strict_types=1);

namespace MerchantPay;

use FFI\CData;
use MerchantPay\Exception\MerchantPayException;
use MerchantPay\Ffi\Argument;
use MerchantPay\Ffi\Decimal;
use MerchantPay\Ffi\PaymentFields;
use MerchantPay\Ffi\Texts;

/**
 * A payment as a verified reply or webhook has it, in the contract's names. Every field other than orderId may be
 * absent: null. Sums and rates are decimal text with the digits that the service sent.
 *
 * It holds personal data: var_dump and print_r show only what may stand in a log.
 */
final class Payment
{
    use PaymentFields;

    /** The status, or null if there is none or this version does not know it. */
    public function statusCase(): ?Status
    {
        return $this->status === null ? null : Status::tryFrom($this->status);
    }

    /** Whether there is a status that never changes again. One that this version does not know is never final. */
    public function isFinal(): bool
    {
        return (bool) ($this->final ?? $this->statusCase()?->isFinal());
    }

    /**
     * What was paid, compared with the sum that was asked for; null if there is no sum. They are compared as numbers,
     * in the payment's currency. The status doneSuccess alone does not say that the customer paid all, and only a final
     * status makes this final: before, it compares what the service counts with so far.
     *
     * @param int|string|\Stringable $asked decimal text or whole rubles, never a float
     * @throws MerchantPayException if it is no decimal
     */
    public function paid(mixed $asked): ?Paid
    {
        $asked = Argument::amount('asked', $asked);
        $difference = Decimal::compare($this->sum ?? $asked, $asked);
        if ($this->sum === null) {
            return null;
        }
        return match ($difference <=> 0) {
            0 => Paid::Exactly,
            -1 => Paid::Less,
            1 => Paid::More,
        };
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
    public static function read(CData $payment): self
    {
        return self::of(Texts::orNull($payment, 'mpay_payment_fields'));
    }
}
