<?php

declare(strict_types=1);

namespace MerchantPay\Tests;

use MerchantPay\Tests\Support\Fpm;
use MerchantPay\Tests\Support\Http;
use MerchantPay\Tests\Support\Sandbox;
use PHPUnit\Framework\TestCase;

/** Tests the package in php-fpm behind nginx, with PHP's default configuration ffi.enable=preload. */
final class FpmTest extends TestCase
{
    private const PAYMENTS = 24;

    /** @return array<string, array{list<string>, bool}> */
    public function startups(): array
    {
        $preload = ['ffi.enable=preload', 'opcache.preload=%s/preload.php'];
        $startups = ['as an ordinary user' => [$preload, false]];
        $startups['with ffi.preload'] = [[...$preload, 'ffi.preload=%s/preload.h'], false];
        if (posix_geteuid() === 0) {
            $user = 'opcache.preload_user=www-data';
            $startups['as root'] = [[...$preload, 'ffi.preload=%s/preload.h', $user], true];
        }
        return $startups;
    }

    /**
     * @dataProvider startups
     * @param list<string> $settings
     */
    public function testFourWorkersPayAndTakeWebhooks(array $settings, bool $asRoot): void
    {
        $fpm = new Fpm($settings, Sandbox::one()->environment, $asRoot);
        $replies = self::postAll($fpm->url . '/pay', self::PAYMENTS);
        $expected = [];
        $workers = [];
        foreach ($replies as $reply) {
            self::assertSame(200, Http::status($reply), $reply['body']);
            $paid = json_decode($reply['body'], true);
            self::assertSame('rejected', $paid['refusal']);
            $expected[] = "credentials {$paid['orderId']} 1500.50";
            $workers[$paid['pid']] = true;
        }
        self::assertGreaterThan(1, count($workers));
        $events = $fpm->lines('events', self::PAYMENTS);
        sort($events);
        sort($expected);
        self::assertSame($expected, $events);
        self::assertCount(2 * self::PAYMENTS, $fpm->lines('log', 2 * self::PAYMENTS));
    }

    /** @return array<string, array{string, string}> */
    public function forbidden(): array
    {
        return [
            'preload alone' => ['ffi.enable=preload', 'set opcache.preload=%s/preload.php in php.ini'],
            'nowhere' => ['ffi.enable=false', 'set ffi.enable=preload in php.ini'],
        ];
    }

    /** @dataProvider forbidden */
    public function testWhereFfiIsNotAllowedTheMessageSaysWhatToChange(string $setting, string $message): void
    {
        $fpm = new Fpm([$setting], Sandbox::one()->environment);
        $reply = Http::read(Http::post($fpm->url . '/pay'));
        self::assertSame(500, Http::status($reply));
        $error = json_decode($reply['body'], true);
        self::assertSame('MerchantPay\Exception\LibraryException', $error['class']);
        self::assertStringContainsString(str_replace('%s', $fpm->folder . '/package', $message), $error['message']);
    }

    /** @return array<string, array{list<string>, bool}> */
    public function startupsWithoutHeader(): array
    {
        $startups = $this->startups();
        foreach ($startups as &$startup) {
            $startup[0] = array_filter($startup[0], static fn (string $set): bool => !str_starts_with($set, 'ffi.pre'));
        }
        unset($startups['with ffi.preload']);
        return $startups;
    }

    /**
     * @dataProvider startupsWithoutHeader
     * @param list<string> $settings
     */
    public function testItStartsWithoutTheLibraryAndTheFirstCallSaysSo(array $settings, bool $asRoot): void
    {
        $fpm = new Fpm($settings, Sandbox::one()->environment, $asRoot, withLibrary: false);
        $reply = Http::read(Http::post($fpm->url . '/pay'));
        self::assertSame(500, Http::status($reply));
        $error = json_decode($reply['body'], true);
        self::assertSame('MerchantPay\Exception\LibraryException', $error['class']);
        self::assertStringContainsString('the C library for ' . strtolower(PHP_OS_FAMILY), $error['message']);
        self::assertStringContainsString($fpm->folder . '/package/lib/', $error['message']);

        $fpm->addLibrary();
        $reply = Http::read(Http::post($fpm->url . '/pay'));
        self::assertSame(200, Http::status($reply), $reply['body']);
    }

    public function testFfiForAllNeedsNoPreloading(): void
    {
        $fpm = new Fpm(['ffi.enable=true'], Sandbox::one()->environment);
        self::assertSame(200, Http::status(Http::read(Http::post($fpm->url . '/pay'))));
    }

    /** @return array<string, array{string}> */
    public function ends(): array
    {
        return ['one large allocation' => ['large'], 'many small ones' => ['small'], 'an exception' => ['thrown']];
    }

    /** @dataProvider ends */
    public function testAFatalErrorLeavesNothingInAWorker(string $end): void
    {
        $settings = ['ffi.enable=preload', 'opcache.preload=%s/preload.php'];
        $fpm = new Fpm($settings, Sandbox::one()->environment, workers: 1);
        $url = $fpm->url . '/fatal';
        $hit = static fn (string $end): string => Http::read(Http::post($url, ['X-End' => $end]))['body'];
        for ($index = 0; $index < 10; $index++) {
            $hit($end);
        }
        $before = json_decode($hit('none'), true);
        for ($index = 0; $index < 80; $index++) {
            $hit($end);
        }
        $after = json_decode($hit('none'), true);
        self::assertSame($before['pid'], $after['pid']);
        // The numbers must not grow. They can fall, because an earlier connection may have been open before.
        self::assertLessThanOrEqual($before['files'], $after['files']);
        // PHP itself can keep one more chunk of 2 MB.
        self::assertLessThan(4096, $after['kilobytes'] - $before['kilobytes']);
        self::assertCount(90, $fpm->lines('ends', 90));
    }

    /** @return list<array{first: string, headers: array<string, string>, body: string}> */
    private static function postAll(string $url, int $count): array
    {
        $connections = [];
        for ($index = 0; $index < $count; $index++) {
            $connections[] = Http::post($url);
        }
        return array_map(Http::read(...), $connections);
    }
}
