<?php

declare(strict_types=1);

namespace MerchantPay;

use FFI;
use FFI\CData;
use MerchantPay\Ffi\Frame;
use MerchantPay\Ffi\Handle;
use MerchantPay\Ffi\Library;
use MerchantPay\Ffi\Opaque;

/**
 * A new pair of keys. Give the public key to the service, and keep the private key secret.
 *
 * The private key is outside PHP's variables, and overwritten at the end. So var_export, json_encode and casts do
 * not show the private key.
 *
 * @property-read string $privateKey base64 of 64 bytes, in the format of Client; a secret
 */
final class Keypair
{
    use Opaque;

    private function __construct(
        /** The public key: base64 of 32 bytes. */
        public readonly string $publicKey,
        private readonly CData $secret,
    ) {
    }

    public function __destruct()
    {
        FFI::memset($this->secret, 0, FFI::sizeof($this->secret));
    }

    public static function generate(): self
    {
        ['privateKey' => $private, 'publicKey' => $public] = Handle::library()->libraryKeypair();
        $secret = Library::ffi()->new('char[' . strlen($private) . ']');
        FFI::memcpy($secret, $private, strlen($private));
        Frame::wipe($private);
        return new self($public, $secret);
    }

    public function __get(string $name): string
    {
        return match ($name) {
            'privateKey' => FFI::string($this->secret, FFI::sizeof($this->secret)),
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
