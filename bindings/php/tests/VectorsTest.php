<?php

declare(strict_types=1);

namespace MerchantPay\Tests;

use MerchantPay\AvailableAmounts;
use MerchantPay\Exception\MerchantPayException;
use MerchantPay\HttpRequest;
use MerchantPay\Payment;
use MerchantPay\Protocol;
use MerchantPay\Status;
use MerchantPay\Tests\Support\Failing;
use MerchantPay\Tests\Support\Vectors;
use MerchantPay\WebhookVerifier;
use PHPUnit\Framework\TestCase;

/** What every vector says holds in PHP too. */
final class VectorsTest extends TestCase
{
    use Failing;

    private const FIELDS = [
        'orderId', 'sum', 'currency', 'payeeAccount', 'payeeAccountBank', 'payeeName', 'dealSum', 'dealCurrency',
        'dealRate', 'deeplink', 'status',
    ];

    private const KINDS = ['settings', 'request', 'receipt', 'amount_text', 'reply', 'status', 'webhook'];

    public function testTheFilesAreTheKnownOnes(): void
    {
        self::assertSame(Vectors::FILES, Vectors::files());
    }

    public function testEveryKindHasCases(): void
    {
        $kinds = static fn (string $file) => array_column(Vectors::of($file), 'kind');
        $counts = array_count_values(array_merge(...array_map($kinds, Vectors::FILES)));
        self::assertEqualsCanonicalizing(self::KINDS, array_keys($counts));
        self::assertGreaterThanOrEqual(20, min($counts));
    }

    /** @return array<string, array{string}> */
    public function files(): array
    {
        return array_combine(Vectors::FILES, array_map(static fn (string $file) => [$file], Vectors::FILES));
    }

    /** @dataProvider files */
    public function testWhatEveryVectorSaysHolds(string $file): void
    {
        $broken = [];
        foreach (Vectors::of($file) as $case) {
            // Every case that fails is listed, not only the first one.
            try {
                match ($case['kind']) {
                    'settings' => $this->settings($case),
                    'request' => $this->request($case),
                    'receipt' => $this->receipt($case),
                    'amount_text' => $this->amountText($case),
                    'reply' => $this->reply($case),
                    'status' => $this->status($case),
                    'webhook' => $this->webhook($case),
                };
            } catch (\Throwable $error) {
                $broken[] = $case['name'] . ': ' . $error::class . ': ' . substr($error->getMessage(), 0, 400);
            }
        }
        self::assertSame([], $broken);
    }

    /** @param array<string, mixed> $case */
    private function settings(array $case): void
    {
        foreach ($case['makes'] as $made) {
            $make = match ($made) {
                'protocol' => fn () => $this->protocol($case),
                'verifier' => fn () => $this->verifier($case),
            };
            if (isset($case['expected']['error'])) {
                $this->fails($case, $make);
                continue;
            }
            $make();
            if (isset($case['expected']['signature'])) {
                $sent = $this->prepare($case, 'confirm', $case['expected']['arguments']);
                self::assertSame($case['expected']['body'], $sent->body);
                self::assertSame($case['expected']['signature'], $sent->headers['X-Signature']);
            }
        }
    }

    /** @param array<string, mixed> $case */
    private function request(array $case): void
    {
        $prepare = fn () => $this->prepare($case, $case['operation'], $case['arguments']);
        if ($case['operation'] === 'newPayment' && isset($case['arguments']['credentialsWebhookUrl'])) {
            // The method has no such argument.
            try {
                $prepare();
            } catch (\Error $error) {
                self::assertStringContainsString('$credentialsWebhookUrl', $error->getMessage());
                return;
            }
            self::fail('newPayment took a URL for credentials');
        }
        if (isset($case['expected']['error'])) {
            $this->fails($case, $prepare);
            return;
        }
        $sent = $prepare();
        self::assertSame($case['expected']['url'], $sent->url);
        self::assertSame(array_column($case['expected']['headers'], 1, 0), $sent->headers);
        self::assertSame($case['expected']['body'], $sent->body);
    }

    /** @param array<string, mixed> $case */
    private function receipt(array $case): void
    {
        $prepare = fn () => $this->prepare($case, 'attachReceipt', $case['arguments']);
        if (isset($case['expected']['error'])) {
            $this->fails($case, $prepare);
            return;
        }
        $sent = $prepare();
        $headers = $sent->headers;
        $boundary = explode('boundary=', $headers['Content-Type'])[1];
        $signature = (string) base64_decode($headers['X-Signature'], true);
        unset($headers['X-Signature']);
        $wanted = array_column($case['expected']['headers'], 1, 0);
        self::assertSame(str_replace('@boundary@', $boundary, $wanted), $headers);
        self::assertSame($case['expected']['url'], $sent->url);
        self::assertSame(str_replace('@boundary@', $boundary, Vectors::bytes($case['expected']['body'])), $sent->body);
        $key = (string) base64_decode($case['settings']['public_key'], true);
        self::assertTrue(sodium_crypto_sign_verify_detached($signature, $sent->body, $key));
    }

    /** @param array<string, mixed> $case */
    private function amountText(array $case): void
    {
        $arguments = ['sum' => $case['text'], 'paymentMethod' => 'card'];
        $this->fails($case, fn () => $this->prepare($case, 'getAvailableAmounts', $arguments));
    }

    /** @param array<string, mixed> $case */
    private function reply(array $case): void
    {
        $sent = $this->prepare($case, $case['operation'], $case['arguments']);
        $body = Vectors::bytes($case['reply']['body']);
        $open = fn () => $sent->open($case['reply']['status'], self::headers($case['reply']['headers']), $body);
        $expected = $case['expected'];
        if (isset($expected['error'])) {
            $this->assertErrorIs($expected['error'], $this->fails($case, $open), $body);
            return;
        }
        $reply = $open();
        if (isset($expected['amounts'])) {
            self::assertInstanceOf(AvailableAmounts::class, $reply);
            self::assertSame($expected['amounts'], $reply->availableAmounts);
            self::assertSame($expected['other_amounts_possible'], $reply->otherAmountsPossible);
            self::assertSame($body, $reply->json());
        } elseif (in_array($case['operation'], ['confirm', 'cancel', 'attachReceipt'], true)) {
            self::assertNull($reply);
        } else {
            self::assertInstanceOf(Payment::class, $reply);
            $this->assertPaymentIs($expected, $reply, $body);
        }
    }

    /** @param array<string, mixed> $case */
    private function status(array $case): void
    {
        $sent = $this->prepare($case, 'getStatus', ['orderId' => 'o-1']);
        $headers = self::headers($case['reply']['headers']);
        $payment = $sent->open($case['reply']['status'], $headers, Vectors::bytes($case['reply']['body']));
        self::assertInstanceOf(Payment::class, $payment);
        self::assertSame($case['text'], $payment->status);
        self::assertSame($case['final'], $payment->isFinal());
        self::assertSame($case['known'], $payment->statusCase() === Status::tryFrom($case['text'])
            && $payment->statusCase() !== null);
    }

    /** @param array<string, mixed> $case */
    private function webhook(array $case): void
    {
        $body = Vectors::bytes($case['webhook']['body']);
        ['signature' => $signature, 'key_id' => $keyId] = $case['webhook'];
        $verify = fn () => $this->verifier($case)->verify($body, $signature, $keyId);
        $expected = $case['expected'];
        if (isset($expected['error'])) {
            $this->assertErrorIs($expected['error'], $this->fails($case, $verify), $body);
            return;
        }
        $event = $verify();
        self::assertSame($expected['event'], $event->kind);
        $this->assertPaymentIs($expected, $event->payment, $body);
    }

    /** @param array<string, mixed> $case */
    private function protocol(array $case): Protocol
    {
        $settings = $case['settings'];
        return new Protocol(
            $settings['base_url'],
            $settings['key_id'],
            $settings['private_key'],
            $settings['server_public_keys'],
            $settings['server_key_ids'],
        );
    }

    /** @param array<string, mixed> $case */
    private function verifier(array $case): WebhookVerifier
    {
        $settings = $case['settings'];
        return new WebhookVerifier($settings['server_public_keys'], $settings['server_key_ids'], $settings['key_id']);
    }

    /**
     * @param array<string, mixed> $case
     * @param array<string, mixed> $arguments in the contract's names, which are this package's too
     */
    private function prepare(array $case, string $operation, array $arguments): HttpRequest
    {
        if (isset($arguments['files'])) {
            $file = static fn (array $file) => [$file['name'], Vectors::bytes($file['data']), $file['content_type']];
            $arguments['files'] = array_map($file, $arguments['files']);
        }
        $protocol = $this->protocol($case);
        return match ($operation) {
            'getAvailableAmounts' => $protocol->prepareGetAvailableAmounts(...$arguments),
            'newPayment' => $protocol->prepareNewPayment(...$arguments),
            'newPaymentAsync' => $protocol->prepareNewPaymentAsync(...$arguments),
            'confirm' => $protocol->prepareConfirm(...$arguments),
            'cancel' => $protocol->prepareCancel(...$arguments),
            'getStatus' => $protocol->prepareGetStatus(...$arguments),
            'attachReceipt' => $protocol->prepareAttachReceipt(...$arguments),
        };
    }

    /**
     * @param list<array{string, string}> $pairs
     * @return array<string, list<string>>
     */
    private static function headers(array $pairs): array
    {
        $headers = [];
        foreach ($pairs as [$name, $value]) {
            $headers[$name][] = $value;
        }
        return $headers;
    }

    /** @param array<string, mixed> $case */
    private function fails(array $case, \Closure $call): MerchantPayException
    {
        return self::assertFails($case['expected']['error']['code'], $case['expected']['error']['outcome'], $call);
    }

    /** @param array<string, mixed> $wanted */
    private function assertErrorIs(array $wanted, MerchantPayException $error, string $body): void
    {
        self::assertSame($wanted['description'] ?? null, $error->description());
        self::assertSame($wanted['reason'] ?? null, $error->reason());
        self::assertSame($wanted['http_status'] ?? null, $error->httpStatus());
        self::assertSame($wanted['order_id'] ?? null, $error->orderId());
        $kept = in_array($error->code(), ['rejected', 'malformed'], true);
        self::assertSame($kept ? $body : null, $error->body());
    }

    /** @param array<string, mixed> $expected */
    private function assertPaymentIs(array $expected, Payment $payment, string $body): void
    {
        self::assertSame([], array_diff(array_keys($expected['payment']), self::FIELDS));
        foreach (self::FIELDS as $name) {
            self::assertSame($expected['payment'][$name] ?? null, $payment->$name, $name);
        }
        self::assertSame($expected['final'], $payment->isFinal());
        self::assertSame($body, $payment->json());
    }
}
