<?php

declare(strict_types=1);

namespace MerchantPay;

use FFI\CData;
use MerchantPay\Ffi\Texts;

/** What a verified webhook says. The service may send it more than once. */
final class Event
{
    /** Made by the library; a test may make one by named arguments. */
    public function __construct(
        /** One of EventKind, or "unknown" if a later library has another kind. */
        public readonly string $kind,
        public readonly Payment $payment,
    ) {
    }

    /** The kind, or null if this version does not know it. */
    public function kindCase(): ?EventKind
    {
        return EventKind::tryFrom($this->kind);
    }

    /** @internal Reads all of it at once, so that nothing of the library's is kept. */
    public static function read(CData $event): self
    {
        $fields = Texts::orNull($event, 'mpay_event_fields');
        $kind = EventKind::tryFromNumber((int) array_shift($fields));
        return new self($kind === null ? 'unknown' : $kind->value, Payment::of($fields));
    }
}
