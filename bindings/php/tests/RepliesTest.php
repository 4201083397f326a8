<?php

declare(strict_types=1);

namespace MerchantPay\Tests;

use MerchantPay\Code;
use MerchantPay\Exception;
use MerchantPay\Outcome;
use MerchantPay\Tests\Support\Failing;
use MerchantPay\Tests\Support\Http;
use MerchantPay\Tests\Support\Key;
use MerchantPay\Tests\Support\Script;
use PHPUnit\Framework\TestCase;

/** Tests the exceptions of replies, and what the adapter of tests/contract has not; tests/contract tests the rest. */
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

    public function testTheUserAgentIsSent(): void
    {
        $script = new Script(
            static fn (Key $key): array => [Script::signed($key, '{"success":true,"orderId":"o-1"}')],
        );
        $script->client(userAgent: 'shop/1')->confirm('o-1');
        self::assertSame('shop/1', $script->request()['headers']['user-agent']);
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
}
