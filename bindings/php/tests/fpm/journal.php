<?php

declare(strict_types=1);

require_once __DIR__ . '/shop.php';

use MerchantPay\Client;
use MerchantPay\Journal;

// Serves all pages of a shop with its journal in a database: /pay/ORDER, which a customer may request repeatedly,
// and the URL of the service's callbacks.
$factory = static fn (): PDO => new PDO((string) getenv('SHOP_DSN'), (string) getenv('SHOP_USER'), '');
$address = "http://{$_SERVER['SERVER_ADDR']}:{$_SERVER['SERVER_PORT']}";
$journal = new Journal(Client::fromEnv(), $factory, callbackUrl: "$address/callback", timeoutMs: 15000);
[, $page, $order] = explode('/', $_SERVER['REQUEST_URI']);
if ($page === 'callback') {
    shop_answer($journal->receiveGlobals()->httpStatus, null);
    exit;
}
try {
    $entry = $journal->payAsync($order, sum: '1500.50', paymentMethod: 'sbp', customerAccount: '79001234567');
    if ($entry->credentials !== null && $entry->confirm === null) {
        $journal->confirm($entry); // This customer pays immediately.
    }
    shop_answer(200, ['standing' => $entry->standing, 'pid' => getmypid()]);
} catch (Throwable $error) {
    shop_answer(500, ['class' => $error::class, 'message' => $error->getMessage()]);
}
