<?php

declare(strict_types=1);

namespace MerchantPay;

use MerchantPay\Exception\MerchantPayException;
use MerchantPay\Ffi\Argument;
use MerchantPay\Ffi\Environment;
use MerchantPay\Ffi\Handle;
use MerchantPay\Ffi\Incoming;
use MerchantPay\Ffi\Opaque;
use Psr\Http\Message\RequestInterface;

/** Verifies webhooks. */
final class WebhookVerifier
{
    use Opaque;

    private readonly Handle $handle;

    /**
     * @param string|list<string> $serverPublicKey the service's public key, base64 of 32 bytes; several keys while
     * the service rotates its keys
     * @param string|list<string>|null $serverKeyId the service's key ids; if a webhook has a key id, it must be
     * one of these
     * @param ?string $keyId the merchant's own key id; a webhook with this key id is refused
     * @param ?string $publicKey the merchant's own public key: it is refused as the service's key, and explain()
     * recognises its signatures
     * @throws MerchantPayException
     */
    public function __construct(
        string|array $serverPublicKey,
        string|array|null $serverKeyId = null,
        ?string $keyId = null,
        ?string $publicKey = null,
    ) {
        $this->handle = Handle::open(Handle::VERIFIER, [
            'key_id' => $keyId,
            'public_key' => $publicKey,
            'server_public_key' => Argument::list('serverPublicKey', $serverPublicKey),
            'server_key_id' => Argument::list('serverKeyId', $serverKeyId),
        ]);
    }

    /**
     * Makes a verifier from the environment: MERCHANTPAY_SERVER_PUBLIC_KEY and, if set,
     * MERCHANTPAY_SERVER_KEY_ID, MERCHANTPAY_KEY_ID and the merchant's own key. The verifier refuses signatures
     * by the merchant's own key. The verifier needs no private key.
     *
     * @throws MerchantPayException
     */
    public static function fromEnv(): self
    {
        $self = (new \ReflectionClass(self::class))->newInstanceWithoutConstructor();
        $self->handle = Handle::open(Handle::VERIFIER, [], Environment::variables());
        return $self;
    }

    /**
     * Verifies a webhook. If this method throws an exception, answer 400: a failure proves nothing about a payment.
     *
     * @param ?string $signature the value of the header X-Signature; null if the header is absent, and then the
     * webhook is unverified
     * @param ?string $keyId the value of the header X-KeyId
     * @throws MerchantPayException
     */
    public function verify(
        #[\SensitiveParameter] string $body,
        #[\SensitiveParameter] ?string $signature,
        ?string $keyId = null,
    ): Event {
        return $this->handle->verify($body, $signature, $keyId);
    }

    /**
     * Explains why a webhook does not verify; null if its signature and its key id are accepted. The arguments are
     * those of verify().
     *
     * The headers show some causes, and the form of the body shows others, such as an empty one. Any other cause is
     * named only with a proof: the library undoes it in a copy of the message, and the copy verifies. Write the cause
     * to the log, and do not return it to the sender. Do not use the webhook.
     *
     * @throws MerchantPayException
     */
    public function explain(
        #[\SensitiveParameter] string $body,
        #[\SensitiveParameter] ?string $signature,
        ?string $keyId = null,
    ): ?Explanation {
        return $this->handle->explain($body, $signature, $keyId);
    }

    /**
     * Verifies the webhook that PHP is serving: the body in php://input, and the headers in $_SERVER.
     *
     * @throws MerchantPayException
     */
    public function verifyGlobals(): Event
    {
        return $this->verify(...Incoming::globals());
    }

    /**
     * Verifies the webhook in a PSR-7 request with an unchanged body. A request that repeats X-Signature or X-KeyId
     * does not verify.
     *
     * @throws MerchantPayException
     */
    public function verifyRequest(RequestInterface $request): Event
    {
        return $this->verify(...Incoming::request($request));
    }

    /** Frees the verifier now, not only when PHP destroys the object. */
    public function close(): void
    {
        $this->handle->close();
    }
}
