<?php

declare(strict_types=1);

namespace MerchantPay\Tests\Databases;

use MerchantPay\Journal;
use MerchantPay\Tests\Support\Place;
use MerchantPay\Tests\Support\Sandbox;
use MerchantPay\Tests\Support\Watched;
use PDO;
use PHPUnit\Framework\TestCase;

/** Tests which database statements the journal runs in one web request. */
final class StatementsTest extends TestCase
{
    /** @return array<string, array{string}> */
    public function places(): array
    {
        return Place::names();
    }

    /** @dataProvider places */
    public function testNoStatementIsSpentOnTheSchemaAndNoConnectionOnAJournalThatIsNotUsed(string $name): void
    {
        $place = Place::of($name);
        $client = Sandbox::one()->client();
        (new Journal($client, $place->factory(), create: true))->list();
        $statements = [];
        $connections = 0;
        $watched = Watched::by(static function (string $sql, \Closure $run) use (&$statements): bool {
            $statements[] = $sql;
            return $run();
        });
        $factory = static function () use ($place, $watched, &$connections): PDO {
            $connections++;
            return $place->connect($watched);
        };
        $open = static fn (): Journal => new Journal($client, $factory, callbackUrl: 'http://127.0.0.1:9/callback');
        $open();
        self::assertSame(0, $connections);

        $entry = $open()->pay('order', sum: '10', paymentMethod: 'sbp', customerAccount: '79001234567');
        self::assertNotNull($entry->credentials);
        $kinds = array_map(static fn (string $sql): string => explode(' ', $sql)[0], $statements);
        // The journal reads, stores the attempt, checks that the row is stored, and stores the reply. SQLite needs a
        // statement of its own for the check that no transaction is open.
        $checks = $name === 'sqlite' ? ['SELECT', 'PRAGMA'] : ['SELECT'];
        self::assertSame(['SELECT', 'INSERT', ...$checks, 'UPDATE'], $kinds);
        self::assertSame(1, $connections);
        $statements = [];
        self::assertSame($entry->orderId, $open()->find('order')?->orderId);
        self::assertCount(1, $statements);
        $statements = [];
        self::assertSame(404, $open()->receive(...self::webhook())->httpStatus);
        self::assertLessThanOrEqual(2, count($statements)); // One searches the attempt, one stores the orphan.
    }

    /**
     * @return array{string, string, string, string} path, body, signature and key id of a webhook without an
     * entry
     */
    private static function webhook(): array
    {
        $merchant = bin2hex(random_bytes(6));
        $sandbox = Sandbox::one();
        $url = 'http://127.0.0.1:9/another';
        $sandbox->client()->newPaymentAsync('10', 'sbp', '79001234567', $url, merchantId: $merchant);
        ['url' => $path, 'request' => $request] = $sandbox->webhook($merchant, 'credentials');
        $body = base64_decode($request['body']['base64'], true);
        return [$path, $body, $request['signature'], $request['keyId']];
    }
}
