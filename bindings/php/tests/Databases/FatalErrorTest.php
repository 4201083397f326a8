<?php

declare(strict_types=1);

namespace MerchantPay\Tests\Databases;

use MerchantPay\Journal;
use MerchantPay\Tests\Support\Fpm;
use MerchantPay\Tests\Support\Http;
use MerchantPay\Tests\Support\Place;
use MerchantPay\Tests\Support\Sandbox;
use PHPUnit\Framework\TestCase;

/**
 * Tests a fatal error that ends PHP during a statement of the journal. The effect must be the same as for a
 * killed process.
 */
final class FatalErrorTest extends TestCase
{
    public function testAWorkerGoesOnAndNothingIsSent(): void
    {
        $sandbox = new Sandbox('--pace-ms', '0');
        $place = Place::postgresql();
        $journal = new Journal($sandbox->client(), $place->factory(), create: true);
        $journal->list();
        $preload = ['ffi.enable=preload', 'opcache.preload=%s/preload.php'];
        $fpm = new Fpm($preload, $sandbox->settings + $place->environment(), workers: 1);
        $pay = static fn (string $order, string $end): string => Http::read(
            Http::post("$fpm->url/journal_fatal", ['X-Order' => $order, 'X-End' => $end]),
        )['body'];
        $before = json_decode($pay('first', 'none'), true);
        self::assertSame('open', $before['standing']);
        for ($number = 0; $number < 30; $number++) {
            self::assertStringNotContainsString('standing', $pay("order-$number", 'fatal'));
        }
        $after = json_decode($pay('last', 'none'), true);
        self::assertSame(['open', $before['pid']], [$after['standing'], $after['pid']]);
        self::assertLessThanOrEqual($before['files'], $after['files']);
        self::assertLessThan(4096, $after['kilobytes'] - $before['kilobytes']);
        self::assertSame(2, $sandbox->requests('newPayment'));
        // The attempts were stored before their requests were sent, so the requests are not sent again. An
        // operator must decide.
        self::assertSame('sending', $journal->find('order-0')?->standing);
    }
}
