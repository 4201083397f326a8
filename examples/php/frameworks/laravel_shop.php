<?php

/*
 * A shop with Laravel's routes, requests and database. A separate worker ships the paid orders:
 *
 *     php laravel_shop.php worker
 *
 * SHOP_DATABASE names an SQLite file, and SHOP_JOURNAL the journal's own file or a database as postgresql://… or
 * mysql://…; `php laravel_shop.php tables` creates the tables. SHOP_URL is the URL at which the service reaches this
 * shop. The client reads its settings from MERCHANTPAY_BASE_URL and so on, in the environment or a .env file.
 */

declare(strict_types=1);

namespace Shop\Laravel;

require_once __DIR__ . '/../vendor/autoload.php';
foreach (['Events', 'Routing', 'Http', 'Database'] as $component) {
    require_once "Illuminate/$component/autoload.php";
}

use Illuminate\Container\Container;
use Illuminate\Database\Capsule\Manager;
use Illuminate\Database\Connection;
use Illuminate\Events\Dispatcher;
use Illuminate\Http\JsonResponse;
use Illuminate\Http\Request;
use Illuminate\Http\Response;
use Illuminate\Routing\Router;
use MerchantPay\Client;
use MerchantPay\Exception\InvalidArgumentException;
use MerchantPay\Journal;
use MerchantPay\JournalInterface;
use Symfony\Component\HttpKernel\Exception\NotFoundHttpException;

const TABLE = 'CREATE TABLE orders (number TEXT PRIMARY KEY, sum TEXT, shipped INTEGER DEFAULT 0)';

// [service]
/** Registers the database and the journal once each, like a service provider. */
function container(bool $create = false): Container
{
    $container = new Container();
    $container->singleton(Connection::class, static function () use ($container): Connection {
        $manager = new Manager($container);
        $manager->addConnection(['driver' => 'sqlite', 'database' => getenv('SHOP_DATABASE')]);
        return $manager->getConnection();
    });
    $container->singleton(JournalInterface::class, static function () use ($create): Journal {
        $place = (string) getenv('SHOP_JOURNAL'); // /var/lib/shop/payments.db, postgresql://… or mysql://…
        return new Journal(Client::fromEnv(), $place, callbackUrl: getenv('SHOP_URL') . '/callback', create: $create);
    });
    return $container;
}

// [/service]

final class Shop
{
    public function __construct(private readonly Connection $database, private readonly JournalInterface $journal)
    {
    }

    public function pay(Request $request, string $number): JsonResponse|Response
    {
        $sum = $this->database->table('orders')->where('number', $number)->value('sum');
        if ($sum === null) {
            return new Response(status: 404);
        }
        $phone = (string) $request->input('phone');
        // The same order number returns the same payment.
        $entry = $this->journal->pay($number, sum: $sum, paymentMethod: 'sbp', customerAccount: $phone);
        $deeplink = $entry->credentials?->deeplink; // only if the customer can pay now
        return new JsonResponse(['standing' => $entry->standing, 'sum' => $sum, 'deeplink' => $deeplink]);
    }

    public function paid(string $number): Response
    {
        $entry = $this->journal->find($number);
        if ($entry?->credentials === null) {
            return new Response('nothing is to be paid', 409);
        }
        $this->journal->confirm($entry);
        return new Response(status: 204);
    }

    // [webhook]
    /** Exclude this route from Laravel's check of the CSRF token: the service's signature replaces the token. */
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
                $this->database->table('orders')->where('number', $entry->reference)->update(['shipped' => 1]);
            }
            $this->journal->acknowledge($entry);
        }
    }

    // [/ship]
}

function handle(Container $container, Request $request): \Symfony\Component\HttpFoundation\Response
{
    $router = new Router(new Dispatcher($container), $container);
    $router->post('/orders/{number}/pay', [Shop::class, 'pay']);
    $router->post('/orders/{number}/paid', [Shop::class, 'paid']);
    $router->post('/callback/{token}', [Shop::class, 'callback']);
    $container->instance(Request::class, $request);
    try {
        return $router->dispatch($request);
    } catch (NotFoundHttpException) {
        return new Response(status: 404);
    } catch (InvalidArgumentException $error) {
        return new Response($error->getMessage(), 400);
    }
}

function main(string $command): void
{
    $container = container(create: $command === 'tables');
    if ($command === 'tables') {
        $container->get(JournalInterface::class); // in production: merchantpay journal init
        $container->get(Connection::class)->statement(TABLE);
    }
    while ($command === 'worker') {
        $container->get(Shop::class)->shipPaid();
        sleep(1);
    }
}

if (PHP_SAPI !== 'cli') {
    handle(container(), Request::capture())->send();
} elseif (isset($argv[1]) && realpath($argv[0]) === __FILE__) {
    main($argv[1]);
}
