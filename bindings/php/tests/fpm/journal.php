<?php

declare(strict_types=1);

require_once __DIR__ . '/shop.php';

use MerchantPay\Client;
use MerchantPay\Journal;

// Pays the order of the URL. Each request opens the journal anew.
try {
    $journal = new Journal(Client::fromEnv(), (string) getenv('SHOP_JOURNAL'), timeoutMs: 15000);
    $order = basename($_SERVER['REQUEST_URI']);
    $entry = $journal->pay($order, sum: '10', paymentMethod: 'sbp', customerAccount: '79001234567');
    shop_answer(200, ['standing' => $entry->standing, 'pid' => getmypid()]);
} catch (Throwable $error) {
    shop_answer(500, ['class' => $error::class, 'message' => $error->getMessage()]);
}
