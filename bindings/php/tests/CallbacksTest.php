<?php

declare(strict_types=1);

namespace MerchantPay\Tests;

use MerchantPay\Client;
use MerchantPay\Ffi\Host;
use MerchantPay\Protocol;
use MerchantPay\Tests\Support\Failing;
use MerchantPay\Tests\Support\Key;
use MerchantPay\Tests\Support\Program;
use MerchantPay\Tests\Support\Sandbox;
use PHPUnit\Framework\TestCase;
use Psr\Log\Test\TestLogger;

/** Tests loggers and signers, which the library calls through callbacks. */
final class CallbacksTest extends TestCase
{
    use Failing;

    public function testALoggerOfPsr3ReceivesAttemptsByTheirLevel(): void
    {
        $logger = new TestLogger();
        $client = Sandbox::one()->client(logger: $logger);
        $client->newPayment(1, 'sbp', '7900');
        self::failure(fn () => $client->getStatus('o-1'));
        [$done, $failed] = $logger->records;
        self::assertSame(['info', 'warning'], [$done['level'], $failed['level']]);
        self::assertStringStartsWith('getStatus o-1: attempt 1', $failed['message']);
        self::assertSame([1, 'o-1'], [$failed['context']['attempt'], $failed['context']['orderId']]);
        self::assertIsInt($failed['context']['elapsedMs']);
    }

    public function testClientsHaveLoggersOfTheirOwn(): void
    {
        [$first, $second] = [new TestLogger(), new TestLogger()];
        $clients = [Sandbox::one()->client(logger: $first), Sandbox::one()->client(logger: $second)];
        self::failure(fn () => $clients[1]->getStatus('o-2'));
        self::assertSame([0, 1], [count($first->records), count($second->records)]);
        $hurried = $clients[0]->derive(9000);
        $clients = [];
        self::failure(fn () => $hurried->getStatus('o-1'));
        self::assertSame([1, 1], [count($first->records), count($second->records)]);
    }

    public function testLoggerMayCallTheServiceAndCloseItsClient(): void
    {
        $logger = new class {
            public ?Client $client = null;
            public ?string $inner = null;

            public function log(): void
            {
                $client = $this->client;
                $this->client = null;
                if ($client !== null) {
                    $this->inner = $client->newPayment(2, 'sbp', '7900')->sum;
                    $client->close();
                }
            }
        };
        $client = Sandbox::one()->client(logger: $logger);
        $logger->client = $client;
        self::assertSame('1', $client->newPayment(1, 'sbp', '7900')->sum);
        self::assertSame('2', $logger->inner);
        self::assertFails('invalid_argument', 'not_sent', fn () => $client->getStatus('o-1'));
        $client->close();
    }

    public function testALoggerLivesNoLongerThanItsClient(): void
    {
        $logger = new TestLogger();
        $weak = \WeakReference::create($logger);
        $client = Sandbox::one()->client(logger: $logger);
        unset($logger);
        self::assertNotNull($weak->get());
        unset($client);
        self::assertNull($weak->get());
    }

    public function testACycleOfALoggerAndItsClientIsCollected(): void
    {
        $logger = new class {
            public ?Client $client = null;

            public function log(): void
            {
            }
        };
        $logger->client = Sandbox::one()->client(logger: $logger);
        $weak = \WeakReference::create($logger);
        unset($logger);
        gc_collect_cycles();
        self::assertNull($weak->get());
    }

    public function testALoggerAndASignerAreReleasedWithTheLastHandle(): void
    {
        gc_collect_cycles();
        $before = self::registered();
        $arguments = [
            'privateKey' => null,
            'publicKey' => (new Key())->publicKey(),
            'logger' => new TestLogger(),
            'signer' => static fn (string $message): string => $message,
        ];
        $client = Sandbox::one()->client(...$arguments);
        self::assertSame($before + 1, self::registered());
        $other = $client->derive(5000);
        $client->close();
        unset($client);
        self::assertSame($before + 1, self::registered());
        $other->close();
        self::assertSame($before, self::registered());
        self::failure(fn () => Sandbox::one()->client(...$arguments, timeoutMs: 0));
        self::assertSame($before, self::registered());
        $protocol = new Protocol(...array_merge(Sandbox::one()->arguments(), $arguments));
        self::assertSame($before + 1, self::registered());
        unset($protocol);
        self::assertSame($before, self::registered());
    }

    /** @return array<string, array{string, string}> */
    public function ends(): array
    {
        return [
            'the end of the script' => ['', "made\n"],
            'exit' => ['exit;', "made\n"],
            'a fatal error' => ['no_such_function();', "made\n0 left after the error\n"],
        ];
    }

    /** @dataProvider ends */
    public function testALoggerAndASignerAreReleasedWhenTheRequestEnds(string $end, string $output): void
    {
        $code = 'ini_set("display_errors", "0"); ini_set("log_errors", "0"); require $argv[1];
            $client = new MerchantPay\Client(...json_decode($argv[2], true), logger: new class {
                public function log(): void
                {
                }
            }, signer: static fn (string $message): string => $message);
            echo "made\n";
            register_shutdown_function(static function (): void {
                register_shutdown_function(static function (): void {
                    $left = count((new ReflectionProperty(MerchantPay\Ffi\Host::class, "hosts"))->getValue());
                    echo error_get_last() === null ? "" : "$left left after the error\n";
                });
            });' . $end;
        $arguments = ['privateKey' => null, 'publicKey' => (new Key())->publicKey()] + Sandbox::one()->arguments();
        $autoload = dirname(__DIR__) . '/autoload.php';
        $php = new Program([PHP_BINARY, '-r', $code, $autoload, (string) json_encode($arguments)]);
        self::assertSame($output, $php->rest());
    }

    public function testWhatASignerThrowsIsThePreviousException(): void
    {
        $signers = [
            \DomainException::class => static fn (string $message) => throw new \DomainException('the device is gone'),
            \UnexpectedValueException::class => static fn (string $message): int => 5,
        ];
        foreach ($signers as $previous => $signer) {
            $arguments = ['privateKey' => null, 'publicKey' => (new Key())->publicKey(), 'signer' => $signer];
            $client = Sandbox::one()->client(...$arguments);
            $error = self::assertFails('signer', 'not_sent', fn () => $client->confirm('o-1'));
            self::assertInstanceOf($previous, $error->getPrevious());
        }
        self::assertNull(self::failure(fn () => Sandbox::one()->client()->confirm(''))->getPrevious());
    }

    private static function registered(): int
    {
        return count((new \ReflectionProperty(Host::class, 'hosts'))->getValue());
    }
}
