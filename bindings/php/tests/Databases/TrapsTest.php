<?php

declare(strict_types=1);

namespace MerchantPay\Tests\Databases;

use MerchantPay\Exception\InvalidArgumentException;
use MerchantPay\Exception\StorageException;
use MerchantPay\Journal;
use MerchantPay\Tests\Support\Place;
use MerchantPay\Tests\Support\Program;
use MerchantPay\Tests\Support\Watched;
use PDO;

/** Tests that the journal's connection handles faults and unsafe settings of a real database. */
final class TrapsTest extends PlacesTestCase
{
    /** @return array<string, array{string}> the places that use PostgreSQL */
    public function postgresql(): array
    {
        return array_filter(Place::names(), static fn (array $row): bool => !in_array($row[0], ['sqlite', 'mariadb']));
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
            $reference = "№ \u{5c}' \u{4e2d}\\"; // A driver that reads gbk reads the last two bytes as one character.
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

    /** @dataProvider postgresql */
    public function testAnotherEncodingIsOneReferenceAndNoHarm(string $name): void
    {
        $place = $this->made($name);
        $encoded = static function () use ($place): PDO {
            $connection = $place->connect();
            $connection->exec("SET client_encoding TO 'WIN1251'");
            return $connection;
        };
        $entry = $this->pay($this->journal($encoded), 'заказ-1');
        self::assertSame($entry->orderId, $this->pay($this->journal($place->factory()), 'заказ-1')->orderId);
        self::assertSame(1, $this->sandbox->requests('newPayment'));
        $shop = $encoded();
        $shop->beginTransaction();
        $this->expectException(InvalidArgumentException::class);
        $this->expectExceptionMessage('client_encoding is not UTF8');
        $this->journal($place->factory())->acknowledge($entry, $shop);
    }

    /** @dataProvider charsets */
    public function testAReferenceIsNeverSqlOfAnotherCharacterSet(string $charset): void
    {
        $place = $this->made('mariadb');
        $journal = $this->journal($place->factory());
        $entry = $this->pay($journal, "\u{4e2d}\\' OR '1'='1");
        $shop = $place->connect();
        $shop->exec("SET NAMES $charset");
        $shop->beginTransaction();
        self::assertTrue($journal->acknowledge($entry, $shop));
        $shop->commit();
        self::assertSame($entry->reported, $journal->find($entry->reference)?->acknowledged);
    }

    /** @return list<array{string}> */
    public function charsets(): array
    {
        return [['gbk'], ['sjis'], ['utf8mb4']];
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
        // This factory throws an exception after the connection was lost.
        $connections = 0;
        $factory = function () use ($place, &$connections): PDO {
            if (++$connections > 1) {
                throw new \LogicException('no second one');
            }
            return $place->connect(Watched::by($this->losing($place, 1, 'before')));
        };
        // pgbouncer hides the loss of a server connection, because it opens a new connection.
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
        // With a pooler in transaction mode, a setting can apply to a different connection.
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

    /**
     * Ends the connection before or after one statement, once. If the connection ends after the statement, only
     * the server's answer is lost.
     */
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
