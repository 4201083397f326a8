<?php

/*
 * Acknowledges and ships in one transaction of the shop, for shops that use Doctrine or Laravel. The journal and the
 * table `orders` are in one database. shop.php does the same with PDO.
 */

declare(strict_types=1);

namespace Shop;

use Doctrine\DBAL\Connection;
use Illuminate\Database\ConnectionInterface;
use MerchantPay\Entry;

// [doctrine]
/** With the ORM, the connection is that of the entity manager: getConnection(). */
function act_with_doctrine(Connection $orders, Entry $entry): void
{
    $orders->transactional(static function (Connection $orders) use ($entry): void {
        if ($orders->executeStatement(...$entry->acknowledgeSql('question')) === 0) {
            return; // Another worker was first, or there are newer news.
        }
        if ($entry->succeeded) {
            $sql = 'UPDATE orders SET shipped = shipped + 1 WHERE number = ?';
            $orders->executeStatement($sql, [$entry->reference]);
        }
    });
}
// [/doctrine]

// [laravel]
/** $orders is DB::connection(), or the connection that your Eloquent models use. */
function act_with_laravel(ConnectionInterface $orders, Entry $entry): void
{
    $orders->transaction(static function () use ($orders, $entry): void {
        if ($orders->update(...$entry->acknowledgeSql('question')) === 0) {
            return; // Another worker was first, or there are newer news.
        }
        if ($entry->succeeded) {
            $orders->table('orders')->where('number', $entry->reference)->increment('shipped');
        }
    });
}
// [/laravel]
