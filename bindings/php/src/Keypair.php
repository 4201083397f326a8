<?php

declare(strict_types=1);

namespace MerchantPay;

use MerchantPay\Ffi\Call;
use MerchantPay\Ffi\Handle;
use MerchantPay\Ffi\Library;
use MerchantPay\Ffi\Opaque;

/**
 * A new pair of keys. Give the public key to the service, and keep the private key secret.
 *
 * Only the C library has the private key in memory, and overwrites it at the end. So var_export, json_encode and
 * casts do not show the private key.
 *
 * @property-read string $privateKey base64 of 64 bytes, in the format of Client; a secret
 */
final class Keypair
{
    use Opaque;

    private function __construct(
        /** The public key: base64 of 32 bytes. */
        public readonly string $publicKey,
        private readonly Handle $handle,
    ) {
    }

    public static function generate(): self
    {
        $owner = static fn (Handle $pair): self
            => new self(Library::ffi()->mpay_keypair_public_key($pair->pointer()), $pair);
        return Call::make('mpay_keypair', 'mpay_keypair_generate', [], $owner);
    }

    public function __get(string $name): string
    {
        return match ($name) {
            'privateKey' => Library::ffi()->mpay_keypair_private_key($this->handle->pointer()),
            default => throw new \LogicException('a pair has privateKey and publicKey alone, no ' . $name),
        };
    }

    public function __isset(string $name): bool
    {
        return $name === 'privateKey';
    }

    public function __set(string $name, #[\SensitiveParameter] mixed $value): void
    {
        throw new \LogicException('a pair of keys is not changed');
    }

    /** @return array<string, mixed> */
    public function __debugInfo(): array
    {
        return ['publicKey' => $this->publicKey];
    }
}
