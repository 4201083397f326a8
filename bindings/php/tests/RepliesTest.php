<?php

declare(strict_types=1);

namespace MerchantPay\Tests;

use MerchantPay\Code;
use MerchantPay\Exception;
use MerchantPay\Outcome;
use MerchantPay\Tests\Support\Authority;
use MerchantPay\Tests\Support\Failing;
use MerchantPay\Tests\Support\Http;
use MerchantPay\Tests\Support\Key;
use MerchantPay\Tests\Support\Script;
use PHPUnit\Framework\TestCase;

/**
 * Tests how the PHP client handles replies, and its connection settings; tests/contract tests the common
 * behaviour.
 */
final class RepliesTest extends TestCase
{
    use Failing;

    /** @return array<string, array{\Closure(Key): string, string, string, class-string}> */
    public function bad(): array
    {
        $signed = static fn (string $body, int $status = 200): \Closure
            => static fn (Key $key): string => Script::signed($key, $body, $status);
        $plain = static fn (string $text): \Closure => static fn (): string => $text;
        $page = Http::message('HTTP/1.1 502 Bad Gateway', ['Content-Type' => 'text/html'], '<h1>Bad gateway</h1>');
        return [
            'a page of a proxy' => [$plain($page), 'unverified', 'unknown', Exception\UnverifiedException::class],
            'another order' => [
                $signed('{"success":true,"orderId":"o-2"}'),
                'malformed', 'unknown', Exception\MalformedException::class,
            ],
            'a refusal' => [
                $signed('{"success":false,"errorDescription":"order not found"}', 500),
                'rejected', 'rejected', Exception\RejectedException::class,
            ],
            'a hang-up' => [$plain(''), 'transport', 'unknown', Exception\TransportException::class],
        ];
    }

    /**
     * @dataProvider bad
     * @param \Closure(Key): string $reply
     * @param class-string $class
     */
    public function testAnErrorIsOfTheClassOfItsCode(
        \Closure $reply,
        string $code,
        string $outcome,
        string $class,
    ): void {
        $script = new Script(static fn (Key $key): array => [$reply($key)]);
        $error = self::assertFails($code, $outcome, fn () => $script->client()->confirm('o-1'));
        self::assertInstanceOf($class, $error);
        self::assertSame('o-1', $error->orderId());
    }

    public function testAPageOfAProxyIsShown(): void
    {
        $page = Http::message('HTTP/1.1 502 Bad Gateway', ['Content-Type' => 'text/html'], '<h1>Bad gateway</h1>');
        $script = new Script(static fn (): array => [$page]);
        $error = self::failure(fn () => $script->client()->confirm('o-1'));
        self::assertSame(502, $error->httpStatus());
        self::assertSame('text/html', $error->contentType());
        self::assertStringContainsString('Bad gateway', (string) $error->excerpt());
        self::assertNull($error->body());
        self::assertNull($error->reason());
    }

    public function testTheUserAgentIsSent(): void
    {
        $script = new Script(
            static fn (Key $key): array => [Script::signed($key, '{"success":true,"orderId":"o-1"}')],
        );
        $script->client(userAgent: 'shop/1')->confirm('o-1');
        self::assertSame('shop/1', $script->request()['headers']['user-agent']);
    }

    public function testADeadlineThatPassesIsATimeout(): void
    {
        $script = new Script(static fn (): array => [null, null]);
        $client = $script->client()->derive(300);
        $error = self::assertFails('timeout', 'unknown', fn () => $client->newPayment(1, 'sbp', '7900'));
        self::assertInstanceOf(Exception\TimeoutException::class, $error);
        self::assertSame(21, $error->getCode());
        $script->request();
        self::assertSame(0, $script->count());
    }

    public function testWhereNobodyListensNothingWasSent(): void
    {
        $client = Support\Sandbox::one()->client(baseUrl: 'http://127.0.0.1:1', maxRetries: 0, connectTimeoutMs: 5000);
        $error = self::assertFails('transport', 'not_sent', fn () => $client->newPayment(1, 'sbp', '7900'));
        self::assertInstanceOf(Exception\TransportException::class, $error);
        self::assertNull($error->httpStatus());
        self::assertTrue($error->isTransient());
        self::assertSame([Code::Transport, Outcome::NotSent], [$error->codeCase(), $error->outcomeCase()]);
        self::assertNull($error->reasonCase());
    }

    public function testAConnectionThatIsOpenedAheadIsUsedByTheNextCall(): void
    {
        // The service accepts only one connection, so the call must use the early connection.
        $script = new Script(
            static fn (Key $key): array => [Script::signed($key, '{"success":true,"orderId":"o-1"}')],
        );
        $client = $script->client();
        $client->connect();
        $client->confirm('o-1');
        self::assertSame(1, $script->count());
        $nobody = Support\Sandbox::one()->client(baseUrl: 'http://127.0.0.1:1', maxRetries: 0);
        self::assertFails('transport', 'not_sent', fn () => $nobody->connect());
    }

    /** @return array<string, array{\Closure(Authority): array<string, mixed>, bool}> */
    public function authorities(): array
    {
        $pinned = static fn (string $pin): \Closure
            => static fn (Authority $one): array => ['caPem' => $one->pem, 'pinSpki' => [$pin]];
        return [
            'a file' => [static fn (Authority $one): array => ['caFile' => $one->file()], true],
            'text' => [static fn (Authority $one): array => ['caPem' => $one->pem], true],
            'none' => [static fn (): array => [], false],
            'that one alone' => [
                static fn (Authority $one): array => ['caPem' => $one->pem, 'exclusiveCa' => true],
                true,
            ],
            'another one alone' => [
                static fn (): array => ['caPem' => (new Authority())->pem, 'exclusiveCa' => true],
                false,
            ],
            'its pin' => [
                static fn (Authority $one): array => ['caPem' => $one->pem, 'pinSpki' => $one->pin()],
                true,
            ],
            'another pin' => [$pinned('sha256/' . base64_encode(random_bytes(32))), false],
        ];
    }

    /**
     * @dataProvider authorities
     * @param \Closure(Authority): array<string, mixed> $setting
     */
    public function testAServerIsTrustedAsTheSettingsSay(\Closure $setting, bool $trusted): void
    {
        $authority = new Authority();
        $script = new Script(
            static fn (Key $key): array => [Script::signed($key, '{"success":true,"orderId":"o-1"}')],
            $authority,
        );
        $client = $script->client(...$setting($authority), maxRetries: 0);
        if ($trusted) {
            $client->confirm('o-1');
            self::assertStringStartsWith('POST ', $script->request()['first']);
        } else {
            self::assertFails('transport', 'not_sent', fn () => $client->confirm('o-1'));
        }
    }

    public function testAClientShowsItsCertificateToAServerThatAsks(): void
    {
        $authority = new Authority();
        $replies = static fn (Key $key): array => [Script::signed($key, '{"success":true,"orderId":"o-1"}')];
        $own = $authority->serverFile();
        $script = new Script($replies, $authority, true);
        $script->client(caPem: $authority->pem, clientCertFile: $own, clientKeyFile: $own)->confirm('o-1');
        self::assertSame(1, $script->count());

        $script = new Script($replies, $authority, true);
        $without = $script->client(caPem: $authority->pem, maxRetries: 0);
        self::assertSame('transport', self::failure(fn () => $without->confirm('o-1'))->code());
        self::assertSame(0, $script->count());
    }

    public function testAProxyIsAsked(): void
    {
        $script = new Script(static fn (): array => ['HTTP/1.1 407 No' . "\r\n\r\n"]);
        $client = $script->client(baseUrl: 'https://pay.example', proxy: $script->url, maxRetries: 0);
        self::failure(fn () => $client->confirm('o-1'));
        self::assertStringContainsString('pay.example', $script->request()['first']);
    }
}
