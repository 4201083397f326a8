<?php

declare(strict_types=1);

namespace MerchantPay;

/** The content of a verified webhook. The service can send the same webhook more than once. */
final class Event
{
    /** The library makes this object. A test can make such an object with named arguments. */
    public function __construct(
        /** One of EventKind, or a name that only a later version of the library knows. */
        public readonly string $kind,
        public readonly Payment $payment,
    ) {
    }

    /** The kind, or null if this version does not know the kind. */
    public function kindCase(): ?EventKind
    {
        return EventKind::tryFrom($this->kind);
    }
}
