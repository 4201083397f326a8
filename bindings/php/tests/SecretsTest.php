<?php

declare(strict_types=1);

namespace MerchantPay\Tests;

use MerchantPay\Client;
use MerchantPay\Entry;
use MerchantPay\HttpRequest;
use MerchantPay\Keypair;
use MerchantPay\Payment;
use MerchantPay\Problem;
use MerchantPay\Protocol;
use MerchantPay\Testing\WebhookSigner;
use MerchantPay\Tests\Support\TestCase;

/** Tests that printed and serialized values contain no key, signature, account or name. */
final class SecretsTest extends TestCase
{
    private const ACCOUNT = self::PAYMENT['customerAccount'];

    /** @return array<string, array{\Closure(): object}> */
    public function owners(): array
    {
        $arguments = static fn (): array => self::sandbox()->arguments();
        return [
            'client' => [static fn (): object => new Client(...$arguments())],
            'protocol' => [static fn (): object => new Protocol(...$arguments())],
            'request' => [static fn (): object => (new Protocol(...$arguments()))->prepareNewPayment(...self::PAYMENT)],
            'verifier' => [static fn (): object => (new WebhookSigner())->verifier()],
            'keys' => [static fn (): object => Keypair::generate()],
        ];
    }

    /** @return array<string, array{\Closure(): object}> */
    public function holders(): array
    {
        $payment = ['orderId' => 'o', 'payeeAccount' => self::ACCOUNT, 'payeeName' => 'Ivan'];
        $payment['deeplink'] = 'link://pay';
        $entry = ['reference' => 'r', 'attempt' => 1, 'credentials' => new Payment(...$payment)];
        return $this->owners() + [
            'payment' => [static fn (): object => new Payment(...$payment, json: '{"payeeName":"Ivan"}')],
            'entry' => [static fn (): object => new Entry(...$entry, json: '{"payeeName":"Ivan"}')],
            'problem' => [static fn (): object => new Problem('rejected', 'rejected', 'Ivan')],
        ];
    }

    /** @dataProvider holders */
    public function testPrintedValueShowsNoSecret(\Closure $make): void
    {
        $holder = $make();
        ob_start();
        var_dump($holder, [$holder]);
        $printed = print_r($holder, true) . ob_get_clean();
        $secrets = [self::sandbox()->environment['MERCHANTPAY_PRIVATE_KEY'], self::ACCOUNT, 'Ivan', 'link://pay'];
        $secrets[] = match (true) {
            $holder instanceof Keypair => $holder->privateKey,
            $holder instanceof HttpRequest => $holder->headers['X-Signature'],
            default => self::ACCOUNT,
        };
        foreach ($secrets as $secret) {
            self::assertStringNotContainsString($secret, $printed);
        }
    }

    /** @dataProvider owners */
    public function testOwnerIsNeitherSerializedNorCloned(\Closure $make): void
    {
        $owner = $make();
        $empty = sprintf('O:%d:"%s":0:{}', strlen($owner::class), $owner::class);
        foreach ([fn () => serialize($owner), fn () => unserialize($empty), fn () => clone $owner] as $copy) {
            try {
                $copy();
                self::fail('it was copied');
            } catch (\LogicException | \Error $error) {
                self::assertMatchesRegularExpression('/serialized|private/', $error->getMessage());
            }
        }
    }

    public function testPrivateKeyIsInNoExport(): void
    {
        $pair = Keypair::generate();
        $client = self::client(privateKey: $pair->privateKey);
        $exports = [
            var_export([$pair, $client], true),
            json_encode([$pair, $client]),
            print_r([(array) $pair, (array) $client, get_object_vars($pair)], true),
        ];
        self::assertStringNotContainsString($pair->privateKey, str_replace('\/', '/', implode($exports)));
    }

    public function testPaymentIsAValue(): void
    {
        $payment = self::client()->newPayment(...self::PAYMENT);
        self::assertEquals($payment, unserialize(serialize($payment)));
        self::assertEquals($payment, clone $payment);
        $this->expectException(\Error::class);
        $payment->sum = '2';
    }

    public function testExceptionNamesTheCallersLineAndShowsNoArgument(): void
    {
        $key = self::sandbox()->environment['MERCHANTPAY_PRIVATE_KEY'];
        [$service, $other] = [new WebhookSigner(), new WebhookSigner()];
        ['signature' => $signature] = $other->sign('body of o-1');
        $body = '{"success":false,"errorDescription":"account 2200 of Ivan is blocked"}';
        $headers = ['X-KeyId' => 'service-1', 'X-Signature' => $service->sign($body)['signature']];
        [$verifier, $request] = [$service->verifier(), self::protocol($service)->prepareConfirm('o-1')];
        $public = $service->serverPublicKey;
        [$wrong, $line] = ['invalid_argument not_sent', __LINE__ + 2];
        $calls = [
            [fn () => self::client()->confirm(''), $wrong, []],
            [fn () => new Client('https://pay', 'm', $key, $public, proxy: 'http://u:hunter2@['), $wrong, ['hunter2']],
            [fn () => self::client()->newPayment('0', 'sbp', self::ACCOUNT), $wrong, []],
            [fn () => $verifier->verify('body of o-1', $signature), 'unverified unknown', [$signature, 'body of']],
            [fn () => $request->open(400, $headers, $body), 'rejected rejected', ['Ivan', '2200']],
        ];
        foreach ($calls as $number => [$call, $expected, $secrets]) {
            $error = self::assertFails($expected, $call);
            self::assertSame([__FILE__, $line + $number], [$error->getFile(), $error->getLine()]);
            $frames = array_filter($error->getTrace(), self::isOfThePackage(...));
            self::assertNotSame([], $frames);
            self::assertSame([], array_column($frames, 'args'));
            ob_start();
            var_dump($error, $frames);
            $printed = print_r($error, true) . ob_get_clean() . $error->getMessage();
            foreach ([self::ACCOUNT, $key, ...$secrets] as $secret) {
                self::assertStringNotContainsString(substr($secret, 0, 12), $printed);
            }
        }
        self::assertSame('account 2200 of Ivan is blocked', $error->description());
    }

    public function testTypeErrorShowsNoKey(): void
    {
        $key = self::sandbox()->environment['MERCHANTPAY_PRIVATE_KEY'];
        try {
            self::client(timeoutMs: 'soon', privateKey: $key);
            self::fail('it was taken');
        } catch (\TypeError $error) {
            $frames = array_filter($error->getTrace(), static fn ($frame) => ($frame['class'] ?? '') === Client::class);
            self::assertNotSame([], $frames);
            self::assertStringNotContainsString(substr($key, 0, 12), print_r($frames, true));
        }
    }

    /** Runs with PHP's development configuration, and without the stack frames of PHPUnit. */
    public function testTracesOfASignersExceptionsShowNoArgument(): void
    {
        $code = <<<'PHP'
            function signature(string $message): string
            {
                throw new DomainException('the device is gone', 0, new LogicException('the cable too'));
            }
            $signing = ['privateKey' => null, 'publicKey' => MerchantPay\Keypair::generate()->publicKey];
            $client = new MerchantPay\Client(...array_merge($settings, $signing), signer: signature(...));
            try {
                $client->newPayment('1500.55', 'sbp', '79995550001');
            } catch (MerchantPay\Exception\MerchantPayException $error) {
                for ($each = $error; $each !== null; $each = $each->getPrevious()) {
                    print_r($each->getTrace());
                }
                throw $error;
            }
            PHP;
        $flags = ['-dzend.exception_ignore_args=0', '-dzend.exception_string_param_max_len=100000'];
        $printed = self::php($code, [...$flags, '-ddisplay_errors=1'])->rest();
        foreach (['the device is gone', 'the cable too', 'signature()', '[function] => newPayment'] as $expected) {
            self::assertStringContainsString($expected, $printed);
        }
        foreach ([self::ACCOUNT, '1500.55', '[args]'] as $secret) {
            self::assertStringNotContainsString($secret, $printed);
        }
    }
}
