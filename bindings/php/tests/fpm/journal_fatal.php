<?php

declare(strict_types=1);

namespace MerchantPay\Tests\Fpm;

require_once __DIR__ . '/shop.php';

use MerchantPay\Client;
use MerchantPay\Journal;
use PDO;
use PDOStatement;

// Takes a payment. If a header of the request asks for it, PHP ends by a fatal error during the payment's third
// statement.
final class DyingStatement extends PDOStatement
{
    private static int $count = 0;

    protected function __construct()
    {
    }

    public function execute(?array $params = null): bool
    {
        if (++self::$count === 3 && $_SERVER['HTTP_X_END'] === 'fatal') {
            ini_set('memory_limit', '8M');
            str_repeat('x', 1 << 26);
        }
        return parent::execute($params);
    }
}

$factory = static fn (): PDO => new PDO((string) getenv('SHOP_DSN'), (string) getenv('SHOP_USER'), '', [
    PDO::ATTR_STATEMENT_CLASS => [DyingStatement::class, []],
]);
$journal = new Journal(Client::fromEnv(), $factory, timeoutMs: 15000);
$entry = $journal->pay($_SERVER['HTTP_X_ORDER'], sum: '10', paymentMethod: 'sbp', customerAccount: '79001234567');
preg_match('/VmRSS:\s+(\d+)/', (string) file_get_contents('/proc/self/status'), $found);
shop_answer(200, [
    'standing' => $entry->standing,
    'pid' => getmypid(),
    'files' => count(scandir('/proc/self/fd')),
    'kilobytes' => (int) $found[1],
]);
