<?php

declare(strict_types=1);

namespace MerchantPay\Tests;

use MerchantPay\Balance;
use MerchantPay\Client;
use MerchantPay\Exception\InvalidArgumentException;
use MerchantPay\Ffi\NamedTexts;
use MerchantPay\Keypair;
use MerchantPay\Rounding;
use MerchantPay\Tests\Support\Failing;
use MerchantPay\Tests\Support\Sandbox;
use MerchantPay\WebhookVerifier;
use PHPUnit\Framework\TestCase;

/**
 * Tests the checks that only PHP can make, not C: types, NUL bytes and ranges. tests/contract has the arguments
 * that every language refuses.
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
            'a NUL in the sum' => [['sum' => "15\0"]],
            'a huge sum' => [['sum' => str_repeat('1', 1 << 20)]],
            'a NUL in the currency' => [['currency' => "RUB\0"]],
            'a NUL in the method' => [['paymentMethod' => "sbp\0"]],
            'a NUL in the account' => [['customerAccount' => "7900\0" . '1']],
            'an account that is not UTF-8' => [['customerAccount' => "\xff"]],
            'a bank that is not UTF-8' => [['payerBank' => "\xc3\x28"]],
            'a NUL in the merchant id' => [['merchantId' => "\0"]],
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

    public function testAHugeAccountIsNoCrash(): void
    {
        $payment = Sandbox::one()->client()->newPayment('1', 'sbp', str_repeat('7', 1 << 20));
        self::assertSame('1', $payment->sum);
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

    /** @return array<string, array{array<string, mixed>, string}> */
    public function wrongSettings(): array
    {
        return [
            'a NUL in the URL' => [['baseUrl' => "http://127.0.0.1\0.example"], 'invalid_argument'],
            'a URL that is not UTF-8' => [['baseUrl' => "http://\xff"], 'invalid_argument'],
            'no private key' => [['privateKey' => null], 'invalid_argument'],
            'a NUL in the private key' => [['privateKey' => "\0"], 'invalid_key'],
            'no server key' => [['serverPublicKey' => []], 'invalid_argument'],
            'a server key that is not text' => [['serverPublicKey' => [1]], 'invalid_argument'],
            'a server key id that is not text' => [['serverKeyId' => [null]], 'invalid_argument'],
            'no certificate' => [['caPem' => 'hello'], 'invalid_argument'],
            'less than no time' => [['timeoutMs' => -1], 'invalid_argument'],
            'a time that would be cut' => [['timeoutMs' => 4294967296], 'invalid_argument'],
            'retries that would be cut' => [['maxRetries' => -1], 'invalid_argument'],
            'a negative size' => [['maxReplyBytes' => -1], 'invalid_argument'],
            'a user agent with a line end' => [['userAgent' => "a\r\nX: y"], 'invalid_argument'],
            'plain http to another machine' => [['baseUrl' => 'http://pay.example'], 'invalid_argument'],
            'an exclusive authority that is not given' => [['exclusiveCa' => true], 'invalid_argument'],
            'no pin' => [['pinSpki' => 'hello'], 'invalid_argument'],
            'a pin with a NUL' => [['pinSpki' => ["sha256/\0"]], 'invalid_argument'],
            'a certificate without its key' => [['clientCertFile' => __FILE__], 'invalid_argument'],
            'a key without its certificate' => [['clientKeyFile' => __FILE__], 'invalid_argument'],
            'no certificate in its file' => [
                ['clientCertFile' => __FILE__, 'clientKeyFile' => __FILE__],
                'invalid_argument',
            ],
            'a time to keep that would be cut' => [['reuseIdleMs' => 4294967296], 'invalid_argument'],
            'less than no time to wait' => [['connectIdleMs' => -1], 'invalid_argument'],
            'two keys of the service in one text' => [['serverPublicKey' => 'AAAA,AAAA'], 'invalid_key'],
            'an empty key of the service' => [['serverPublicKey' => ''], 'invalid_key'],
            'no key id of the service in a list' => [['serverKeyId' => ','], 'invalid_argument'],
            'no pin in a list' => [['pinSpki' => [' ']], 'invalid_argument'],
            'no logger' => [['logger' => new \stdClass()], 'invalid_argument'],
        ];
    }

    /**
     * @dataProvider wrongSettings
     * @param array<string, mixed> $wrong
     */
    public function testAWrongSettingIsRefusedAtOnce(array $wrong, string $code): void
    {
        self::assertFails($code, 'not_sent', fn () => Sandbox::one()->client(...$wrong));
    }

    public function testAWrongSettingIsReportedByItsArgument(): void
    {
        $wrong = ['timeoutMs' => -66, 'maxReplyBytes' => -66, 'privateKey' => 'AA66', 'serverKeyId' => '66 66'];
        foreach ($wrong as $name => $value) {
            $error = self::failure(fn () => Sandbox::one()->client(...[$name => $value]));
            self::assertStringContainsString($name, $error->getMessage());
            self::assertStringNotContainsString('66', $error->getMessage());
        }
        $error = self::failure(fn () => NamedTexts::make('mpay_config', ['noSuchSetting' => ['1']]));
        self::assertSame('invalid_argument', $error->code());
        self::assertStringContainsString('noSuchSetting', $error->getMessage());
    }

    public function testEverySettingIsTaken(): void
    {
        $client = Sandbox::one()->client(
            allowHttp: true,
            baseUrl: 'http://pay.example',
            reuseIdleMs: 0,
            connectIdleMs: 5000,
            connectTimeoutMs: 5000,
            userAgent: 'shop/1',
        );
        $this->assertFails('invalid_argument', 'not_sent', fn () => $client->confirm(''));
    }

    public function testAWrongKeyOfTheServiceIsRefusedAtOnce(): void
    {
        self::assertFails('invalid_key', 'not_sent', fn () => new WebhookVerifier('hello'));
        self::assertFails('invalid_argument', 'not_sent', fn () => new WebhookVerifier([]));
    }

    /** @return array<string, array{string}> */
    public function wrongOrders(): array
    {
        return ['empty' => [''], 'a NUL' => ["o-1\0"], 'not UTF-8' => ["o-\xff"]];
    }

    /** @dataProvider wrongOrders */
    public function testAWrongOrderIsNotAskedFor(string $orderId): void
    {
        $client = Sandbox::one()->client();
        foreach (['confirm', 'cancel', 'getStatus'] as $operation) {
            self::assertFails('invalid_argument', 'not_sent', fn () => $client->$operation($orderId));
        }
        $file = ['a.pdf', '%PDF', 'application/pdf'];
        self::assertFails('invalid_argument', 'not_sent', fn () => $client->attachReceipt($orderId, [$file]));
    }

    /** @return array<string, array{array<mixed>}> */
    public function wrongFiles(): array
    {
        return [
            'none' => [[]],
            'missing' => [['/no/such/receipt.pdf']],
            'a folder' => [['/']],
            'a NUL in a path' => [["/etc/hostname\0.pdf"]],
            'another type' => [[__FILE__]],
            'no such type' => [[['a.txt', 'text', 'text/plain']]],
            'an empty file' => [[['a.pdf', '', 'application/pdf']]],
            'a NUL in a name' => [[["a\0.pdf", '%PDF', 'application/pdf']]],
            'a line end in a name' => [[["a\r\n.pdf", '%PDF', "application/pdf\r\nX: y"]]],
            'two of three' => [[['a.pdf', '%PDF']]],
            'no text' => [[['a.pdf', 5, 'application/pdf']]],
            'a number' => [[5]],
            'null' => [[null]],
        ];
    }

    /**
     * @dataProvider wrongFiles
     * @param array<mixed> $files
     */
    public function testAWrongFileIsNotSent(array $files): void
    {
        self::assertFails(
            'invalid_argument',
            'not_sent',
            fn () => Sandbox::one()->client()->attachReceipt('o-1', $files),
        );
    }

    public function testOpenBasedirHoldsForTheLibraryToo(): void
    {
        $code = 'require $argv[1]; $arguments = json_decode($argv[2], true);
            ini_set("open_basedir", dirname($argv[1]));
            foreach ([$argv[3], "/etc/hostname"] as $file) {
                foreach ([
                    fn () => (new MerchantPay\Client(...$arguments))->attachReceipt("o-1", [$file]),
                    fn () => new MerchantPay\Client(...$arguments, caFile: $file),
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
        self::assertSame("rejected\ninvalid_argument\n$kept$kept", $php->rest());
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
        self::assertFails('invalid_argument', 'not_sent', fn () => $other->derive(-1));
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

    /** @return array<string, array{mixed, mixed, Balance|string, int, Rounding|string, string}> */
    public function conversions(): array
    {
        return [
            'to USDT' => ['1500.50', '92.45', Balance::Usdt, 6, Rounding::HalfEven, '16.230395'],
            'by names' => ['1500.50', '0.97', 'RUB', 2, 'down', '1455.48'],
            'half up' => ['0.5', 1, Balance::Rub, 0, Rounding::HalfUp, '1'],
            'half even' => ['0.5', 1, Balance::Rub, 0, Rounding::HalfEven, '0'],
            'up' => [1, 3, Balance::Usdt, 2, Rounding::Up, '0.34'],
        ];
    }

    /** @dataProvider conversions */
    public function testAConversionIsExact(
        mixed $sum,
        mixed $rate,
        Balance|string $balance,
        int $scale,
        Rounding|string $rounding,
        string $converted,
    ): void {
        self::assertSame($converted, Balance::convert($sum, $rate, $balance, $scale, $rounding));
    }

    /** @return array<string, array{mixed, mixed, string, int, string}> */
    public function wrongConversions(): array
    {
        return [
            'a float' => [1.5, '1', 'RUB', 2, 'down'],
            'a float rate' => ['1', 92.45, 'RUB', 2, 'down'],
            'no rate' => ['1', '0', 'USDT', 2, 'down'],
            'another balance' => ['1', '1', 'EUR', 2, 'down'],
            'no such rounding' => ['1', '1', 'RUB', 2, 'away'],
            'too many digits' => ['1', '1', 'RUB', 29, 'down'],
            'less than no digits' => ['1', '1', 'RUB', -1, 'down'],
            'digits that would be cut' => ['1', '1', 'RUB', 4294967298, 'down'],
        ];
    }

    /** @dataProvider wrongConversions */
    public function testAWrongConversionIsRefused(
        mixed $sum,
        mixed $rate,
        string $balance,
        int $scale,
        string $rounding,
    ): void {
        self::assertFails(
            'invalid_argument',
            'not_sent',
            fn () => Balance::convert($sum, $rate, $balance, $scale, $rounding),
        );
    }

    public function testAPairOfKeysWorks(): void
    {
        $pair = Keypair::generate();
        self::assertSame(64, strlen((string) base64_decode($pair->privateKey, true)));
        self::assertSame(substr(base64_decode($pair->privateKey), 32), base64_decode($pair->publicKey));
        self::assertTrue(isset($pair->privateKey));
        self::assertNotSame($pair->privateKey, Keypair::generate()->privateKey);
        $client = new Client(Sandbox::one()->url(), 'merchant-2', $pair->privateKey, Sandbox::one()->serverPublicKey());
        self::assertFails('rejected', 'rejected', fn () => $client->getStatus('o-1'));
        $this->expectException(\LogicException::class);
        $pair->privateKey = 'another';
    }
}
