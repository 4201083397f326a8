<?php

declare(strict_types=1);

namespace MerchantPay\Tests\Support;

use MerchantPay\Client;

/** The service on this machine, one for all tests. */
final class Sandbox
{
    private static ?self $one = null;

    private Program $program;

    /** @var array<string, string> the environment that the program prints */
    public readonly array $settings;

    private function __construct()
    {
        $program = getenv('MERCHANTPAY_PROGRAM');
        if (!is_string($program)) {
            throw new \RuntimeException('MERCHANTPAY_PROGRAM is not set: run tools/test-php');
        }
        $this->program = new Program([$program, 'sandbox', '--port', '0']);
        $settings = [];
        while (($line = $this->program->line()) !== null && !str_contains($line, 'Ctrl-C')) {
            if (preg_match('/^export (\w+)=(.*)$/', $line, $found) === 1) {
                $settings[$found[1]] = trim($found[2], "'");
            }
        }
        $this->settings = $settings;
    }

    public static function one(): self
    {
        return self::$one ??= new self();
    }

    public function url(): string
    {
        return $this->settings['MERCHANTPAY_BASE_URL'];
    }

    public function serverPublicKey(): string
    {
        return $this->settings['MERCHANTPAY_SERVER_PUBLIC_KEY'];
    }

    /** @return array<string, mixed> the arguments of Client and Protocol */
    public function arguments(): array
    {
        return [
            'baseUrl' => $this->url(),
            'keyId' => $this->settings['MERCHANTPAY_KEY_ID'],
            'privateKey' => $this->settings['MERCHANTPAY_PRIVATE_KEY'],
            'serverPublicKey' => $this->serverPublicKey(),
            'serverKeyId' => $this->settings['MERCHANTPAY_SERVER_KEY_ID'],
        ];
    }

    public function client(mixed ...$others): Client
    {
        return new Client(...array_merge($this->arguments(), $others));
    }
}
