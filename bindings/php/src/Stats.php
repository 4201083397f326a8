<?php

declare(strict_types=1);

namespace MerchantPay;

/** The counts of a journal. Since 0.3.0. */
final class Stats
{
    /** Made by the library; a test may make one by named arguments. */
    public function __construct(
        /** @var array<string, int> how many attempts have each standing, by its name; only final may be estimated */
        public readonly array $standings = [],
        /** Whether the number of final attempts is an estimate, as it is if there are more than a thousand attempts. */
        public readonly bool $estimated = false,
        /** How many attempts and messages a person must look at; a changed server counts as one. */
        public readonly int $attention = 0,
        /** @var array<string, int> how many of them have each reason, by its name; the reason of a message is orphan */
        public readonly array $reasons = [],
        /** How many attempts are due. */
        public readonly int $due = 0,
        /** For how many milliseconds the oldest of them has been due; null if nothing is due. */
        public readonly ?int $overdueMs = null,
        /** @var list<string> the settings of the database that the merchant vouches for */
        public readonly array $durabilityVouched = [],
        /** The note of the operator who paused the journal; null if it is not paused. */
        public readonly ?string $pauseNote = null,
        /** When the journal was paused, in milliseconds since 1970 by the database's clock; null if it is not paused. */
        public readonly ?int $pausedAt = null,
        /** The database's server; null for SQLite, or if the server cannot be asked. */
        public readonly ?string $server = null,
        /** The server that an operator knows, if another one answers now. */
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
