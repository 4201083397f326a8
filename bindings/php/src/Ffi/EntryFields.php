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
     * The journal makes entries. A test can make an entry with named arguments, but no journal accepts such an
     * entry.
     *
     * @param list<string> $attention
     * @param list<self> $earlier
     * @param ?Part $part the library's entry
     */
    public function __construct(
        // generated: begin fields
        /** The merchant's own order number. */
        public readonly string $reference,
        /** The number of the attempt, from 1. */
        public readonly int $attempt = 0,
        /** The state of the attempt in the journal. */
        public readonly ?string $standing = null,
        /** The service's order id; absent until it is known. */
        public readonly ?string $orderId = null,
        /** The requested sum. */
        public readonly ?string $sumAsked = null,
        /** The paid sum compared with the requested sum: exactly, less or more; absent until it is known. */
        public readonly ?string $paid = null,
        /** True if the payment has succeeded with exactly the requested sum. */
        public readonly bool $succeeded = false,
        /** The payment details that the customer needs (credentials); present only while the customer may pay. */
        public readonly ?Payment $credentials = null,
        /** The payment, merged from all messages of the service. */
        public readonly ?Payment $payment = null,
        /** The state of the confirm; absent if there is no confirm. */
        public readonly ?string $confirm = null,
        /** The state of the cancel; absent if there is no cancel. */
        public readonly ?string $cancel = null,
        /** The level that the attempt has reached, for example credentials or final. */
        public readonly string $reported = 'none',
        /** The level that the merchant has acknowledged. */
        public readonly string $acknowledged = 'none',
        /** The error of the last call for the attempt: code, outcome and description. */
        public readonly ?Problem $error = null,
        /** The reasons for which an operator must decide about the attempt. */
        public readonly array $attention = [],
        /** The time at which the attempt was stored, in milliseconds since 1970 by the database's clock. */
        public readonly int $createdAt = 0,
        /** The time of the last write. */
        public readonly int $updatedAt = 0,
        /** The time at which the journal queries the service next; absent if no query is planned. */
        public readonly ?int $dueAt = null,
        // generated: end
        /**
         * True if the entry is an orphan, a verified message that matches no attempt. An orphan has an order id
         * and no standing.
         */
        public readonly bool $isOrphan = false,
        /**
         * The earlier attempts, the newest first; empty if the call returned the entry without its earlier
         * attempts.
         */
        public readonly array $earlier = [],
        #[\SensitiveParameter] private readonly string $json = '',
        private readonly ?Part $part = null,
    ) {
    }

    /**
     * @param list<?string> $texts the JSON, "1" for an orphan, outcome and description of the error, and the
     *     fields in the order of the arguments above; a later version of the library can append fields
     * @param mixed ...$others the arguments that are not texts
     */
    private static function of(#[\SensitiveParameter] array $texts, #[\SensitiveParameter] mixed ...$others): self
    {
        return new self(
            ...$others,
            // generated: begin arguments
            reference: (string) $texts[4],
            attempt: (int) $texts[5],
            standing: $texts[6],
            orderId: $texts[7],
            sumAsked: $texts[8],
            paid: $texts[9],
            succeeded: $texts[10] === '1',
            confirm: $texts[13],
            cancel: $texts[14],
            reported: (string) $texts[15],
            acknowledged: (string) $texts[16],
            error: $texts[17] === null ? null : new Problem($texts[17], (string) $texts[2], $texts[3]),
            attention: array_filter(explode(',', (string) $texts[18])),
            createdAt: (int) $texts[19],
            updatedAt: (int) $texts[20],
            dueAt: $texts[21] === null ? null : (int) $texts[21],
            // generated: end
            isOrphan: $texts[1] === '1',
            json: (string) $texts[0],
        );
    }
}
