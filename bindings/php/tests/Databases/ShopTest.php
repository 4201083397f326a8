<?php

declare(strict_types=1);

namespace MerchantPay\Tests\Databases;

use Doctrine\DBAL\Connection;
use Doctrine\DBAL\Driver\AbstractMySQLDriver;
use Doctrine\DBAL\Driver\PDO\Connection as PdoConnection;
use Illuminate\Database\PostgresConnection;
use MerchantPay\Entry;
use MerchantPay\Journal;
use MerchantPay\Testing\Sandbox as Kit;
use MerchantPay\Tests\Support\Fpm;
use MerchantPay\Tests\Support\Http;
use MerchantPay\Tests\Support\Place;
use MerchantPay\Tests\Support\Program;
use MerchantPay\Tests\Support\Sandbox;
use PDO;
use PHPUnit\Framework\TestCase;

use function Shop\act_with_doctrine;
use function Shop\act_with_laravel;

/** Tests shops whose orders and journal are in one database. */
final class ShopTest extends TestCase
{
    private const PRELOAD = ['ffi.enable=preload', 'opcache.preload=%s/preload.php'];

    private Kit $sandbox;
    private Fpm $fpm;

    /** @var array<string, string> the environment of the example's shop */
    private array $environment;

    public static function setUpBeforeClass(): void
    {
        // These files come from Debian's packages php-doctrine-dbal and php-illuminate-database.
        require_once 'Doctrine/DBAL/autoload.php';
        require_once 'Illuminate/Database/autoload.php';
        require_once dirname(__DIR__, 4) . '/examples/php/acknowledge.php';
    }

    protected function setUp(): void
    {
        $this->sandbox = Kit::start();
    }

    /** @return array<string, array{string}> */
    public function places(): array
    {
        return Place::names();
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
            act_with_laravel(new PostgresConnection($shop), $entry);
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
            act_with_doctrine(new Connection([], $driver), $entry);
        };
        return [
            'PDO on PostgreSQL' => ['postgresql', $pdo('question')],
            'PDO on MariaDB, by name' => ['mariadb', $pdo('colon')],
            'Laravel on PostgreSQL' => ['postgresql', $laravel],
            'Doctrine on MariaDB' => ['mariadb', $doctrine],
        ];
    }

    /** @dataProvider transactions */
    public function testAnEntryIsAcknowledgedOnceInTheTransactionsOfTheShop(string $name, \Closure $act): void
    {
        $place = Place::of($name);
        $journal = new Journal($this->sandbox->client(), $place->url, create: true);
        $journal->pay('order', sum: '10', paymentMethod: 'sbp', customerAccount: '79001234567');
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
        self::assertFalse($journal->acknowledge($entry));
    }

    /** @dataProvider places */
    public function testAWorkerOfPhpFpmKeepsOneConnectionBetweenRequests(string $name): void
    {
        $place = Place::of($name);
        (new Journal($this->sandbox->client(), $place->url, create: true))->close();
        $connections = static fn (): array => array_column($place->rows(match ($name) {
            'postgresql' => 'SELECT pid FROM pg_stat_activity'
                . ' WHERE datname = current_database() AND pid <> pg_backend_pid()',
            'mariadb' => 'SELECT id FROM information_schema.processlist'
                . ' WHERE db = DATABASE() AND id <> CONNECTION_ID()',
        }), 0);
        $before = $connections();
        $environment = $this->sandbox->environment + $place->environment();
        $fpm = new Fpm(self::PRELOAD, $environment, workers: 3, script: 'package/tests/fpm/journal.php');
        $pay = static function (string $round) use ($fpm, $connections, $before): array {
            $requests = array_map(
                static fn (int $order) => Http::post("$fpm->url/order-$round-$order", method: 'GET'),
                range(1, 12),
            );
            $pids = array_map(static function ($request): int {
                $reply = json_decode(Http::read($request)['body'], true);
                self::assertSame('open', $reply['standing'] ?? $reply);
                return $reply['pid'];
            }, $requests);
            $own = array_diff($connections(), $before);
            self::assertCount(count(array_unique($pids)), $own);
            return $own;
        };
        $round = 0;
        $own = Sandbox::eventually(static function () use ($pay, &$round): ?array {
            $own = $pay('round-' . $round++);
            return count($own) === 3 ? $own : null; // every worker has got a request
        });
        self::assertEqualsCanonicalizing($own, $pay('again'));
    }

    /** @dataProvider places */
    public function testAParentAndItsForkedChildrenPayWithTheSameJournal(string $name): void
    {
        $place = Place::of($name);
        new Journal($this->sandbox->client(), $place->url, create: true);
        $script = dirname(__DIR__) . '/fpm/forks.php';
        $program = new Program([PHP_BINARY, $script], $this->sandbox->environment + $place->environment());
        self::assertSame("done\n", $program->rest());
        self::assertSame(20, $this->sandbox->requests('newPayment'));
    }

    public function testAnOrderOfTheExampleIsPaidAndShippedOnceWhateverIsKilled(): void
    {
        $place = $this->openShop();
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
        self::assertSame('1017 open', $worker->line());
        $worker->kill();
        $this->press('paid');
        $this->killAll();
        $workers = [$this->worker(), $this->worker(), $this->worker()];
        Sandbox::eventually(fn (): ?bool => str_contains($this->page(), 'Paid. Thank you') ?: null);
        Sandbox::eventually(fn (): ?array => $place->rows('SELECT 1 FROM orders WHERE shipped > 0') ?: null);
        array_map(static fn (Program $worker) => $worker->kill(), $workers);
        $shipped = $place->rows('SELECT number, shipped FROM orders ORDER BY number');
        self::assertSame([['1017', 1], ['1018', 0]], $shipped);
        self::assertSame([[0]], $place->rows('SELECT COUNT(*) FROM merchantpay_attempts WHERE news > acked'));
        self::assertSame(1, $this->sandbox->requests('newPaymentAsync'));
        self::assertSame(400, Http::status(Http::read(Http::post("{$this->fpm->url}/callback/x", [], '{}'))));
    }

    public function testAWorkerOfTheExampleGoesOnAfterARestartAndEndsWhereTheTablesAreMissing(): void
    {
        $place = $this->openShop();
        $worker = $this->worker();
        $this->press('pay', 'phone=79001234567');
        self::assertSame('1017 open', $worker->line());
        Place::restartPostgresql();
        $this->press('paid');
        do {
            $line = $worker->line();
        } while (str_starts_with((string) $line, 'later again: '));
        self::assertSame('1017 final: shipped', $line);
        $worker->kill();
        $place->connect()->exec('DROP TABLE merchantpay_attempts, merchantpay_messages, merchantpay_settings');
        $worker = $this->worker();
        self::assertStringContainsString('it has no tables of a journal', $worker->rest());
        self::assertSame(255, $worker->exitStatus());
    }

    private function openShop(): Place
    {
        $place = Place::postgresql();
        new Journal($this->sandbox->client(), $place->url, create: true);
        $shop = $place->connect();
        $shop->exec(
            'CREATE TABLE orders (number text PRIMARY KEY, sum text NOT NULL, shipped integer NOT NULL DEFAULT 0)',
        );
        $shop->exec("INSERT INTO orders (number, sum) VALUES ('1017', '1500.50'), ('1018', '10')");
        $this->environment = $this->sandbox->environment + $place->environment() + ['SHOP_URL' => '%url'];
        $this->fpm = new Fpm(self::PRELOAD, $this->environment, script: 'examples/php/shop.php');
        return $place;
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
