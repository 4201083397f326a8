<?php

/*
 * A shop with its orders and its journal in one PostgreSQL database. php-fpm serves all pages. Workers ship the orders:
 *
 *     php shop.php worker
 *
 * Each paid order is shipped exactly once, with any number of workers, even if workers are killed. In addition to the
 * library's settings the shop has SHOP_URL (the URL at which the service and the customers reach the shop), SHOP_DSN,
 * SHOP_USER and SHOP_PASSWORD, and for the journal the same database as SHOP_JOURNAL: postgresql://USER@HOST/DATABASE.
 * `merchantpay journal init --journal "$SHOP_JOURNAL"` creates the journal's tables. The shop's own table is
 *
 *     CREATE TABLE orders (number text PRIMARY KEY, sum text NOT NULL, shipped integer NOT NULL DEFAULT 0);
 */

declare(strict_types=1);

namespace Shop;

require __DIR__ . '/vendor/autoload.php';
require_once 'Bacon/BaconQrCode/autoload.php'; // from Debian's php-bacon-qr-code; with Composer: bacon/bacon-qr-code

use BaconQrCode\Renderer\Image\SvgImageBackEnd;
use BaconQrCode\Renderer\ImageRenderer;
use BaconQrCode\Renderer\RendererStyle\RendererStyle;
use BaconQrCode\Writer;
use MerchantPay\Client;
use MerchantPay\Entry;
use MerchantPay\Exception\InvalidArgumentException;
use MerchantPay\Exception\StorageException;
use MerchantPay\Journal;
use MerchantPay\Standing;
use PDO;
use PDOException;

function connect(): PDO
{
    return new PDO((string) getenv('SHOP_DSN'), getenv('SHOP_USER') ?: null, getenv('SHOP_PASSWORD') ?: null);
}

function journal(): Journal
{
    // The journal keeps its own connection, separate from the connection for the orders.
    $place = (string) getenv('SHOP_JOURNAL');
    return new Journal(Client::fromEnv(), $place, callbackUrl: getenv('SHOP_URL') . '/callback');
}

// [act]
/** Acknowledges the entry and ships its order in one transaction, so each order is shipped exactly once. */
function act(Entry $entry, PDO $orders): void
{
    $orders->beginTransaction();
    [$sql, $parameters] = $entry->acknowledgeSql('question');
    $acknowledge = $orders->prepare($sql);
    $acknowledge->execute($parameters);
    if ($acknowledge->rowCount() === 0) {
        $orders->rollBack(); // Another worker was first, or there are newer news.
        return;
    }
    if ($entry->succeeded) {
        $orders->prepare('UPDATE orders SET shipped = shipped + 1 WHERE number = ?')->execute([$entry->reference]);
    }
    $orders->commit();
    echo "$entry->reference $entry->standing", $entry->succeeded ? ': shipped' : '', "\n";
}
// [/act]

/** Runs a worker. It continues after a restart of the database, and ends with an error that needs an operator. */
function work(Journal $journal): void
{
    $orders = null;
    while (true) {
        $pause = 500;
        try {
            $pause = min($journal->settle()->nextDueMs ?? $pause, $pause);
            foreach ($journal->news() as $entry) {
                act($entry, $orders ??= connect());
            }
        } catch (StorageException | PDOException $error) {
            if ($error instanceof StorageException && !$error->isTransient()) {
                throw $error;
            }
            fwrite(STDERR, "later again: {$error->getMessage()}\n");
            $orders = null; // The connection is possibly lost: the next round opens a new connection.
        }
        usleep(1000 * $pause);
    }
}

function html(?string $text): string
{
    return htmlspecialchars((string) $text);
}

/** The customer's view of an order, with the actions that are possible. */
function state(string $number, string $sum, ?Entry $entry): string
{
    $form = static fn (string $action, string $label, string $field = ''): string =>
        "<form method=post action='/orders/" . rawurlencode($number) . "/$action'>$field<button>$label</button></form>";
    $phone = '<p><input name=phone type=tel required pattern="7[0-9]{10}" placeholder="Phone: 79001234567"></p>';
    $credentials = $entry?->credentials;
    return match (true) {
        $entry === null => $form('pay', 'Pay ' . html($sum) . ' ₽ by SBP', $phone),
        $entry->succeeded => '<p class=good>Paid. Thank you: it is on its way.</p>',
        $credentials !== null && $entry->intent === null => '<p>Scan the code with your phone, or <a href="'
            . html($credentials->deeplink) . '">open your bank here</a>.</p>' . qr_code((string) $credentials->deeplink)
            . '<p>Or transfer <b>' . html($credentials->sum) . ' ₽</b> to<br><b>' . html($credentials->payeeAccount)
            . '</b><br>' . html($credentials->payeeAccountBank) . '<br>' . html($credentials->payeeName) . '</p>'
            . $form('paid', 'I have paid'),
        $entry->standingCase() === Standing::Refused => '<p>There was nobody to take the payment just now, and nothing '
            . 'was charged.</p>' . $form('pay', 'Try again', $phone),
        $entry->standingCase() === Standing::Final => '<p>The payment was not completed. Please write to us.</p>',
        default => '<p class=wait>One moment: this page goes on by itself.</p>',
    };
}

function qr_code(string $link): string
{
    $svg = (new Writer(new ImageRenderer(new RendererStyle(240, 2), new SvgImageBackEnd())))->writeString($link);
    return '<img alt="the code to scan" width=240 src="data:image/svg+xml;base64,' . base64_encode($svg) . '">';
}

function page(string $number, string $sum, ?Entry $entry): string
{
    [$title, $state] = ['Order ' . html($number), state($number, $sum, $entry)];
    $refresh = str_contains($state, '<form') || $entry?->standingCase() === Standing::Final
        ? '' : '<meta http-equiv=refresh content=2>';
    return <<<HTML
        <!doctype html>
        <html lang=en><meta charset=utf-8><meta name=viewport content="width=device-width">$refresh
        <title>$title</title>
        <style>
        body { font: 17px/1.5 system-ui, sans-serif; max-width: 26rem; margin: 3rem auto; text-align: center }
        button, input { font: inherit; padding: .7em 1.6em; border: 1px solid #1d6f42; border-radius: .6em }
        button { background: #1d6f42; color: #fff }
        .good { color: #1d6f42; font-weight: bold } .wait { color: #666 } h1 { font-size: 1.4rem }
        </style>
        <h1>$title</h1><p>{$sum} ₽</p>
        $state
        HTML;
}

function serve(string $method, string $path, Journal $journal): void
{
    if (str_starts_with($path, '/callback/')) {
        http_response_code($journal->receiveGlobals()->httpStatus);
        return;
    }
    [, $folder, $number, $action] = explode('/', rawurldecode($path)) + ['', '', '', ''];
    $query = connect()->prepare('SELECT sum FROM orders WHERE number = ?');
    $query->execute([$number]);
    $sum = $query->fetchColumn();
    if ($folder !== 'orders' || $sum === false) {
        http_response_code(404);
        return;
    }
    if ($method === 'POST' && $action === 'pay') {
        $journal->payAsync($number, sum: $sum, paymentMethod: 'sbp', customerAccount: $_POST['phone'] ?? '');
    } elseif ($method === 'POST' && $action === 'paid') {
        $entry = $journal->find($number);
        if ($entry?->credentials !== null) {
            $journal->confirm($entry);
        }
    } else {
        echo page($number, $sum, $journal->find($number));
        return;
    }
    header('Location: /orders/' . rawurlencode($number), response_code: 303);
}

$journal = journal();
if (PHP_SAPI === 'cli') {
    work($journal);
}
try {
    serve($_SERVER['REQUEST_METHOD'], explode('?', $_SERVER['REQUEST_URI'])[0], $journal);
} catch (InvalidArgumentException $error) { // an empty phone number, or a different number for the same order
    http_response_code(400);
    echo html($error->getMessage());
}
