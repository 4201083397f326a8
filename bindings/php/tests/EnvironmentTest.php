<?php

declare(strict_types=1);

namespace MerchantPay\Tests;

use MerchantPay\Client;
use MerchantPay\Ffi\Environment;
use MerchantPay\Protocol;
use MerchantPay\Testing\WebhookSigner;
use MerchantPay\Tests\Support\Failing;
use MerchantPay\Tests\Support\Key;
use MerchantPay\Tests\Support\Sandbox;
use MerchantPay\WebhookVerifier;
use PHPUnit\Framework\TestCase;

/** Tests clients that are made from the settings in the environment. */
final class EnvironmentTest extends TestCase
{
    use Failing;

    private const KEY_FILE = 'MERCHANTPAY_PRIVATE_KEY_FILE';

    /** @var array<string, string> the environment before the test */
    private array $before = [];

    private string $file;

    /** @var array{array<string, mixed>, array<string, mixed>} */
    private array $globals;

    protected function setUp(): void
    {
        $this->globals = [$_ENV, $_SERVER];
        $settings = Sandbox::one()->settings; // It starts a program that a variable names.
        $this->before = Environment::variables();
        array_map(putenv(...), array_keys($this->before));
        foreach ($settings as $variable => $value) {
            $this->set($variable, $value);
        }
        $this->file = (string) tempnam(sys_get_temp_dir(), 'key');
    }

    protected function tearDown(): void
    {
        [$_ENV, $_SERVER] = $this->globals;
        array_map(putenv(...), array_keys(Environment::variables()));
        foreach ($this->before as $variable => $value) {
            putenv("$variable=$value");
        }
        unlink($this->file);
    }

    public function testAClientAndAProtocolAreMadeOfTheEnvironment(): void
    {
        $keys = [(new Key())->publicKey(), Sandbox::one()->serverPublicKey()];
        $this->set('MERCHANTPAY_SERVER_PUBLIC_KEY', implode(', ', $keys));
        $this->set('MERCHANTPAY_TIMEOUT_MS', '20000');
        $this->set('MERCHANTPAY_MAX_REPLY_BYTES', '100000');
        $this->set('MERCHANTPAY_ALLOW_HTTP', '1');
        $this->set('MERCHANTPAY_EXCLUSIVE_CA', '0');
        $this->set('MERCHANTPAY_PROXY', '');
        self::assertSame('7', Client::fromEnv()->newPayment(7, 'sbp', '7900')->sum);
        self::assertSame('{"orderId":"o-1"}', Protocol::fromEnv()->prepareConfirm('o-1')->body);
    }

    public function testAVerifierNeedsThePublicKeyOfTheServiceAlone(): void
    {
        $service = new WebhookSigner();
        $this->set('MERCHANTPAY_SERVER_PUBLIC_KEY', $service->serverPublicKey);
        $this->set('MERCHANTPAY_SERVER_KEY_ID', $service->serverKeyId);
        foreach (['BASE_URL', 'PRIVATE_KEY', 'KEY_ID'] as $name) {
            $this->set("MERCHANTPAY_$name", '');
        }
        $webhook = $service->status('o-1', 'doneSuccess', '1500.50');
        self::assertSame('o-1', WebhookVerifier::fromEnv()->verify(...$webhook)->payment->orderId);
        $this->set('MERCHANTPAY_SERVER_KEY_ID', 'another');
        self::assertFails('unverified', 'unknown', fn () => WebhookVerifier::fromEnv()->verify(...$webhook));
        $this->set('MERCHANTPAY_PUBLIC_KEY', $service->serverPublicKey);
        self::assertFails('invalid_key', 'not_sent', WebhookVerifier::fromEnv(...));
        $this->set('MERCHANTPAY_SERVER_PUBLIC_KEY', '');
        self::assertFails('invalid_argument', 'not_sent', WebhookVerifier::fromEnv(...));
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
        $this->set('MERCHANTPAY_BASE_URL', 'http://127.0.0.1:1'); // The process's environment takes precedence.
        self::assertFails('transport', 'not_sent', fn () => Client::fromEnv()->getStatus('nobody'));
        $this->set('MERCHANTPAY_BASE_URL', '');
        self::assertFails('invalid_argument', 'not_sent', Client::fromEnv(...));
    }

    public function testThePrivateKeyMayBeInAFile(): void
    {
        file_put_contents($this->file, ' ' . getenv('MERCHANTPAY_PRIVATE_KEY') . "\n");
        $this->set('MERCHANTPAY_PRIVATE_KEY', '');
        $this->set(self::KEY_FILE, $this->file);
        self::assertFails('rejected', 'rejected', fn () => Client::fromEnv()->getStatus('nobody'));
        $this->set('MERCHANTPAY_PRIVATE_KEY', 'hello'); // This variable takes precedence over the file.
        self::assertFails('invalid_key', 'not_sent', Client::fromEnv(...));
    }

    public function testASignerNeedsNoPrivateKeyAndALoggerReceivesAttempts(): void
    {
        $key = new Key();
        $this->set('MERCHANTPAY_PRIVATE_KEY', '');
        $this->set('MERCHANTPAY_PUBLIC_KEY', $key->publicKey());
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

    private function set(string $variable, string|false $value): void
    {
        putenv("$variable=$value");
    }
}
