<?php

declare(strict_types=1);

namespace MerchantPay\Tests;

use MerchantPay\Protocol;
use MerchantPay\Tests\Support\Failing;
use MerchantPay\Tests\Support\Key;
use Nyholm\Psr7\Factory\Psr17Factory;
use Nyholm\Psr7\Response;
use PHPUnit\Framework\TestCase;
use Psr\Http\Message\RequestFactoryInterface;

/** Tests requests and replies in the types of PHP's HTTP clients; tests/contract has their contents. */
final class ProtocolTest extends TestCase
{
    use Failing;

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

    public function testHeadersAreTakenAsHttpClientsGiveThem(): void
    {
        $service = new Key();
        $body = '{"success":true,"orderId":"o-1","status":"pending"}';
        $signature = $service->sign($body);
        $request = $this->protocolOf($service)->prepareGetStatus('o-1');
        foreach (
            [
                ['X-KeyId' => 'service-1', 'x-signature' => $signature],
                ['x-keyid' => ['service-1'], 'X-Signature' => [$signature]],
                ['HTTP/1.1 200 OK', 'X-KeyId: service-1', "X-Signature:$signature"],
            ] as $headers
        ) {
            self::assertSame('pending', $request->open(200, $headers, $body)->status);
        }
    }

    public function testStatusThatWouldBeCutAndHeaderThatIsNoTextAreRefused(): void
    {
        $request = $this->protocolOf(new Key())->prepareConfirm('o-1');
        self::assertFails('invalid_argument', 'unknown', fn () => $request->open(4294967496, [], '{}'));
        self::assertFails('invalid_argument', 'unknown', fn () => $request->open(200, ['X-KeyId' => 1], '{}'));
    }

    public function testPreparedRequestOutlivesItsClosedProtocol(): void
    {
        $protocol = $this->protocolOf(new Key());
        $request = $protocol->prepareConfirm('o-1');
        $protocol->close();
        self::assertFails('invalid_argument', 'not_sent', fn () => $protocol->prepareConfirm('o-1'));
        self::assertFails('unverified', 'unknown', fn () => $request->open(200, [], ''));
    }

    private function protocolOf(Key $service): Protocol
    {
        return new Protocol('https://pay.example', 'merchant-1', (new Key())->privateKey(), $service->publicKey());
    }
}
