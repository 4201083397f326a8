<?php

declare(strict_types=1);

namespace MerchantPay\Tests\Databases;

use MerchantPay\Exception\ConflictException;
use MerchantPay\Exception\InvalidArgumentException;
use MerchantPay\Exception\StorageException;
use MerchantPay\Tests\Support\Place;
use PDO;

/** Tests the journal inside and outside the merchant's own transactions. */
final class TransactionsTest extends PlacesTestCase
{
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
            self::assertStringContainsString('no open transaction', $refused($place->connect()));
            self::assertStringContainsString('different database', $refused(Place::sqlite()->connect()));
        }
        $shop = $place->connect([PDO::ATTR_ERRMODE => PDO::ERRMODE_SILENT]);
        $shop->beginTransaction();
        self::assertTrue($journal->acknowledge($entry, $shop));
        $shop->rollBack(); // After the rollback the entry is not acknowledged.
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
        self::assertFalse($shop->inTransaction()); // PDO has rolled its transaction back.
        // With a different DSN, PHP makes a separate connection.
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
                    usleep(500_000); // Meanwhile the other worker waits for the lock.
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
}
