<?php

declare(strict_types=1);

namespace MerchantPay\Tests;

use MerchantPay\Client;
use MerchantPay\Tests\Support\Folder;
use MerchantPay\Tests\Support\Http;
use MerchantPay\Tests\Support\Program;
use MerchantPay\Tests\Support\Sandbox;
use PHPUnit\Framework\TestCase;

/** The examples print what the page of all languages' examples says. Words in capitals differ from run to run. */
final class ExamplesTest extends TestCase
{
    /** @return array<string, array{string, list<string>, string}> */
    public function programs(): array
    {
        $less = str_replace('paid 1500.55', 'paid 1350.50', self::promised('accept'));
        $fails = str_replace("status doneSuccess\npaid 1500.55", 'status doneFail', self::promised('accept'));
        return [
            'accept' => ['accept', [], self::promised('accept')],
            'accept with less' => ['accept', ['pays-less'], $less],
            'accept in vain' => ['accept', ['payment-fails'], $fails],
            'arbitrate' => ['arbitrate', [__DIR__ . '/receipt.pdf'], self::promised('arbitrate')],
            'outcomes' => ['outcomes', [], self::promised('outcomes')],
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
        $listening = (string) $run->line();
        $port = (int) substr($listening, 10);
        $url = "http://127.0.0.1:$port/hook";
        foreach (['PUT', 'GET', 'PUT'] as $method) { // More than it counts to, and none has a line below.
            self::assertSame(405, Http::status(Http::read(Http::post($url, [], '{}', $method))), $method);
        }
        self::assertSame(400, Http::status(Http::read(Http::post($url, ['X-Signature' => 'forged'], '{}'))));
        self::assertSame(400, Http::status(Http::read(Http::post($url, ['Content-Length' => '65537']))));

        $client = new Client(...Sandbox::one()->arguments());
        $payment = $client->newPaymentAsync('1500.55', 'sbp', '7900', $url, statusWebhookUrl: $url);
        $lines = [$listening, $run->line(), $run->line(), $run->line()];
        $client->confirm($payment->orderId);
        $lines[] = $run->line();
        $text = str_replace(['PORT', 'ORDER'], [(string) $port, $payment->orderId], self::promised('webhook'));
        self::assertMatchesRegularExpression(self::pattern($text), implode("\n", $lines) . "\n");
        self::assertSame('', $run->rest());
        self::assertSame(0, $run->exitStatus());
    }

    public function testAPaymentWhoseReplyWasLostIsFoundByItsWebhookAlsoAfterACrash(): void
    {
        $folder = new Folder();
        $sandbox = new Sandbox('--pace-ms', '0');
        $sandbox->control('/faults', ['kind' => 'dropAfterCommit', 'operation' => 'newPayment']);
        $file = Sandbox::createJournal("$folder->path/payments.db");
        $run = $this->startWith($sandbox, 'recover', $file);
        $lines = [$run->line(), $run->line()];
        $port = substr((string) $lines[0], 10);
        $text = str_replace('PORT', $port, self::promised('recover'));
        self::assertSame($text, implode("\n", $lines));
        $forged = Http::read(Http::post("http://127.0.0.1:$port/hooks/token", ['X-Signature' => 'forged'], '{}'));
        self::assertSame(400, Http::status($forged));
        $run->kill();

        $run = $this->startWith($sandbox, 'recover', $file, $port);
        $lines = [$run->line(), $run->line()];
        $id = $sandbox->control('/payments')['payments'][0]['orderId'];
        $sandbox->control("/payments/$id/operator", ['action' => 'approve']);
        $text = str_replace('PORT', $port, self::promised('recover', 1));
        self::assertSame("$text\n", implode("\n", $lines) . "\n" . $run->rest());
        self::assertSame(0, $run->exitStatus());
        self::assertSame(1, $sandbox->requests('newPayment'));
    }

    private function start(string $program, string ...$arguments): Program
    {
        return $this->startWith(Sandbox::one(), $program, ...$arguments);
    }

    private function startWith(Sandbox $sandbox, string $program, string ...$arguments): Program
    {
        $file = dirname(__DIR__, 3) . "/examples/php/$program.php";
        return new Program([PHP_BINARY, '-derror_reporting=-1', $file, ...$arguments], $sandbox->settings);
    }

    /** What the page says that this program prints, run by run. */
    private static function promised(string $program, int $run = 0): string
    {
        $page = (string) file_get_contents(dirname(__DIR__, 3) . '/examples/README.md');
        $parts = preg_split('/^### ([\w, ]+)$/m', $page, flags: PREG_SPLIT_DELIM_CAPTURE);
        $section = $parts[(int) array_search($program, $parts, true) + 1];
        self::assertGreaterThan($run, preg_match_all('/^```text\n(.*?)\n```$/ms', $section, $found), $program);
        return $found[1][$run];
    }

    private static function pattern(string $text): string
    {
        $pattern = preg_replace('/\b(?:ORDER|ACCOUNT|URL)\b/', '\S+', preg_quote($text, '/'));
        return '/^' . preg_replace('/\b(?:BANK|NAME)\b/', '[^\n]+', (string) $pattern) . '\n$/';
    }
}
