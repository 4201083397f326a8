<?php

declare(strict_types=1);

namespace MerchantPay;

use MerchantPay\Ffi\Argument;
use MerchantPay\Ffi\EntryFields;
use MerchantPay\Ffi\Handle;
use MerchantPay\Ffi\Records;

/**
 * One attempt of a reference (the merchant's order number), as it was when it was read. The entry of a reference is
 * its last attempt.
 *
 * An entry is a plain value and can be serialized. It contains personal data: var_dump and print_r show only values
 * that are allowed in logs. Since 0.2.0.
 */
final class Entry
{
    use EntryFields;

    /** @return list<Attention> why a person must look at the attempt, as far as this version knows the reasons */
    public function attentionCases(): array
    {
        return array_values(array_filter(array_map(Attention::tryFrom(...), $this->attention)));
    }

    /** The whole entry as one line of JSON. */
    public function json(): string
    {
        return $this->json;
    }

    /**
     * The statement that acknowledges this entry's news in your own transaction, in the database of the journal. If it
     * changes no row, another worker was first or there are newer news: roll back, and read the news again. Make it the
     * first statement of the transaction: then the transaction's other work is done exactly once.
     *
     * @param Style|string $style how your driver writes parameters: "question" and "colon" are PDO's
     * @return array{string, list<string|int>|array<string, string|int>} the text and the parameters: for "colon" and
     * "at" by their names, otherwise in their order
     */
    public function acknowledgeSql(Style|string $style): array
    {
        $style = Argument::word($style);
        $library = Handle::library();
        $statement = $library->libraryAcknowledgeSql($this->reference, $this->attempt, $this->news, $style);
        $parameters = array_diff_key($statement, ['text' => '']);
        $areNamed = in_array($style, [Style::Colon->value, Style::At->value], true);
        return [$statement['text'], $areNamed ? $parameters : array_values($parameters)];
    }

    /** @return array<string, mixed> */
    public function __debugInfo(): array
    {
        $shown = ['reference', 'attempt', 'standing', 'orderId', 'status', 'sumAsked', 'sumPaid', 'succeeded', 'news'];
        array_push($shown, 'acknowledged', 'intent', 'intentState', 'attention', 'isOrphan', 'unreadable');
        return array_intersect_key(get_object_vars($this), array_flip($shown));
    }

    /** @internal The place of an entry in a list; null for its beginning. */
    public static function positionOf(?self $entry): ?string
    {
        return $entry === null ? null : Records::position($entry->createdAt, $entry->reference);
    }

    /**
     * @internal An item of attention: an attempt, an orphan, or a row that cannot be read.
     * @param list<string> $details
     * @param ?array<string, mixed> $orphan
     * @param ?array<string, mixed> $unreadable
     */
    public static function ofItem(
        #[\SensitiveParameter] string $json,
        ?self $entry,
        array $details,
        ?array $orphan,
        ?array $unreadable,
    ): self {
        $other = $orphan ?? $unreadable ?? [];
        $fields = $entry !== null ? ['details' => $details] + get_object_vars($entry) : [
            'reference' => (string) ($other['reference'] ?? ''),
            'attempt' => (int) ($other['attempt'] ?? 0),
            'orderId' => $other['orderId'] ?? null,
            'status' => $other['status'] ?? null,
            'createdAt' => $other['receivedAt'] ?? 0,
            'isOrphan' => $orphan !== null,
            'unreadable' => $unreadable['column'] ?? null,
        ];
        return new self(...(['json' => $json] + $fields));
    }
}
