<?php

/* What a verification costs, and how much of it is FFI: php bench/verify.php [SECONDS] */

declare(strict_types=1);

require_once __DIR__ . '/../autoload.php';

use MerchantPay\Client;
use MerchantPay\Ffi\Library;
use MerchantPay\Keypair;
use MerchantPay\WebhookVerifier;

$seconds = (float) ($argv[1] ?? 1);
$measure = static function (string $what, callable $run) use ($seconds): void {
    $run();
    $times = 0;
    $start = hrtime(true);
    $end = $start + (int) ($seconds * 1e9);
    do {
        for ($index = 0; $index < 20; $index++) {
            $run();
        }
        $times += 20;
    } while (hrtime(true) < $end);
    $each = (hrtime(true) - $start) / $times / 1000;
    printf("%-44s %9.2f us %10.0f /s\n", $what, $each, 1e6 / $each);
};

$service = sodium_crypto_sign_keypair();
$publicKey = base64_encode(sodium_crypto_sign_publickey($service));
$body = '{"success":true,"orderId":"sb-b89f158d4868bcb846d1b975","status":"doneSuccess","sum":1500.50,'
    . '"payeeAccount":"2200000022763474","payeeName":"IVAN I.","dealSum":1455.48,"dealCurrency":"RUB","dealRate":1}';
$raw = sodium_crypto_sign_detached($body, sodium_crypto_sign_secretkey($service));
$signature = base64_encode($raw);
$verifier = new WebhookVerifier($publicKey);
$merchant = Keypair::generate()->privateKey;
$sodiumKey = sodium_crypto_sign_publickey($service);

$ffi = Library::ffi();
$measure('an empty FFI call', static fn () => $ffi->mpay_abi_version());
$measure('a webhook, verified and read', static fn () => $verifier->verify($body, $signature));
$config = $ffi->mpay_config_new();
$ffi->mpay_config_add_server_public_key($config, $publicKey);
[$verifiers, $events] = [$ffi->new('mpay_verifier *[1]'), $ffi->new('mpay_event *[1]')];
$ffi->mpay_verifier_new($config, $verifiers, null);
$bare = $verifiers[0];
$measure('the C calls of it alone', static function () use ($ffi, $bare, $body, $signature, $events): void {
    $ffi->mpay_verify_webhook($bare, $body, strlen($body), $signature, null, $events, null);
    $ffi->mpay_event_free($events[0]);
});
$measure('the same by sodium and json_decode', static function () use ($signature, $body, $sodiumKey): void {
    if (sodium_crypto_sign_verify_detached((string) base64_decode($signature, true), $body, $sodiumKey)) {
        json_decode($body, true, flags: JSON_THROW_ON_ERROR);
    }
});
$measure('a new verifier', static fn () => new WebhookVerifier($publicKey));
$measure('a new client for http', static fn () => new Client('http://127.0.0.1:9', 'm-1', $merchant, $publicKey));
$measure('a new client for https', static fn () => new Client('https://pay.example', 'm-1', $merchant, $publicKey));
$measure('FFI::cdef, once a process', static fn () => FFI::cdef(Library::declarations(), Library::checked()));
printf("peak memory of PHP %.1f MiB\n", memory_get_peak_usage() / 1048576);
