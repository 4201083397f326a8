<?php

declare(strict_types=1);

namespace MerchantPay;

/** The error of the last call for an entry. Since 0.2.0. */
final class Problem
{
    /** The library makes this object. A test can make such an object with named arguments. */
    public function __construct(
        /** One of Code, or a name that only a later version of the library knows. */
        public readonly string $code,
        /** Shows whether the request may have taken effect: one of Outcome. Treat any other text as "unknown". */
        public readonly string $outcome,
        /** The service's text about a refusal. */
        public readonly ?string $description = null,
    ) {
    }

    /** @return array<string, string> without the service's text, which may contain personal data */
    public function __debugInfo(): array
    {
        return ['code' => $this->code, 'outcome' => $this->outcome];
    }

    /** The code, or null if this version does not know the code. */
    public function codeCase(): ?Code
    {
        return Code::tryFrom($this->code);
    }

    /** The outcome, or null if this version does not know the outcome. Treat null as Outcome::Unknown. */
    public function outcomeCase(): ?Outcome
    {
        return Outcome::tryFrom($this->outcome);
    }
}
