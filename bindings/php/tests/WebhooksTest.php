<?php

declare(strict_types=1);

namespace MerchantPay\Tests;

use MerchantPay\Tests\Support\Failing;
use MerchantPay\Tests\Support\Key;
use MerchantPay\WebhookVerifier;
use Nyholm\Psr7\Request;
use PHPUnit\Framework\TestCase;

/** Tests the way in which PHP passes a webhook to the library; tests/contract decides which webhooks are accepted. */
final class WebhooksTest extends TestCase
{
    use Failing;

    private const BODY = '{"success":true,"orderId":"o-1","status":"doneSuccess","sum":1500.50}';

    public function testARequestOfPsr7IsVerifiedWithItsHeaders(): void
    {
        $key = new Key();
        $verifier = new WebhookVerifier($key->publicKey(), 'service-1');
        $headers = ['x-signature' => $key->sign(self::BODY), 'X-KeyId' => 'service-1'];
        $request = new Request('POST', 'https://shop.example/hook', $headers, self::BODY);
        self::assertSame('o-1', $verifier->verifyRequest($request)->payment->orderId);
        $refused = [
            'without a signature' => $request->withoutHeader('X-Signature'),
            'with another key id' => $request->withHeader('X-KeyId', 'service-2'),
            'with two signatures' => $request->withAddedHeader('X-Signature', $headers['x-signature']),
        ];
        foreach ($refused as $what => $other) {
            $error = self::failure(fn () => $verifier->verifyRequest($other));
            self::assertSame('unverified', $error->code(), $what);
        }
    }

    /** @return array<string, array{\Closure(Key): array{string, ?string}, string}> */
    public function refused(): array
    {
        return [
            'no signature' => [fn () => [self::BODY, null], 'unverified'],
            'a signature with a NUL' => [fn () => [self::BODY, "\0"], 'unverified'],
            'a signature that is not UTF-8' => [fn () => [self::BODY, "\xff\xfe"], 'unverified'],
            'a huge signature' => [fn () => [self::BODY, str_repeat('A', 1 << 20)], 'unverified'],
        ];
    }

    /**
     * @dataProvider refused
     * @param \Closure(Key): array{string, ?string} $webhook
     */
    public function testATextThatIsNoSignatureIsRefused(\Closure $webhook, string $code): void
    {
        $key = new Key();
        [$body, $signature] = $webhook($key);
        $verifier = new WebhookVerifier($key->publicKey());
        self::assertFails($code, 'unknown', fn () => $verifier->verify($body, $signature));
    }

    /** @return array<string, array{?string, bool}> */
    public function keyIds(): array
    {
        return [
            'none, for the names of the headers are not shown' => [null, true],
            'one with a NUL behind it' => ["service-1\0", false],
            'one that is not UTF-8' => ["service-1\xff", false],
        ];
    }

    /** @dataProvider keyIds */
    public function testAKeyIdHasToBeOneOfTheServices(?string $keyId, bool $isAccepted): void
    {
        [$old, $new] = [new Key(), new Key()];
        $verifier = new WebhookVerifier(
            [$old->publicKey(), $new->publicKey()],
            serverKeyId: ['service-1', 'service-2'],
            keyId: 'merchant-1',
        );
        foreach ([$old, $new] as $key) {
            $verify = fn () => $verifier->verify(self::BODY, $key->sign(self::BODY), $keyId);
            if ($isAccepted) {
                self::assertSame('o-1', $verify()->payment->orderId);
            } else {
                self::assertFails('unverified', 'unknown', $verify);
            }
        }
    }

    public function testAVerifierIsFreedOnce(): void
    {
        $key = new Key();
        $verifier = new WebhookVerifier($key->publicKey());
        $verifier->close();
        $verifier->close();
        $signature = $key->sign(self::BODY);
        self::assertFails('invalid_argument', 'unknown', fn () => $verifier->verify(self::BODY, $signature));
    }
}
