<?php

/*
 * What `pay` of the journal costs beside the same guarantees by hand: php pay.php [PAYMENTS], with the settings of a sandbox
 * (`merchantpay sandbox --pace-ms 0`) and SHOP_DSN and SHOP_USER of an empty PostgreSQL in the environment.
 *
 * By hand it is curl, sodium and PDO as PDO is by itself: the row is looked for and stored durably with a token for its webhook
 * before the request is signed and sent, and the verified reply after it. What the journal does beside that: it looks whether the row
 * is stored as others see it, and keeps levels, intents, due times and what the service reported; exact money, and the rest of peer.php.
 */

declare(strict_types=1);

require __DIR__ . '/../../bindings/php/autoload.php';

use MerchantPay\Client;
use MerchantPay\Journal;

const CALLBACK = 'http://127.0.0.1:9/callback';

$connect = static fn (): PDO => new PDO((string) getenv('SHOP_DSN'), (string) getenv('SHOP_USER'), '');
$journal = new Journal(Client::fromEnv(), $connect, callbackUrl: CALLBACK, createTables: true);
$journal->list();

$pdo = $connect();
$pdo->exec('CREATE TABLE by_hand (reference text PRIMARY KEY, token text UNIQUE, asked text NOT NULL, standing text NOT NULL,
    order_id text UNIQUE, reply text, created_at timestamptz NOT NULL DEFAULT now())');
$privateKey = base64_decode((string) getenv('MERCHANTPAY_PRIVATE_KEY'), true);
$serverPublicKey = base64_decode((string) getenv('MERCHANTPAY_SERVER_PUBLIC_KEY'), true);
$signature = '';
$curl = curl_init();
curl_setopt_array($curl, [
    CURLOPT_URL => getenv('MERCHANTPAY_BASE_URL') . '/api/v1/merchant/pay/new',
    CURLOPT_RETURNTRANSFER => true,
    CURLOPT_TIMEOUT => 30,
    CURLOPT_HEADERFUNCTION => static function ($curl, string $line) use (&$signature): int {
        if (strncasecmp($line, 'X-Signature:', 12) === 0) {
            $signature = trim(substr($line, 12));
        }
        return strlen($line);
    },
]);

$byHand = static function (string $reference) use ($pdo, $curl, $privateKey, $serverPublicKey, &$signature): void {
    $asked = ['sum' => 1500.50, 'currency' => 'RUB', 'paymentMethod' => 'sbp', 'customerAccount' => '79001234567'];
    $hash = hash('sha256', json_encode($asked, JSON_THROW_ON_ERROR));
    $find = $pdo->prepare('SELECT asked, standing, order_id, reply FROM by_hand WHERE reference = ?');
    $find->execute([$reference]);
    if ($find->fetch() !== false) {
        throw new RuntimeException('it is there already');
    }
    $token = bin2hex(random_bytes(16));
    $pdo->prepare("INSERT INTO by_hand (reference, token, asked, standing) VALUES (?, ?, ?, 'sending')")
        ->execute([$reference, $token, $hash]);
    $body = json_encode($asked + ['merchantId' => $reference, 'statusWebhookUrl' => CALLBACK . "/$token"], JSON_THROW_ON_ERROR);
    $signature = '';
    curl_setopt_array($curl, [
        CURLOPT_POSTFIELDS => $body,
        CURLOPT_HTTPHEADER => [
            'Content-Type: application/json',
            'X-KeyId: ' . getenv('MERCHANTPAY_KEY_ID'),
            'X-Signature: ' . base64_encode(sodium_crypto_sign_detached($body, $privateKey)),
        ],
    ]);
    $reply = curl_exec($curl);
    $bytes = base64_decode($signature, true);
    if (strlen((string) $bytes) !== 64 || !sodium_crypto_sign_verify_detached($bytes, (string) $reply, $serverPublicKey)) {
        throw new RuntimeException('the reply is not signed by the service');
    }
    $payment = json_decode($reply, true, flags: JSON_THROW_ON_ERROR);
    $pdo->prepare("UPDATE by_hand SET standing = 'open', order_id = ?, reply = ? WHERE reference = ? AND standing = 'sending'")
        ->execute([$payment['orderId'], $reply, $reference]);
};
$ours = static function (string $reference) use ($journal): void {
    $entry = $journal->pay($reference, sum: '1500.50', paymentMethod: 'sbp', customerAccount: '79001234567');
    if ($entry->credentials === null) {
        throw new RuntimeException('the customer cannot pay');
    }
};

/** @return array{float, float} milliseconds of time and of this process's CPU a payment */
$measure = static function (callable $pay, string $name, int $count): array {
    $cpu = static function (): float {
        $usage = getrusage();
        return ($usage['ru_utime.tv_sec'] + $usage['ru_stime.tv_sec']) * 1e3
            + ($usage['ru_utime.tv_usec'] + $usage['ru_stime.tv_usec']) / 1e3;
    };
    [$begun, $before] = [hrtime(true), $cpu()];
    for ($number = 0; $number < $count; $number++) {
        $pay("$name-$number");
    }
    return [(hrtime(true) - $begun) / 1e6 / $count, ($cpu() - $before) / $count];
};

$count = (int) ($argv[1] ?? 200);
$rounds = [];
for ($round = -1; $round < 7; $round++) { // The first one is for warming up.
    // In turn, and turned round, so that what else the machine does meets both.
    $order = ['journal' => $ours, 'by hand' => $byHand];
    foreach ($round % 2 === 0 ? $order : array_reverse($order, true) as $name => $pay) {
        $measured = $measure($pay, "$name-$round", $count);
        if ($round >= 0) {
            $rounds[$name][] = $measured;
        }
    }
}
$median = static function (array $values): float {
    sort($values);
    return $values[intdiv(count($values), 2)];
};
foreach ($rounds as $name => $measured) {
    printf("%-8s %6.2f ms, CPU %5.2f ms\n", $name, $median(array_column($measured, 0)), $median(array_column($measured, 1)));
}
foreach (['time', 'CPU'] as $column => $what) {
    $ratio = static fn (array $ours, array $hand): float => $ours[$column] / $hand[$column];
    printf("journal ÷ by hand, %s: %.2f\n", $what, $median(array_map($ratio, $rounds['journal'], $rounds['by hand'])));
}
