<?php

declare(strict_types=1);

namespace MerchantPay\Tests\Support;

use PDO;
use PDOStatement;

/** A statement that a test controls while it is executed. PDO creates it through ATTR_STATEMENT_CLASS. */
final class Watched extends PDOStatement
{
    /** @param ?\Closure(string, \Closure(): bool): bool $execute gets the SQL, and a function that runs the SQL */
    protected function __construct(private readonly ?\Closure $execute)
    {
    }

    /** @return array<int, mixed> options of a connection with such statements */
    public static function by(\Closure $execute): array
    {
        return [PDO::ATTR_STATEMENT_CLASS => [self::class, [$execute]]];
    }

    public function execute(?array $params = null): bool
    {
        return ($this->execute)($this->queryString, fn (): bool => parent::execute($params));
    }
}
