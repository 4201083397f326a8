<?php

declare(strict_types=1);

namespace MerchantPay\Tests;

use MerchantPay\HttpRequest;
use MerchantPay\Payment;
use MerchantPay\Protocol;
use MerchantPay\Tests\Support\Failing;
use MerchantPay\Tests\Support\Http;
use MerchantPay\Tests\Support\Key;
use MerchantPay\Tests\Support\Sandbox;
use Nyholm\Psr7\Factory\Psr17Factory;
use Nyholm\Psr7\Response;
use PHPUnit\Framework\TestCase;
use Psr\Http\Message\RequestFactoryInterface;

/** Tests requests that a program sends over its own connections, and the replies to these requests. */
final class ProtocolTest extends TestCase
{
    use Failing;

    private Protocol $protocol;

    protected function setUp(): void
    {
        $this->protocol = new Protocol(...Sandbox::one()->arguments());
    }

    public function testAllSevenOperationsGoOverAnyConnection(): void
    {
        $amounts = $this->send($this->protocol->prepareGetAvailableAmounts('5', 'sbp'));
        self::assertContains('5', $amounts?->availableAmounts);

        $request = $this->protocol->prepareNewPaymentAsync('5', 'sbp', '7900', 'http://127.0.0.1:1/');
        self::assertInstanceOf(Payment::class, $this->send($request));

        $payment = $this->send($this->protocol->prepareNewPayment('1500.50', 'sbp', 'arbitration'));
        self::assertInstanceOf(Payment::class, $payment);
        self::assertSame('1500.50', $payment->sum);
        self::assertNull($this->send($this->protocol->prepareConfirm($payment->orderId)));

        $end = hrtime(true) + 20_000_000_000;
        do {
            usleep(20_000);
            $status = $this->send($this->protocol->prepareGetStatus($payment->orderId))?->status;
        } while ($status !== 'receiptRequired' && hrtime(true) < $end);
        self::assertSame('receiptRequired', $status);

        $files = [['a.pdf', "%PDF\0", 'application/pdf']];
        self::assertNull($this->send($this->protocol->prepareAttachReceipt($payment->orderId, $files)));
        $error = self::failure(fn () => $this->send($this->protocol->prepareCancel('no-such-order')));
        self::assertSame('order_not_found', $error->reason());
    }

    public function testWhatWasPreparedIsAPostOfSignedBytes(): void
    {
        $request = $this->protocol->prepareConfirm('o-1');
        self::assertSame('POST', $request->method);
        self::assertSame(Sandbox::one()->url() . '/api/v1/merchant/pay/confirm', $request->url);
        self::assertSame('{"orderId":"o-1"}', $request->body);
        self::assertSame('application/json', $request->headers['Content-Type']);
        $raw = base64_decode($request->headers['X-Signature']);
        $key = substr((string) base64_decode(Sandbox::one()->settings['MERCHANTPAY_PRIVATE_KEY']), 32);
        self::assertTrue(sodium_crypto_sign_verify_detached($raw, $request->body, $key));
    }

    public function testRequestAndReplyOfPsr7AreTheSame(): void
    {
        $service = new Key();
        $request = $this->protocolOf($service)->prepareGetStatus('o-1');
        $factory = new Psr17Factory();
        foreach ([$request->toPsr7($factory), $request->toPsr7($factory, $factory)] as $made) {
            self::assertSame([$request->method, $request->url], [$made->getMethod(), (string) $made->getUri()]);
            self::assertSame($request->body, (string) $made->getBody());
            foreach ($request->headers as $name => $value) {
                self::assertSame([$value], $made->getHeader($name));
            }
        }
        $body = '{"success":true,"orderId":"o-1","status":"pending"}';
        $headers = ['X-KeyId' => 'service-1', 'X-Signature' => $service->sign($body)];
        self::assertSame('pending', $request->openPsr7(new Response(200, $headers, $body))->status);
        $alone = $this->createStub(RequestFactoryInterface::class);
        self::assertFails('invalid_argument', 'not_sent', fn () => $request->toPsr7($alone));
    }

    /** @return array<string, array{\Closure(string): array<mixed>}> */
    public function shapesOfHeaders(): array
    {
        return [
            'texts by name' => [fn (string $s) => ['X-KeyId' => 'service-1', 'x-signature' => $s]],
            'lists by name' => [fn (string $s) => ['x-keyid' => ['service-1'], 'X-Signature' => [$s]]],
            'lines' => [fn (string $s) => ['HTTP/1.1 200 OK', 'X-KeyId: service-1', "X-Signature:$s"]],
        ];
    }

    /**
     * @dataProvider shapesOfHeaders
     * @param \Closure(string): array<mixed> $headers
     */
    public function testHeadersAreTakenAsHttpClientsGiveThem(\Closure $headers): void
    {
        $service = new Key();
        $protocol = $this->protocolOf($service);
        $body = '{"success":true,"orderId":"o-1","status":"pending"}';
        $payment = $protocol->prepareGetStatus('o-1')->open(200, $headers($service->sign($body)), $body);
        self::assertSame('pending', $payment->status);
    }

    /** @return array<string, array{\Closure(string): array{int, array<mixed>, string}, string}> */
    public function badReplies(): array
    {
        $body = '{"success":true,"orderId":"o-1"}';
        $headers = static fn (string $s): array => ['X-KeyId' => 'service-1', 'X-Signature' => $s];
        return [
            'no headers' => [fn (string $s) => [200, [], $body], 'unverified'],
            'two signatures' => [fn (string $s) => [200, ['X-Signature' => [$s, $s]], $body], 'unverified'],
            'a NUL in the signature' => [fn (string $s) => [200, $headers("$s\0"), $body], 'unverified'],
            'a changed body' => [fn (string $s) => [200, $headers($s), "$body\0"], 'unverified'],
            'no status' => [fn (string $s) => [0, $headers($s), $body], 'invalid_argument'],
            'a status that would be cut' => [fn (string $s) => [4294967496, $headers($s), $body], 'invalid_argument'],
            'a header that is not text' => [fn (string $s) => [200, ['X-KeyId' => 1], $body], 'invalid_argument'],
            'a header that is not UTF-8' => [fn (string $s) => [200, ["X-Signature: \xff"], $body], 'unverified'],
        ];
    }

    /**
     * @dataProvider badReplies
     * @param \Closure(string): array{int, array<mixed>, string} $reply
     */
    public function testAReplyThatIsNotAcceptedLeavesTheOutcomeUnknown(\Closure $reply, string $code): void
    {
        $service = new Key();
        $request = $this->protocolOf($service)->prepareConfirm('o-1');
        $reply = $reply($service->sign('{"success":true,"orderId":"o-1"}'));
        self::assertFails($code, 'unknown', fn () => $request->open(...$reply));
    }

    public function testAWrongRequestIsNotPrepared(): void
    {
        self::assertFails('invalid_argument', 'not_sent', fn () => $this->protocol->prepareNewPayment(1.5, 'sbp', 'a'));
        self::assertFails('invalid_argument', 'not_sent', fn () => $this->protocol->prepareConfirm("a\0"));
        self::assertFails('invalid_argument', 'not_sent', fn () => $this->protocol->prepareAttachReceipt('o-1', []));
        $request = $this->protocol->prepareConfirm('o-1');
        $this->protocol->close();
        self::assertFails('invalid_argument', 'not_sent', fn () => $this->protocol->prepareConfirm('o-1'));
        self::assertFails('unverified', 'unknown', fn () => $request->open(200, [], ''));
    }

    private function protocolOf(Key $service): Protocol
    {
        return new Protocol('https://pay.example', 'merchant-1', (new Key())->privateKey(), $service->publicKey());
    }

    /**
     * @template T of Payment|\MerchantPay\AvailableAmounts|null
     * @param HttpRequest<T> $request
     * @return T
     */
    private function send(HttpRequest $request): mixed
    {
        $reply = Http::read(Http::post($request->url, $request->headers, $request->body));
        return $request->open(Http::status($reply), $reply['headers'], $reply['body']);
    }
}
