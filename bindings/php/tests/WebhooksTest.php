<?php

declare(strict_types=1);

namespace MerchantPay\Tests;

use MerchantPay\EventKind;
use MerchantPay\Tests\Support\Failing;
use MerchantPay\Tests\Support\Key;
use MerchantPay\WebhookVerifier;
use Nyholm\Psr7\Request;
use PHPUnit\Framework\TestCase;

/** Which webhooks are accepted. */
final class WebhooksTest extends TestCase
{
    use Failing;

    private const BODY = '{"success":true,"orderId":"o-1","status":"doneSuccess","sum":1500.50}';

    /** @return array<string, array{string, EventKind}> */
    public function events(): array
    {
        return [
            'credentials' => [
                '{"success":true,"orderId":"o-1","sum":5.10,"payeeAccount":"2200","currency":"RUB"}',
                EventKind::Credentials,
            ],
            'no credentials' => ['{"success":false,"orderId":"o-1"}', EventKind::CredentialsFailed],
            'a status' => [self::BODY, EventKind::Status],
        ];
    }

    /** @dataProvider events */
    public function testASignedWebhookIsAnEvent(string $body, EventKind $kind): void
    {
        $key = new Key();
        $event = (new WebhookVerifier($key->publicKey()))->verify($body, $key->sign($body));
        self::assertSame($kind->value, $event->kind);
        self::assertSame($kind, $event->kindCase());
        self::assertSame('o-1', $event->payment->orderId);
        self::assertSame($body, $event->payment->json());
    }

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

    public function testSumsKeepTheirDigits(): void
    {
        $key = new Key();
        $event = (new WebhookVerifier($key->publicKey()))->verify(self::BODY, $key->sign(self::BODY));
        self::assertSame('1500.50', $event->payment->sum);
        self::assertTrue($event->payment->isFinal());
    }

    /** @return array<string, array{\Closure(Key): array{string, ?string}, string}> */
    public function refused(): array
    {
        $signed = static fn (string $body): \Closure => static fn (Key $key): array => [$body, $key->sign($body)];
        return [
            'a changed body' => [fn (Key $key) => [self::BODY . ' ', $key->sign(self::BODY)], 'unverified'],
            'another key' => [fn () => [self::BODY, (new Key())->sign(self::BODY)], 'unverified'],
            'no signature' => [fn () => [self::BODY, null], 'unverified'],
            'an empty signature' => [fn () => [self::BODY, ''], 'unverified'],
            'a NUL behind the signature' => [fn ($key) => [self::BODY, $key->sign(self::BODY) . "\0"], 'unverified'],
            'a signature with a NUL' => [fn () => [self::BODY, "\0"], 'unverified'],
            'a signature that is not UTF-8' => [fn () => [self::BODY, "\xff\xfe"], 'unverified'],
            'a huge signature' => [fn () => [self::BODY, str_repeat('A', 1 << 20)], 'unverified'],
            'a signature in URL-safe base64' => [
                fn ($key) => [self::BODY, strtr($key->sign(self::BODY), '+/', '-_') . '='],
                'unverified',
            ],
            'an empty body' => [$signed(''), 'malformed'],
            'a body that is not UTF-8' => [$signed("\xff"), 'malformed'],
            'a body with a NUL' => [$signed(self::BODY . "\0"), 'malformed'],
            'a huge body' => [$signed(str_repeat('[', 1 << 20)), 'malformed'],
            'a status that is never sent' => [
                $signed('{"success":true,"orderId":"o-1","status":"pending"}'),
                'malformed',
            ],
        ];
    }

    /**
     * @dataProvider refused
     * @param \Closure(Key): array{string, ?string} $webhook
     */
    public function testAnythingElseIsRefused(\Closure $webhook, string $code): void
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
            'the one' => ['service-1', true],
            'the other' => ['service-2', true],
            'a third' => ['service-3', false],
            "the merchant's" => ['merchant-1', false],
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
        self::assertFails('invalid_argument', 'not_sent', fn () => $verifier->verify(self::BODY, $signature));
    }
}
