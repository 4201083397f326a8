<?php

declare(strict_types=1);

namespace MerchantPay\Tests\Support;

use PDO;

/** An empty database for one test, on one of the servers that `with-databases` has started. */
final class Place
{
    private function __construct(
        public readonly string $dsn,
        private readonly ?string $user,
        /** The data source name of the same database without a pooler. */
        private readonly ?string $direct = null,
        private readonly ?Folder $folder = null,
    ) {
    }

    /** Restarts the PostgreSQL server that all tests share. */
    public static function restartPostgresql(): void
    {
        $request = stream_socket_client('unix://' . self::server('MERCHANTPAY_POSTGRESQL') . '/restart');
        stream_set_timeout($request, 60);
        fread($request, 1);
    }

    /** @return array<string, array{string}> the places by their names, for a data provider */
    public static function names(): array
    {
        return [
            'SQLite through PDO' => ['sqlite'],
            'PostgreSQL' => ['postgresql'],
            'pgbouncer in transaction mode' => ['pgbouncer'],
            'MariaDB' => ['mariadb'],
        ];
    }

    public static function of(string $name): self
    {
        return self::$name();
    }

    public static function sqlite(): self
    {
        $folder = new Folder();
        return new self("sqlite:$folder->path/shop.db", null, null, $folder);
    }

    public static function postgresql(): self
    {
        return new self(self::postgresqlDatabase('MERCHANTPAY_POSTGRESQL', self::created()), 'shop');
    }

    public static function pgbouncer(): self
    {
        $name = self::created();
        $direct = self::postgresqlDatabase('MERCHANTPAY_POSTGRESQL', $name);
        return new self(self::postgresqlDatabase('MERCHANTPAY_PGBOUNCER', $name), 'shop', $direct);
    }

    public static function mariadb(): self
    {
        $name = self::name();
        $server = 'mysql:unix_socket=' . self::server('MERCHANTPAY_MARIADB');
        (new PDO($server, 'root', ''))->exec("CREATE DATABASE $name CHARACTER SET utf8mb4");
        return new self("$server;dbname=$name", 'root');
    }

    /** @param array<int, mixed> $options */
    public function connect(array $options = []): PDO
    {
        return new PDO($this->dsn, $this->user, '', $options);
    }

    /**
     * @param array<int, mixed> $options
     * @return \Closure(): PDO
     */
    public function factory(array $options = []): \Closure
    {
        return fn (): PDO => $this->connect($options);
    }

    /** Makes another connection. It sees committed data, and can end other connections. */
    public function observer(): PDO
    {
        return new PDO($this->direct ?? $this->dsn, $this->user, '');
    }

    /** @return array<string, string> the environment of a program that connects to this database */
    public function environment(): array
    {
        return ['SHOP_DSN' => $this->dsn, 'SHOP_USER' => (string) $this->user];
    }

    /** @return list<list<mixed>> */
    public function rows(string $sql): array
    {
        return $this->observer()->query($sql)->fetchAll(PDO::FETCH_NUM);
    }

    private static function name(): string
    {
        return 'php_' . bin2hex(random_bytes(6));
    }

    private static function created(): string
    {
        $name = self::name();
        $server = self::postgresqlDatabase('MERCHANTPAY_POSTGRESQL', 'postgres');
        (new PDO($server, 'shop', ''))->exec("CREATE DATABASE $name");
        return $name;
    }

    private static function postgresqlDatabase(string $server, string $name): string
    {
        return 'pgsql:host=' . self::server($server) . ";port=5432;dbname=$name";
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
