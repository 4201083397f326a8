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
}
