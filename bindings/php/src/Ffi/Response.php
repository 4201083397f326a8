<?php

declare(strict_types=1);

namespace MerchantPay\Ffi;

use MerchantPay\Exception\InvalidArgumentException;
use MerchantPay\Outcome;

/**
 * A reply from the host's HTTP client, in the library's format.
 *
 * @internal
 */
final class Response implements Builder
{
    use Opaque;

    /** @param array<mixed> $headers */
    public function __construct(
        private readonly int $status,
        private readonly array $headers,
        #[\SensitiveParameter] private readonly string $body,
    ) {
    }

    public function build(): Handle
    {
        $ffi = Library::ffi();
        $handle = new Handle($ffi->mpay_http_response_new(), 'mpay_http_response_free');
        $response = $handle->pointer();
        // A status outside 0 to 999 becomes 0, which the library refuses.
        $ffi->mpay_http_response_set_status($response, $this->status < 0 || $this->status > 999 ? 0 : $this->status);
        foreach (self::pairs($this->headers) as [$name, $value]) {
            $ffi->mpay_http_response_add_header($response, $name, $value);
        }
        $ffi->mpay_http_response_set_body($response, $this->body, strlen($this->body));
        return $handle;
    }

    /**
     * Yields the headers one by one. C would cut a text at a NUL, so a NUL is replaced by a different invalid
     * character.
     *
     * @param array<mixed> $headers
     * @return iterable<array{string, string}>
     */
    private static function pairs(array $headers): iterable
    {
        foreach ($headers as $name => $values) {
            foreach (is_array($values) ? $values : [$values] as $value) {
                if (!is_string($value)) {
                    throw InvalidArgumentException::because(
                        'a header must be a string or a list of them, not ' . get_debug_type($value),
                        outcome: Outcome::Unknown, // There is a reply, so the request was sent.
                    );
                }
                $pair = [(string) $name, $value];
                if (is_int($name)) {
                    if (!str_contains($value, ':')) {
                        continue; // The lines include the status line, which is skipped.
                    }
                    $pair = explode(':', $value, 2);
                }
                yield [self::whole($pair[0]), self::whole(trim($pair[1], " \t\r\n"))];
            }
        }
    }

    private static function whole(string $text): string
    {
        return str_replace("\0", "\x01", $text);
    }
}
