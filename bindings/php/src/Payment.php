<?php

declare(strict_types=1);

namespace MerchantPay;

use FFI\CData;
use MerchantPay\Ffi\Texts;

/**
 * A payment as a verified reply or webhook tells of it, in the contract's names. Every field other than orderId may be
 * absent: null. Sums and rates are decimal text with the digits that the service sent.
 *
 * It holds personal data: var_dump and print_r show only what may stand in a log.
 */
final class Payment
{
    /** The service's identifier of the payment. */
    public readonly string $orderId;
    /** The amount actually paid; it changes if the customer pays more or less. */
    public readonly ?string $sum;
    public readonly ?string $currency;
    /** The account that the customer pays to. */
    public readonly ?string $payeeAccount;
    public readonly ?string $payeeAccountBank;
    /** The holder; in the reply of getStatus in Latin letters. */
    public readonly ?string $payeeName;
    /** In the balance's currency, with commission; fixed when credentials are issued. */
    public readonly ?string $dealSum;
    public readonly ?string $dealCurrency;
    /** See Balance::convert. */
    public readonly ?string $dealRate;
    /** The URL of the customer's payment frame. */
    public readonly ?string $deeplink;
    /** One of Status, or one that this version does not know. */
    public readonly ?string $status;
    private readonly string $final;
    private readonly string $json;

    /** @param list<?string> $fields in the library's order */
    private function __construct(array $fields)
    {
        [
            $this->orderId,
            $this->sum,
            $this->currency,
            $this->payeeAccount,
            $this->payeeAccountBank,
            $this->payeeName,
            $this->dealSum,
            $this->dealCurrency,
            $this->dealRate,
            $this->deeplink,
            $this->status,
            $this->final,
            $this->json,
        ] = $fields;
    }

    /** The status, or null if there is none or this version does not know it. */
    public function statusCase(): ?Status
    {
        return $this->status === null ? null : Status::tryFrom($this->status);
    }

    /** Whether there is a status that never changes again. One that this version does not know is never final. */
    public function isFinal(): bool
    {
        return $this->final === '1';
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
        return new self(Texts::orNull($payment, 'mpay_payment_fields'));
    }

    /**
     * @internal
     * @param list<?string> $fields in the library's order; there may be others behind them
     */
    public static function of(#[\SensitiveParameter] array $fields): self
    {
        return new self($fields);
    }
}
