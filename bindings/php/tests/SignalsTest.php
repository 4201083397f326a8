<?php

declare(strict_types=1);

namespace MerchantPay\Tests;

use MerchantPay\Client;
use MerchantPay\Exception\InterruptedException;
use MerchantPay\Exception\RejectedException;
use MerchantPay\Protocol;
use MerchantPay\Testing\WebhookSigner;
use MerchantPay\Tests\Support\TestCase;

/**
 * PHP runs signal handlers at almost any point. A handler of a signal that comes during a call must run only
 * after the call has its result.
 */
final class SignalsTest extends TestCase
{
    private bool $async;

    protected function setUp(): void
    {
        $this->async = pcntl_async_signals(true);
    }

    protected function tearDown(): void
    {
        pcntl_signal(SIGUSR1, SIG_DFL);
        pcntl_async_signals($this->async);
        parent::tearDown();
    }

    public function testHandlerMayCallTheServiceWhileACallWaits(): void
    {
        $php = self::php(<<<'PHP'
            $client = new MerchantPay\Client(...$settings);
            $other = $client->newPayment('777.77', 'sbp', '7900');
            $kept = [];
            pcntl_async_signals(true);
            pcntl_signal(SIGALRM, function () use ($client, $other, &$kept): void {
                $kept[] = $client->derive(5000);
                try {
                    $client->getStatus('nobody');
                } catch (MerchantPay\Exception\RejectedException $error) {
                    echo "handler {$error->code()}\n";
                }
                echo "handler {$client->getStatus($other->orderId)->sum}\n";
            });
            pcntl_alarm(1);
            $payment = $client->newPayment('1500.50', 'sbp', 'slow-credentials');
            echo "call $payment->sum " . ($payment->orderId === $other->orderId ? 'mixed' : 'its own') . "\n";
            pcntl_alarm(1);
            try {
                $client->derive(1500)->newPayment('1', 'sbp', 'slow-credentials');
            } catch (MerchantPay\Exception\TimeoutException $error) {
                echo "call {$error->outcome()}\n";
            }
            var_dump(pcntl_async_signals());
            PHP);
        $handler = "handler rejected\nhandler 777.77\n";
        $expected = $handler . "call 1500.50 its own\n" . $handler . "call unknown\nbool(true)\n";
        self::assertSame($expected, $php->rest());
        self::assertSame(0, $php->exitStatus());
    }

    public function testHandlerExceptionChainsTheResult(): void
    {
        $thrown = $this->interrupted(fn (Client $client) => $client->newPayment('2', 'sbp', '79995550001'));
        $ended = $thrown->getPrevious();
        self::assertInstanceOf(InterruptedException::class, $ended);
        self::assertSame('2', $ended->result->sum);
        self::assertStringStartsWith('newPayment had succeeded', $ended->getMessage());
        foreach ([$thrown, $ended] as $each) {
            $own = array_filter($each->getTrace(), self::isOfThePackage(...));
            self::assertNotSame([], $own);
            self::assertSame([], array_column($own, 'args'));
        }
        $failed = $this->interrupted(fn (Client $client) => $client->confirm('nobody'))->getPrevious();
        self::assertInstanceOf(RejectedException::class, $failed);
        self::assertTrue(pcntl_async_signals());
    }

    /**
     * The class Handle blocks signal handlers during all its work. No other class calls a function of the library that
     * makes, sends or verifies anything.
     */
    public function testOnlyHandleCallsTheLibrary(): void
    {
        $folder = dirname(__DIR__) . '/src';
        $found = [];
        foreach ([...(array) glob("$folder/*.php"), ...(array) glob("$folder/*/*.php")] as $file) {
            preg_match_all('/->(mpay_\w+)\(/', (string) file_get_contents($file), $calls);
            $found[basename($file)] = array_values(array_unique($calls[1]));
        }
        $versions = ['mpay_version_number', 'mpay_abi_version'];
        $others = ['Library.php' => $versions, 'Host.php' => ['mpay_answer']];
        unset($found['Handle.php']);
        self::assertEquals($others, array_filter($found));
    }

    /**
     * The signals come shortly after the result exists. The test runs many times, because a single run does not
     * hit every moment.
     */
    public function testThrowingHandlerLosesNoResult(): void
    {
        $timers = 'struct t { long s, u; }; struct i { struct t i, v; }; int setitimer(int, struct i *, void *);';
        $libc = \FFI::cdef($timers);
        $timer = $libc->new('struct i[1]');
        $aimed = false;
        pcntl_signal(SIGUSR1, static function () use ($libc, $timer, &$aimed): void {
            if ($aimed) {
                $libc->setitimer(0, $timer, null);
            }
        });
        pcntl_signal(SIGALRM, static function () use (&$aimed): void {
            if ($aimed) {
                $aimed = false;
                throw new \DomainException('time is up');
            }
        });
        $order = self::client()->newPayment(1, 'sbp', '7900')->orderId;
        $logger = new class {
            public int $ended = 0;

            public function log(): void
            {
                $this->ended++;
                posix_kill(posix_getpid(), SIGUSR1);
            }
        };
        $client = self::client(logger: $logger);
        $lost = 0;
        for ($round = 0; $round < 400; $round++) {
            $timer[0]->v->u = 1 + $round % 12;
            $payment = null;
            $before = $logger->ended;
            try {
                $aimed = true;
                if ($round % 20 === 0) {
                    $payment = $client->newPayment(2, 'sbp', '7900');
                } else {
                    $payment = $client->getStatus($order);
                }
                $aimed = false;
            } catch (\DomainException $last) {
                while ($last->getPrevious() !== null) {
                    $last = $last->getPrevious();
                }
                $payment ??= $last instanceof InterruptedException ? $last->result : null;
                $lost += (int) ($payment === null && $logger->ended > $before);
            }
        }
        pcntl_signal(SIGALRM, SIG_DFL);
        self::assertSame(0, $lost);
    }

    public function testHandlerRunsAfterTheSigner(): void
    {
        $ran = 0;
        pcntl_signal(SIGUSR1, static function () use (&$ran): void {
            $ran++;
            throw new \RuntimeException('time is up');
        });
        $merchant = new WebhookSigner();
        $signer = static function (string $message) use ($merchant, &$ran, &$during): string {
            posix_kill(posix_getpid(), SIGUSR1);
            usleep(1);
            $during = $ran;
            return base64_decode($merchant->sign($message)['signature']);
        };
        $keys = ['privateKey' => null, 'publicKey' => $merchant->serverPublicKey, 'signer' => $signer];
        $protocol = new Protocol(...array_merge(self::sandbox()->arguments(), $keys));
        try {
            $protocol->prepareConfirm('o-1');
            self::fail('the handler did not run');
        } catch (\RuntimeException $thrown) {
            self::assertInstanceOf(InterruptedException::class, $thrown->getPrevious());
        }
        self::assertSame([0, 1], [$during, $ran]);
    }

    public function testSynchronousHandlerWaitsForDispatch(): void
    {
        pcntl_async_signals(false);
        $ran = 0;
        pcntl_signal(SIGUSR1, static function () use (&$ran): void {
            $ran++;
        });
        $this->signalling()->newPayment(1, 'sbp', '7900');
        self::assertSame(0, $ran);
        pcntl_signal_dispatch();
        self::assertSame(1, $ran);
    }

    /** Returns the exception of a signal handler, for a signal that came during a library call. */
    private function interrupted(\Closure $call): \Throwable
    {
        $client = $this->signalling();
        pcntl_signal(SIGUSR1, static fn () => throw new \DomainException('time is up'));
        try {
            $call($client);
        } catch (\DomainException $thrown) {
            return $thrown;
        }
        self::fail('the handler did not run');
    }

    private function signalling(): Client
    {
        return self::client(logger: new class {
            public function log(): void
            {
                posix_kill(posix_getpid(), SIGUSR1);
                usleep(1);
            }
        });
    }
}
