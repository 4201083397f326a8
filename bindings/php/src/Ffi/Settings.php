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
     * The constructor sends nothing and opens no connection.
     *
     * @param string $baseUrl the absolute https URL before /api/v1/merchant/pay. Plain http is allowed to loopback
     * only.
     * @param string $keyId the merchant's key id, as the service issued it (contract, section 5). It consists of
     * visible ASCII.
     * @param ?string $privateKey the merchant's private key: base64 of 64 bytes, which are the seed and the public key
     * (contract, section 5). Null if $signer signs.
     * @param string|list<string> $serverPublicKey the service's public key, base64 of 32 bytes. Set several keys while
     * the service rotates its keys.
     * @param string|list<string>|null $serverKeyId the key ids of the service. If key ids are set, each reply must have
     * one of these key ids. A webhook may have no key id; otherwise it must also have one of these key ids.
     * @param ?string $caFile a file with the PEM certificates of a CA to trust in addition to the operating system's
     * CAs.
     * @param ?string $caPem the text of the PEM certificates of a CA to trust in addition to the operating system's
     * CAs.
     * @param bool $exclusiveCa trusts only the configured CA, and not the operating system's CAs. Since 0.2.0.
     * @param string|list<string>|null $pinSpki a pin of the public key of the service's own certificate: "sha256/" and
     * the base64 of the SHA-256 of the certificate's SubjectPublicKeyInfo. Set several pins while the service changes
     * its key. Since 0.2.0.
     * @param ?string $clientCertFile a PEM file with the client's certificate and its chain, for a service that
     * requires a client certificate (mTLS). Since 0.2.0.
     * @param ?string $clientKeyFile a PEM file with the private key of the client's certificate. It can be the same
     * file as the certificate's. Since 0.2.0.
     * @param ?string $proxy an HTTP proxy, as http://[user:password@]host:port. Variables such as HTTP_PROXY are not
     * read.
     * @param bool $allowHttp allows plain http to another machine. Anyone on the network path can then read every
     * account and signature. Since 0.2.0.
     * @param ?string $userAgent the "User-Agent" header.
     * @param ?int $timeoutMs the time limit of a whole call with its retries. The service itself can take 10 s for
     * newPayment. 30000 unless set.
     * @param ?int $connectTimeoutMs the time limit for opening one connection. 10000 unless set.
     * @param ?int $reuseIdleMs the time after a response for which the response's connection can be reused for a call
     * that is sent only once. 0 means never. 1000 unless set. Since 0.2.0.
     * @param ?int $connectIdleMs the time for which a connection that was opened early can wait for its first request.
     * 10000 unless set. Since 0.2.0.
     * @param ?int $maxRetries the largest number of retries; 0 means no retries. The library retries
     * getAvailableAmounts and getStatus, and any other request only if no byte of that request was written. 2 unless
     * set.
     * @param ?int $maxReplyBytes the size of the largest reply body that is read. 1048576 unless set.
     * @param ?object $logger a \Psr\Log\LoggerInterface, or an object with the same method log. The method
     * log is called for every HTTP attempt
     * @param ?callable(string): string $signer returns the 64 bytes of an ed25519 signature, for example from an HSM
     * @param ?string $publicKey the merchant's own public key, base64 of 32 bytes. It is required if a callback signs.
     * Otherwise it is only compared with the private key.
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
     * Reads the settings from the environment: MERCHANTPAY_BASE_URL and so on. A variable's name is MERCHANTPAY_
     * and the setting's name in capitals; commas separate the values of a list. MERCHANTPAY_PRIVATE_KEY_FILE names
     * a file with the private key. An empty variable has no effect. A variable that getenv() does not have is read
     * from $_ENV and $_SERVER.
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
