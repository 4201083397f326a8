<?php

declare(strict_types=1);

require_once __DIR__ . '/shop.php';

use MerchantPay\Client;
use MerchantPay\Exception\ConflictException;
use MerchantPay\Exception\StorageException;
use MerchantPay\Journal;

// A worker that settles and ships until it is killed. It ships each entry in a transaction. The transaction
// acknowledges the entry first.
$connect = static fn (): PDO => new PDO((string) getenv('SHOP_DSN'), (string) getenv('SHOP_USER'), '');
$journal = new Journal(Client::fromEnv(), $connect, callbackUrl: $argv[1], callsPerSecond: 1000);
$shop = $connect();
while (true) {
    try {
        $journal->settle();
        foreach ($journal->news(limit: 20, claimMs: 2000) as $entry) {
            $shop->beginTransaction();
            try {
                $journal->acknowledge($entry, $shop);
                if ($entry->succeeded) {
                    $shop->prepare('INSERT INTO shipped (number, worker) VALUES (?, ?)')
                        ->execute([$entry->reference, getmypid()]);
                }
                $shop->commit();
            } catch (ConflictException) {
                $shop->rollBack();
            }
        }
    } catch (StorageException) {
    }
    usleep(20_000);
}
