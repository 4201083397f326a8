<?php

declare(strict_types=1);

namespace MerchantPay\Ffi;

use MerchantPay\Payment;
use MerchantPay\Problem;

/**
 * The fields of an entry, with the names of its JSON.
 *
 * @internal
 */
trait EntryFields
{
    /**
     * The journal makes entries. A test can make an entry with named arguments.
     *
     * @param list<string> $attention
     * @param list<string> $details
     */
    public function __construct(
        // generated: begin fields
        /** The merchant's order number. */
        public readonly string $reference,
        /** The number of the attempt, from 1. */
        public readonly int $attempt = 0,
        /** The state of the attempt. It does not say that the attempt is paid: "succeeded" does. */
        public readonly ?string $standing = null,
        /** The service's order id, once it is known. */
        public readonly ?string $orderId = null,
        /** The last status that the service reported. */
        public readonly ?string $status = null,
        /** The requested sum. */
        public readonly ?string $sumAsked = null,
        /** The paid sum, once the service has reported a success with its sum. */
        public readonly ?string $sumPaid = null,
        /** Ship: paid with the requested sum, and the reference's only success. */
        public readonly bool $succeeded = false,
        /** What the customer needs to pay, only while the customer may pay. */
        public readonly ?Payment $credentials = null,
        /** The number of the newest news. It only grows; 0 if there were none. */
        public readonly int $news = 0,
        /** The newest news are acknowledged, or there were none. */
        public readonly bool $acknowledged = false,
        /** The newest instruction: confirm or cancel. */
        public readonly ?string $intent = null,
        /** What became of the instruction. */
        public readonly ?string $intentState = null,
        /** Why a person must look at the attempt. */
        public readonly array $attention = [],
        /** The error of the last call about the attempt: code, outcome and the service's description. */
        public readonly ?Problem $error = null,
        /** When the attempt was stored, in milliseconds since 1970 by the database's clock. */
        public readonly int $createdAt = 0,
        /** When it was last written, likewise. */
        public readonly int $updatedAt = 0,
        // generated: end
        /** Of an item of attention: one sentence for each reason. */
        public readonly array $details = [],
        /**
         * True for an orphan, messages about an order that no attempt has. It has an order id, the status that they
         * report and the time of the first one as createdAt, and perhaps the reference and attempt of its URL.
         */
        public readonly bool $isOrphan = false,
        /** The column because of which the row of this reference and attempt cannot be read; null for a row that can. */
        public readonly ?string $unreadable = null,
        #[\SensitiveParameter] private readonly string $json = '',
    ) {
    }

    /**
     * @param list<?string> $texts the JSON, outcome and description of the error, "1" for an orphan, the unreadable
     *     column, the details as JSON, and the fields in the order of the arguments above; a later version of the
     *     library can append fields
     */
    private static function of(#[\SensitiveParameter] array $texts, ?Payment $credentials): self
    {
        return new self(
            // generated: begin arguments
            reference: (string) $texts[6],
            attempt: (int) $texts[7],
            standing: $texts[8],
            orderId: $texts[9],
            status: $texts[10],
            sumAsked: $texts[11],
            sumPaid: $texts[12],
            succeeded: $texts[13] === '1',
            credentials: $credentials,
            news: (int) $texts[15],
            acknowledged: $texts[16] === '1',
            intent: $texts[17],
            intentState: $texts[18],
            attention: array_filter(explode(',', (string) $texts[19])),
            error: $texts[20] === null ? null : new Problem($texts[20], (string) $texts[1], $texts[2]),
            createdAt: (int) $texts[21],
            updatedAt: (int) $texts[22],
            // generated: end
            details: json_decode($texts[5] ?? '[]', true, flags: JSON_THROW_ON_ERROR),
            isOrphan: $texts[3] === '1',
            unreadable: $texts[4],
            json: (string) $texts[0],
        );
    }
}
