<?php

declare(strict_types=1);

namespace MerchantPay;

use FFI\CData;
use MerchantPay\Exception\InvalidArgumentException;
use MerchantPay\Ffi\EntryFields;
use MerchantPay\Ffi\Handle;
use MerchantPay\Ffi\Library;
use MerchantPay\Ffi\Part;
use MerchantPay\Ffi\Texts;

/**
 * One attempt of a reference (the merchant's order number). The entry of a reference is its last attempt. If
 * isOrphan is true, the entry is an orphan, a verified message that matches no attempt.
 *
 * An entry contains personal data: var_dump and print_r show only values that are allowed in logs. An entry can
 * be serialized for display, but a journal accepts only entries that a journal returned. Since 0.2.0.
 */
final class Entry
{
    use EntryFields;

    /**
     * The standing, or null if this version does not know the standing. A standing alone never shows that
     * the attempt was paid.
     */
    public function standingCase(): ?Standing
    {
        return Standing::tryFrom((string) $this->standing);
    }

    /** The paid sum compared with the requested sum, or null until the paid sum is known. */
    public function paidCase(): ?Paid
    {
        return Paid::tryFrom((string) $this->paid);
    }

    /** The state of the confirm, or null if there is no confirm. */
    public function confirmCase(): ?Intent
    {
        return Intent::tryFrom((string) $this->confirm);
    }

    /** The state of the cancel, or null if there is no cancel. */
    public function cancelCase(): ?Intent
    {
        return Intent::tryFrom((string) $this->cancel);
    }

    /** The level that the attempt has reached, or null if this version does not know the level. */
    public function reportedCase(): ?Level
    {
        return Level::tryFrom($this->reported);
    }

    /** The level that the merchant has acknowledged, or null if this version does not know the level. */
    public function acknowledgedCase(): ?Level
    {
        return Level::tryFrom($this->acknowledged);
    }

    /**
     * @return list<Attention> the reasons for which an operator must decide, as far as this version knows
     * them
     */
    public function attentionCases(): array
    {
        return array_values(array_filter(array_map(Attention::tryFrom(...), $this->attention)));
    }

    /** The whole entry as one line of JSON. */
    public function json(): string
    {
        return $this->json;
    }

    /** @return array<string, mixed> */
    public function __debugInfo(): array
    {
        return [
            'reference' => $this->reference,
            'attempt' => $this->attempt,
            'standing' => $this->standing,
            'orderId' => $this->orderId,
            'reported' => $this->reported,
            'acknowledged' => $this->acknowledged,
            'attention' => $this->attention,
        ];
    }

    /** @return array<string, mixed> */
    public function __serialize(): array
    {
        return array_diff_key(get_object_vars($this), ['part' => true]);
    }

    /** @param array<string, mixed> $data */
    public function __unserialize(array $data): void
    {
        foreach (array_intersect_key($data, get_class_vars(self::class)) as $name => $value) {
            $this->$name = $value;
        }
        $this->part = null;
    }

    /**
     * @internal Reads all fields at once. Keeps the C library's own entry, because the journal's functions accept
     * only such an entry.
     */
    public static function read(CData $entry, Handle $owner): self
    {
        $ffi = Library::ffi();
        $payment = static fn (?CData $payment): ?Payment => $payment === null ? null : Payment::read($payment);
        $earlier = [];
        while (($other = $ffi->mpay_entry_earlier($entry, count($earlier))) !== null) {
            $earlier[] = self::read($other, $owner);
        }
        return self::of(
            Texts::orNull($entry, 'mpay_entry_fields'),
            credentials: $payment($ffi->mpay_entry_credentials($entry)),
            payment: $payment($ffi->mpay_entry_payment($entry)),
            earlier: $earlier,
            part: new Part($owner, $entry),
        );
    }

    /**
     * @internal
     * @throws InvalidArgumentException if the entry does not come from a journal
     */
    public static function partOf(self $entry): Part
    {
        return $entry->part ?? throw InvalidArgumentException::because('the entry must come from a journal');
    }
}
