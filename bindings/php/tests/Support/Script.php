<?php

declare(strict_types=1);

namespace MerchantPay\Tests\Support;

use MerchantPay\Client;

/**
 * A service in a separate process. It sends the given replies in order, and closes the connection after each
 * reply. For a reply that is null it sends nothing, and the connection stays open until the script ends.
 */
final class Script
{
    public readonly string $url;
    public readonly Key $merchant;
    public readonly Key $service;

    private readonly int $child;

    /** @var resource the stream to which the child writes the received requests */
    private $requests;

    /** @param \Closure(Key): list<?string> $replies makes the replies with the service's key */
    public function __construct(\Closure $replies)
    {
        $this->merchant = new Key();
        $this->service = new Key();
        $listener = stream_socket_server('tcp://127.0.0.1:0');
        $this->url = 'http://' . stream_socket_get_name($listener, false);
        [$this->requests, $write] = stream_socket_pair(STREAM_PF_UNIX, STREAM_SOCK_STREAM, 0);
        $child = pcntl_fork();
        if ($child === 0) {
            // This process ends without the shutdown of PHP and PHPUnit.
            try {
                fclose($this->requests);
                self::serve($listener, $write, $replies($this->service));
            } finally {
                posix_kill(posix_getpid(), SIGKILL);
            }
        }
        fclose($write);
        fclose($listener);
        $this->child = $child;
    }

    public function __destruct()
    {
        posix_kill($this->child, SIGKILL);
        pcntl_waitpid($this->child, $status);
    }

    public function client(mixed ...$others): Client
    {
        return new Client(...array_merge([
            'baseUrl' => $this->url,
            'keyId' => 'merchant-1',
            'privateKey' => $this->merchant->privateKey(),
            'serverPublicKey' => $this->service->publicKey(),
            'timeoutMs' => 10000,
        ], $others));
    }

    /**
     * @return array{first: string, headers: array<string, string>, body: string} the next received request
     */
    public function request(): array
    {
        $line = fgets($this->requests);
        if ($line === false) {
            throw new \RuntimeException('no further request came');
        }
        return unserialize((string) base64_decode($line, true));
    }

    /** Ends the service, and returns the number of received requests. */
    public function count(): int
    {
        posix_kill($this->child, SIGKILL);
        return substr_count((string) stream_get_contents($this->requests), "\n");
    }

    /** @param array<string, string> $headers in addition to those of a signed reply */
    public static function signed(Key $key, string $body, int $status = 200, array $headers = []): string
    {
        $headers += ['X-KeyId' => 'service-1', 'X-Signature' => $key->sign($body)];
        return Http::message("HTTP/1.1 $status Is", $headers, $body);
    }

    /**
     * @param resource $listener
     * @param resource $write
     * @param list<?string> $replies
     */
    private static function serve($listener, $write, array $replies): void
    {
        $open = [];
        foreach ($replies as $reply) {
            $connection = stream_socket_accept($listener, 20);
            fwrite($write, base64_encode(serialize(Http::read($connection))) . "\n");
            if ($reply === null) {
                $open[] = $connection;
                continue;
            }
            fwrite($connection, $reply);
            fclose($connection);
        }
        if ($open !== []) {
            sleep(60); // Sleeps until the script ends and kills this process.
        }
    }
}
