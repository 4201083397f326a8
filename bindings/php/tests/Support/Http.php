<?php

declare(strict_types=1);

namespace MerchantPay\Tests\Support;

/** The small part of HTTP/1.1 that the tests need: one message per connection. */
final class Http
{
    /**
     * Reads one message.
     *
     * @param resource $connection
     * @return array{first: string, headers: array<string, string>, body: string} header names in lower case
     */
    public static function read($connection): array
    {
        $first = rtrim((string) fgets($connection));
        $headers = [];
        while (($line = fgets($connection)) !== false && rtrim($line) !== '') {
            [$name, $value] = explode(':', rtrim($line), 2);
            $headers[strtolower($name)] = trim($value);
        }
        $body = '';
        if (isset($headers['content-length'])) {
            $length = (int) $headers['content-length'];
            while (strlen($body) < $length && !feof($connection)) {
                $body .= fread($connection, $length - strlen($body));
            }
        } elseif (str_starts_with($first, 'HTTP/')) {
            $body = (string) stream_get_contents($connection);
        }
        return ['first' => $first, 'headers' => $headers, 'body' => $body];
    }

    /** @param array<string, string> $headers */
    public static function message(string $first, array $headers, string $body): string
    {
        $headers += ['Content-Length' => (string) strlen($body), 'Connection' => 'close'];
        $text = $first . "\r\n";
        foreach ($headers as $name => $value) {
            $text .= "$name: $value\r\n";
        }
        return "$text\r\n$body";
    }

    /**
     * Sends a request and returns the connection, from which the reply can be read.
     *
     * @param array<string, string> $headers
     * @return resource
     */
    public static function post(string $url, array $headers = [], string $body = '', string $method = 'POST')
    {
        $parts = parse_url($url);
        $host = $parts['host'] . ':' . $parts['port'];
        $connection = stream_socket_client("tcp://$host", timeout: 20);
        stream_set_timeout($connection, 20);
        fwrite($connection, self::message("$method {$parts['path']} HTTP/1.0", $headers + ['Host' => $host], $body));
        return $connection;
    }

    /** @param array{first: string, headers: array<string, string>, body: string} $reply */
    public static function status(array $reply): int
    {
        return (int) explode(' ', $reply['first'])[1];
    }
}
