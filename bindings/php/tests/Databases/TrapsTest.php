<?php

declare(strict_types=1);

namespace MerchantPay\Tests\Databases;

use MerchantPay\Client;
use MerchantPay\Entry;
use MerchantPay\Exception\ConflictException;
use MerchantPay\Exception\InvalidArgumentException;
use MerchantPay\Exception\StorageException;
use MerchantPay\Journal;
use MerchantPay\Tests\Support\Place;
use MerchantPay\Tests\Support\Program;
use MerchantPay\Tests\Support\Sandbox;
use MerchantPay\Tests\Support\Watched;
use PDO;
use PHPUnit\Framework\TestCase;

/** What goes wrong on a real database if the connection takes no care of it. */
final class TrapsTest extends TestCase
{
    private Sandbox $sandbox;
    private Client $client;

    protected function setUp(): void
    {
        $this->sandbox = new Sandbox('--pace-ms', '0');
        $this->client = $this->sandbox->client(timeoutMs: 5000);
    }

    /** @return array<string, array{string}> */
    public function places(): array
    {
        return Place::names();
    }

    /** @return array<string, array{string}> those that PostgreSQL is behind */
    public function postgresql(): array
    {
        return array_filter(Place::names(), static fn (array $row): bool => !in_array($row[0], ['sqlite', 'mariadb']));
    }

    /** @dataProvider places */
    public function testAConnectionInATransactionSendsNothing(string $name): void
    {
        $place = $this->made($name);
        $shared = $place->connect();
        $journal = $this->journal(static fn (): PDO => $shared);
        $shared->beginTransaction();
        $this->assertNotSent(fn () => $this->pay($journal), 'is in a transaction');
        $shared->rollBack();
        self::assertSame([], $place->rows('SELECT 1 FROM merchantpay_journal'));
        self::assertNotNull($this->pay($journal)->credentials);
        self::assertSame(1, $this->sandbox->requests('newPayment'));
    }

    /** @dataProvider places */
    public function testATransactionThatPdoDoesNotKnowOfSendsNothing(string $name): void
    {
        $place = $this->made($name);
        $factory = static function () use ($place): PDO {
            $pdo = $place->connect();
            $pdo->exec('BEGIN');
            return $pdo;
        };
        $this->assertNotSent(fn () => $this->pay($this->journal($factory)), 'is in a transaction');
        self::assertSame([], $place->rows('SELECT 1 FROM merchantpay_journal'));
    }

    /** @dataProvider places */
    public function testTheSettingsOfAFactoryChangeNothing(string $name): void
    {
        $place = $this->made($name);
        $strange = [
            PDO::ATTR_ERRMODE => PDO::ERRMODE_SILENT,
            PDO::ATTR_ORACLE_NULLS => PDO::NULL_EMPTY_STRING,
            PDO::ATTR_CASE => PDO::CASE_UPPER,
            PDO::ATTR_DEFAULT_FETCH_MODE => PDO::FETCH_OBJ,
            PDO::ATTR_EMULATE_PREPARES => $name !== 'mariadb',
        ];
        if ($name === 'mariadb') {
            $strange += [PDO::MYSQL_ATTR_USE_BUFFERED_QUERY => false];
        }
        $journal = $this->journal($place->factory($strange));
        $entry = $this->pay($journal);
        self::assertNotNull($entry->credentials);
        $journal->confirm($entry);
        self::assertTrue($journal->wait('order', 20_000, 'final')->succeeded);
        foreach ($journal->news() as $entry) {
            self::assertTrue($journal->acknowledge($entry));
        }
        self::assertSame([], $journal->news());
        self::assertTrue($this->journal($place->factory())->find('order')->succeeded);
        self::assertSame(1, $this->sandbox->requests('newPayment'));
    }

    public function testAnotherCharacterSetIsNoHarm(): void
    {
        foreach (['latin1', 'gbk', 'utf8mb4'] as $charset) {
            $place = $this->made('mariadb');
            $factory = static fn (): PDO => new PDO("$place->dsn;charset=$charset", 'root', '');
            $reference = "№ \u{5c}' \u{4e2d}\\"; // The last two are one character to a driver that reads gbk.
            $entry = $this->pay($this->journal($factory), $reference);
            self::assertNotNull($entry->credentials);
            $read = $this->journal($place->factory())->find($reference);
            self::assertSame([$entry->reference, $entry->orderId], [$read?->reference, $read?->orderId], $charset);
            self::assertEquals($entry->credentials, $read?->credentials, $charset);
            $stored = $place->observer();
            $stored->exec('SET NAMES utf8mb4');
            [$record] = $stored->query('SELECT record FROM merchantpay_journal')->fetch(PDO::FETCH_NUM);
            self::assertStringContainsString((string) $entry->credentials?->payeeName, $record, $charset);
        }
    }

    /** @dataProvider places */
    public function testAFactoryThatThrowsIsWhyNothingWasSent(string $name): void
    {
        $place = $this->made($name);
        $factory = static fn (): PDO => throw new \LogicException("no database today\nthe password is secret");
        try {
            $this->pay($this->journal($factory));
            self::fail('it paid');
        } catch (StorageException $error) {
            self::assertSame(['not_sent', true], [$error->outcome(), $error->isTransient()]);
            self::assertStringContainsString('no database today', $error->getMessage());
            self::assertStringNotContainsString('secret', $error->getMessage());
            self::assertInstanceOf(\LogicException::class, $error->getPrevious());
        }
        // And one that throws when the connection was lost in the middle.
        $connections = 0;
        $factory = function () use ($place, &$connections): PDO {
            if (++$connections > 1) {
                throw new \LogicException('no second one');
            }
            return $place->connect(Watched::by($this->losing($place, 1, 'before')));
        };
        // A pooler that is there yet takes another connection to the server.
        if (!in_array($name, ['sqlite', 'pgbouncer'], true)) {
            try {
                $this->pay($this->journal($factory));
                self::fail('it paid');
            } catch (StorageException $error) {
                self::assertSame('not_sent', $error->outcome());
                self::assertStringContainsString('no second one', $error->getMessage());
                self::assertSame('no second one', $error->getPrevious()?->getMessage());
            }
        }
        self::assertSame(0, $this->sandbox->requests('newPayment'));
    }

    /** @return array<string, array{string, int, string}> */
    public function losses(): array
    {
        $losses = [];
        foreach (['postgresql', 'pgbouncer', 'mariadb'] as $place) {
            foreach ([1, 2, 3, 4] as $statement) {
                $losses["$place, before statement $statement"] = [$place, $statement, 'before'];
                $losses["$place, behind statement $statement"] = [$place, $statement, 'behind'];
            }
        }
        return $losses;
    }

    /** @dataProvider losses */
    public function testAConnectionThatIsEndedInTheMiddleOfAPaymentLosesAndDoublesNothing(
        string $name,
        int $statement,
        string $when,
    ): void {
        $place = $this->made($name);
        $journal = $this->journal($place->factory(Watched::by($this->losing($place, $statement, $when))));
        $entry = $this->pay($journal);
        self::assertNotNull($entry->credentials);
        self::assertSame($entry->orderId, $this->pay($journal)->orderId);
        self::assertSame(1, $this->sandbox->requests('newPayment'));
        self::assertSame([[1, 'open']], $place->rows('SELECT attempt, standing FROM merchantpay_journal'));
    }

    /** @dataProvider postgresql */
    public function testADatabaseThatOnlyReadsIsRefused(string $name): void
    {
        $place = $this->made($name);
        $factory = static function () use ($place): PDO {
            $pdo = $place->connect();
            $pdo->exec('SET default_transaction_read_only = on');
            return $pdo;
        };
        // Behind a pooler in transaction mode a setting is another connection's.
        if ($name === 'pgbouncer') {
            $database = explode('dbname=', $place->dsn)[1];
            $place->observer()->exec("ALTER DATABASE $database SET default_transaction_read_only = on");
            $factory = $place->factory();
            $place->rows('SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE pid <> pg_backend_pid() '
                . 'AND datname = current_database()');
        }
        $this->assertNotSent(fn () => $this->pay($this->journal($factory)), 'can only be read');
    }

    public function testASqlModeThatCutsTextsIsRefused(): void
    {
        $place = $this->made('mariadb');
        $factory = static function () use ($place): PDO {
            $pdo = $place->connect();
            $pdo->exec("SET sql_mode = ''");
            return $pdo;
        };
        $this->assertNotSent(fn () => $this->pay($this->journal($factory)), 'sql_mode is not strict');
    }

    public function testAutocommitThatIsOffIsRefused(): void
    {
        $place = $this->made('mariadb');
        $factory = $place->factory([PDO::ATTR_AUTOCOMMIT => false]);
        $this->assertNotSent(fn () => $this->pay($this->journal($factory)), 'autocommit is off');
        self::assertSame([], $place->rows('SELECT 1 FROM merchantpay_journal'));
    }

    public function testSynchronousCommitThatIsOffIsRefused(): void
    {
        $place = $this->made('postgresql');
        $factory = static function () use ($place): PDO {
            $pdo = $place->connect();
            $pdo->exec('SET synchronous_commit = off');
            return $pdo;
        };
        $this->assertNotSent(fn () => $this->pay($this->journal($factory)), 'synchronous_commit is off');
    }

    public function testMariadbMayCountFoundOrChangedRows(): void
    {
        foreach ([false, true] as $found) {
            $place = $this->made('mariadb');
            $journal = $this->journal($place->factory([PDO::MYSQL_ATTR_FOUND_ROWS => $found]));
            $entry = $this->pay($journal);
            $journal->confirm($entry);
            self::assertTrue($journal->wait('order', 20_000, 'final')->succeeded);
            [$news] = $journal->news();
            self::assertSame([], $journal->news());
            self::assertTrue($journal->acknowledge($news));
            self::assertFalse($journal->acknowledge($news));
        }
        self::assertSame(2, $this->sandbox->requests('newPayment'));
    }

    public function testPgbouncerGivesAnotherConnectionForEachStatement(): void
    {
        $place = $this->made('pgbouncer');
        $journals = array_map(fn (): Journal => $this->journal($place->factory()), [1, 2, 3]);
        foreach ([0, 1, 2, 3, 4, 5] as $number) {
            foreach ($journals as $journal) {
                self::assertSame('open', $this->pay($journal, "order-$number")->standing);
            }
        }
        self::assertSame(6, $this->sandbox->requests('newPayment'));
    }

    /** @dataProvider places */
    public function testWhatADriverSaysHasNoValueOfARow(string $name): void
    {
        $place = $this->made($name);
        $observer = $place->observer();
        $observer->exec($name === 'mariadb' || $name === 'sqlite'
            ? 'DROP TABLE merchantpay_journal'
            : "ALTER TABLE merchantpay_journal ADD CHECK (record IS NULL)");
        try {
            $this->pay($this->journal($place->factory()), 'a-reference-of-somebody');
            self::fail('it paid');
        } catch (StorageException $error) {
            self::assertSame('not_sent', $error->outcome());
            self::assertStringNotContainsString('somebody', $error . print_r($error, true));
            self::assertMatchesRegularExpression('/merchantpay_journal/', $error->getMessage());
        }
    }

    /** @dataProvider places */
    public function testAChildOpensAConnectionOfItsOwn(string $name): void
    {
        $place = $this->made($name);
        $environment = $this->sandbox->settings + $place->environment();
        $program = new Program([PHP_BINARY, dirname(__DIR__) . '/fpm/forks.php'], $environment);
        self::assertSame("done\n", $program->rest());
        self::assertSame(0, $program->exitStatus());
        self::assertSame(20, $this->sandbox->requests('newPayment'));
        $open = $place->rows("SELECT COUNT(DISTINCT order_id) FROM merchantpay_journal WHERE standing = 'open'");
        self::assertEquals([[20]], $open);
    }

    /** @dataProvider places */
    public function testAcknowledgingWantsATransactionOfTheSameDatabase(string $name): void
    {
        $place = $this->made($name);
        $journal = $this->journal($place->factory());
        $entry = $this->pay($journal);
        $refused = static function (PDO $pdo) use ($journal, $entry): string {
            try {
                $journal->acknowledge($entry, $pdo);
                self::fail('it acknowledged');
            } catch (InvalidArgumentException | ConflictException $error) {
                return $error->getMessage();
            }
        };
        if ($name !== 'sqlite') {
            self::assertStringContainsString('in no transaction', $refused($place->connect()));
            self::assertStringContainsString('another database', $refused(Place::sqlite()->connect()));
        }
        $shop = $place->connect([PDO::ATTR_ERRMODE => PDO::ERRMODE_SILENT]);
        $shop->beginTransaction();
        self::assertTrue($journal->acknowledge($entry, $shop));
        $shop->rollBack(); // So it never was.
        $shop->beginTransaction();
        self::assertTrue($journal->acknowledgeBy($entry->reference, $entry->attempt, $entry->reported, $shop));
        self::assertSame(PDO::ERRMODE_SILENT, $shop->getAttribute(PDO::ATTR_ERRMODE));
        $shop->commit();
        $shop->beginTransaction();
        self::assertStringContainsString('another worker', $refused($shop));
        $shop->rollBack();
        self::assertSame([], $journal->news());
    }

    /** @return array<string, array{string, string}> */
    public function locks(): array
    {
        return [
            'PostgreSQL' => ['postgresql', "SET lock_timeout = '200ms'"],
            'MariaDB' => ['mariadb', 'SET innodb_lock_wait_timeout = 1'],
        ];
    }

    /** @dataProvider locks */
    public function testAWebhookBehindALongTransactionGets503AndIsTakenLater(string $name, string $setting): void
    {
        $place = $this->made($name);
        $factory = static function () use ($place, $setting): PDO {
            $pdo = $place->connect();
            $pdo->exec($setting);
            return $pdo;
        };
        $journal = $this->journal($factory);
        $entry = $this->pay($journal);
        $journal->confirm($entry);
        ['url' => $path, 'request' => $request] = $this->sandbox->webhook('order', 'status');
        $body = (string) base64_decode($request['body']['base64'], true);
        $webhook = [$path, $body, $request['signature'], $request['keyId']];
        $shop = $place->connect();
        $shop->beginTransaction();
        self::assertTrue($journal->acknowledge($entry, $shop));
        $received = $journal->receive(...$webhook);
        self::assertSame(503, $received->httpStatus);
        self::assertInstanceOf(StorageException::class, $received->error);
        $shop->commit();
        self::assertSame(200, $journal->receive(...$webhook)->httpStatus);
        [$news] = $journal->news();
        self::assertTrue($news->succeeded);
    }

    /** @dataProvider persistent */
    public function testAPersistentConnectionThatTheShopUsesTooSendsNothingInItsTransaction(string $name): void
    {
        $place = $this->made($name);
        $shop = $place->connect([PDO::ATTR_PERSISTENT => true]);
        $shop->beginTransaction();
        $journal = $this->journal($place->factory([PDO::ATTR_PERSISTENT => true]));
        $this->assertNotSent(fn () => $this->pay($journal), 'is in a transaction');
        self::assertSame([], $place->rows('SELECT 1 FROM merchantpay_journal'));
        unset($journal);
        self::assertFalse($shop->inTransaction()); // PDO has rolled it back with the other use of the connection.
        // A DSN of its own makes it another connection.
        $own = $place->dsn . ($name === 'mariadb' ? ';charset=utf8mb4' : ';application_name=journal');
        $user = $name === 'mariadb' ? 'root' : 'shop';
        $shop->beginTransaction();
        $factory = static fn (): PDO => new PDO($own, $user, '', [PDO::ATTR_PERSISTENT => true]);
        self::assertNotNull($this->pay($this->journal($factory))->credentials);
        self::assertTrue($shop->inTransaction());
        $shop->rollBack();
        self::assertCount(1, $place->rows('SELECT 1 FROM merchantpay_journal'));
    }

    /** @return array<string, array{string}> */
    public function persistent(): array
    {
        return ['PostgreSQL' => ['postgresql'], 'MariaDB' => ['mariadb']];
    }

    /** @return array<string, array{string, bool}> */
    public function workers(): array
    {
        $workers = [];
        foreach (['postgresql', 'pgbouncer', 'mariadb'] as $place) {
            $workers["$place, where the first one commits"] = [$place, false];
            $workers["$place, where the first one is killed"] = [$place, true];
        }
        return $workers;
    }

    /** @dataProvider workers */
    public function testOfTwoWorkersThatAcknowledgeFirstInTheirTransactionOneShips(string $name, bool $isKilled): void
    {
        $place = $this->made($name);
        $this->pay($this->journal($place->factory()));
        $place->observer()->exec('CREATE TABLE shipped (worker varchar(20))');
        $work = function (string $worker, \Closure $before) use ($place): bool {
            $journal = $this->journal($place->factory());
            $entry = $journal->find('order');
            $shop = $place->connect();
            $shop->beginTransaction();
            try {
                $journal->acknowledge($entry, $shop);
                $shop->exec("INSERT INTO shipped (worker) VALUES ('$worker')");
                $before();
                return $shop->commit();
            } catch (ConflictException) {
                $shop->rollBack();
                return false;
            }
        };
        [$reads, $writes] = stream_socket_pair(STREAM_PF_UNIX, STREAM_SOCK_STREAM, 0);
        $child = pcntl_fork();
        if ($child === 0) {
            try {
                $work('first', static function () use ($writes, $isKilled): void {
                    fwrite($writes, "acknowledged\n");
                    usleep(500_000); // The other one waits for it meanwhile.
                    $isKilled && posix_kill(posix_getpid(), SIGKILL);
                });
            } finally {
                posix_kill(posix_getpid(), SIGKILL);
            }
        }
        self::assertSame("acknowledged\n", fgets($reads));
        self::assertSame($isKilled, $work('second', static fn () => null));
        pcntl_waitpid($child, $status);
        self::assertSame([[$isKilled ? 'second' : 'first']], $place->rows('SELECT worker FROM shipped'));
        self::assertSame([], $this->journal($place->factory())->news());
    }

    /** Its tables are there. */
    private function made(string $name): Place
    {
        $place = Place::of($name);
        (new Journal($this->client, $place->factory(), create: true))->list();
        return $place;
    }

    private function journal(\Closure $factory): Journal
    {
        return new Journal($this->client, $factory, callbackUrl: 'http://127.0.0.1:9/callback', timeoutMs: 15000);
    }

    private function pay(Journal $journal, string $reference = 'order'): Entry
    {
        return $journal->pay($reference, sum: '10', paymentMethod: 'sbp', customerAccount: '79001234567');
    }

    private function assertNotSent(\Closure $pay, string $why): void
    {
        try {
            $pay();
            self::fail('it paid');
        } catch (StorageException $error) {
            self::assertSame('not_sent', $error->outcome());
            self::assertStringContainsString($why, $error->getMessage());
        }
        self::assertSame(0, $this->sandbox->requests('newPayment'));
    }

    /** What ends the connection before or behind one statement, once; what is behind the server's answer is lost. */
    private function losing(Place $place, int $at, string $when): \Closure
    {
        $count = 0;
        return static function (string $sql, \Closure $run) use ($place, $at, $when, &$count): bool {
            if (++$count !== $at) {
                return $run();
            }
            $done = $when === 'behind' && $run();
            $observer = $place->observer();
            if (str_starts_with($place->dsn, 'mysql')) {
                foreach ($observer->query('SHOW PROCESSLIST')->fetchAll(PDO::FETCH_ASSOC) as $process) {
                    if ($process['db'] === explode('dbname=', $place->dsn)[1] && $process['Info'] === null) {
                        $observer->exec("KILL {$process['Id']}");
                    }
                }
            } else {
                $observer->query('SELECT pg_terminate_backend(pid) FROM pg_stat_activity '
                    . 'WHERE pid <> pg_backend_pid() AND datname = current_database()')->fetchAll();
            }
            return $done ? throw new \PDOException('the answer was lost') : $run();
        };
    }
}
