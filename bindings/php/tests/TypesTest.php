<?php

declare(strict_types=1);

namespace MerchantPay\Tests;

use MerchantPay\AvailableAmounts;
use MerchantPay\Balance;
use MerchantPay\Client;
use MerchantPay\ClientInterface;
use MerchantPay\Event;
use MerchantPay\EventKind;
use MerchantPay\Exception\RejectedException;
use MerchantPay\Keypair;
use MerchantPay\Outcome;
use MerchantPay\Paid;
use MerchantPay\Payment;
use MerchantPay\Reason;
use MerchantPay\Rounding;
use MerchantPay\Status;
use MerchantPay\Tests\Support\TestCase;

/** Tests values in PHP's types, and what only PHP can check. */
final class TypesTest extends TestCase
{
    /** @return iterable<string, array{\Closure(): mixed}> */
    public function wrong(): iterable
    {
        $sums = [1500.5, 1500.0, true, null, ['1'], new \stdClass()];
        foreach ($sums as $sum) {
            $type = var_export($sum, true);
            yield "$type as a sum" => [static fn () => self::client()->newPayment($sum, 'sbp', '7900')];
            yield "$type to convert" => [static fn () => Balance::convert($sum, 1, 'RUB', 2, 'down')];
            yield "$type as a rate" => [static fn () => Balance::convert(1, $sum, 'RUB', 2, 'down')];
            yield "$type to compare" => [static fn () => (new Payment(orderId: 'o', sum: '1'))->paid($sum)];
            yield "$type to compare with nothing" => [static fn () => (new Payment(orderId: 'o'))->paid($sum)];
        }
        foreach ([['a.pdf', '%PDF'], ['a.pdf', 5, 'application/pdf'], 5, null] as $number => $file) {
            yield "the file $number" => [static fn () => self::client()->attachReceipt('o-1', [$file])];
        }
        yield 'a key that is a number' => [static fn () => self::client(serverPublicKey: [1])];
        yield 'a key id that is null' => [static fn () => self::client(serverKeyId: [null])];
        yield 'a logger without its method' => [static fn () => self::client(logger: new \stdClass())];
        yield 'a negative wait' => [static fn () => self::client()->wait('o-1', timeoutMs: -1)];
    }

    /** @dataProvider wrong */
    public function testWrongTypesAreRefused(\Closure $call): void
    {
        self::assertSame(10, self::assertFails('invalid_argument not_sent', $call)->getCode());
    }

    public function testFloatIsRefusedWithoutStrictTypes(): void
    {
        $php = self::php('try { (new MerchantPay\Client(...$settings))->newPayment(1500.5, "sbp", "7900"); }
            catch (MerchantPay\Exception\InvalidArgumentException $error) { echo $error->getMessage(); }');
        self::assertSame('sum must be a decimal number as a string, int or Stringable, not float', $php->rest());
        $this->expectException(\TypeError::class);
        self::client()->getStatus(['o-1']);
    }

    public function testSumsAreIntegersTextAndStringable(): void
    {
        $decimal = new class implements \Stringable {
            public function __toString(): string
            {
                return '10.10';
            }
        };
        self::assertSame('10.10', self::client()->newPayment($decimal, 'sbp', '7900')->sum);
        self::assertSame('7', self::client()->newPayment(7, 'sbp', '7900')->sum);
        self::assertSame('16.230395', Balance::convert('1500.50', '92.45', Balance::Usdt, 6, Rounding::HalfEven));
        self::assertSame('0.34', Balance::convert(1, 3, 'USDT', 2, 'up'));
        $payment = new Payment(orderId: 'o-1', sum: '1500.00');
        self::assertSame([Paid::Exactly, Paid::Less], [$payment->paid(1500), $payment->paid('1500.01')]);
        self::assertNull((new Payment(orderId: 'o-1'))->paid('1500.50'));
    }

    public function testFilesArePathsObjectsAndBytes(): void
    {
        $path = $this->folder() . '/receipt.pdf';
        file_put_contents($path, '%PDF-1.4');
        $files = [$path, new \SplFileInfo($path), ['квитанция.pdf', "%PDF-1.4\n", 'application/pdf']];
        self::assertFails('rejected rejected', fn () => self::client()->attachReceipt('nobody', $files));
    }

    public function testOpenBasedirHoldsForTheLibrary(): void
    {
        file_put_contents($this->folder() . '/receipt.pdf', '%PDF-1.4');
        $php = self::php('ini_set("open_basedir", getenv("FOLDER") . ":" . getenv("PACKAGE"));
            foreach ([getenv("FOLDER") . "/receipt.pdf", "/etc/hostname"] as $file) {
                foreach ([
                    fn () => (new MerchantPay\Client(...$settings))->attachReceipt("o-1", [$file]),
                    fn () => new MerchantPay\Client(...$settings, caFile: $file),
                    function () use ($file) {
                        putenv("MERCHANTPAY_PRIVATE_KEY_FILE=$file");
                        MerchantPay\Client::fromEnv();
                    },
                ] as $call) {
                    try {
                        $call();
                    } catch (MerchantPay\Exception\MerchantPayException $error) {
                        $isOutside = str_contains($error->getMessage(), "open_basedir");
                        echo $error->code() . ($isOutside ? " outside\n" : "\n");
                    }
                }
            }', environment: ['FOLDER' => $this->folder(), 'PACKAGE' => dirname(__DIR__)]);
        $outside = str_repeat("invalid_argument outside\n", 3);
        self::assertSame("rejected\ninvalid_argument\ninvalid_argument\n$outside", $php->rest());
    }

    public function testDotenvVariablesComeAfterThoseOfTheProcess(): void
    {
        $globals = [$_ENV, $_SERVER];
        self::sandbox()->setEnvironment();
        try {
            foreach (['BASE_URL', 'SERVER_PUBLIC_KEY'] as $number => $name) {
                $variable = "MERCHANTPAY_$name";
                $value = (string) getenv($variable);
                putenv($variable);
                unset($_ENV[$variable], $_SERVER[$variable]);
                self::assertFails('invalid_argument not_sent', Client::fromEnv(...));
                $number === 0 ? $_ENV[$variable] = $value : $_SERVER[$variable] = $value;
            }
            self::assertFails('rejected rejected', fn () => Client::fromEnv()->getStatus('nobody'));
            putenv('MERCHANTPAY_BASE_URL=http://127.0.0.1:1'); // The process's environment takes precedence.
            self::assertFails('transport not_sent', fn () => Client::fromEnv()->getStatus('nobody'));
            putenv('MERCHANTPAY_BASE_URL=');
            self::assertFails('invalid_argument not_sent', Client::fromEnv(...));
            putenv("MERCHANTPAY_BASE_URL={$_ENV['MERCHANTPAY_BASE_URL']}");
            putenv('MERCHANTPAY_PRIVATE_KEY=');
            putenv('MERCHANTPAY_PUBLIC_KEY=' . Keypair::generate()->publicKey);
            $client = Client::fromEnv(signer: static fn (): string => '');
            self::assertFails('signer not_sent', fn () => $client->confirm('o-1'));
        } finally {
            [$_ENV, $_SERVER] = $globals;
            putenv('MERCHANTPAY_PUBLIC_KEY');
            self::sandbox()->restoreEnvironment();
        }
    }

    public function testClientConnectsWaitsAndIsClosed(): void
    {
        $client = self::client();
        $client->connect();
        $nobody = self::client(baseUrl: 'http://127.0.0.1:1', maxRetries: 0);
        self::assertFails('transport not_sent', fn () => $nobody->connect());
        $orderId = $client->newPayment('100', 'card', 'pays-less')->orderId;
        $late = self::assertFails('timeout unknown', fn () => $client->wait($orderId, timeoutMs: 300));
        self::assertSame([$orderId, true], [$late->orderId(), $late->isTransient()]);
        $client->confirm($orderId);
        $paid = $client->wait($orderId, timeoutMs: 20_000);
        self::assertSame([Status::DoneSuccess, Paid::Less], [$paid->statusCase(), $paid->paid('100')]);
        $other = $client->derive(5000);
        $client->close();
        $client->close();
        foreach ([fn () => $client->getStatus('o-1'), fn () => $client->derive(1)] as $call) {
            self::assertFails('invalid_argument not_sent', $call);
        }
        self::assertFails('rejected rejected', fn () => $other->derive()->getStatus('o-1'));
    }

    public function testKeypairCannotBeChanged(): void
    {
        $pair = Keypair::generate();
        self::assertSame(substr(base64_decode($pair->privateKey), 32), base64_decode($pair->publicKey));
        self::assertTrue(isset($pair->privateKey));
        $this->expectException(\LogicException::class);
        $pair->privateKey = 'another';
    }

    public function testShopMakesResultsInItsOwnTests(): void
    {
        $client = $this->createStub(ClientInterface::class);
        $client->method('newPayment')->willReturn(new Payment(orderId: 'o-1', sum: '1500.50', deeplink: 'https://pay'));
        $client->method('getAvailableAmounts')->willReturn(new AvailableAmounts(['1500.50'], false));
        $refused = ['reason' => Reason::OrderNotFound->value, 'httpStatus' => 404];
        $client->method('cancel')->willThrowException(new RejectedException('refused', Outcome::Rejected, ...$refused));
        self::assertSame('1500.50', $client->newPayment('1500.50', 'sbp', '7900')->sum);
        self::assertSame(['1500.50'], $client->getAvailableAmounts(1, 'sbp')->availableAmounts);
        $error = self::assertFails('rejected rejected', fn () => $client->cancel('o-1'));
        self::assertSame([Reason::OrderNotFound, 404], [$error->reasonCase(), $error->httpStatus()]);
        self::assertFalse($error->isTransient());
        foreach ([null, 'frozen', ...array_column(Status::cases(), 'value')] as $status) {
            $isFinal = Status::tryFrom((string) $status)?->isFinal() ?? false;
            self::assertSame($isFinal, (new Payment(orderId: 'o-1', status: $status))->isFinal(), (string) $status);
            self::assertTrue((new Payment(orderId: 'o-1', status: $status, final: true))->isFinal());
            self::assertFalse((new Payment(orderId: 'o-1', status: $status, final: false))->isFinal());
        }
        self::assertSame(EventKind::Status, (new Event('status', new Payment(orderId: 'o-1')))->kindCase());
        self::assertNull((new Event('later', new Payment(orderId: 'o-1')))->kindCase());
    }
}
