<?php

declare(strict_types=1);

namespace MerchantPay\Ffi;

/**
 * For classes that keep a key or an object of the library. Printed instances show neither the key nor the
 * object. Instances cannot be copied.
 *
 * @internal
 */
trait Opaque
{
    /** @return array<string, mixed> */
    public function __debugInfo(): array
    {
        return [];
    }

    /** @return never */
    public function __serialize(): array
    {
        throw new \LogicException(static::class . ' cannot be serialized');
    }

    /** @param array<mixed> $data */
    public function __unserialize(array $data): void
    {
        throw new \LogicException(static::class . ' cannot be unserialized');
    }

    private function __clone()
    {
    }
}
