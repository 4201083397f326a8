<?php

declare(strict_types=1);

namespace MerchantPay;

use FFI\CData;
use MerchantPay\Exception\InvalidArgumentException;
use MerchantPay\Ffi\EntryFields;
use MerchantPay\Ffi\Library;
use MerchantPay\Ffi\Texts;

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

    /**
     * The standing, or null if this version does not know the standing. A standing alone never shows that
     * the attempt was paid.
     */
    public function standingCase(): ?Standing
    {
        return Standing::tryFrom((string) $this->standing);
    }

    /** The newest instruction, or null if there is none. */
    public function intentCase(): ?Intent
    {
        return Intent::tryFrom((string) $this->intent);
    }

    /** What became of the newest instruction, or null if there is none. */
    public function intentStateCase(): ?IntentState
    {
        return IntentState::tryFrom((string) $this->intentState);
    }

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
        $style = is_string($style) ? Style::tryFrom($style) : $style;
        [$reference, $attempt, $news] = match ($style) {
            Style::Question => ['?', '?', '?'],
            Style::Dollar => ['$1', '$2', '$3'],
            Style::Percent => ['%s', '%s', '%s'],
            Style::Colon => [':reference', ':attempt', ':news'],
            Style::At => ['@reference', '@attempt', '@news'],
            null => throw InvalidArgumentException::because(
                'style must be one of: ' . implode(', ', array_column(Style::cases(), 'value')),
            ),
        };
        $parameters = ['reference' => $this->reference, 'attempt' => $this->attempt, 'news' => $this->news];
        return [
            'UPDATE merchantpay_attempts SET acked = news '
                . "WHERE reference = $reference AND attempt = $attempt AND news = $news AND acked < news",
            in_array($style, [Style::Colon, Style::At], true) ? $parameters : array_values($parameters),
        ];
    }

    /** @return array<string, mixed> */
    public function __debugInfo(): array
    {
        $shown = ['reference', 'attempt', 'standing', 'orderId', 'status', 'sumAsked', 'sumPaid', 'succeeded', 'news'];
        array_push($shown, 'acknowledged', 'intent', 'intentState', 'attention', 'isOrphan', 'unreadable');
        return array_intersect_key(get_object_vars($this), array_flip($shown));
    }

    /** @internal Reads all fields at once, so that no memory of the library is kept. */
    public static function read(CData $entry): self
    {
        $credentials = Library::ffi()->mpay_entry_credentials($entry);
        return self::of(
            Texts::orNull($entry, 'mpay_entry_fields'),
            $credentials === null ? null : Payment::read($credentials),
        );
    }
}
