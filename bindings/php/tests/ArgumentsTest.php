<?php

declare(strict_types=1);

namespace MerchantPay\Tests;

use MerchantPay\Balance;
use MerchantPay\Exception\InvalidArgumentException;
use MerchantPay\Keypair;
use MerchantPay\Paid;
use MerchantPay\Payment;
use MerchantPay\Rounding;
use MerchantPay\Tests\Support\Failing;
use MerchantPay\Tests\Support\Sandbox;
use PHPUnit\Framework\TestCase;

/**
 * Tests arguments in PHP's types, and what only PHP can check. tests/contract has the arguments that every language
 * refuses.
 */
final class ArgumentsTest extends TestCase
{
    use Failing;

    /** @return array<string, array{array<string, mixed>}> */
    public function wrongPayments(): array
    {
        return [
            'a float' => [['sum' => 1500.5]],
            'a float that is whole' => [['sum' => 1500.0]],
            'true' => [['sum' => true]],
            'null' => [['sum' => null]],
            'an array' => [['sum' => ['1']]],
            'an object that is not text' => [['sum' => new \stdClass()]],
        ];
    }

    /**
     * @dataProvider wrongPayments
     * @param array<string, mixed> $wrong
     */
    public function testAWrongPaymentIsNotSent(array $wrong): void
    {
        $arguments = $wrong + ['sum' => '1', 'paymentMethod' => 'sbp', 'customerAccount' => '7900'];
        $error = self::assertFails(
            'invalid_argument',
            'not_sent',
            fn () => Sandbox::one()->client()->newPayment(...$arguments),
        );
        self::assertInstanceOf(InvalidArgumentException::class, $error);
        self::assertSame(10, $error->getCode());
    }

    public function testADecimalOfAnotherLibraryIsTaken(): void
    {
        $decimal = new class implements \Stringable {
            public function __toString(): string
            {
                return '10.10';
            }
        };
        self::assertSame('10.10', Sandbox::one()->client()->newPayment($decimal, 'sbp', '7900')->sum);
        self::assertSame('7', Sandbox::one()->client()->newPayment(7, 'sbp', '7900')->sum);
    }

    public function testAWrongSettingIsRefusedAtOnce(): void
    {
        foreach ([['serverPublicKey' => [1]], ['serverKeyId' => [null]], ['logger' => new \stdClass()]] as $wrong) {
            self::assertFails('invalid_argument', 'not_sent', fn () => Sandbox::one()->client(...$wrong));
        }
    }

    public function testAWrongFileIsNotSent(): void
    {
        foreach ([['a.pdf', '%PDF'], ['a.pdf', 5, 'application/pdf'], 5, null] as $file) {
            $attach = static fn () => Sandbox::one()->client()->attachReceipt('o-1', [$file]);
            self::assertFails('invalid_argument', 'not_sent', $attach);
        }
    }

    public function testOpenBasedirHoldsForTheLibraryToo(): void
    {
        $code = 'require $argv[1]; $arguments = json_decode($argv[2], true);
            ini_set("open_basedir", dirname($argv[1]));
            foreach ([$argv[3], "/etc/hostname"] as $file) {
                foreach ([
                    fn () => (new MerchantPay\Client(...$arguments))->attachReceipt("o-1", [$file]),
                    fn () => new MerchantPay\Client(...$arguments, caFile: $file),
                    function () use ($file) {
                        putenv("MERCHANTPAY_PRIVATE_KEY_FILE=$file");
                        MerchantPay\Client::fromEnv();
                    },
                ] as $call) {
                    try {
                        $call();
                    } catch (MerchantPay\Exception\MerchantPayException $error) {
                        $kept = str_contains($error->getMessage(), "open_basedir");
                        echo $error->code() . ($kept ? " kept out\n" : "\n");
                    }
                }
            }';
        $arguments = (string) json_encode(Sandbox::one()->arguments());
        $autoload = dirname(__DIR__) . '/autoload.php';
        $php = new Support\Program([PHP_BINARY, '-r', $code, $autoload, $arguments, __DIR__ . '/receipt.pdf']);
        $kept = "invalid_argument kept out\n";
        self::assertSame("rejected\ninvalid_argument\ninvalid_argument\n$kept$kept$kept", $php->rest());
    }

    public function testAClosedClientMakesNoCall(): void
    {
        $client = Sandbox::one()->client();
        $other = $client->derive(5000);
        $client->close();
        $client->close();
        self::assertFails('invalid_argument', 'not_sent', fn () => $client->getStatus('o-1'));
        self::assertFails('invalid_argument', 'not_sent', fn () => $client->derive(1));
        self::assertFails('rejected', 'rejected', fn () => $other->getStatus('o-1'));
        self::assertFails('rejected', 'rejected', fn () => $other->derive()->getStatus('o-1'));
    }

    public function testAnotherTypeIsPhpsOwnError(): void
    {
        $this->expectException(\TypeError::class);
        Sandbox::one()->client()->getStatus(['o-1']);
    }

    public function testAFloatIsRefusedWithoutStrictTypesToo(): void
    {
        $error = self::failure(fn () => (require __DIR__ . '/Support/loose.php')(Sandbox::one()->client()));
        $message = 'sum must be a decimal number as a string, int or Stringable, not float';
        self::assertSame($message, $error->getMessage());
    }

    public function testSumsAreConvertedAndComparedByTheirTypes(): void
    {
        self::assertSame('16.230395', Balance::convert('1500.50', '92.45', Balance::Usdt, 6, Rounding::HalfEven));
        self::assertSame('0.34', Balance::convert(1, 3, 'USDT', 2, 'up'));
        $payment = new Payment(orderId: 'o-1', sum: '1500.00');
        self::assertSame([Paid::Exactly, Paid::Less], [$payment->paid(1500), $payment->paid('1500.01')]);
        self::assertNull((new Payment(orderId: 'o-1'))->paid('1500.50'));
        foreach ([1500.0, true, null, 'much'] as $wrong) {
            self::assertFails('invalid_argument', 'not_sent', fn () => $payment->paid($wrong));
            self::assertFails('invalid_argument', 'not_sent', fn () => (new Payment(orderId: 'o'))->paid($wrong));
            self::assertFails('invalid_argument', 'not_sent', fn () => Balance::convert($wrong, 1, 'RUB', 2, 'down'));
            self::assertFails('invalid_argument', 'not_sent', fn () => Balance::convert(1, $wrong, 'RUB', 2, 'down'));
        }
    }

    public function testAPairOfKeysCannotBeChanged(): void
    {
        $pair = Keypair::generate();
        self::assertSame(substr(base64_decode($pair->privateKey), 32), base64_decode($pair->publicKey));
        self::assertTrue(isset($pair->privateKey));
        $this->expectException(\LogicException::class);
        $pair->privateKey = 'another';
    }
}
