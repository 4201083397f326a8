<?php

declare(strict_types=1);

namespace MerchantPay\Tests;

use MerchantPay\Tests\Support\Key;
use MerchantPay\Tests\Support\Program;
use MerchantPay\Tests\Support\Sandbox;
use MerchantPay\WebhookVerifier;
use PHPUnit\Framework\TestCase;

/** Tests long-running processes and forks. */
final class ProcessesTest extends TestCase
{
    private const BODY = '{"success":true,"orderId":"o-1","status":"doneSuccess","sum":1500.50}';

    public function testAForkedChildGoesOnWithTheSameClient(): void
    {
        $code = <<<'PHP'
            require $argv[1];
            $client = new MerchantPay\Client(...json_decode($argv[2], true));
            $order = $client->newPayment(1, 'sbp', '7900')->orderId;
            $client->getStatus($order);
            for ($child = 0; $child < 4; $child++) {
                if (pcntl_fork() === 0) {
                    echo $client->getStatus($order)->status . "\n";
                    exit(0);
                }
            }
            while (pcntl_wait($status) > 0) {
                echo $status . "\n";
            }
            echo $client->getStatus($order)->status . "\n";
            PHP;
        $arguments = (string) json_encode(Sandbox::one()->arguments());
        $php = new Program([PHP_BINARY, '-r', $code, dirname(__DIR__) . '/autoload.php', $arguments]);
        $lines = explode("\n", trim($php->rest()));
        sort($lines);
        self::assertSame([...array_fill(0, 4, '0'), ...array_fill(0, 5, 'pending')], $lines);
    }

    public function testAFatalErrorWhileAReplyIsReadLeavesNothing(): void
    {
        $code = <<<'PHP'
            require $argv[1];
            $say = function (string $when): void {
                ini_set('memory_limit', '64M');
                $unread = (new ReflectionProperty(MerchantPay\Ffi\Handle::class, 'largeSize'))->getValue();
                echo $when, $unread === 0 ? ' nothing' : ' something', "\n";
            };
            register_shutdown_function(function () use ($say): void {
                $say('first');
                // The package has already registered its shutdown functions. When they run, they register more
                // functions. These run before the function that is registered here.
                register_shutdown_function(fn () => register_shutdown_function($say, 'last'));
            });
            $service = sodium_crypto_sign_keypair();
            $body = '{"success":true,"orderId":"o-1","status":"doneSuccess","more":"' . str_repeat('x', 6 << 20) . '"}';
            $signature = base64_encode(sodium_crypto_sign_detached($body, sodium_crypto_sign_secretkey($service)));
            $verifier = new MerchantPay\WebhookVerifier(base64_encode(sodium_crypto_sign_publickey($service)));
            $verifier->verify($body, $signature);
            ini_set('memory_limit', (string) (memory_get_usage(true) + (1 << 20)));
            $verifier->verify($body, $signature);
            PHP;
        $php = new Program([PHP_BINARY, '-r', $code, dirname(__DIR__) . '/autoload.php']);
        $output = $php->rest();
        self::assertStringContainsString('Allowed memory size', $output);
        self::assertStringContainsString("first something\nlast nothing\n", $output);
    }

    public function testAnEndWithOpenObjectsIsQuiet(): void
    {
        $ends = [
            'exit(3);' => '',
            'throw new Exception("end of it");' => 'end of it',
            '$client->nothing();' => 'undefined method',
            'ini_set("memory_limit", "4M"); str_repeat("x", 1 << 24);' => 'Allowed memory size',
        ];
        foreach ($ends as $end => $said) {
            $code = 'require $argv[1]; $client = new MerchantPay\Client(...json_decode($argv[2], true));
                $pair = MerchantPay\Keypair::generate(); ' . $end;
            $arguments = (string) json_encode(Sandbox::one()->arguments());
            $php = new Program([PHP_BINARY, '-r', $code, dirname(__DIR__) . '/autoload.php', $arguments]);
            $output = $php->rest();
            self::assertSame($said === '' ? 3 : 255, $php->exitStatus(), $output);
            self::assertStringContainsString($said, $output);
        }
    }

    public function testMemoryStaysFlatOverAHundredThousandVerifications(): void
    {
        $key = new Key();
        $verifier = new WebhookVerifier($key->publicKey());
        [$good, $bad] = [$key->sign(self::BODY), (new Key())->sign(self::BODY)];
        $verify = static function (int $times) use ($verifier, $good, $bad): void {
            for ($index = 0; $index < $times; $index++) {
                $verifier->verify(self::BODY, $good);
                if ($index % 10 === 0) {
                    try {
                        $verifier->verify(self::BODY, $bad);
                    } catch (\MerchantPay\Exception\UnverifiedException) {
                    }
                }
            }
        };
        $verify(5_000);
        self::assertMemoryStaysFlat(1024, static fn () => $verify(34_000));
    }

    public function testMemoryStaysFlatOverManyClients(): void
    {
        $logger = new class {
            public function log(): void
            {
            }
        };
        $publicKey = (new Key())->publicKey();
        $make = static function (int $times) use ($logger, $publicKey): void {
            for ($index = 0; $index < $times; $index++) {
                $client = Sandbox::one()->client(
                    privateKey: null,
                    publicKey: $publicKey,
                    logger: $logger,
                    signer: static fn (string $message): string => '',
                );
                $client->derive(5);
                try {
                    $client->newPayment(1.5, 'sbp', '7900');
                } catch (\MerchantPay\Exception\InvalidArgumentException) {
                }
            }
        };
        $make(100);
        self::assertMemoryStaysFlat(2048, static fn () => $make(1_000));
    }

    /** Runs the work in three rounds. A table inside PHP can grow in one round. A leak grows in every round. */
    private static function assertMemoryStaysFlat(int $kilobytes, \Closure $work): void
    {
        [$grown, $ownGrown] = [[], []];
        for ($round = 0; $round < 3; $round++) {
            [$resident, $own] = [self::residentKilobytes(), memory_get_usage()];
            $work();
            $grown[] = self::residentKilobytes() - $resident;
            $ownGrown[] = memory_get_usage() - $own;
        }
        self::assertLessThan($kilobytes, min($grown));
        self::assertLessThan(16 * 1024, min($ownGrown));
    }

    private static function residentKilobytes(): int
    {
        preg_match('/^VmRSS:\s+(\d+) kB/m', (string) file_get_contents('/proc/self/status'), $found);
        return (int) $found[1];
    }
}
