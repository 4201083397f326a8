<?php

declare(strict_types=1);

namespace MerchantPay\Tests;

use MerchantPay\Client;
use MerchantPay\Tests\Support\Failing;
use MerchantPay\Tests\Support\Key;
use MerchantPay\Tests\Support\Sandbox;
use PHPUnit\Framework\TestCase;

/** Tests where PHP looks for variables, and the callbacks beside them; tests/contract has their effects. */
final class EnvironmentTest extends TestCase
{
    use Failing;

    /** @var array{array<string, mixed>, array<string, mixed>} */
    private array $globals;

    protected function setUp(): void
    {
        $this->globals = [$_ENV, $_SERVER];
        Sandbox::one()->setEnvironment();
    }

    protected function tearDown(): void
    {
        [$_ENV, $_SERVER] = $this->globals;
        putenv('MERCHANTPAY_PUBLIC_KEY');
        Sandbox::one()->restoreEnvironment();
    }

    public function testAVariableOfADotenvFileIsReadIfTheProcessHasNone(): void
    {
        foreach (['BASE_URL', 'SERVER_PUBLIC_KEY'] as $number => $name) {
            $variable = "MERCHANTPAY_$name";
            $value = (string) getenv($variable);
            putenv($variable);
            unset($_ENV[$variable], $_SERVER[$variable]);
            self::assertFails('invalid_argument', 'not_sent', Client::fromEnv(...));
            $number === 0 ? $_ENV[$variable] = $value : $_SERVER[$variable] = $value;
        }
        self::assertFails('rejected', 'rejected', fn () => Client::fromEnv()->getStatus('nobody'));
        putenv('MERCHANTPAY_BASE_URL=http://127.0.0.1:1'); // The process's environment takes precedence.
        self::assertFails('transport', 'not_sent', fn () => Client::fromEnv()->getStatus('nobody'));
        putenv('MERCHANTPAY_BASE_URL=');
        self::assertFails('invalid_argument', 'not_sent', Client::fromEnv(...));
    }

    public function testASignerNeedsNoPrivateKeyAndALoggerReceivesAttempts(): void
    {
        $key = new Key();
        putenv('MERCHANTPAY_PRIVATE_KEY=');
        putenv('MERCHANTPAY_PUBLIC_KEY=' . $key->publicKey());
        $logger = new class {
            public int $attempts = 0;

            public function log(): void
            {
                $this->attempts++;
            }
        };
        $client = Client::fromEnv(logger: $logger, signer: $key->raw(...));
        self::assertFails('rejected', 'rejected', fn () => $client->getStatus('o-1')); // The sandbox has another key.
        self::assertSame(1, $logger->attempts);
    }
}
