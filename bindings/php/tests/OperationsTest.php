<?php

declare(strict_types=1);

namespace MerchantPay\Tests;

use MerchantPay\Client;
use MerchantPay\Paid;
use MerchantPay\Status;
use MerchantPay\Tests\Support\Failing;
use MerchantPay\Tests\Support\Sandbox;
use PHPUnit\Framework\TestCase;

/** Tests what the adapter of tests/contract has not, with the sandbox. */
final class OperationsTest extends TestCase
{
    use Failing;

    private Client $client;

    protected function setUp(): void
    {
        $this->client = Sandbox::one()->client();
    }

    public function testWaitingEndsWithTheFinalStatus(): void
    {
        $payment = $this->client->newPayment('100', 'card', 'pays-less');
        $this->client->confirm($payment->orderId);
        $paid = $this->client->wait($payment->orderId, timeoutMs: 20_000);
        self::assertSame(Status::DoneSuccess, $paid->statusCase());
        self::assertSame(Paid::Less, $paid->paid('100'));
    }

    public function testWaitingEndsWhenItsTimeIsUp(): void
    {
        $orderId = $this->client->newPayment('100', 'card', '7900')->orderId;
        $error = self::assertFails('timeout', 'unknown', fn () => $this->client->wait($orderId, timeoutMs: 300));
        self::assertSame($orderId, $error->orderId());
        self::assertTrue($error->isTransient());
        self::assertFails('rejected', 'rejected', fn () => $this->client->wait('nobody', timeoutMs: 20_000));
        self::assertFails('invalid_argument', 'not_sent', fn () => $this->client->wait($orderId, timeoutMs: -1));
    }

    public function testFilesOfAReceiptArePathsObjectsAndBytes(): void
    {
        $path = __DIR__ . '/receipt.pdf';
        $files = [$path, new \SplFileInfo($path), ['квитанция.pdf', "%PDF-1.4\n", 'application/pdf']];
        self::assertFails('rejected', 'rejected', fn () => $this->client->attachReceipt('nobody', $files));
    }

    public function testConnectingAheadNeedsTheService(): void
    {
        $this->client->connect();
        $nobody = Sandbox::one()->client(baseUrl: 'http://127.0.0.1:1', maxRetries: 0);
        self::assertFails('transport', 'not_sent', fn () => $nobody->connect());
    }
}
