<?php

declare(strict_types=1);

namespace MerchantPay\Ffi;

use MerchantPay\Exception\MerchantPayException;

/**
 * The settings of Client and Protocol.
 *
 * @internal
 */
trait Settings
{
    // generated: begin constructor
    /**
     * Sends nothing and opens no connection.
     *
     * @param string $baseUrl the URL before /api/v1/merchant/pay: absolute, https; plain http to loopback only.
     * @param string $keyId the merchant's key id, as the service issued it (contract, section 5): visible ASCII.
     * @param ?string $privateKey the merchant's private key: base64 of 64 bytes, seed and public key (contract, section
     * 5). Null where $signer signs.
     * @param string|list<string> $serverPublicKey the service's public key, base64 of 32 bytes; several while the
     * service rotates its keys.
     * @param string|list<string>|null $serverKeyId the service's key id: if any is set, each reply must have one of
     * them, and so must each webhook that has a key id.
     * @param ?string $caFile a file with the PEM certificates of a CA to trust in addition to the operating system's.
     * @param ?string $caPem the PEM certificates of a CA to trust in addition to the operating system's, as text.
     * @param bool $exclusiveCa trusts only the configured CA, not the operating system's. Since 0.2.0.
     * @param string|list<string>|null $pinSpki a pin of the public key of the service's own certificate: "sha256/" and
     * the base64 of the SHA-256 of its SubjectPublicKeyInfo; several while the service changes it. Since 0.2.0.
     * @param ?string $clientCertFile a PEM file with the client's certificate and its chain, for a service that asks
     * for one (mTLS). Since 0.2.0.
     * @param ?string $clientKeyFile a file with the private key of that certificate, as PEM; it may be the same file.
     * Since 0.2.0.
     * @param ?string $proxy an HTTP proxy, as http://[user:password@]host:port; no other environment variable is read.
     * @param bool $allowHttp allows plain http to another machine: anyone on the network path reads every account and
     * signature. Since 0.2.0.
     * @param ?string $userAgent the "User-Agent" header.
     * @param ?int $timeoutMs the deadline of a whole call, retries included; the service itself may take 10 s for
     * newPayment. 30000 unless set.
     * @param ?int $connectTimeoutMs the time limit for opening one connection. 10000 unless set.
     * @param ?int $reuseIdleMs the time after a response for which its connection may be reused for a call that is sent
     * once; 0 for never. 1000 unless set. Since 0.2.0.
     * @param ?int $connectIdleMs the time for which a connection that was opened early may wait for its first request.
     * 10000 unless set. Since 0.2.0.
     * @param ?int $maxRetries the largest number of retries of a request: only if no byte was written, and for
     * getAvailableAmounts and getStatus; 0 for none. 2 unless set.
     * @param ?int $maxReplyBytes the largest body of a reply that is read. 1048576 unless set.
     * @param ?object $logger a \Psr\Log\LoggerInterface, or an object with its method log: called for every attempt
     * @param ?callable(string): string $signer returns the 64 bytes of an ed25519 signature, for example from an HSM
     * @param ?string $publicKey the merchant's own public key, base64 of 32 bytes: needed if a callback signs,
     * otherwise only checked.
     * @throws MerchantPayException
     */
    public function __construct(
        string $baseUrl,
        string $keyId,
        #[\SensitiveParameter] ?string $privateKey,
        string|array $serverPublicKey,
        string|array|null $serverKeyId = null,
        ?string $caFile = null,
        ?string $caPem = null,
        bool $exclusiveCa = false,
        string|array|null $pinSpki = null,
        ?string $clientCertFile = null,
        ?string $clientKeyFile = null,
        #[\SensitiveParameter] ?string $proxy = null,
        bool $allowHttp = false,
        ?string $userAgent = null,
        ?int $timeoutMs = null,
        ?int $connectTimeoutMs = null,
        ?int $reuseIdleMs = null,
        ?int $connectIdleMs = null,
        ?int $maxRetries = null,
        ?int $maxReplyBytes = null,
        ?object $logger = null,
        ?callable $signer = null,
        ?string $publicKey = null,
    ) {
        $settings = [
            'baseUrl' => $baseUrl,
            'keyId' => $keyId,
            'privateKey' => $privateKey,
            'publicKey' => $publicKey,
            'serverPublicKey' => $serverPublicKey,
            'serverKeyId' => $serverKeyId,
            'caFile' => $caFile,
            'caPem' => $caPem,
            'exclusiveCa' => $exclusiveCa,
            'pinSpki' => $pinSpki,
            'clientCertFile' => $clientCertFile,
            'clientKeyFile' => $clientKeyFile,
            'proxy' => $proxy,
            'allowHttp' => $allowHttp,
            'userAgent' => $userAgent,
            'timeoutMs' => $timeoutMs,
            'connectTimeoutMs' => $connectTimeoutMs,
            'reuseIdleMs' => $reuseIdleMs,
            'connectIdleMs' => $connectIdleMs,
            'maxRetries' => $maxRetries,
            'maxReplyBytes' => $maxReplyBytes,
        ];
    // generated: end
        $this->make(new Config($settings, $logger, $signer));
    }

    /**
     * Reads the settings from the environment: MERCHANTPAY_BASE_URL and so on, with each setting's name in
     * capitals after MERCHANTPAY_; commas separate lists. MERCHANTPAY_PRIVATE_KEY_FILE names a file with the
     * private key. An empty variable counts as absent. A variable that getenv() does not have is read from $_ENV
     * and $_SERVER.
     *
     * @param ?object $logger as for the constructor
     * @param ?callable(string): string $signer as for the constructor
     * @throws MerchantPayException
     */
    public static function fromEnv(?object $logger = null, ?callable $signer = null): self
    {
        $self = (new \ReflectionClass(self::class))->newInstanceWithoutConstructor();
        $self->make(new Config(Environment::texts($signer !== null), $logger, $signer));
        return $self;
    }
}
