<?php

declare(strict_types=1);

namespace MerchantPay\Tests;

use MerchantPay\Client;
use MerchantPay\Exception\UnverifiedException;
use MerchantPay\Testing\Sandbox;
use MerchantPay\Testing\UsesSandbox;
use MerchantPay\Testing\WebhookSigner;
use MerchantPay\Tests\Support\Failing;
use MerchantPay\Tests\Support\Program;
use PHPUnit\Framework\TestCase;

/** Tests the test kit for a shop's own tests. */
final class TestingTest extends TestCase
{
    use Failing;
    use UsesSandbox;

    private const PAYMENT = ['sum' => '1500.50', 'paymentMethod' => 'sbp', 'customerAccount' => '79001234567'];

    public function testTheEnvironmentHasASandboxUntilItIsRestored(): void
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

    public function testAFaultLosesAResponseAndIsCleared(): void
    {
        $sandbox = self::sandbox();
        $before = $sandbox->requests('newPayment');
        $sandbox->fail('dropAfterCommit', 'newPayment', 2);
        self::assertFails('transport', 'unknown', static fn () => $sandbox->client()->newPayment(...self::PAYMENT));
        $sandbox->clearFaults();
        $sandbox->client()->newPayment(...self::PAYMENT);
        self::assertSame($before + 2, $sandbox->requests('newPayment'));
    }

    public function testTheCustomerAndTheOperatorDecideAHeldPayment(): void
    {
        $sandbox = Sandbox::start(hold: true);
        $orderId = $sandbox->client()->newPayment(...self::PAYMENT)->orderId;
        $sandbox->pay($orderId, 'less');
        $sandbox->operate($orderId, 'approve');
        $paid = $sandbox->client()->getStatus($orderId);
        self::assertSame(['doneSuccess', 'less'], [$paid->status, $paid->paid('1500.50')->value]);
    }

    public function testAManualClockMovesOnlyWhenItIsAdvanced(): void
    {
        $sandbox = Sandbox::start(manualClock: true);
        $hook = ['credentialsWebhookUrl' => 'http://127.0.0.1:9/hook'];
        $orderId = $sandbox->client()->newPaymentAsync(...self::PAYMENT + $hook)->orderId;
        self::assertSame('free', $sandbox->client()->getStatus($orderId)->status);
        $sandbox->advance(3_600_000);
        self::assertNotSame('free', $sandbox->client()->getStatus($orderId)->status);
    }

    public function testWhatTheSandboxRefusesIsAnExceptionWithItsMessage(): void
    {
        $this->expectExceptionMessage('notFound');
        self::sandbox()->nextWebhook('no-such-order', 'tamper');
    }

    public function testAMissingProgramIsNamed(): void
    {
        $this->expectExceptionMessage('/nowhere/merchantpay');
        Sandbox::start('/nowhere/merchantpay');
    }

    /** The test reads the sandbox's stream of events. The stream ends when the sandbox ends. */
    public function testAKilledTestRunLeavesNoSandbox(): void
    {
        $autoload = var_export(dirname(__DIR__) . '/autoload.php', true);
        $code = "require $autoload; \$sandbox = MerchantPay\\Testing\\Sandbox::start();"
            . ' echo $sandbox->url, "\n"; while (true) { sleep(1); }';
        $run = new Program([PHP_BINARY, '-r', $code]);
        $events = fopen($run->waitFor('http://') . '/sandbox/events', 'r');
        self::assertIsResource($events);
        $run->kill();
        stream_get_contents($events);
        self::assertTrue(feof($events));
    }

    public function testASignedWebhookNeedsNoSandbox(): void
    {
        $signer = new WebhookSigner();
        $webhook = $signer->status('order', 'doneSuccess', '1500.50');
        $payment = $signer->verifier()->verify(...$webhook)->payment;
        self::assertSame(['order', 'doneSuccess', '1500.50'], [$payment->orderId, $payment->status, $payment->sum]);
        $this->expectException(UnverifiedException::class);
        $signer->verifier()->verify(...['body' => $webhook['body'] . ' '] + $webhook);
    }
}
