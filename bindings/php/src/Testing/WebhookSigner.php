<?php

declare(strict_types=1);

namespace MerchantPay\Testing;

use MerchantPay\Keypair;
use MerchantPay\WebhookVerifier;

/**
 * Signs webhooks as the service does, but with a new key of its own. It needs the extension sodium, and no sandbox.
 * Since 0.3.0.
 */
final class WebhookSigner
{
    public readonly string $serverPublicKey;

    public readonly string $serverKeyId;

    private readonly string $key;

    public function __construct()
    {
        $pair = Keypair::generate();
        $this->serverPublicKey = $pair->publicKey;
        $this->serverKeyId = 'test-service';
        $this->key = (string) base64_decode($pair->privateKey, true);
    }

    /** A verifier that accepts the signer's webhooks. */
    public function verifier(): WebhookVerifier
    {
        return new WebhookVerifier(serverPublicKey: $this->serverPublicKey, serverKeyId: $this->serverKeyId);
    }

    /**
     * A status webhook of a payment.
     *
     * @param string $sum the exact text of a number, such as "1500.50"
     * @return array{body: string, signature: string, keyId: string} the arguments of WebhookVerifier::verify
     */
    public function status(string $orderId, string $status, string $sum): array
    {
        if (preg_match('/^-?\d+(\.\d+)?$/D', $sum) !== 1) {
            throw new \InvalidArgumentException('The sum is not the text of a decimal number.');
        }
        $words = [json_encode($orderId, JSON_THROW_ON_ERROR), json_encode($status, JSON_THROW_ON_ERROR)];
        return $this->sign(sprintf('{"success":true,"orderId":%s,"status":%s,"sum":%s}', ...[...$words, $sum]));
    }

    /**
     * Signs a body without changing it.
     *
     * @return array{body: string, signature: string, keyId: string} the arguments of WebhookVerifier::verify
     */
    public function sign(string $body): array
    {
        $signature = base64_encode(sodium_crypto_sign_detached($body, $this->key));
        return ['body' => $body, 'signature' => $signature, 'keyId' => $this->serverKeyId];
    }
}
