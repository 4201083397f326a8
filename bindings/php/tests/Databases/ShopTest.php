<?php

declare(strict_types=1);

namespace MerchantPay\Tests\Databases;

use Doctrine\DBAL\Connection;
use Doctrine\DBAL\Driver\AbstractMySQLDriver;
use Doctrine\DBAL\Driver\PDO\Connection as PdoConnection;
use Illuminate\Database\PostgresConnection;
use MerchantPay\Entry;
use MerchantPay\Journal;
use MerchantPay\Testing\Sandbox;
use MerchantPay\Tests\Support\Fpm;
use MerchantPay\Tests\Support\Program;
use MerchantPay\Tests\Support\TestCase;
use PDO;

/** Tests shops whose orders and journal are in one database: the drivers of PHP, php-fpm, and the example. */
final class ShopTest extends TestCase
{
    private const PRELOAD = ['ffi.enable=preload', 'opcache.preload=%s/preload.php'];
    private const EXAMPLES = __DIR__ . '/../../../../examples/php';

    private Sandbox $service;
    private Fpm $fpm;

    public static function setUpBeforeClass(): void
    {
        // These files come from Debian's packages php-doctrine-dbal and php-illuminate-database.
        require_once 'Doctrine/DBAL/autoload.php';
        require_once 'Illuminate/Database/autoload.php';
    }

    protected function setUp(): void
    {
        $this->service = Sandbox::start();
    }

    /** @return array<string, array{string, \Closure(PDO, Entry): mixed}> */
    public function transactions(): array
    {
        $pdo = static fn (string $style) => static function (PDO $shop, Entry $entry) use ($style): void {
            [$sql, $parameters] = $entry->acknowledgeSql($style);
            $statement = $shop->prepare($sql);
            $shop->beginTransaction();
            try {
                $statement->execute($parameters);
                if ($statement->rowCount() === 1) {
                    $shop->exec('UPDATE orders SET shipped = shipped + 1');
                }
                $shop->commit();
            } catch (\PDOException $error) {
                $shop->rollBack();
                throw $error;
            }
        };
        $laravel = static function (PDO $shop, Entry $entry): void {
            $orders = new PostgresConnection($shop);
            $orders->transaction(static function () use ($orders, $entry): void {
                if ($orders->update(...$entry->acknowledgeSql('question')) === 1) {
                    $orders->table('orders')->increment('shipped');
                }
            });
        };
        $doctrine = static function (PDO $shop, Entry $entry): void {
            $driver = new class ($shop) extends AbstractMySQLDriver {
                public function __construct(private readonly PDO $shop)
                {
                }

                public function connect(array $params): PdoConnection
                {
                    return new PdoConnection($this->shop);
                }
            };
            (new Connection([], $driver))->transactional(static function (Connection $orders) use ($entry): void {
                if ($orders->executeStatement(...$entry->acknowledgeSql('question')) === 1) {
                    $orders->executeStatement('UPDATE orders SET shipped = shipped + 1');
                }
            });
        };
        return [
            'PDO on PostgreSQL' => ['postgresql', $pdo('question')],
            'PDO on MariaDB, by name' => ['mysql', $pdo('colon')],
            'Laravel on PostgreSQL' => ['postgresql', $laravel],
            'Doctrine on MariaDB' => ['mysql', $doctrine],
        ];
    }

    /** @dataProvider transactions */
    public function testEntryIsAcknowledgedOnceInTheShopsTransaction(string $name, \Closure $act): void
    {
        $place = Place::of($name);
        $journal = new Journal($this->service->client(), $place->url, create: true);
        $journal->pay('order', ...self::PAYMENT);
        $journal->confirm('order', 1);
        self::assertTrue($journal->wait('order', 20_000, 'final')->succeeded);
        [$entry] = $journal->news();
        $shop = $place->connect();
        try {
            $act($shop, $entry);
            self::fail('it shipped without a table');
        } catch (\Exception $error) {
            self::assertStringContainsString('orders', $error->getMessage());
        }
        self::assertFalse($journal->find('order')?->acknowledged);
        $shop->exec('CREATE TABLE orders (number VARCHAR(120) PRIMARY KEY, shipped INTEGER NOT NULL)');
        $shop->exec("INSERT INTO orders (number, shipped) VALUES ('order', 0)");
        for ($time = 1; $time <= 2; $time++) {
            $act($shop, $entry);
            self::assertSame([[1]], $place->rows('SELECT shipped FROM orders'));
            self::assertTrue($journal->find('order')?->acknowledged);
        }
    }

    public function testWorkerOfPhpFpmKeepsOneConnectionBetweenRequests(): void
    {
        $place = Place::of('postgresql');
        new Journal($this->service->client(), $place->url, create: true);
        $fpm = new Fpm(self::PRELOAD, $this->service->environment + $place->environment(), workers: 3);
        $connections = static fn (): array => array_column($place->rows(
            "SELECT pid FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid()",
        ), 0);
        $before = $connections();
        $number = 0;
        $pay = static function () use ($fpm, $connections, $before, &$number): array {
            $sent = array_map(fn () => $fpm->send('/journal/order-' . $number++), range(1, 12));
            $answers = array_map(static fn ($one) => json_decode(Fpm::reply($one)[1], true), $sent);
            self::assertSame(array_fill(0, 12, 'open'), array_column($answers, 'standing'));
            $own = array_diff($connections(), $before);
            self::assertCount(count(array_unique(array_column($answers, 'pid'))), $own);
            return $own;
        };
        // Every worker has got a request when there are three connections.
        $own = self::eventually(static fn (): ?array => count($own = $pay()) === 3 ? $own : null);
        self::assertEqualsCanonicalizing($own, $pay());
    }

    public function testExampleSellsOnceWhateverIsKilled(): void
    {
        $place = Place::of('postgresql');
        new Journal($this->service->client(), $place->url, create: true);
        $shop = $place->connect();
        $shop->exec('CREATE TABLE orders (number text PRIMARY KEY, sum text, shipped integer DEFAULT 0)');
        $shop->exec("INSERT INTO orders (number, sum) VALUES ('1017', '1500.50'), ('1018', '10')");
        $environment = $this->service->environment + $place->environment() + ['SHOP_URL' => '%url'];
        $this->fpm = new Fpm(self::PRELOAD, $environment, script: 'examples/php/shop.php');
        $environment['SHOP_URL'] = $this->fpm->url;
        $worker = fn (): Program => new Program([PHP_BINARY, self::EXAMPLES . '/shop.php', 'worker'], $environment);

        self::assertSame(404, Fpm::reply($this->fpm->send('/orders/1'))[0]);
        self::assertStringContainsString('Pay 1500.50 ₽ by SBP', $this->page());
        $this->press('paid'); // There is nothing to pay yet.
        $this->press('pay', 'phone=', 400);
        // The reply is lost, and the customer presses the button again.
        $this->service->fail('dropAfterCommit', 'newPaymentAsync');
        $this->press('pay', 'phone=79001234567');
        $this->killAll();
        $this->press('pay', 'phone=79001234567');
        $page = self::eventually(fn (): ?string => str_contains($page = $this->page(), '<img') ? $page : null);
        [$payment] = $this->service->control('/payments')['payments'];
        $link = $this->service->control("/payments/{$payment['orderId']}")['credentials']['deeplink'];
        self::assertStringContainsString("<a href=\"$link\">", $page);
        self::assertStringContainsString('<svg', (string) base64_decode(explode('"', explode('base64,', $page)[1])[0]));
        // One worker is killed after its first entry. The next one goes on after a restart of the database, if needed
        // when the lease of the news has ended.
        $first = $worker();
        self::assertSame('1017 open', $first->line());
        $first->kill();
        $second = $worker();
        Fpm::reply($this->fpm->send('/orders/1018/pay', 'phone=79001234567'));
        self::assertSame('1018 open', $second->line());
        Place::restartPostgresql();
        $this->press('paid');
        $this->killAll();
        $second->waitFor('1017 final: shipped');
        self::assertStringContainsString('Paid. Thank you', $this->page());
        $second->kill();
        $shipped = $place->rows('SELECT number, shipped FROM orders ORDER BY number');
        self::assertSame([['1017', 1], ['1018', 0]], $shipped);
        self::assertSame([[0]], $place->rows('SELECT COUNT(*) FROM merchantpay_attempts WHERE news > acked'));
        self::assertSame(2, $this->service->requests('newPaymentAsync'));
        self::assertSame(400, Fpm::reply($this->fpm->send('/callback/x', '{}'))[0]);
        $place->connect()->exec('DROP TABLE merchantpay_attempts, merchantpay_messages, merchantpay_settings');
        self::assertStringContainsString('it has no tables of a journal', $worker()->rest());
    }

    private function page(): string
    {
        [$status, $body] = Fpm::reply($this->fpm->send('/orders/1017'));
        self::assertSame(200, $status, $body);
        return $body;
    }

    private function press(string $button, string $form = '', int $status = 303): void
    {
        $reply = Fpm::reply($this->fpm->send("/orders/1017/$button", $form));
        self::assertSame([$status, $status === 303 ? '/orders/1017' : ''], [$reply[0], $reply[2]], $reply[1]);
    }

    private function killAll(): void
    {
        $workers = $this->fpm->workers();
        array_map(static fn (int $worker): bool => posix_kill($worker, SIGKILL), $workers);
        self::eventually(function () use ($workers): ?bool {
            $now = $this->fpm->workers();
            return count($now) === count($workers) && array_intersect($now, $workers) === [] ? true : null;
        });
    }
}
