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
use MerchantPay\Tests\Support\Script;
use PHPUnit\Framework\TestCase;
use Psr\Log\Test\TestLogger;

/** Tests loggers and signers, which the library calls through callbacks. */
final class CallbacksTest extends TestCase
{
    use Failing;

    public function testALoggerReceivesEveryAttempt(): void
    {
        $logger = new TestLogger();
        $found = '{"success":true,"orderId":"o-1","status":"pending"}';
        $good = static fn (Key $key): string => Script::signed($key, $found);
        $script = new Script(static fn (Key $key): array => ['', $good($key)]);
        $script->client(logger: $logger)->getStatus('o-1');

        self::assertCount(2, $logger->records);
        [$failed, $done] = $logger->records;
        self::assertSame(['warning', 'info'], [$failed['level'], $done['level']]);
        self::assertStringStartsWith('getStatus o-1: attempt 1', $failed['message']);
        self::assertSame(
            ['getStatus', 'o-1', 1, null, 'transport', 'unknown'],
            $this->context($failed['context']),
        );
        self::assertSame(['getStatus', 'o-1', 2, 200, null, null], $this->context($done['context']));
        self::assertIsInt($done['context']['elapsedMs']);
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

    public function testALoggerThatThrowsCostsNoReply(): void
    {
        $logger = new class {
            public int $calls = 0;

            public function log(): void
            {
                $this->calls++;
                throw new \RuntimeException('the disk is full');
            }
        };
        self::assertSame('1', Sandbox::one()->client(logger: $logger)->newPayment(1, 'sbp', '7900')->sum);
        self::assertSame(1, $logger->calls);
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

    public function testASignerSignsInPlaceOfAPrivateKey(): void
    {
        $key = new Key();
        $script = new Script(
            static fn (Key $service): array => [Script::signed($service, '{"success":true,"orderId":"o-1"}')],
        );
        $signed = [];
        $client = $script->client(
            privateKey: null,
            publicKey: $key->publicKey(),
            signer: function (string $message) use ($key, &$signed): string {
                $signed[] = $message;
                return $key->raw($message);
            },
        );
        $client->confirm('o-1');
        $request = $script->request();
        self::assertSame([$request['body']], $signed);
        self::assertTrue($key->verifies($request['body'], $request['headers']['x-signature']));
    }

    /** @return array<string, array{\Closure(string): mixed, string, ?class-string}> */
    public function badSigners(): array
    {
        return [
            'throws' => [
                static fn (string $message) => throw new \DomainException('the device is gone'),
                'signer',
                \DomainException::class,
            ],
            'returns too little' => [static fn (string $message): string => 'short', 'signer', null],
            'returns no text' => [
                static fn (string $message): int => 5,
                'signer',
                \UnexpectedValueException::class,
            ],
            'signs with another key' => [
                static fn (string $text): string => (new Key())->raw($text),
                'invalid_key',
                null,
            ],
        ];
    }

    /**
     * @dataProvider badSigners
     * @param \Closure(string): mixed $signer
     * @param ?class-string $previous
     */
    public function testWhatASignerSpoilsIsNotSent(\Closure $signer, string $code, ?string $previous): void
    {
        $arguments = ['privateKey' => null, 'publicKey' => (new Key())->publicKey(), 'signer' => $signer];
        $client = Sandbox::one()->client(...$arguments);
        $error = self::assertFails($code, 'not_sent', fn () => $client->confirm('o-1'));
        self::assertSame($previous, $error->getPrevious() === null ? null : $error->getPrevious()::class);
        unset($arguments['serverKeyId']);
        $protocol = new Protocol(...array_merge(Sandbox::one()->arguments(), $arguments));
        self::assertFails($code, 'not_sent', fn () => $protocol->prepareConfirm('o-1'));
        self::assertNull(self::failure(fn () => Sandbox::one()->client()->confirm(''))->getPrevious());
    }

    private static function registered(): int
    {
        return count((new \ReflectionProperty(Host::class, 'hosts'))->getValue());
    }

    /**
     * @param array<string, mixed> $context
     * @return list<mixed>
     */
    private function context(array $context): array
    {
        return [
            $context['operation'],
            $context['orderId'],
            $context['attempt'],
            $context['httpStatus'],
            $context['code'],
            $context['outcome'],
        ];
    }
}
