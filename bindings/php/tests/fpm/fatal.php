<?php

declare(strict_types=1);

require_once __DIR__ . '/shop.php';

use MerchantPay\Client;
use MerchantPay\Exception\RejectedException;

// Takes a payment, and then ends in the way that a header of the request names.
$client = new Client(
    baseUrl: (string) getenv('MERCHANTPAY_BASE_URL'),
    keyId: (string) getenv('MERCHANTPAY_KEY_ID'),
    privateKey: (string) getenv('MERCHANTPAY_PRIVATE_KEY'),
    serverPublicKey: (string) getenv('MERCHANTPAY_SERVER_PUBLIC_KEY'),
);
$ask = static function () use ($client): string {
    try {
        return $client->getStatus('nobody')->orderId;
    } catch (RejectedException $error) {
        return $error->code();
    }
};
$ask();
$end = $_SERVER['HTTP_X_END'];
if ($end !== 'none') {
    register_shutdown_function(static function () use ($ask): void {
        ini_set('memory_limit', '64M');
        shop_note('ends', $ask()); // The client is still open at this point.
    });
}
ini_set('memory_limit', '8M');
switch ($end) {
    case 'large':
        str_repeat('x', 1 << 26);
        break;
    case 'small':
        for ($list = [];;) {
            $list = [$list];
        }
        // no break
    case 'thrown':
        throw new LogicException('end of it');
}
preg_match('/VmRSS:\s+(\d+)/', (string) file_get_contents('/proc/self/status'), $found);
shop_answer(200, ['pid' => getmypid(), 'files' => count(scandir('/proc/self/fd')), 'kilobytes' => (int) $found[1]]);
