<?php

/*
 * Compares the cost of the journal's `pay` with hand-written code that gives the same guarantees: php pay.php [PAYMENTS]. The environment
 * has the settings of a sandbox (`merchantpay sandbox --pace-ms 0`), and SHOP_DSN and SHOP_USER of an empty PostgreSQL database.
 *
 * The hand-written code uses curl, sodium and PDO with its default attributes. The row is durable before the request is signed and sent.
 * The row contains a token for the webhook's URL, a hash of the request in place of the account, and the time from which the attempt is
 * unknown. A random writer and a version identify each write, so that a write whose result was lost can be found again. The code reads the
 * row back, as other processes see the row, with the earlier attempts. The verified reply is stored before the credentials are shown. The
 * table has the indexes for due attempts, for news and for attention. The code does not handle failures. It lacks exact money, and
 * everything else that peer.php lacks.
 */

declare(strict_types=1);

require __DIR__ . '/../../bindings/php/autoload.php';

use MerchantPay\Client;
use MerchantPay\Journal;

const CALLBACK = 'http://127.0.0.1:9/callback';

$connect = static fn (): PDO => new PDO((string) getenv('SHOP_DSN'), (string) getenv('SHOP_USER'), '');
$journal = new Journal(Client::fromEnv(), $connect, callbackUrl: CALLBACK, create: true);
$journal->list();

$pdo = $connect();
$pdo->exec('CREATE TABLE by_hand (reference text NOT NULL, attempt bigint NOT NULL, account text NOT NULL, standing text NOT NULL,
    order_id text UNIQUE, status text, sum_asked text NOT NULL, sum_paid text, reported bigint NOT NULL, acknowledged bigint NOT NULL,
    attention text, due_at bigint, created_at bigint NOT NULL, updated_at bigint NOT NULL, version bigint NOT NULL, writer text NOT NULL,
    token text NOT NULL UNIQUE, record text NOT NULL, PRIMARY KEY (reference, attempt));
    CREATE INDEX ON by_hand (due_at) WHERE due_at IS NOT NULL; CREATE INDEX ON by_hand (updated_at) WHERE reported > acknowledged;
    CREATE INDEX ON by_hand (created_at) WHERE attention IS NOT NULL');
$run = static function (string $sql, array $parameters) use ($pdo): PDOStatement {
    $statement = $pdo->prepare($sql);
    $statement->execute($parameters);
    return $statement;
};
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

$byHand = static function (string $reference) use ($run, $curl, $privateKey, $serverPublicKey, &$signature): void {
    $asked = ['sum' => 1500.50, 'currency' => 'RUB', 'paymentMethod' => 'sbp', 'customerAccount' => '79001234567'];
    [$now, $account] = $run('SELECT CAST(EXTRACT(EPOCH FROM clock_timestamp()) * 1000 AS bigint), p.account FROM (SELECT 1 AS one) AS o
        LEFT JOIN (SELECT account FROM by_hand WHERE reference = ? ORDER BY attempt DESC LIMIT 1) AS p ON true', [$reference])
        ->fetch(PDO::FETCH_NUM);
    if ($account !== null) {
        throw new RuntimeException('it is there already');
    }
    [$token, $writer] = [bin2hex(random_bytes(16)), bin2hex(random_bytes(16))];
    $record = ['requestHash' => hash_hmac('sha256', json_encode($asked, JSON_THROW_ON_ERROR), $token), 'paymentMethod' => 'sbp'];
    $run("INSERT INTO by_hand (reference, attempt, account, standing, sum_asked, reported, acknowledged, due_at, created_at, updated_at,
        version, writer, token, record) VALUES (?, 1, 'shop', 'sending', '1500.50', 0, 0, ?, ?, ?, 1, ?, ?, ?)",
        [$reference, $now + 40_000, $now, $now, $writer, $token, json_encode($record, JSON_THROW_ON_ERROR)]);
    $stored = $run("SELECT (SELECT writer FROM by_hand WHERE reference = ? AND attempt = 1), (SELECT COUNT(*) FROM by_hand
        WHERE reference = ? AND attempt < 1 AND standing NOT IN ('superseded', 'final')),
        CASE WHEN txid_current_if_assigned() IS NULL THEN 0 ELSE 1 END", [$reference, $reference])->fetch(PDO::FETCH_NUM);
    if ($stored !== [$writer, 0, 0]) {
        throw new RuntimeException('it is not stored for good');
    }
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
    $record['payment'] = $payment;
    $written = $run("UPDATE by_hand SET standing = 'open', order_id = ?, status = ?, sum_paid = ?, reported = 1, due_at = ?, updated_at = ?,
        version = 2, writer = ?, record = ? WHERE reference = ? AND attempt = 1 AND version = 1", [
        $payment['orderId'],
        $payment['status'] ?? null,
        (string) $payment['sum'],
        $now + 2_000,
        $now,
        bin2hex(random_bytes(16)),
        json_encode($record, JSON_THROW_ON_ERROR),
        $reference,
    ]);
    if ($written->rowCount() !== 1) {
        throw new RuntimeException('another process has it');
    }
};
$ours = static function (string $reference) use ($journal): void {
    $entry = $journal->pay($reference, sum: '1500.50', paymentMethod: 'sbp', customerAccount: '79001234567');
    if ($entry->credentials === null) {
        throw new RuntimeException('the customer cannot pay');
    }
};

/** @return array{float, float} milliseconds of elapsed time and of this process's CPU time per payment */
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
for ($round = -1; $round < 7; $round++) { // The first round is for warming up.
    // The two programs take turns, and every second round has the reverse order, so that other load of the machine
    // affects both.
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
