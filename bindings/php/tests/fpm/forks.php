<?php

declare(strict_types=1);

require_once __DIR__ . '/shop.php';

use MerchantPay\Client;
use MerchantPay\Journal;

// Takes payments in this process and in four children. The children use the same objects and end normally.
$journal = new Journal(Client::fromEnv(), (string) getenv('SHOP_JOURNAL'), timeoutMs: 15000);
$pay = static function (string $name, int $count) use ($journal): void {
    for ($number = 0; $number < $count; $number++) {
        $entry = $journal->pay("$name-$number", sum: '10', paymentMethod: 'sbp', customerAccount: '79001234567');
        if ($entry->credentials === null) {
            throw new RuntimeException($entry->json());
        }
    }
};
$pay('before', 1);
$children = [];
foreach ([1, 2, 3, 4] as $child) {
    $children[] = $pid = pcntl_fork();
    if ($pid === 0) {
        $pay("child-$child", $child); // The children end one after another, while the others and their parent pay.
        exit(0);
    }
}
$pay('parent', 8);
foreach ($children as $child) {
    pcntl_waitpid($child, $status);
    if ($status !== 0) {
        throw new RuntimeException("a child ended with $status");
    }
}
$pay('after', 1);
echo "done\n";
