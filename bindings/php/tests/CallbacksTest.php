<?php

declare(strict_types=1);

namespace MerchantPay\Tests;

use MerchantPay\Client;
use MerchantPay\Tests\Support\TestCase;
use Psr\Log\Test\TestLogger;

/** Tests loggers and signers in PHP's types; tests/contract has what they get. */
final class CallbacksTest extends TestCase
{
    public function testEachClientHasItsOwnPsr3Logger(): void
    {
        [$first, $second] = [new TestLogger(), new TestLogger()];
        [$client, $other] = [self::client(logger: $first), self::client(logger: $second)];
        $client->newPayment(...self::PAYMENT);
        self::assertFails('rejected rejected', fn () => $other->getStatus('o-2'));
        self::assertSame([1, 1], [count($first->records), count($second->records)]);
        $derived = $client->derive(9000);
        unset($client);
        self::assertFails('rejected rejected', fn () => $derived->getStatus('o-1'));
        [$done, $failed] = $first->records;
        self::assertSame(['info', 'warning'], [$done['level'], $failed['level']]);
        self::assertStringStartsWith('getStatus o-1: attempt 1', $failed['message']);
        self::assertSame([1, 'o-1'], [$failed['context']['attempt'], $failed['context']['orderId']]);
        self::assertIsInt($failed['context']['elapsedMs']);
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
        $client = self::client(logger: $logger);
        $logger->client = $client;
        self::assertSame('1', $client->newPayment(1, 'sbp', '7900')->sum);
        self::assertSame('2', $logger->inner);
        self::assertFails('invalid_argument not_sent', fn () => $client->getStatus('o-1'));
    }

    public function testSignerExceptionIsThePrevious(): void
    {
        $signers = [
            \DomainException::class => static fn (string $message) => throw new \DomainException('the device is gone'),
            \UnexpectedValueException::class => static fn (string $message): int => 5,
        ];
        foreach ($signers as $previous => $signer) {
            $client = self::client(...self::signing($signer));
            $error = self::assertFails('signer not_sent', fn () => $client->confirm('o-1'));
            self::assertInstanceOf($previous, $error->getPrevious());
        }
        $another = self::assertFails('invalid_argument not_sent', fn () => self::client()->confirm(''));
        self::assertNull($another->getPrevious());
    }
}
