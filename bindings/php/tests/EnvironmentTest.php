<?php

declare(strict_types=1);

namespace MerchantPay\Tests;

use MerchantPay\Client;
use MerchantPay\Ffi\NamedTexts;
use MerchantPay\Ffi\SettingTable;
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

    /** @var array<string, string|false> the environment before the test */
    private array $before = [];

    private string $file;

    /** @var array{array<string, mixed>, array<string, mixed>} */
    private array $globals;

    protected function setUp(): void
    {
        $this->globals = [$_ENV, $_SERVER];
        foreach ([self::KEY_FILE, ...array_keys(SettingTable::NEEDED)] as $variable) {
            $this->before[$variable] = getenv($variable);
            putenv("$variable=");
        }
        foreach (Sandbox::one()->settings as $variable => $value) {
            $this->set($variable, $value);
        }
        $this->file = (string) tempnam(sys_get_temp_dir(), 'key');
    }

    protected function tearDown(): void
    {
        foreach ($this->before as $variable => $value) {
            putenv($value === false ? $variable : "$variable=$value");
        }
        [$_ENV, $_SERVER] = $this->globals;
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

    public function testASettingOfTheEnvironmentHasItsEffect(): void
    {
        $this->set('MERCHANTPAY_MAX_REPLY_BYTES', '3');
        self::assertFails('transport', 'unknown', fn () => Client::fromEnv()->confirm('o-1'));
    }

    public function testAnEmptyElementOfAListIsDroppedAndAListOfThemIsRefused(): void
    {
        $this->set('MERCHANTPAY_SERVER_PUBLIC_KEY', ' ' . Sandbox::one()->serverPublicKey() . ' ,');
        $this->set('MERCHANTPAY_SERVER_KEY_ID', ', ' . getenv('MERCHANTPAY_SERVER_KEY_ID') . ',,');
        self::assertFails('rejected', 'rejected', fn () => Client::fromEnv()->getStatus('nobody'));
        $this->set('MERCHANTPAY_PIN_SPKI', ',');
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

    /** @return array<string, array{string, string}> */
    public function unreadable(): array
    {
        return [
            'no number' => ['MERCHANTPAY_TIMEOUT_MS', 'soon66'],
            'a number with a unit' => ['MERCHANTPAY_CONNECT_TIMEOUT_MS', '66s'],
            'a number with blanks' => ['MERCHANTPAY_REUSE_IDLE_MS', ' 66'],
            'less than nothing' => ['MERCHANTPAY_CONNECT_IDLE_MS', '-66'],
            'a number that would be cut' => ['MERCHANTPAY_MAX_RETRIES', '66666666666'],
            'a number past all' => ['MERCHANTPAY_MAX_REPLY_BYTES', '66666666666666666666'],
            'neither yes nor no' => ['MERCHANTPAY_ALLOW_HTTP', 'yes66'],
            'a file that is not there' => [self::KEY_FILE, '/no/such/66'],
        ];
    }

    /** @dataProvider unreadable */
    public function testAnUnreadableVariableIsReportedByItsNameAndNotByItsValue(string $variable, string $value): void
    {
        $this->set('MERCHANTPAY_PRIVATE_KEY', $variable === self::KEY_FILE ? '' : getenv('MERCHANTPAY_PRIVATE_KEY'));
        $this->set($variable, $value);
        $error = self::assertFails('invalid_argument', 'not_sent', Client::fromEnv(...));
        self::assertStringContainsString($variable, $error->getMessage());
        self::assertStringNotContainsString('66', $error->getMessage());
    }

    public function testAnInvalidKeyIsReportedByItsVariable(): void
    {
        foreach (['MERCHANTPAY_PRIVATE_KEY', 'MERCHANTPAY_SERVER_PUBLIC_KEY'] as $variable) {
            $before = getenv($variable);
            $this->set($variable, 'hello66');
            $error = self::assertFails('invalid_key', 'not_sent', Client::fromEnv(...));
            self::assertStringContainsString($variable, $error->getMessage());
            self::assertStringNotContainsString('66', $error->getMessage());
            $this->set($variable, $before);
        }
    }

    public function testAMessageNamesAnArgumentAsPhpDoes(): void
    {
        $plain = ['baseUrl' => 'http://shop.example'] + Sandbox::one()->arguments();
        $error = self::assertFails('invalid_argument', 'not_sent', fn () => new Client(...$plain));
        self::assertStringEndsWith('or set allowHttp', $error->getMessage());
    }

    public function testAFileWithoutAKeyIsReportedByItsVariable(): void
    {
        $this->set('MERCHANTPAY_PRIVATE_KEY', '');
        $this->set(self::KEY_FILE, $this->file);
        $error = self::assertFails('invalid_argument', 'not_sent', Client::fromEnv(...));
        self::assertStringContainsString(self::KEY_FILE, $error->getMessage());
        self::assertStringNotContainsString($this->file, $error->getMessage());
    }

    /** @return array<string, array{string}> */
    public function needed(): array
    {
        $needed = array_keys(array_filter(SettingTable::NEEDED));
        return array_combine($needed, array_map(static fn (string $variable): array => [$variable], $needed));
    }

    /** @dataProvider needed */
    public function testAMissingVariableIsReportedByItsName(string $variable): void
    {
        $this->set($variable, '');
        $error = self::assertFails('invalid_argument', 'not_sent', Client::fromEnv(...));
        self::assertSame("$variable is not set", $error->getMessage());
    }

    public function testEverySettingHasItsVariable(): void
    {
        $arguments = array_column((new \ReflectionMethod(Client::class, '__construct'))->getParameters(), 'name');
        self::assertEqualsCanonicalizing(
            array_map(NamedTexts::name(...), array_diff($arguments, ['logger', 'signer'])),
            array_map(NamedTexts::name(...), array_keys(SettingTable::NEEDED)),
        );
    }

    private function set(string $variable, string|false $value): void
    {
        putenv("$variable=$value");
    }
}
