<?php

declare(strict_types=1);

namespace MerchantPay\Tests;

use MerchantPay\Client;
use MerchantPay\Exception\InvalidArgumentException;
use MerchantPay\Exception\UnverifiedException;
use MerchantPay\Ffi\Host;
use MerchantPay\Protocol;
use MerchantPay\Testing\WebhookSigner;
use MerchantPay\Tests\Support\TestCase;

/** Tests when objects, callbacks and memory are freed: in long processes, at the end of a request, and in forks. */
final class LifetimesTest extends TestCase
{
    public function testCallbacksAreReleasedWithTheLastHandle(): void
    {
        gc_collect_cycles();
        $before = self::hosts();
        $settings = ['logger' => self::logger()] + self::signing(static fn (string $message): string => $message);
        $client = self::client(...$settings);
        $other = $client->derive(5000);
        $client->close();
        unset($client);
        self::assertSame($before + 1, self::hosts());
        $other->close();
        self::assertSame($before, self::hosts());
        self::assertFails('invalid_argument not_sent', fn () => self::client(...$settings, timeoutMs: 0));
        self::assertSame($before, self::hosts());
        $protocol = new Protocol(...array_merge(self::sandbox()->arguments(), $settings));
        self::assertSame($before + 1, self::hosts());
        unset($protocol);
        self::assertSame($before, self::hosts());
    }

    public function testLoggerCycleIsCollected(): void
    {
        foreach ([false, true] as $isCycle) {
            $logger = self::logger();
            $client = self::client(logger: $logger);
            $logger->client = $isCycle ? $client : null;
            $weak = \WeakReference::create($logger);
            unset($logger);
            self::assertNotNull($weak->get());
            unset($client);
            gc_collect_cycles();
            self::assertNull($weak->get());
        }
    }

    /** @return array<string, array{string, int, string}> */
    public function ends(): array
    {
        return [
            'the end of the script' => ['', 0, ''],
            'exit' => ['exit(3);', 3, ''],
            'an exception' => ['throw new Exception("end of it");', 255, 'end of it'],
            'an unknown method' => ['$client->nothing();', 255, 'undefined method'],
            'no memory' => ['ini_set("memory_limit", "4M"); str_repeat("x", 1 << 24);', 255, 'Allowed memory size'],
        ];
    }

    /** @dataProvider ends */
    public function testRequestEndsQuietlyAndReleasesCallbacks(string $end, int $status, string $output): void
    {
        $php = self::php('ini_set("display_errors", "1"); $logger = new class { public function log(): void {} };
            $client = new MerchantPay\Client(...$settings, logger: $logger);
            $pair = MerchantPay\Keypair::generate();
            register_shutdown_function(static fn () => register_shutdown_function(static function (): void {
                $left = count((new ReflectionProperty(MerchantPay\Ffi\Host::class, "hosts"))->getValue());
                echo error_get_last() === null ? "" : "$left left";
            }));' . $end);
        $printed = $php->rest();
        self::assertSame($status, $php->exitStatus(), $printed);
        if ($output === '') {
            self::assertSame('', $printed);
        } else {
            self::assertStringContainsString($output, $printed);
            self::assertStringEndsWith('0 left', $printed);
        }
    }

    public function testFatalErrorFreesTheReplyBeingRead(): void
    {
        $php = self::php(<<<'PHP'
            $say = function (string $when): void {
                ini_set('memory_limit', '64M');
                $unread = (new ReflectionProperty(MerchantPay\Ffi\Handle::class, 'largeSize'))->getValue();
                echo $when, $unread === 0 ? ' nothing' : ' something', "\n";
            };
            register_shutdown_function(function () use ($say): void {
                $say('first');
                // The package's own shutdown functions, which are already registered, register more functions. Those
                // run before the function that is registered here.
                register_shutdown_function(fn () => register_shutdown_function($say, 'last'));
            });
            $signer = new MerchantPay\Testing\WebhookSigner();
            $long = str_repeat('x', 6 << 20);
            $webhook = $signer->sign('{"success":true,"orderId":"o-1","status":"doneSuccess","more":"' . $long . '"}');
            $signer->verifier()->verify(...$webhook);
            unset($long);
            ini_set('memory_limit', (string) (memory_get_usage(true) + (1 << 20)));
            $signer->verifier()->verify(...$webhook);
            PHP);
        $output = $php->rest();
        self::assertStringContainsString('Allowed memory size', $output);
        self::assertStringContainsString("first something\nlast nothing\n", $output);
    }

    public function testForkedChildrenUseTheSameClientAndJournal(): void
    {
        $php = self::php(<<<'PHP'
            $client = new MerchantPay\Client(...$settings);
            $journal = new MerchantPay\Journal($client, getenv('PLACE'), create: true);
            $pay = fn (string $reference): string => $journal->pay($reference, 1, 'sbp', '7900')->standing;
            $order = $client->newPayment(1, 'sbp', '7900')->orderId;
            $say = fn (int $number) => print("{$client->getStatus($order)->status} {$pay("order-$number")}\n");
            $say(0);
            for ($child = 1; $child <= 4; $child++) {
                if (pcntl_fork() === 0) {
                    $say($child);
                    exit(0);
                }
            }
            while (pcntl_wait($status) > 0) {
                echo $status . "\n";
            }
            $say(5);
            PHP, environment: ['PLACE' => $this->folder() . '/payments.db']);
        $lines = explode("\n", trim($php->rest()));
        sort($lines);
        self::assertSame([...array_fill(0, 4, '0'), ...array_fill(0, 6, 'pending open')], $lines);
    }

    /** @return array<string, array{\Closure(): \Closure(): void, int, int}> */
    public function work(): array
    {
        $verify = static function (): \Closure {
            $signer = new WebhookSigner();
            [$verifier, $webhook] = [$signer->verifier(), $signer->status('o-1', 'doneSuccess', '1500.50')];
            return static function () use ($verifier, $webhook): void {
                for ($index = 0; $index < 10; $index++) {
                    $verifier->verify(...$webhook);
                }
                try {
                    $verifier->verify(...['body' => '{}'] + $webhook);
                } catch (UnverifiedException) {
                }
            };
        };
        $make = static fn (): \Closure => static function (): void {
            $client = self::client(...self::signing(static fn (): string => ''), logger: self::logger());
            $client->derive(5);
            try {
                $client->newPayment(1.5, 'sbp', '7900');
            } catch (InvalidArgumentException) {
            }
        };
        return ['verifications' => [$verify, 3_400, 1024], 'clients' => [$make, 1_000, 2048]];
    }

    /**
     * The work is done in three rounds. A table inside PHP can grow in one round. A leak grows in every round.
     *
     * @dataProvider work
     */
    public function testMemoryStaysFlat(\Closure $make, int $times, int $kilobytes): void
    {
        $work = $make();
        [$grown, $ownGrown] = [[], []];
        for ($round = 0; $round < 4; $round++) {
            [$resident, $own] = [self::residentKilobytes(), memory_get_usage()];
            for ($index = 0; $index < ($round === 0 ? $times / 10 : $times); $index++) {
                $work();
            }
            if ($round > 0) {
                $grown[] = self::residentKilobytes() - $resident;
                $ownGrown[] = memory_get_usage() - $own;
            }
        }
        self::assertLessThan($kilobytes, min($grown));
        self::assertLessThan(16 * 1024, min($ownGrown));
    }

    private static function residentKilobytes(): int
    {
        preg_match('/^VmRSS:\s+(\d+) kB/m', (string) file_get_contents('/proc/self/status'), $found);
        return (int) $found[1];
    }

    private static function hosts(): int
    {
        return count((new \ReflectionProperty(Host::class, 'hosts'))->getValue());
    }

    private static function logger(): object
    {
        return new class {
            public ?Client $client = null;

            public function log(): void
            {
            }
        };
    }
}
