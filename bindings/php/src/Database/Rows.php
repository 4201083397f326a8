<?php

declare(strict_types=1);

namespace MerchantPay\Database;

/**
 * The result of a statement.
 *
 * @internal
 */
final class Rows
{
    /** @param list<list<?string>> $rows */
    public function __construct(public readonly array $rows, public readonly int $affected)
    {
    }
}
