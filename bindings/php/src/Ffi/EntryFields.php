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
            status: $texts[8],
            sumAsked: $texts[9],
            sumPaid: $texts[10],
            succeeded: $texts[11] === '1',
            news: (int) $texts[13],
            acknowledged: $texts[14] === '1',
            intent: $texts[15],
            intentState: $texts[16],
            attention: array_filter(explode(',', (string) $texts[17])),
            error: $texts[18] === null ? null : new Problem($texts[18], (string) $texts[2], $texts[3]),
            createdAt: (int) $texts[19],
            updatedAt: (int) $texts[20],
            // generated: end
            isOrphan: $texts[1] === '1',
            json: (string) $texts[0],
        );
    }
}
