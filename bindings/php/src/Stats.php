<?php

declare(strict_types=1);

namespace MerchantPay;

/** The counts of a journal. Since 0.3.0. */
final class Stats
{
    /** The library makes this object. A test can make such an object with named arguments. */
    public function __construct(
        /**
         * @var array<string, int> the number of attempts by standing; only the number for final can be an
         * estimate
         */
        public readonly array $standings = [],
        /** True if the number of final attempts is an estimate, which is used above a thousand attempts. */
        public readonly bool $estimated = false,
        /** The number of items about which an operator must decide: attempts, orphans and a changed database server. */
        public readonly int $attention = 0,
        /** @var array<string, int> the number of the items of $attention by reason; an orphan has the reason orphan */
        public readonly array $reasons = [],
        /** The number of attempts that are due: settle can process them now. */
        public readonly int $due = 0,
        /** The time since the oldest due attempt became due, in milliseconds; null if no attempt is due. */
        public readonly ?int $overdueMs = null,
        /**
         * @var list<string> the risky database settings that the merchant accepts; see Journal,
         * durabilityVouched
         */
        public readonly array $durabilityVouched = [],
        /** The note of the operator who paused the journal; null if the journal is not paused. */
        public readonly ?string $pauseNote = null,
        /** The time of the pause, in milliseconds since 1970 by the database's clock; null if there is no pause. */
        public readonly ?int $pausedAt = null,
        /** The identity of the database server; null for SQLite, or if the server does not report it. */
        public readonly ?string $server = null,
        /** The server that an operator has accepted; null unless a different server answers now. */
        public readonly ?string $serverBefore = null,
    ) {
    }

    /** @internal */
    public static function read(string $json): self
    {
        $read = json_decode($json, true, flags: JSON_THROW_ON_ERROR);
        return new self(
            standings: $read['standings'],
            estimated: $read['estimated'],
            attention: $read['attention'],
            reasons: $read['reasons'],
            due: $read['due'],
            overdueMs: $read['overdueMs'],
            durabilityVouched: $read['durabilityVouched'],
            pauseNote: $read['pause']['note'] ?? null,
            pausedAt: $read['pause']['at'] ?? null,
            server: $read['server'],
            serverBefore: $read['serverBefore'],
        );
    }
}
