<?php

declare(strict_types=1);

namespace MerchantPay\Tests;

use MerchantPay\Client;
use MerchantPay\Paid;
use MerchantPay\Payment;
use MerchantPay\PaymentMethod;
use MerchantPay\Reason;
use MerchantPay\Status;
use MerchantPay\Tests\Support\Failing;
use MerchantPay\Tests\Support\Sandbox;
use PHPUnit\Framework\TestCase;

/** Tests arguments and results in PHP's own types, with the sandbox. */
final class OperationsTest extends TestCase
{
    use Failing;

    private const PDF = "%PDF-1.4\n";

    private Client $client;

    protected function setUp(): void
    {
        $this->client = Sandbox::one()->client();
    }

    public function testAvailableAmountsKeepTheirDigits(): void
    {
        $amounts = $this->client->getAvailableAmounts(
            sum: '1500.50',
            paymentMethod: PaymentMethod::Card,
            sumDriftUp: '0.10',
            sumDriftDown: 5,
            customerAccount: '7900',
        );
        self::assertSame(['1495.50', '1500.50', '1500.60'], $amounts->availableAmounts);
        self::assertTrue($amounts->otherAmountsPossible);
        self::assertStringContainsString('1500.50,1500.60]', $amounts->json());
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

    public function testACancelledPaymentIsFinal(): void
    {
        $payment = $this->client->newPayment('100', 'card', '7900');
        $this->client->cancel($payment->orderId);
        self::assertTrue($this->client->getStatus($payment->orderId)->isFinal());
        $error = self::assertFails('rejected', 'rejected', fn () => $this->client->cancel($payment->orderId));
        self::assertSame(Reason::PaymentCouldNotBeCanceled->value, $error->reason());
        self::assertSame(Reason::PaymentCouldNotBeCanceled, $error->reasonCase());
        self::assertFalse($error->isTransient());
        self::assertSame('payment could not be canceled', $error->description());
        self::assertSame(403, $error->httpStatus());
        self::assertSame($payment->orderId, $error->orderId());
        self::assertSame(40, $error->getCode());
        self::assertStringContainsString('"success":false', (string) $error->body());
    }

    public function testAReceiptSettlesAnArbitration(): void
    {
        $path = tempnam(sys_get_temp_dir(), 'receipt');
        self::assertIsString($path);
        file_put_contents($path, self::PDF);
        try {
            $payment = $this->client->newPayment('100', 'card', 'arbitration');
            $this->client->confirm($payment->orderId);
            $this->wait($payment->orderId, Status::ReceiptRequired);
            $this->client->attachReceipt(
                $payment->orderId,
                [$path, new \SplFileInfo($path), ['квитанция.pdf', self::PDF, 'application/pdf']],
            );
            self::assertSame(Status::DoneSuccess, $this->wait($payment->orderId, Status::DoneSuccess)->statusCase());
        } finally {
            unlink($path);
        }
    }

    private function wait(string $orderId, Status $wanted): Payment
    {
        $end = hrtime(true) + 20_000_000_000;
        do {
            $payment = $this->client->getStatus($orderId);
            if ($payment->statusCase() === $wanted || $payment->isFinal()) {
                return $payment;
            }
            usleep(20_000);
        } while (hrtime(true) < $end);
        self::fail('the status did not become ' . $wanted->value);
    }
}
