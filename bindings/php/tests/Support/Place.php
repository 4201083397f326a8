<?php

declare(strict_types=1);

namespace MerchantPay\Tests\Support;

use PDO;

/** An empty database for one test, on one of the servers that `with-databases` has started. */
final class Place
{
    private function __construct(
        /** The journal's place. */
        public readonly string $url,
        private readonly string $dsn,
        private readonly string $user,
    ) {
    }

    /** @return array<string, array{string}> the places by their names, for a data provider */
    public static function names(): array
    {
        return ['PostgreSQL' => ['postgresql'], 'MariaDB' => ['mariadb']];
    }

    public static function of(string $name): self
    {
        return self::$name();
    }

    public static function postgresql(): self
    {
        [$name, $socket] = [self::name(), self::server('MERCHANTPAY_POSTGRESQL')];
        (new PDO("pgsql:host=$socket;port=5432;dbname=postgres", 'shop', ''))->exec("CREATE DATABASE $name");
        $url = "postgresql:///$name?user=shop&host=$socket";
        return new self($url, "pgsql:host=$socket;port=5432;dbname=$name", 'shop');
    }

    public static function mariadb(): self
    {
        [$name, $socket] = [self::name(), self::server('MERCHANTPAY_MARIADB')];
        (new PDO("mysql:unix_socket=$socket", 'root', ''))->exec("CREATE DATABASE $name CHARACTER SET utf8mb4");
        return new self("mysql:///$name?user=root&socket=$socket", "mysql:unix_socket=$socket;dbname=$name", 'root');
    }

    /** Restarts the PostgreSQL server that all tests share. */
    public static function restartPostgresql(): void
    {
        $request = stream_socket_client('unix://' . self::server('MERCHANTPAY_POSTGRESQL') . '/restart');
        stream_set_timeout($request, 60);
        fread($request, 1);
    }

    public function connect(): PDO
    {
        return new PDO($this->dsn, $this->user, '');
    }

    /** @return array<string, string> the environment of a shop over this database */
    public function environment(): array
    {
        return ['SHOP_DSN' => $this->dsn, 'SHOP_USER' => $this->user, 'SHOP_JOURNAL' => $this->url];
    }

    /** @return list<list<mixed>> */
    public function rows(string $sql): array
    {
        return $this->connect()->query($sql)->fetchAll(PDO::FETCH_NUM);
    }

    private static function name(): string
    {
        return 'php_' . bin2hex(random_bytes(6));
    }

    private static function server(string $variable): string
    {
        $server = getenv($variable);
        if (!is_string($server) || $server === '') {
            throw new \RuntimeException("$variable is not set: run bindings/php/tools/test databases");
        }
        return $server;
    }
}
