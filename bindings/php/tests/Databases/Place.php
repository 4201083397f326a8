<?php

declare(strict_types=1);

namespace MerchantPay\Tests\Databases;

use PDO;

/** An empty database for one test, on one of the servers that `with-databases` has started. */
final class Place
{
    /** @param string $url the journal's place */
    private function __construct(
        public readonly string $url,
        private readonly string $dsn,
        private readonly string $user,
    ) {
    }

    public static function of(string $name): self
    {
        $database = 'php_' . bin2hex(random_bytes(6));
        $socket = self::server($name);
        [$user, $server, $first, $at] = match ($name) {
            'postgresql' => ['shop', "pgsql:host=$socket;port=5432", 'postgres', 'host'],
            'mysql' => ['root', "mysql:unix_socket=$socket", 'mysql', 'socket'],
        };
        (new PDO("$server;dbname=$first", $user, ''))->exec("CREATE DATABASE $database");
        return new self("$name:///$database?user=$user&$at=$socket", "$server;dbname=$database", $user);
    }

    /** Restarts the PostgreSQL server that all tests share. */
    public static function restartPostgresql(): void
    {
        $request = stream_socket_client('unix://' . self::server('postgresql') . '/restart');
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

    private static function server(string $name): string
    {
        $variable = ['postgresql' => 'MERCHANTPAY_POSTGRESQL', 'mysql' => 'MERCHANTPAY_MARIADB'][$name];
        return getenv($variable)
            ?: throw new \RuntimeException("$variable is not set: run bindings/php/tools/test databases");
    }
}
