<?php

declare(strict_types=1);

namespace MerchantPay\Tests\Support;

/** A key pair of libsodium, which is an independent implementation of ed25519. */
final class Key
{
    private readonly string $pair;

    public function __construct()
    {
        $this->pair = sodium_crypto_sign_keypair();
    }

    public function privateKey(): string
    {
        return base64_encode(sodium_crypto_sign_secretkey($this->pair));
    }

    public function publicKey(): string
    {
        return base64_encode(sodium_crypto_sign_publickey($this->pair));
    }

    public function raw(string $body): string
    {
        return sodium_crypto_sign_detached($body, sodium_crypto_sign_secretkey($this->pair));
    }

    public function sign(string $body): string
    {
        return base64_encode($this->raw($body));
    }
}
