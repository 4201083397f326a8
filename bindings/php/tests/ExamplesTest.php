<?php

declare(strict_types=1);

namespace MerchantPay\Tests;

use MerchantPay\Client;
use MerchantPay\Tests\Support\Http;
use MerchantPay\Tests\Support\Program;
use MerchantPay\Tests\Support\Sandbox;
use PHPUnit\Framework\TestCase;

/** The examples print what the page of all languages' examples says. Words in capitals differ from run to run. */
final class ExamplesTest extends TestCase
{
    private const ACCEPT = <<<'TEXT'
        available 1500.55 RUB
        others possible yes
        order ORDER
        pay 1500.55 RUB to ACCOUNT
        bank BANK
        holder NAME
        link URL
        confirmed
        status doneSuccess
        paid 1500.55
        TEXT;

    private const OUTCOMES = <<<'TEXT'
        not_sent transport: safe to send again
        rejected rejected order_not_found: nothing took effect
        order ORDER
        unknown unverified: ask for the status
        status doneSuccess
        TEXT;

    private const ARBITRATE = <<<'TEXT'
        order ORDER
        confirmed
        status receiptRequired
        receipt attached
        status doneSuccess
        TEXT;

    /** @return array<string, array{string, list<string>, string}> */
    public function programs(): array
    {
        return [
            'accept' => ['accept', [], self::ACCEPT],
            'accept with less' => ['accept', ['pays-less'], str_replace('paid 1500.55', 'paid 1350.50', self::ACCEPT)],
            'arbitrate' => ['arbitrate', [__DIR__ . '/receipt.pdf'], self::ARBITRATE],
            'outcomes' => ['outcomes', [], self::OUTCOMES],
        ];
    }

    /**
     * @dataProvider programs
     * @param list<string> $arguments
     */
    public function testAProgramPrintsWhatThePageSays(string $program, array $arguments, string $text): void
    {
        $run = $this->start($program, ...$arguments);
        $printed = $run->rest();
        self::assertMatchesRegularExpression(self::pattern($text), $printed);
        self::assertSame(0, $run->exitStatus());
    }

    public function testAnErrorIsOneLineAndStatusOne(): void
    {
        $run = $this->start('arbitrate', '/no/such/receipt.pdf');
        $lines = explode("\n", trim($run->rest()));
        self::assertStringStartsWith('error invalid_argument not_sent: ', (string) end($lines));
        self::assertSame(1, $run->exitStatus());
    }

    public function testWrongArgumentsAreStatusTwo(): void
    {
        $run = $this->start('arbitrate');
        self::assertStringStartsWith('usage: ', $run->rest());
        self::assertSame(2, $run->exitStatus());
    }

    public function testTheReceiverBelievesTheServiceAlone(): void
    {
        $run = $this->start('webhook', '2');
        $port = (int) substr($run->waitFor('listening '), 10);
        $url = "http://127.0.0.1:$port/hook";
        self::assertSame(400, Http::status(Http::read(Http::post($url, ['X-Signature' => 'forged'], '{}'))));
        self::assertSame(400, Http::status(Http::read(Http::post($url, ['Content-Length' => '65537']))));

        $client = new Client(...Sandbox::one()->arguments());
        $payment = $client->newPaymentAsync('1500.55', 'sbp', '7900', $url, statusWebhookUrl: $url);
        $lines = [$run->line(), $run->line(), $run->line()];
        $client->confirm($payment->orderId);
        $lines[] = $run->line();
        self::assertMatchesRegularExpression(self::pattern(<<<TEXT
            refused unverified
            refused too_large
            credentials $payment->orderId pay 1500.55 RUB to ACCOUNT
            status $payment->orderId doneSuccess
            TEXT), implode("\n", $lines) . "\n");
        self::assertSame('', $run->rest());
        self::assertSame(0, $run->exitStatus());
    }

    private function start(string $program, string ...$arguments): Program
    {
        $file = dirname(__DIR__, 3) . "/examples/php/$program.php";
        return new Program([PHP_BINARY, '-derror_reporting=-1', $file, ...$arguments], Sandbox::one()->settings);
    }

    private static function pattern(string $text): string
    {
        $pattern = preg_replace('/\b(?:ORDER|ACCOUNT|URL)\b/', '\S+', preg_quote($text, '/'));
        return '/^' . preg_replace('/\b(?:BANK|NAME)\b/', '[^\n]+', (string) $pattern) . '\n$/';
    }
}
