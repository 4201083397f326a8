<?php

declare(strict_types=1);

namespace MerchantPay\Tests\Support;

use MerchantPay\Client;
use MerchantPay\Exception\MerchantPayException;
use MerchantPay\Keypair;
use MerchantPay\Protocol;
use MerchantPay\Testing\Sandbox;
use MerchantPay\Testing\WebhookSigner;

/** A test with the sandbox that all tests share, a folder, and PHP processes of its own. */
abstract class TestCase extends \PHPUnit\Framework\TestCase
{
    protected const PAYMENT = ['sum' => '1500.50', 'paymentMethod' => 'sbp', 'customerAccount' => '79995550001'];

    protected const AUTOLOAD = __DIR__ . '/../../autoload.php';

    private static ?Sandbox $sandbox = null;

    private ?string $folder = null;

    protected function tearDown(): void
    {
        if ($this->folder !== null) {
            Program::run(['rm', '-rf', $this->folder]);
        }
    }

    protected function folder(): string
    {
        return $this->folder ??= trim(Program::run(['mktemp', '-d']));
    }

    protected static function sandbox(): Sandbox
    {
        return self::$sandbox ??= Sandbox::start();
    }

    protected static function client(mixed ...$settings): Client
    {
        return self::sandbox()->client(...$settings);
    }

    protected static function protocol(?WebhookSigner $service = null): Protocol
    {
        $service ??= new WebhookSigner();
        $key = Keypair::generate()->privateKey;
        return new Protocol('https://pay.example', 'merchant-1', $key, $service->serverPublicKey);
    }

    /** @return array<string, mixed> the settings of a client for which this callback signs */
    protected static function signing(\Closure $signer): array
    {
        return ['privateKey' => null, 'publicKey' => Keypair::generate()->publicKey, 'signer' => $signer];
    }

    /**
     * Runs code without strict types in a process of its own. $settings are those of a client of the sandbox.
     *
     * @param list<string> $flags
     * @param array<string, string> $environment
     */
    protected static function php(string $code, array $flags = [], array $environment = []): Program
    {
        $settings = var_export(self::sandbox()->arguments(), true);
        $start = 'require ' . var_export(self::AUTOLOAD, true) . "; \$settings = $settings; ";
        return new Program([PHP_BINARY, ...$flags, '-r', $start . $code], $environment);
    }

    /** @param string $expected the code and the outcome */
    protected static function assertFails(string $expected, \Closure $call, string $why = ''): MerchantPayException
    {
        try {
            $call();
        } catch (MerchantPayException $error) {
            self::assertSame($expected, $error->code() . ' ' . $error->outcome(), $error->getMessage());
            self::assertStringContainsString($why, $error->getMessage());
            return $error;
        }
        self::fail("a call succeeded that had to fail: $expected $why");
    }

    /** @param array<string, mixed> $frame the others contain this test's own values */
    protected static function isOfThePackage(array $frame): bool
    {
        return preg_match('/^MerchantPay\\\\(?!Tests)/', $frame['class'] ?? '') === 1;
    }

    /** @template T @param \Closure(): ?T $look @return T the first result of $look that is not null */
    protected static function eventually(\Closure $look): mixed
    {
        $end = hrtime(true) + 30_000_000_000;
        while (($found = $look()) === null) {
            if (hrtime(true) > $end) {
                self::fail('it did not happen in 30 s');
            }
            usleep(20_000);
        }
        return $found;
    }
}
