<?php

declare(strict_types=1);

namespace MerchantPay;

use FFI\CData;
use MerchantPay\Ffi\Texts;

/** The content of a verified webhook. The service can send the same webhook more than once. */
final class Event
{
    /** The library makes this object. A test can make such an object with named arguments. */
    public function __construct(
        /** One of EventKind; "unknown" for a kind that only a later version of the library knows. */
        public readonly string $kind,
        public readonly Payment $payment,
    ) {
    }

    /** The kind, or null if this version does not know the kind. */
    public function kindCase(): ?EventKind
    {
        return EventKind::tryFrom($this->kind);
    }

    /** @internal Reads all fields at once, so that no memory of the library is kept. */
    public static function read(CData $event): self
    {
        $fields = Texts::orNull($event, 'mpay_event_fields');
        $kind = EventKind::tryFromNumber((int) array_shift($fields));
        return new self($kind === null ? 'unknown' : $kind->value, Payment::of($fields));
    }
}
