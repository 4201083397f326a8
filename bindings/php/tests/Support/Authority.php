<?php

declare(strict_types=1);

namespace MerchantPay\Tests\Support;

/** An authority of its own, and what it has certified: a server at 127.0.0.1. */
final class Authority
{
    public readonly string $pem;

    /** The server's certificate and key, as PHP's TLS takes them. */
    public readonly string $server;

    public function __construct()
    {
        $file = tempnam(sys_get_temp_dir(), 'openssl');
        file_put_contents($file, <<<'CONF'
            [req]
            distinguished_name = name
            [name]
            [authority]
            basicConstraints = critical, CA:TRUE
            [server]
            basicConstraints = critical, CA:FALSE
            subjectAltName = IP:127.0.0.1
            CONF . "\n");
        $curve = ['private_key_type' => OPENSSL_KEYTYPE_EC, 'curve_name' => 'prime256v1'];
        $of = ['config' => $file, 'private_key_bits' => 384, ...$curve]; // PHP wants bits for a curve too.
        [$authorityKey, $serverKey] = [openssl_pkey_new($of), openssl_pkey_new($of)];

        $of += ['digest_alg' => 'sha256', 'x509_extensions' => 'authority'];
        $request = openssl_csr_new(['commonName' => 'authority'], $authorityKey, $of);
        $authority = openssl_csr_sign($request, null, $authorityKey, 1, $of);
        openssl_x509_export($authority, $pem);
        $this->pem = $pem;

        $of['x509_extensions'] = 'server';
        $request = openssl_csr_new(['commonName' => 'server'], $serverKey, $of);
        openssl_x509_export(openssl_csr_sign($request, $authority, $authorityKey, 1, $of, 2), $certificate);
        openssl_pkey_export($serverKey, $key, null, $of);
        $this->server = $certificate . $key;
        unlink($file);
    }
}
