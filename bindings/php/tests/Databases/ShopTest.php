<?php

declare(strict_types=1);

namespace MerchantPay\Tests\Databases;

use MerchantPay\Journal;
use MerchantPay\Testing\Sandbox as Kit;
use MerchantPay\Tests\Support\Fpm;
use MerchantPay\Tests\Support\Http;
use MerchantPay\Tests\Support\Place;
use MerchantPay\Tests\Support\Program;
use MerchantPay\Tests\Support\Sandbox;
use PHPUnit\Framework\TestCase;

/** Tests the example of a whole shop. The test kills the shop's processes between any two steps of a sale. */
final class ShopTest extends TestCase
{
    private Kit $sandbox;
    private Place $place;
    private Fpm $fpm;

    /** @var array<string, string> */
    private array $environment;

    protected function setUp(): void
    {
        $this->sandbox = Kit::start();
        $this->place = Place::postgresql();
        (new Journal($this->sandbox->client(), $this->place->factory(), create: true))->list();
        $shop = $this->place->connect();
        $shop->exec(
            'CREATE TABLE orders (number text PRIMARY KEY, sum text NOT NULL, shipped integer NOT NULL DEFAULT 0)',
        );
        $shop->exec("INSERT INTO orders (number, sum) VALUES ('1017', '1500.50'), ('1018', '10')");
        $this->environment = $this->sandbox->environment + $this->place->environment() + ['SHOP_URL' => '%url'];
        $this->fpm = new Fpm(
            ['ffi.enable=preload', 'opcache.preload=%s/preload.php'],
            $this->environment,
            script: 'examples/php/shop.php',
        );
    }

    public function testAnOrderIsPaidAndShippedOnceWhateverIsKilled(): void
    {
        self::assertSame(404, Http::status(Http::read(Http::post("{$this->fpm->url}/orders/1", method: 'GET'))));
        self::assertStringContainsString('Pay 1500.50 ₽ by SBP', $this->page());
        $this->press('paid'); // There is nothing to pay yet.
        $this->press('pay', 'phone=', 400);
        // The reply is lost, and the customer presses the button again.
        $this->sandbox->fail('dropAfterCommit', 'newPaymentAsync');
        $this->press('pay', 'phone=79001234567');
        $this->killAll();
        $this->press('pay', 'phone=79001234567');
        $page = Sandbox::eventually(fn (): ?string => str_contains($page = $this->page(), '<img') ? $page : null);
        [$payment] = $this->sandbox->control('/payments')['payments'];
        $link = $this->sandbox->control("/payments/{$payment['orderId']}")['credentials']['deeplink'];
        self::assertStringContainsString("<a href=\"$link\">", $page);
        self::assertStringContainsString('<svg', (string) base64_decode(explode('"', explode('base64,', $page)[1])[0]));
        // The customer has paid. The workers die after each step, and new workers continue.
        $this->killAll();
        $worker = $this->worker();
        self::assertSame('1017 credentials', $worker->line());
        $worker->kill();
        $this->press('paid');
        $this->killAll();
        $workers = [$this->worker(), $this->worker(), $this->worker()];
        Sandbox::eventually(fn (): ?bool => str_contains($this->page(), 'Paid. Thank you') ?: null);
        Sandbox::eventually(fn (): ?array => $this->place->rows('SELECT 1 FROM orders WHERE shipped > 0') ?: null);
        array_map(static fn (Program $worker) => $worker->kill(), $workers);
        $worker = $this->worker();
        usleep(1_000_000);
        $worker->kill();
        $shipped = array_map(
            static fn (array $row): string => implode(' ', $row),
            $this->place->rows('SELECT number, shipped FROM orders ORDER BY number'),
        );
        self::assertSame(['1017 1', '1018 0'], $shipped);
        self::assertSame(1, $this->sandbox->requests('newPaymentAsync'));
        self::assertSame(400, Http::status(Http::read(Http::post("{$this->fpm->url}/callback/x", [], '{}'))));
    }

    public function testAWorkerGoesOnAfterARestartOfPostgresqlAndEndsWhereTheTablesAreMissing(): void
    {
        $worker = $this->worker();
        $this->press('pay', 'phone=79001234567');
        self::assertSame('1017 credentials', $worker->line());
        Place::restartPostgresql();
        $this->press('paid');
        do {
            $line = $worker->line();
        } while (str_starts_with((string) $line, 'later again: '));
        self::assertSame('1017 final: shipped', $line);
        $worker->kill();
        $tables = 'merchantpay_journal, merchantpay_orphans, merchantpay_journal_settings';
        $this->place->connect()->exec("DROP TABLE $tables");
        $worker = $this->worker();
        self::assertStringContainsString('`merchantpay journal schema postgresql`', $worker->rest());
        self::assertSame(255, $worker->exitStatus());
    }

    private function page(): string
    {
        $reply = Http::read(Http::post("{$this->fpm->url}/orders/1017", method: 'GET'));
        self::assertSame(200, Http::status($reply), $reply['body']);
        return $reply['body'];
    }

    private function press(string $button, string $fields = '', int $status = 303): void
    {
        $headers = ['Content-Type' => 'application/x-www-form-urlencoded'];
        $reply = Http::read(Http::post("{$this->fpm->url}/orders/1017/$button", $headers, $fields));
        self::assertSame($status, Http::status($reply), $reply['body']);
        self::assertSame($status === 303 ? '/orders/1017' : null, $reply['headers']['location'] ?? null);
    }

    private function killAll(): void
    {
        $workers = $this->fpm->workers();
        array_map(static fn (int $worker): bool => posix_kill($worker, SIGKILL), $workers);
        Sandbox::eventually(function () use ($workers): ?bool {
            $now = $this->fpm->workers();
            return count($now) === count($workers) && array_intersect($now, $workers) === [] ? true : null;
        });
    }

    private function worker(): Program
    {
        $script = dirname(__DIR__, 4) . '/examples/php/shop.php';
        $environment = str_replace('%url', $this->fpm->url, $this->environment);
        return new Program([PHP_BINARY, $script, 'worker'], $environment);
    }
}
