<?php

/*
 * A shop with Symfony's HttpFoundation and Routing, and Doctrine's DBAL. A separate worker ships the paid orders:
 *
 *     php symfony_shop.php worker
 *
 * SHOP_DATABASE names an SQLite file, and SHOP_JOURNAL the journal's own file or a database as postgresql://… or
 * mysql://…; `php symfony_shop.php tables` creates the tables. SHOP_URL is the URL at which the service reaches this
 * shop. The client reads its settings from MERCHANTPAY_BASE_URL and so on, in the environment or a .env file.
 */

declare(strict_types=1);

namespace Shop\Symfony;

require_once __DIR__ . '/../vendor/autoload.php';
require_once 'Symfony/Component/HttpFoundation/autoload.php';
require_once 'Symfony/Component/Routing/autoload.php';
require_once 'Doctrine/DBAL/autoload.php';

use Doctrine\DBAL\Connection;
use Doctrine\DBAL\DriverManager;
use MerchantPay\Client;
use MerchantPay\Exception\InvalidArgumentException;
use MerchantPay\Journal;
use MerchantPay\JournalInterface;
use Symfony\Component\HttpFoundation\JsonResponse;
use Symfony\Component\HttpFoundation\Request;
use Symfony\Component\HttpFoundation\Response;
use Symfony\Component\Routing\Exception\ResourceNotFoundException;
use Symfony\Component\Routing\Matcher\UrlMatcher;
use Symfony\Component\Routing\RequestContext;
use Symfony\Component\Routing\Route;
use Symfony\Component\Routing\RouteCollection;

const TABLE = 'CREATE TABLE orders (number TEXT PRIMARY KEY, sum TEXT, shipped INTEGER DEFAULT 0)';
const ROUTES = ['pay' => '/orders/{number}/pay', 'paid' => '/orders/{number}/paid', 'callback' => '/callback/{token}'];

// [service]
function database(): Connection
{
    return DriverManager::getConnection(['driver' => 'pdo_sqlite', 'path' => getenv('SHOP_DATABASE')]);
}

/** Makes the journal as a service. */
function journal(bool $create = false): Journal
{
    $place = (string) getenv('SHOP_JOURNAL'); // /var/lib/shop/payments.db, postgresql://… or mysql://…
    return new Journal(Client::fromEnv(), $place, callbackUrl: getenv('SHOP_URL') . '/callback', create: $create);
}

// [/service]

final class Shop
{
    public function __construct(private readonly Connection $database, private readonly JournalInterface $journal)
    {
    }

    public function pay(Request $request, string $number): Response
    {
        $sum = $this->database->fetchOne('SELECT sum FROM orders WHERE number = ?', [$number]);
        if ($sum === false) {
            return new Response(status: 404);
        }
        $phone = (string) $request->request->get('phone');
        // The same order number returns the same payment.
        $entry = $this->journal->pay($number, sum: $sum, paymentMethod: 'sbp', customerAccount: $phone);
        $deeplink = $entry->credentials?->deeplink; // only if the customer can pay now
        return new JsonResponse(['standing' => $entry->standing, 'sum' => $sum, 'deeplink' => $deeplink]);
    }

    public function paid(Request $request, string $number): Response
    {
        $entry = $this->journal->find($number);
        if ($entry?->credentials === null) {
            return new Response('nothing is to be paid', 409);
        }
        $this->journal->confirm($entry);
        return new Response(status: 204);
    }

    // [webhook]
    public function callback(Request $request): Response
    {
        // Uses the raw body: a parsed and rewritten body does not verify.
        [$body, $header] = [$request->getContent(), $request->headers->get(...)];
        $received = $this->journal->receive($request->getPathInfo(), $body, $header('X-Signature'), $header('X-KeyId'));
        return new Response(status: $received->httpStatus);
    }

    // [/webhook]

    // [ship]
    /** Ships paid orders. A worker that dies before it acknowledges an entry gets it again, and ships nothing twice. */
    public function shipPaid(): void
    {
        $this->journal->settle();
        foreach ($this->journal->news() as $entry) {
            if ($entry->succeeded) { // exactly the requested sum was paid
                $this->database->update('orders', ['shipped' => 1], ['number' => $entry->reference]);
            }
            $this->journal->acknowledge($entry);
        }
    }

    // [/ship]

    public function handle(Request $request): Response
    {
        $routes = new RouteCollection();
        foreach (ROUTES as $method => $path) {
            $routes->add($method, (new Route($path))->setMethods('POST'));
        }
        try {
            $found = (new UrlMatcher($routes, (new RequestContext())->fromRequest($request)))->matchRequest($request);
            return $this->{$found['_route']}($request, $found['number'] ?? '');
        } catch (ResourceNotFoundException) {
            return new Response(status: 404);
        } catch (InvalidArgumentException $error) {
            return new Response($error->getMessage(), 400);
        }
    }
}

function main(string $command): void
{
    $database = database();
    $journal = journal(create: $command === 'tables'); // in production: merchantpay journal init
    if ($command === 'tables') {
        $database->executeStatement(TABLE);
    }
    while ($command === 'worker') {
        (new Shop($database, $journal))->shipPaid();
        sleep(1);
    }
}

if (PHP_SAPI !== 'cli') {
    (new Shop(database(), journal()))->handle(Request::createFromGlobals())->send();
} elseif (isset($argv[1]) && realpath($argv[0]) === __FILE__) {
    main($argv[1]);
}
