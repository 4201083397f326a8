<?php

declare(strict_types=1);

namespace MerchantPay\Tests;

use MerchantPay\Client;
use MerchantPay\Testing\Sandbox;
use MerchantPay\Testing\UsesSandbox;
use MerchantPay\Testing\WebhookSigner;
use PHPUnit\Framework\TestCase;

final class TestingTest extends TestCase
{
    use UsesSandbox;

    private const PAYMENT = ['sum' => '1500.50', 'paymentMethod' => 'sbp', 'customerAccount' => '79001234567'];

    public function testEnvironmentHasASandboxUntilItIsRestored(): void
    {
        $before = getenv('MERCHANTPAY_BASE_URL');
        putenv('MERCHANTPAY_PROXY=http://127.0.0.1:9');
        self::sandbox()->setEnvironment();
        self::assertNotSame('', Client::fromEnv()->newPayment(...self::PAYMENT)->orderId);
        self::sandbox()->restoreEnvironment();
        self::assertSame($before, getenv('MERCHANTPAY_BASE_URL'));
        self::assertSame('http://127.0.0.1:9', getenv('MERCHANTPAY_PROXY'));
        putenv('MERCHANTPAY_PROXY');
    }

    // [kit]
    public function testFaultLosesAResponseAndIsCleared(): void
    {
        $order = ['sum' => '1500.50', 'paymentMethod' => 'sbp', 'customerAccount' => '79001234567'];
        $sandbox = self::sandbox();
        $before = $sandbox->requests('newPayment');
        $sandbox->fail('dropAfterCommit', 'newPayment', 2);
        try {
            $sandbox->client()->newPayment(...$order);
            self::fail('the response was not lost');
        } catch (\MerchantPay\Exception\TransportException $error) {
            self::assertSame('unknown', $error->outcome());
        }
        $sandbox->clearFaults();
        $sandbox->client()->newPayment(...$order);
        self::assertSame($before + 2, $sandbox->requests('newPayment'));
    }
    // [/kit]

    public function testCustomerAndOperatorDecideAHeldPayment(): void
    {
        $sandbox = Sandbox::start(hold: true);
        $orderId = $sandbox->client()->newPayment(...self::PAYMENT)->orderId;
        $sandbox->pay($orderId, 'less');
        $sandbox->operate($orderId, 'approve');
        $paid = $sandbox->client()->getStatus($orderId);
        self::assertSame(['doneSuccess', 'less'], [$paid->status, $paid->paid('1500.50')->value]);
    }

    public function testManualClockMovesOnlyWhenItIsAdvanced(): void
    {
        $sandbox = Sandbox::start(manualClock: true);
        $hook = ['credentialsWebhookUrl' => 'http://127.0.0.1:9/hook'];
        $orderId = $sandbox->client()->newPaymentAsync(...self::PAYMENT + $hook)->orderId;
        self::assertSame('free', $sandbox->client()->getStatus($orderId)->status);
        $sandbox->advance(3_600_000);
        self::assertNotSame('free', $sandbox->client()->getStatus($orderId)->status);
    }

    /** @return array<string, array{\Closure(): mixed, string}> */
    public function refused(): array
    {
        return [
            'an unknown order' => [fn () => self::sandbox()->nextWebhook('no-such-order', 'tamper'), 'notFound'],
            'a missing program' => [fn () => Sandbox::start('/nowhere/merchantpay'), '/nowhere/merchantpay'],
        ];
    }

    /** @dataProvider refused */
    public function testRefusalIsAnExceptionWithItsMessage(\Closure $call, string $message): void
    {
        $this->expectExceptionMessage($message);
        $call();
    }

    /** The stream of the sandbox's events ends when the sandbox ends. */
    public function testKilledTestRunLeavesNoSandbox(): void
    {
        $autoload = var_export(dirname(__DIR__) . '/autoload.php', true);
        $code = "require $autoload; \$sandbox = MerchantPay\\Testing\\Sandbox::start();"
            . ' echo $sandbox->url, "\n"; while (true) { sleep(1); }';
        $run = new Support\Program([PHP_BINARY, '-r', $code]);
        $events = fopen($run->waitFor('http://') . '/sandbox/events', 'r');
        self::assertIsResource($events);
        $run->kill();
        stream_get_contents($events);
        self::assertTrue(feof($events));
    }

    public function testSignedWebhookNeedsNoSandbox(): void
    {
        $signer = new WebhookSigner();
        $webhook = $signer->status('order', 'doneSuccess', '1500.50');
        $payment = $signer->verifier()->verify(...$webhook)->payment;
        self::assertSame(['order', 'doneSuccess', '1500.50'], [$payment->orderId, $payment->status, $payment->sum]);
        $this->expectException(\MerchantPay\Exception\UnverifiedException::class);
        $signer->verifier()->verify(...['body' => $webhook['body'] . ' '] + $webhook);
    }
}
