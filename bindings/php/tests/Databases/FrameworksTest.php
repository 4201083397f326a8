<?php

declare(strict_types=1);

namespace MerchantPay\Tests\Databases;

use Doctrine\DBAL\DriverManager;
use Illuminate\Container\Container;
use Illuminate\Database\Capsule\Manager;
use MerchantPay\Journal;
use MerchantPay\Tests\Support\Place;
use MerchantPay\Tests\Support\Sandbox;
use PDO;
use PHPUnit\Framework\TestCase;

/** Tests the README's lines about the database connections of Laravel, and of Symfony with Doctrine. */
final class FrameworksTest extends TestCase
{
    public static function setUpBeforeClass(): void
    {
        // These files come from Debian's packages php-doctrine-dbal and php-illuminate-database.
        require_once 'Doctrine/DBAL/autoload.php';
        require_once 'Illuminate/Database/autoload.php';
    }

    public function testLaravel(): void
    {
        $place = Place::postgresql();
        preg_match('/host=([^;]+);port=(\d+);dbname=(.+)$/', $place->dsn, $found);
        $config = ['driver' => 'pgsql', 'host' => $found[1], 'port' => $found[2], 'database' => $found[3]];
        $config += ['username' => 'shop', 'password' => '', 'charset' => 'utf8', 'prefix' => ''];
        $capsule = new Manager(new Container());
        $capsule->addConnection($config);
        $db = $capsule->getDatabaseManager();
        $factory = fn (): PDO => (new \Illuminate\Database\Connectors\ConnectionFactory(new Container()))
            ->make($config)->getPdo();
        $this->sell($place, $factory, function (\Closure $acknowledge) use ($db): void {
            $db->transaction(function () use ($acknowledge, $db): void {
                $acknowledge($db->connection()->getPdo());
                $db->insert('INSERT INTO shipped (number) VALUES (?)', ['order']);
            });
        });
    }

    /** @return array<string, array{string}> */
    public function places(): array
    {
        return ['PostgreSQL' => ['postgresql'], 'MariaDB' => ['mariadb']];
    }

    /** @dataProvider places */
    public function testDoctrine(string $name): void
    {
        $place = Place::of($name);
        preg_match('/(?:host|unix_socket)=([^;]+);(?:port=\d+;)?dbname=(.+)$/', $place->dsn, $found);
        $params = ['driver' => 'pdo_mysql', 'unix_socket' => $found[1], 'user' => 'root'];
        if ($name === 'postgresql') {
            $params = ['driver' => 'pdo_pgsql', 'host' => $found[1], 'port' => 5432, 'user' => 'shop'];
        }
        $connection = DriverManager::getConnection($params + ['dbname' => $found[2], 'password' => '']);
        $factory = fn (): PDO => DriverManager::getConnection($connection->getParams())->getNativeConnection();
        $this->sell($place, $factory, function (\Closure $acknowledge) use ($connection): void {
            $connection->transactional(function () use ($acknowledge, $connection): void {
                $acknowledge($connection->getNativeConnection());
                $connection->executeStatement('INSERT INTO shipped (number) VALUES (?)', ['order']);
            });
        });
    }

    /**
     * @param \Closure(\Closure(PDO): bool): void $ship acknowledges and ships in a transaction of the
     * framework
     */
    private function sell(Place $place, \Closure $factory, \Closure $ship): void
    {
        $sandbox = new Sandbox('--pace-ms', '0');
        $open = static fn (): Journal => new Journal($sandbox->client(), $factory, create: true);
        $journal = $open();
        $place->observer()->exec('CREATE TABLE shipped (number varchar(120))');
        $entry = $journal->pay('order', sum: '10', paymentMethod: 'sbp', customerAccount: '79001234567');
        $journal->confirm($entry);
        self::assertTrue($open()->wait('order', 20_000, 'final')->succeeded);
        [$news] = $journal->news();
        $ship(static fn (PDO $transaction): bool => $journal->acknowledge($news, $transaction));
        try {
            $ship(static fn (PDO $transaction): bool => $journal->acknowledge($news, $transaction));
            self::fail('it was shipped twice');
        } catch (\MerchantPay\Exception\ConflictException $error) {
            self::assertStringContainsString('another worker', $error->getMessage());
        }
        self::assertSame([['order']], $place->rows('SELECT number FROM shipped'));
    }
}
