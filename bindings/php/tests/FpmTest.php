<?php

declare(strict_types=1);

namespace MerchantPay\Tests;

use MerchantPay\Exception\LibraryException;
use MerchantPay\Tests\Support\Fpm;
use MerchantPay\Tests\Support\TestCase;

/** Tests the package in php-fpm behind nginx, with PHP's default configuration ffi.enable=preload. */
final class FpmTest extends TestCase
{
    private const PAYMENTS = 24;
    private const PRELOAD = ['ffi.enable=preload', 'opcache.preload=%s/preload.php'];
    private const AS_ROOT = [...self::PRELOAD, 'opcache.preload_user=www-data'];

    /** @return array<string, array{list<string>, 1?: bool}> */
    public function startups(): array
    {
        $startups = [
            'as an ordinary user' => [self::PRELOAD],
            'with ffi.preload' => [[...self::PRELOAD, 'ffi.preload=%s/preload.h']],
            'without preloading' => [['ffi.enable=true']],
        ];
        return posix_geteuid() !== 0 ? $startups : $startups + [
            'as root' => [[...self::AS_ROOT, 'ffi.preload=%s/preload.h'], true],
        ];
    }

    /**
     * @dataProvider startups
     * @param list<string> $settings
     */
    public function testFourWorkersPayAndTakeWebhooks(array $settings, bool $asRoot = false): void
    {
        $fpm = new Fpm($settings, self::sandbox()->environment, $asRoot);
        $sent = array_map(fn () => $fpm->send('/pay'), range(1, self::PAYMENTS));
        $expected = $workers = [];
        foreach (array_map(Fpm::reply(...), $sent) as [$status, $body]) {
            self::assertSame(200, $status, $body);
            $paid = json_decode($body, true);
            self::assertSame('rejected', $paid['refusal']);
            $expected[] = "credentials {$paid['orderId']} 1500.50";
            $workers[$paid['pid']] = true;
        }
        self::assertGreaterThan(1, count($workers));
        $events = self::eventually(fn () => $fpm->lines('events', self::PAYMENTS));
        self::assertEqualsCanonicalizing($expected, $events);
        self::assertCount(2 * self::PAYMENTS, (array) $fpm->lines('log', 2 * self::PAYMENTS));
    }

    public function testForbiddenFfiSaysWhatToChange(): void
    {
        $fpm = new Fpm(['ffi.enable=preload'], self::sandbox()->environment);
        [$status, $error] = $fpm->ask('/pay');
        self::assertSame([500, LibraryException::class], [$status, $error['class']]);
        self::assertStringContainsString("set opcache.preload=$fpm->folder/package/preload.php", $error['message']);
    }

    public function testServerStartsWithoutTheLibrary(): void
    {
        foreach (posix_geteuid() === 0 ? [false, true] : [false] as $asRoot) {
            $settings = $asRoot ? self::AS_ROOT : self::PRELOAD;
            $fpm = new Fpm($settings, self::sandbox()->environment, $asRoot, withLibrary: false);
            [$status, $error] = $fpm->ask('/pay');
            self::assertSame([500, LibraryException::class], [$status, $error['class']]);
            self::assertStringContainsString("$fpm->folder/package/lib/", $error['message']);
            $fpm->addLibrary();
            self::assertSame(200, $fpm->ask('/pay')[0]);
        }
    }

    public function testFatalErrorLeavesNothingInAWorker(): void
    {
        $fpm = new Fpm(self::PRELOAD, self::sandbox()->environment, workers: 1);
        $ends = static function (int $times) use ($fpm): array {
            for ($index = 0; $index < $times; $index++) {
                array_map(static fn (string $end) => $fpm->ask("/fatal/$end"), ['large', 'small', 'thrown']);
            }
            return $fpm->ask('/fatal/none')[1];
        };
        [$before, $after] = [$ends(5), $ends(40)];
        self::assertSame($before['pid'], $after['pid']);
        // The numbers must not grow. They can fall, because an earlier connection may have been open before.
        self::assertLessThanOrEqual($before['files'], $after['files']);
        // PHP itself can keep one more chunk of 2 MB.
        self::assertLessThan(4096, $after['kilobytes'] - $before['kilobytes']);
        self::assertSame(array_fill(0, 135, 'rejected'), $fpm->lines('ends', 135));
    }
}
