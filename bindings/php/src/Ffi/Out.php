<?php

declare(strict_types=1);

namespace MerchantPay\Ffi;

use FFI\CData;

/**
 * A number that a call returns in addition to its result.
 *
 * @internal
 */
final class Out
{
    private readonly CData $value;

    /** @param string $type such as int32_t */
    public function __construct(string $type)
    {
        $this->value = Library::ffi()->new($type . '[1]');
    }

    public function use(): CData
    {
        return $this->value;
    }

    public function takeBack(): void
    {
    }

    public function value(): int
    {
        return $this->value[0];
    }
}
