<?php

declare(strict_types=1);

namespace MerchantPay\Tests\Support;

/** A CA for tests, with a certificate for a server at 127.0.0.1. */
final class Authority
{
    public readonly string $pem;

    /** The server's certificate and key, in the format of PHP's TLS. */
    public readonly string $server;

    /** @var list<string> */
    private array $files = [];

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
        $of = ['config' => $file, 'private_key_bits' => 384, ...$curve]; // PHP requires the bits even for a curve.
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

    public function __destruct()
    {
        array_map(unlink(...), $this->files);
    }

    /** A file with the CA's certificate. The file exists as long as this object. */
    public function file(): string
    {
        return $this->written($this->pem);
    }

    /** A file with the server's certificate, which the CA has signed, and with its key. */
    public function serverFile(): string
    {
        return $this->written($this->server);
    }

    /** The pin of the server's key. */
    public function pin(): string
    {
        $key = openssl_pkey_get_details(openssl_pkey_get_public($this->server))['key'];
        $der = (string) base64_decode(implode(array_slice(explode("\n", trim($key)), 1, -1)), true);
        return 'sha256/' . base64_encode(hash('sha256', $der, true));
    }

    private function written(string $text): string
    {
        $file = tempnam(sys_get_temp_dir(), 'authority');
        file_put_contents($file, $text);
        return $this->files[] = $file;
    }
}
