<?php

declare(strict_types=1);

namespace MerchantPay\Tests;

use MerchantPay\AvailableAmounts;
use MerchantPay\ClientInterface;
use MerchantPay\Code;
use MerchantPay\Event;
use MerchantPay\EventKind;
use MerchantPay\Exception\RejectedException;
use MerchantPay\Outcome;
use MerchantPay\Payment;
use MerchantPay\Reason;
use MerchantPay\Status;
use PHPUnit\Framework\TestCase;

/** Tests the objects that a shop makes in its own tests: results, and a replacement for the client. */
final class ResultsTest extends TestCase
{
    public function testAShopIsTestedWithoutTheService(): void
    {
        $client = $this->createStub(ClientInterface::class);
        $client->method('newPayment')->willReturn(new Payment(orderId: 'o-1', sum: '1500.50', deeplink: 'https://pay'));
        $client->method('getStatus')->willReturn(new Payment(orderId: 'o-1', status: Status::DoneSuccess->value));
        $amounts = new AvailableAmounts(availableAmounts: ['1500.50'], otherAmountsPossible: false);
        $client->method('getAvailableAmounts')->willReturn($amounts);
        $refused = new RejectedException(
            'the service refused',
            outcome: Outcome::Rejected,
            reason: Reason::OrderNotFound->value,
            httpStatus: 404,
        );
        $client->method('cancel')->willThrowException($refused);

        self::assertSame('1500.50', $client->newPayment('1500.50', 'sbp', '7900')->sum);
        self::assertTrue($client->getStatus('o-1')->isFinal());
        self::assertSame(['1500.50'], $client->getAvailableAmounts(1, 'sbp')->availableAmounts);
        try {
            $client->cancel('o-1');
            self::fail('it was cancelled');
        } catch (RejectedException $error) {
            self::assertSame([Code::Rejected, 40], [$error->codeCase(), $error->getCode()]);
            self::assertSame([Outcome::Rejected, Reason::OrderNotFound], [$error->outcomeCase(), $error->reasonCase()]);
            self::assertSame([404, false], [$error->httpStatus(), $error->isTransient()]);
        }
    }

    public function testAPaymentThatATestMakesIsFinalAsItsStatusIs(): void
    {
        foreach ([null, 'frozen', ...array_column(Status::cases(), 'value')] as $status) {
            $payment = new Payment(orderId: 'o-1', status: $status);
            $isFinal = Status::tryFrom((string) $status)?->isFinal() ?? false;
            self::assertSame($isFinal, $payment->isFinal(), (string) $status);
            self::assertSame('', $payment->json());
            self::assertTrue((new Payment(orderId: 'o-1', status: $status, final: true))->isFinal());
            self::assertFalse((new Payment(orderId: 'o-1', status: $status, final: false))->isFinal());
        }
    }

    public function testAnEventIsMadeOfItsKindAndPayment(): void
    {
        $event = new Event(kind: EventKind::Status->value, payment: new Payment(orderId: 'o-1'));
        self::assertSame(EventKind::Status, $event->kindCase());
        self::assertNull((new Event(kind: 'later', payment: new Payment(orderId: 'o-1')))->kindCase());
    }
}
