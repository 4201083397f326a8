<?php

declare(strict_types=1);

namespace MerchantPay\Tests;

use MerchantPay\Exception\InvalidArgumentException;
use MerchantPay\Ffi\Library;
use MerchantPay\Paid;
use MerchantPay\Payment;
use MerchantPay\Tests\Support\Failing;
use MerchantPay\Tests\Support\Key;
use PHPUnit\Framework\TestCase;

/** Tests that PHP compares the paid sum with the requested sum in the same way as the core. */
final class PaidTest extends TestCase
{
    use Failing;

    private const AMOUNTS = [
        '0', '0.0', '0.01', '0.010', '0.1', '0.10', '1', '1.0', '1.00', '1e0', '9', '9.99', '10', '1e1', '100E-1',
        '10.0', '10.01', '10.1', '99', '100', '1e2', '1500', '1500.5', '1500.50', '150050e-2', '1500.500', '1500.51',
        '1499.99', '9007199254740993', '9007199254740992', '1234567890123456789012345678',
        '1234567890123456789012345679', '0.0000000000000000000000000001', '0.0000000000000000000000000002',
        '123456789.123456789', '123456789.12345679', '-0', '-0.01', '-1', '-1.0', '-2', '-10',
    ];

    public function testTwoAmountsAreComparedAsTheCoreComparesThem(): void
    {
        $ffi = Library::ffi();
        $compared = [];
        foreach (self::AMOUNTS as $sum) {
            [$payment, $free] = $this->inTheLibrary($sum);
            foreach (self::AMOUNTS as $asked) {
                $expected = Paid::tryFromNumber($ffi->mpay_payment_paid($payment, $asked));
                self::assertSame($expected, (new Payment(orderId: 'o-1', sum: $sum))->paid($asked), "$sum, $asked");
                $compared[$expected?->value] = true;
            }
            $free();
        }
        self::assertEqualsCanonicalizing(array_column(Paid::cases(), 'value'), array_keys($compared));
    }

    public function testWithoutASumItIsNotKnown(): void
    {
        self::assertNull((new Payment(orderId: 'o-1'))->paid('1500.50'));
    }

    public function testASumIsTakenAsElsewhere(): void
    {
        $payment = new Payment(orderId: 'o-1', sum: '1500.00');
        self::assertSame(Paid::Exactly, $payment->paid(1500));
        foreach ([1500.0, null, true, '', ' 1', '+1', '01', '1,5', '.5', '1.', '1e', "1\n", "1\0", 'much'] as $wrong) {
            foreach ([$payment, new Payment(orderId: 'o-1')] as $each) {
                $error = self::assertFails('invalid_argument', 'not_sent', fn () => $each->paid($wrong));
                self::assertInstanceOf(InvalidArgumentException::class, $error);
            }
        }
    }

    /**
     * Makes a payment object of the library with this sum, and a function that frees the payment.
     *
     * @return array{\FFI\CData, \Closure(): void}
     */
    private function inTheLibrary(string $sum): array
    {
        $ffi = Library::ffi();
        $service = new Key();
        $config = $ffi->mpay_config_new();
        $ffi->mpay_config_add_server_public_key($config, $service->publicKey());
        [$verifier, $event] = [$ffi->new('mpay_verifier *[1]'), $ffi->new('mpay_event *[1]')];
        self::assertSame(0, $ffi->mpay_verifier_new($config, $verifier, null));
        $body = '{"success":true,"orderId":"o-1","status":"doneSuccess","sum":' . $sum . '}';
        $signature = $service->sign($body);
        $code = $ffi->mpay_verify_webhook($verifier[0], $body, strlen($body), $signature, null, $event, null);
        self::assertSame(0, $code, $sum);
        $ffi->mpay_verifier_free($verifier[0]);
        $ffi->mpay_config_free($config);
        $free = static fn () => $ffi->mpay_event_free($event[0]);
        return [$ffi->mpay_event_payment($event[0]), $free];
    }
}
