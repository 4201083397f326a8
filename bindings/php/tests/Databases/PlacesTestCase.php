<?php

declare(strict_types=1);

namespace MerchantPay\Tests\Databases;

use MerchantPay\Client;
use MerchantPay\Entry;
use MerchantPay\Exception\StorageException;
use MerchantPay\Journal;
use MerchantPay\Tests\Support\Place;
use MerchantPay\Tests\Support\Sandbox;
use PHPUnit\Framework\TestCase;

/** The base class of tests that run a journal in several databases. Each test has its own sandbox. */
abstract class PlacesTestCase extends TestCase
{
    protected Sandbox $sandbox;
    protected Client $client;

    protected function setUp(): void
    {
        $this->sandbox = new Sandbox('--pace-ms', '0');
        $this->client = $this->sandbox->client(timeoutMs: 5000);
    }

    /** @return array<string, array{string}> */
    public function places(): array
    {
        return Place::names();
    }

    /** A database in which the journal's tables exist. */
    protected function made(string $name): Place
    {
        $place = Place::of($name);
        (new Journal($this->client, $place->factory(), create: true))->list();
        return $place;
    }

    protected function journal(\Closure $factory): Journal
    {
        return new Journal($this->client, $factory, callbackUrl: 'http://127.0.0.1:9/callback', timeoutMs: 15000);
    }

    protected function pay(Journal $journal, string $reference = 'order'): Entry
    {
        return $journal->pay($reference, sum: '10', paymentMethod: 'sbp', customerAccount: '79001234567');
    }

    protected function assertNotSent(\Closure $pay, string $why): void
    {
        try {
            $pay();
            self::fail('it paid');
        } catch (StorageException $error) {
            self::assertSame('not_sent', $error->outcome());
            self::assertStringContainsString($why, $error->getMessage());
        }
        self::assertSame(0, $this->sandbox->requests('newPayment'));
    }
}
