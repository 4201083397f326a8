<?php

declare(strict_types=1);

namespace MerchantPay;

/** The counts of a journal. Since 0.3.0. */
final class Stats
{
    /** The library makes this object. A test can make such an object with named arguments. */
    public function __construct(
        /** @var array<string, int> the attempts that are sending, unknown or open, by their standings */
        public readonly array $standings = [],
        /** The items that need a person's decision: attempts and orphans. */
        public readonly int $attention = 0,
        /** The orphans among them. */
        public readonly int $orphans = 0,
        /** The attempts that are due: settle asks about them. */
        public readonly int $due = 0,
        /** For how long an attempt is overdue, in milliseconds; null if none is due. */
        public readonly ?int $overdueMs = null,
        /** The entries that nobody has acknowledged. */
        public readonly int $news = 0,
        /** The note of the pause; null if the journal is not paused. */
        public readonly ?string $pauseNote = null,
        /** @var list<string> the risky settings of the database that the merchant accepts */
        public readonly array $durabilityVouched = [],
    ) {
    }

    /** @internal */
    public static function of(int $sending, int $unknown, int $open, ?string $pause, mixed ...$counts): self
    {
        $standings = compact('sending', 'unknown', 'open');
        return new self(...array_diff_key($counts, ['json' => '']), standings: $standings, pauseNote: $pause);
    }
}
