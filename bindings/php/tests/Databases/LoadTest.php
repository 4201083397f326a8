<?php

declare(strict_types=1);

namespace MerchantPay\Tests\Databases;

use MerchantPay\Journal;
use MerchantPay\Tests\Support\Fpm;
use MerchantPay\Tests\Support\Place;
use MerchantPay\Tests\Support\Program;
use MerchantPay\Tests\Support\Sandbox;
use PHPUnit\Framework\TestCase;

/**
 * Runs php-fpm with 16 workers and one PostgreSQL server under load, while replies are lost and workers are
 * killed. At the end the service's ledger and the journal agree, and each order is shipped once.
 */
final class LoadTest extends TestCase
{
    private const ORDERS = 150;
    private const KILLS = 60;
    private const SECONDS = 150;

    private Sandbox $sandbox;
    private Place $place;
    private Journal $journal;
    private Fpm $fpm;

    protected function setUp(): void
    {
        $this->sandbox = new Sandbox('--pace-ms', '0');
        $this->sandbox->control('/faults', [
            'kind' => 'dropAfterCommit',
            'operation' => 'newPaymentAsync',
            'probability' => 0.1,
            'seed' => 7,
            'times' => self::ORDERS,
        ]);
        $this->place = Place::postgresql();
        $client = $this->sandbox->client();
        $this->journal = new Journal($client, $this->place->factory(), create: true);
        $this->journal->list();
        $this->place->connect()->exec('CREATE TABLE shipped (number text, worker integer)');
        $this->fpm = new Fpm(
            ['ffi.enable=preload', 'opcache.preload=%s/preload.php'],
            $this->sandbox->settings + $this->place->environment(),
            workers: 16,
            script: 'package/tests/fpm/journal.php',
        );
    }

    public function testNothingIsDoubledAndNothingIsLost(): void
    {
        $end = hrtime(true) + self::SECONDS * 1_000_000_000;
        $workers = [$this->worker(), $this->worker()];
        $pids = [];
        [$killed, $answered, $failed, $latency] = [0, 0, 0, []];
        while ($this->shipped() < self::ORDERS || $killed < self::KILLS) {
            self::assertLessThan($end, hrtime(true), $this->shipped() . ' orders were shipped');
            // The script plays 32 customers at a time. It requests each order several times.
            $script = dirname(__DIR__) . '/fpm/customers.lua';
            $load = ['wrk', '--threads', '2', '--connections', '32', '--duration', '3s', '--script', $script];
            $load = new Program([...$load, $this->fpm->url]);
            while ($load->isRunning()) {
                usleep(100_000);
                if ($killed < self::KILLS) {
                    $victims = $this->fpm->workers();
                    posix_kill($victims[array_rand($victims)], SIGKILL);
                    $killed++;
                    if ($killed % 5 === 0) {
                        $victim = array_rand($workers);
                        $workers[$victim]->kill();
                        $workers[$victim] = $this->worker();
                    }
                }
            }
            $printed = $load->rest();
            $pattern = '/^answered\s(\d+)\sfailed\s(\d+)\serrors\s(\d+)\spids(.*)$/m';
            self::assertSame(2, preg_match_all($pattern, $printed, $threads), $printed);
            $answered += array_sum($threads[1]);
            $failed += array_sum($threads[2]);
            self::assertSame(0, array_sum($threads[3]), $printed);
            $pids += array_flip(explode(' ', trim(implode('', $threads[4]))));
            preg_match('/latency: .*/', $printed, $latency);
            $this->decide();
        }
        self::assertGreaterThan(self::KILLS / 2, count($pids));
        $this->compare();
        fwrite(STDERR, sprintf(
            "\n%d orders, %d requests answered, %d not, %d php-fpm workers killed, %d lost replies; %s\n",
            self::ORDERS,
            $answered,
            $failed,
            $killed,
            $this->sandbox->control('/faults')['faults'][0]['happened'] ?? 0,
            $latency[0] ?? '',
        ));
    }

    private function worker(): Program
    {
        $script = dirname(__DIR__) . '/fpm/worker.php';
        $environment = $this->sandbox->settings + $this->place->environment();
        return new Program([PHP_BINARY, $script, "{$this->fpm->url}/callback"], $environment);
    }

    private function shipped(): int
    {
        return (int) $this->place->rows('SELECT COUNT(*) FROM shipped')[0][0];
    }

    /** Plays an operator, who asks the service about unknown attempts. */
    private function decide(): void
    {
        foreach ($this->journal->attention(1000) as $entry) {
            self::assertSame(['unknown'], $entry->attention, $entry->json());
            $merchantId = $entry->attempt === 1 ? $entry->reference : "$entry->reference-$entry->attempt";
            $payments = $this->sandbox->control("/payments?merchantId=$merchantId")['payments'];
            if ($payments === []) {
                $this->journal->resolve($entry, 'the service knows of none', noPayment: true);
            }
        }
    }

    private function compare(): void
    {
        $ledger = [];
        $path = '/payments?limit=500';
        for ($before = ''; $before !== null;) {
            $page = $this->sandbox->control("$path$before");
            foreach ($page['payments'] as $payment) {
                $ledger[$payment['orderId']] = [$payment['status'], $payment['sum']];
            }
            $before = $page['next'] === null ? null : "&before={$page['next']}";
        }
        $journal = [];
        $sql = 'SELECT order_id, status, sum_paid FROM merchantpay_journal WHERE order_id IS NOT NULL';
        foreach ($this->place->rows($sql) as [$id, $status, $sum]) {
            $journal[$id] = [$status, $sum];
        }
        ksort($ledger);
        ksort($journal);
        self::assertSame($ledger, $journal);
        $paid = array_filter($ledger, static fn (array $payment): bool => $payment[0] === 'doneSuccess');
        self::assertCount(self::ORDERS, $paid);
        self::assertCount(self::ORDERS, $ledger); // No payment is unknown to the shop or made twice.
        self::assertSame([], $this->place->rows('SELECT number FROM shipped GROUP BY number HAVING COUNT(*) <> 1'));
        self::assertSame(self::ORDERS, $this->shipped());
        self::assertSame([], $this->journal->attention());
    }
}
