<?php

/*
 * Stores a payment before it would be sent, and its reply, as a careful merchant could by PDO. It uses the journal's own table, and so its
 * indexes. The row is durable before the first byte of the request; it has a random token, which ends the webhook's URL, a hash of the
 * request in place of the customer's account, and the time from which the attempt is unknown. A random stamp identifies each write. The
 * reply is durable before the program shows the credentials.
 *
 * The journal does more than this program: it finds again what was lost, and has a pause, second attempts, webhooks, status queries and
 * news.
 */

declare(strict_types=1);

require __DIR__ . '/commands.php';

const LOOK = 'SELECT details FROM merchantpay_attempts WHERE reference = ? ORDER BY attempt DESC LIMIT 1';
const INSERT = "INSERT INTO merchantpay_attempts (reference, attempt, token, stamp, state, sum_asked, asked, call_until, created_at,
    updated_at, news, acked, tries, intent_calls, attention, seen, refusals, replaced, restored, not_sent, asynchronous, receipt_given)
    VALUES (?, 1, ?, ?, 'sent', ?, ?, ?, ?, ?, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0)";
const UPDATE = "UPDATE merchantpay_attempts SET stamp = ?, state = 'open', call_until = NULL, order_id = ?, sum_paid = ?, details = ?,
    due_at = ?, asking_since = ?, news = ?, news_due = ?, updated_at = ? WHERE reference = ? AND attempt = 1 AND stamp = ?";
const REQUEST = ['sum' => '1500.50', 'currency' => 'RUB', 'paymentMethod' => 'sbp', 'customerAccount' => '79001234567'];

$pdo = new PDO((string) getenv('BENCH_PDO'), (string) getenv('BENCH_USER'), '');
if ($pdo->getAttribute(PDO::ATTR_DRIVER_NAME) === 'sqlite') {
    $pdo->exec('PRAGMA journal_mode = WAL');
    $pdo->exec('PRAGMA synchronous = FULL');
}
$reply = json_decode(WEBHOOK, true, flags: JSON_THROW_ON_ERROR);
$run = static function (string $sql, array $parameters) use ($pdo): PDOStatement {
    $statement = $pdo->prepare($sql);
    $statement->execute($parameters);
    return $statement;
};
$random = static fn (int $bytes): string => bin2hex(random_bytes($bytes));
$now = static fn (): int => (int) (microtime(true) * 1000);

serve(['pay' => static function () use ($run, $random, $now, $reply): void {
    $reference = 'order-' . $random(8);
    expect($run(LOOK, [$reference])->fetch() === false);
    [$token, $stamp, $at] = [$random(16), $random(16), $now()];
    $asked = hash_hmac('sha256', json_encode(REQUEST, JSON_THROW_ON_ERROR), $token);
    $run(INSERT, [$reference, $token, $stamp, REQUEST['sum'], $asked, $at + 40_000, $at, $at]);
    // Here the request is sent.
    [$orderId, $at] = ['sb-' . $random(12), $now()];
    $details = json_encode(['orderId' => $orderId] + $reply, JSON_THROW_ON_ERROR);
    $values = [$random(16), $orderId, REQUEST['sum'], $details, $at + 2_000, $at, $at, $at, $at, $reference, $stamp];
    expect($run(UPDATE, $values)->rowCount() === 1);
}]);
