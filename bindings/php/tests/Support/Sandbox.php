<?php

declare(strict_types=1);

namespace MerchantPay\Tests\Support;

use MerchantPay\Client;

/** The sandbox for tests. All tests share the sandbox of one(). */
final class Sandbox
{
    private static ?self $one = null;

    private Program $program;

    /** @var array<string, string> the environment that the program prints */
    public readonly array $settings;

    /** Starts a separate sandbox for one test. All other tests share the sandbox of one(). */
    public function __construct(string ...$options)
    {
        $program = getenv('MERCHANTPAY_PROGRAM');
        if (!is_string($program)) {
            throw new \RuntimeException('MERCHANTPAY_PROGRAM is not set: run bindings/php/tools/test');
        }
        $this->program = new Program([$program, 'sandbox', '--port', '0', ...$options]);
        $settings = [];
        while (($line = $this->program->line()) !== null && !str_contains($line, 'Ctrl-C')) {
            if (preg_match('/^export (\w+)=(.*)$/', $line, $found) === 1) {
                $settings[$found[1]] = trim($found[2], "'");
            }
        }
        $this->settings = $settings;
    }

    /** Creates a file with an empty journal. */
    public static function createJournal(string $file): string
    {
        $init = new Program([(string) getenv('MERCHANTPAY_PROGRAM'), 'journal', 'init', '--journal', $file]);
        $init->rest();
        return $file;
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

    /**
     * Calls the control API and returns its document; null if the payment's state does not allow the action.
     *
     * @param ?array<string, mixed> $body the body of a POST
     * @return ?array<string, mixed>
     */
    public function control(string $path, ?array $body = null): ?array
    {
        $http = ['ignore_errors' => true, 'method' => 'GET'];
        if ($body !== null) {
            $http = ['method' => 'POST', 'header' => 'Content-Type: application/json'] + $http;
            $http['content'] = json_encode($body, JSON_THROW_ON_ERROR | JSON_FORCE_OBJECT);
        }
        $text = file_get_contents("{$this->url()}/sandbox$path", false, stream_context_create(['http' => $http]));
        $status = (int) explode(' ', $http_response_header[0])[1];
        if ($status === 409) {
            return null;
        }
        if ($status >= 300) {
            throw new \RuntimeException("$path: $text");
        }
        return json_decode((string) $text, true, flags: JSON_THROW_ON_ERROR);
    }

    /** The number of requests of an operation. */
    public function requests(string $operation): int
    {
        return $this->control('')['requests'][$operation] ?? 0;
    }

    /** @return array<string, mixed> the webhook of this kind for a payment; waits for it */
    public function webhook(string $merchantId, string $kind): array
    {
        return self::eventually(function () use ($merchantId, $kind): ?array {
            foreach ($this->control('/webhooks?merchantId=' . rawurlencode($merchantId))['webhooks'] as $webhook) {
                if ($webhook['kind'] === $kind) {
                    return $this->control("/webhooks/{$webhook['id']}");
                }
            }
            return null;
        });
    }

    /** @template T @param \Closure(): ?T $look @return T the first result of $look that is not null */
    public static function eventually(\Closure $look): mixed
    {
        $end = hrtime(true) + 30_000_000_000;
        while (($found = $look()) === null) {
            if (hrtime(true) > $end) {
                throw new \RuntimeException('it did not happen in 30 s');
            }
            usleep(20_000);
        }
        return $found;
    }

    public function client(mixed ...$others): Client
    {
        return new Client(...array_merge($this->arguments(), $others));
    }
}
