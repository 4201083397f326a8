<?php

declare(strict_types=1);

namespace MerchantPay\Tests;

use MerchantPay\Client;
use MerchantPay\Keypair;
use MerchantPay\Protocol;
use MerchantPay\Tests\Support\Failing;
use MerchantPay\Tests\Support\Key;
use MerchantPay\Tests\Support\Program;
use MerchantPay\Tests\Support\Sandbox;
use MerchantPay\WebhookVerifier;
use PHPUnit\Framework\TestCase;

/** Tests that printed and serialized values contain no key, signature, account or name. */
final class SecretsTest extends TestCase
{
    use Failing;

    private const ACCOUNT = '79995550001';

    /** @return array<string, array{\Closure(): object}> */
    public function holders(): array
    {
        $arguments = static fn (): array => Sandbox::one()->arguments();
        return [
            'client' => [static fn (): object => new Client(...$arguments())],
            'protocol' => [static fn (): object => new Protocol(...$arguments())],
            'request' => [
                static fn (): object => (new Protocol(...$arguments()))->prepareNewPayment('1', 'sbp', self::ACCOUNT),
            ],
            'verifier' => [static fn (): object => new WebhookVerifier((new Key())->publicKey())],
            'keys' => [static fn (): object => Keypair::generate()],
            'payment' => [static fn (): object => Sandbox::one()->client()->newPayment('1', 'sbp', self::ACCOUNT)],
        ];
    }

    /**
     * @dataProvider holders
     * @param \Closure(): object $make
     */
    public function testWhatIsPrintedShowsNoSecret(\Closure $make): void
    {
        $holder = $make();
        ob_start();
        var_dump($holder, [$holder]);
        print_r($holder);
        $printed = (string) ob_get_clean();
        foreach ($this->secretsOf($holder) as $what => $secret) {
            self::assertStringNotContainsString($secret, $printed, $what);
        }
    }

    /** @return array<string, array{\Closure(): object}> */
    public function owners(): array
    {
        return array_diff_key($this->holders(), ['payment' => 0]);
    }

    /**
     * @dataProvider owners
     * @param \Closure(): object $make
     */
    public function testAnOwnerIsNeitherSerializedNorCloned(\Closure $make): void
    {
        $owner = $make();
        try {
            serialize($owner);
            self::fail('it was serialized');
        } catch (\LogicException $error) {
            self::assertStringContainsString('serialized', $error->getMessage());
        }
        try {
            unserialize(sprintf('O:%d:"%s":0:{}', strlen($owner::class), $owner::class));
            self::fail('it was unserialized');
        } catch (\LogicException $error) {
            self::assertStringContainsString('serialized', $error->getMessage());
        }
        $this->expectException(\Error::class);
        $this->expectExceptionMessage('private');
        clone $owner;
    }

    public function testAPrivateKeyIsInNoExport(): void
    {
        $pair = Keypair::generate();
        $client = Sandbox::one()->client(privateKey: $pair->privateKey);
        $exports = [
            var_export([$pair, $client], true),
            json_encode([$pair, $client]),
            print_r([(array) $pair, (array) $client, get_object_vars($pair)], true),
        ];
        self::assertStringNotContainsString($pair->privateKey, str_replace('\/', '/', implode($exports)));
    }

    public function testAPaymentIsAValue(): void
    {
        $payment = Sandbox::one()->client()->newPayment('1.50', 'sbp', self::ACCOUNT);
        self::assertEquals($payment, unserialize(serialize($payment)));
        self::assertEquals($payment, clone $payment);
        $this->expectException(\Error::class);
        $payment->sum = '2';
    }

    public function testAnExceptionShowsNoArgument(): void
    {
        $key = Sandbox::one()->environment['MERCHANTPAY_PRIVATE_KEY'];
        $error = self::failure(fn () => Sandbox::one()->client(privateKey: $key, caFile: '/no/such/file'));
        $this->assertHides([$key, substr($key, 0, 12)], $error);
        $error = self::failure(fn () => Sandbox::one()->client(proxy: 'http://user:hunter2@[', privateKey: $key));
        $this->assertHides(['hunter2', substr($key, 0, 12)], $error);
        $error = self::failure(fn () => Sandbox::one()->client()->newPayment('0', 'sbp', self::ACCOUNT));
        $this->assertHides([self::ACCOUNT], $error);
        $signer = new Key();
        $signature = $signer->sign('body of o-1');
        $verifier = new WebhookVerifier((new Key())->publicKey());
        $error = self::failure(fn () => $verifier->verify('body of o-1', $signature));
        $this->assertHides([$signature, substr($signature, 0, 12), 'body of o-1'], $error);
    }

    public function testAWrongTypeShowsNoKey(): void
    {
        $key = Sandbox::one()->environment['MERCHANTPAY_PRIVATE_KEY'];
        try {
            Sandbox::one()->client(timeoutMs: 'soon', privateKey: $key);
            self::fail('it was taken');
        } catch (\TypeError $error) {
            $frames = array_filter(
                $error->getTrace(),
                static fn (array $frame): bool => ($frame['class'] ?? '') === Client::class,
            );
            self::assertNotSame([], $frames);
            self::assertStringNotContainsString(substr($key, 0, 12), print_r($frames, true));
        }
    }

    /**
     * Runs in a process of its own, with PHP's development configuration and without the stack frames of
     * PHPUnit.
     */
    public function testWhatASignerThrowsShowsNoArgument(): void
    {
        $code = <<<'PHP'
            require $argv[1];
            function signature(string $message): string
            {
                throw new DomainException('the device is gone', 0, new LogicException('the cable too'));
            }
            $client = new MerchantPay\Client(
                baseUrl: 'http://127.0.0.1:1',
                keyId: 'merchant-1',
                privateKey: null,
                publicKey: $argv[2],
                signer: signature(...),
                serverPublicKey: $argv[3],
            );
            try {
                $client->newPayment('1500.55', 'sbp', '79995550001');
            } catch (MerchantPay\Exception\MerchantPayException $error) {
                print_r(array_map(fn ($each) => $each->getTrace(), [
                    $error, $error->getPrevious(), $error->getPrevious()->getPrevious(),
                ]));
                throw $error;
            }
            PHP;
        $flags = ['-dzend.exception_ignore_args=0', '-dzend.exception_string_param_max_len=100000'];
        $arguments = [dirname(__DIR__) . '/autoload.php', (new Key())->publicKey(), (new Key())->publicKey()];
        $php = new Program([PHP_BINARY, ...$flags, '-ddisplay_errors=1', '-r', $code, '--', ...$arguments]);
        $printed = $php->rest();
        foreach (['the device is gone', 'the cable too', 'signature()', '[function] => newPayment'] as $expected) {
            self::assertStringContainsString($expected, $printed);
        }
        foreach ([self::ACCOUNT, '1500.55', '[args]'] as $secret) {
            self::assertStringNotContainsString($secret, $printed);
        }
    }

    public function testTheServicesWordsAreNotPrinted(): void
    {
        $body = '{"success":false,"errorDescription":"account 2200 of Ivan is blocked"}';
        $service = new Key();
        $protocol = new Protocol('https://pay.example', 'm-1', (new Key())->privateKey(), $service->publicKey());
        $reply = ['X-KeyId' => 'service-1', 'X-Signature' => $service->sign($body)];
        $error = self::failure(fn () => $protocol->prepareConfirm('o-1')->open(400, $reply, $body));
        self::assertSame('account 2200 of Ivan is blocked', $error->description());
        $this->assertHides(['Ivan', '2200'], $error);
    }

    public function testAnErrorStandsWhereThePackageWasCalled(): void
    {
        $line = __LINE__ + 1;
        $error = self::failure(fn () => Sandbox::one()->client()->confirm(''));
        self::assertSame([__FILE__, $line], [$error->getFile(), $error->getLine()]);
    }

    /** @param list<string> $secrets */
    private function assertHides(array $secrets, \Throwable $error): void
    {
        // The frames outside the package contain this test's own values.
        $frames = array_filter(
            $error->getTrace(),
            static fn (array $frame): bool => preg_match('/^MerchantPay\\\\(?!Tests)/', $frame['class'] ?? '') === 1,
        );
        self::assertNotSame([], $frames);
        self::assertSame([], array_column($frames, 'args'));
        ob_start();
        var_dump($error, $frames);
        $printed = print_r($error, true) . ob_get_clean() . $error->getMessage();
        foreach ($secrets as $secret) {
            self::assertStringNotContainsString($secret, $printed);
        }
    }

    /** @return array<string, string> */
    private function secretsOf(object $holder): array
    {
        $secrets = [
            'the private key' => Sandbox::one()->environment['MERCHANTPAY_PRIVATE_KEY'],
            'the account' => self::ACCOUNT,
        ];
        if ($holder instanceof Keypair) {
            $secrets['the private key'] = $holder->privateKey;
        }
        if ($holder instanceof \MerchantPay\HttpRequest) {
            $secrets['the signature'] = $holder->headers['X-Signature'];
        }
        if ($holder instanceof \MerchantPay\Payment) {
            $secrets['the account'] = (string) $holder->payeeAccount;
            $secrets['the name'] = (string) $holder->payeeName;
            $secrets['the link'] = (string) $holder->deeplink;
        }
        return $secrets;
    }
}
