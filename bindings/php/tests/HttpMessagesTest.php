<?php

declare(strict_types=1);

namespace MerchantPay\Tests;

use MerchantPay\Exception\UnverifiedException;
use MerchantPay\Journal;
use MerchantPay\Testing\WebhookSigner;
use MerchantPay\Tests\Support\TestCase;
use Nyholm\Psr7\Factory\Psr17Factory;
use Nyholm\Psr7\Response;
use Nyholm\Psr7\ServerRequest;
use Psr\Http\Message\RequestFactoryInterface;

/** Tests messages in the types of PHP's HTTP clients and servers; tests/contract has their contents. */
final class HttpMessagesTest extends TestCase
{
    private const REPLY = '{"success":true,"orderId":"o-1","status":"pending"}';

    public function testRequestsAndRepliesOfPsr7(): void
    {
        $service = new WebhookSigner();
        $request = self::protocol($service)->prepareGetStatus('o-1');
        $factory = new Psr17Factory();
        foreach ([$request->toPsr7($factory), $request->toPsr7($factory, $factory)] as $made) {
            self::assertSame([$request->method, $request->url], [$made->getMethod(), (string) $made->getUri()]);
            self::assertSame($request->body, (string) $made->getBody());
            foreach ($request->headers as $name => $value) {
                self::assertSame([$value], $made->getHeader($name));
            }
        }
        $headers = ['X-KeyId' => 'service-1', 'X-Signature' => $service->sign(self::REPLY)['signature']];
        self::assertSame('pending', $request->openPsr7(new Response(200, $headers, self::REPLY))->status);
        $alone = $this->createStub(RequestFactoryInterface::class);
        self::assertFails('invalid_argument not_sent', fn () => $request->toPsr7($alone));
    }

    public function testHeadersAreInAnyFormOfHttpClients(): void
    {
        $service = new WebhookSigner();
        $signature = $service->sign(self::REPLY)['signature'];
        $request = self::protocol($service)->prepareGetStatus('o-1');
        foreach (
            [
                ['X-KeyId' => 'service-1', 'x-signature' => $signature],
                ['x-keyid' => ['service-1'], 'X-Signature' => [$signature]],
                ['HTTP/1.1 200 OK', 'X-KeyId: service-1', "X-Signature:$signature"],
            ] as $headers
        ) {
            self::assertSame('pending', $request->open(200, $headers, self::REPLY)->status);
        }
        self::assertFails('invalid_argument unknown', fn () => $request->open(4294967496, [], '{}'));
        self::assertFails('invalid_argument unknown', fn () => $request->open(200, ['X-KeyId' => 1], '{}'));
    }

    public function testPreparedRequestOutlivesItsClosedProtocol(): void
    {
        $protocol = self::protocol();
        $request = $protocol->prepareConfirm('o-1');
        $protocol->close();
        self::assertFails('invalid_argument not_sent', fn () => $protocol->prepareConfirm('o-1'));
        self::assertFails('unverified unknown', fn () => $request->open(200, [], ''));
    }

    public function testVerifierTakesPsr7(): void
    {
        $signer = new WebhookSigner();
        $verifier = $signer->verifier();
        ['body' => $body, 'signature' => $signature] = $signer->status('o-1', 'doneSuccess', '1500.50');
        $headers = ['x-signature' => $signature, 'X-KeyId' => 'test-service'];
        $request = new ServerRequest('POST', 'https://shop.example/hook', $headers, $body);
        self::assertSame('o-1', $verifier->verifyRequest($request)->payment->orderId);
        foreach (
            [
                $request->withoutHeader('X-Signature'),
                $request->withHeader('X-KeyId', 'service-2'),
                $request->withAddedHeader('X-Signature', $signature),
            ] as $refused
        ) {
            self::assertFails('unverified unknown', fn () => $verifier->verifyRequest($refused));
        }
    }

    public function testJournalTakesPsr7AndGlobals(): void
    {
        $place = $this->folder() . '/payments.db';
        $journal = new Journal(self::client(), $place, callbackUrl: 'http://127.0.0.1:9/callback', create: true);
        $orderId = $journal->payAsync('order', ...self::PAYMENT)->orderId;
        $sent = self::eventually(static function () use ($orderId): ?array {
            $webhooks = self::sandbox()->control("/webhooks?orderId=$orderId")['webhooks'];
            return $webhooks === [] ? null : self::sandbox()->control("/webhooks/{$webhooks[0]['id']}");
        });
        ['signature' => $signature, 'keyId' => $keyId, 'body' => ['base64' => $body]] = $sent['request'];
        $headers = ['X-Signature' => $signature, 'X-KeyId' => $keyId];
        $request = new ServerRequest('POST', $sent['url'] . '?a=b', $headers, base64_decode($body));
        $received = $journal->receiveRequest($request);
        self::assertSame([200, 'order'], [$received->httpStatus, $received->entry?->reference]);
        self::assertSame(400, $journal->receiveRequest($request->withoutHeader('X-Signature'))->httpStatus);
        $globals = $_SERVER;
        $_SERVER['REQUEST_URI'] = (string) parse_url($sent['url'], PHP_URL_PATH);
        [$_SERVER['HTTP_X_SIGNATURE'], $_SERVER['HTTP_X_KEYID']] = [$signature, $keyId];
        $received = $journal->receiveGlobals();
        $_SERVER = $globals;
        self::assertSame(400, $received->httpStatus); // php://input is empty in this test.
        self::assertInstanceOf(UnverifiedException::class, $received->error);
    }
}
