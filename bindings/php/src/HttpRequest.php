<?php

declare(strict_types=1);

namespace MerchantPay;

use MerchantPay\Exception\InvalidArgumentException;
use MerchantPay\Exception\MerchantPayException;
use MerchantPay\Ffi\Handle;
use MerchantPay\Ffi\Opaque;
use Psr\Http\Message\RequestFactoryInterface;
use Psr\Http\Message\RequestInterface;
use Psr\Http\Message\ResponseInterface;
use Psr\Http\Message\StreamFactoryInterface;

/**
 * A signed request. Send exactly this body with these headers, only once, by POST. Whoever has the signed request
 * can send it again, so var_dump and print_r leave out headers and body.
 *
 * @template-covariant T of Payment|AvailableAmounts|null
 */
final class HttpRequest
{
    use Opaque;

    public readonly string $method;

    /** What the reply is: a method of Records. */
    private string $answer = 'nothing';

    private function __construct(
        public readonly string $url,
        /** @var array<string, string> the headers by name */
        public readonly array $headers,
        public readonly string $body,
        private readonly Handle $handle,
    ) {
        $this->method = 'POST';
    }

    /**
     * The request for an HTTP client of PSR-18, made by factories of PSR-17. Many packages have one factory for both.
     * Since 0.4.0.
     *
     * @param ?StreamFactoryInterface $streams null if $requests also makes streams
     * @throws MerchantPayException if nothing makes streams
     */
    public function toPsr7(
        RequestFactoryInterface $requests,
        ?StreamFactoryInterface $streams = null,
    ): RequestInterface {
        $streams ??= $requests;
        if (!$streams instanceof StreamFactoryInterface) {
            throw InvalidArgumentException::because('streams is missing: the factory of requests makes no streams');
        }
        $request = $requests->createRequest($this->method, $this->url);
        foreach ($this->headers as $name => $value) {
            $request = $request->withHeader($name, $value);
        }
        return $request->withBody($streams->createStream($this->body));
    }

    /**
     * Opens the reply: verifies its bytes, parses them, and checks that the reply belongs to this request. This
     * request was sent, so every error has the outcome "unknown", except a proven refusal.
     *
     * @param array<mixed> $headers all headers, including repeated ones: by name, each a string or a list of
     *     strings; or lines such as "X-KeyId: service-1"
     * @param string $body the unchanged bytes
     * @return T
     * @throws MerchantPayException
     */
    public function open(
        int $status,
        array $headers,
        #[\SensitiveParameter] string $body,
    ): Payment|AvailableAmounts|null {
        return $this->handle->preparedOpen($status, self::pairs($headers), $body, null, $this->answer);
    }

    /**
     * Opens the reply of an HTTP client of PSR-18, as open does. Since 0.4.0.
     *
     * @return T
     * @throws MerchantPayException
     */
    public function openPsr7(ResponseInterface $response): Payment|AvailableAmounts|null
    {
        return $this->open($response->getStatusCode(), $response->getHeaders(), (string) $response->getBody());
    }

    /** @return array<string, mixed> */
    public function __debugInfo(): array
    {
        return ['method' => $this->method, 'url' => $this->url];
    }

    /**
     * @internal
     * @param list<string> $headers names and values by turns
     */
    public static function of(
        Handle $request,
        string $url,
        #[\SensitiveParameter] array $headers,
        int $bodyLength,
    ): self {
        $byName = [];
        foreach (array_chunk($headers, 2) as [$name, $value]) {
            $byName[$name] = $value;
        }
        return new self($url, $byName, $request->preparedBody($bodyLength), $request);
    }

    /** @internal */
    public function answeredBy(string $answer): self
    {
        $this->answer = $answer;
        return $this;
    }

    /**
     * @param array<mixed> $headers
     * @return list<string> names and values by turns
     */
    private static function pairs(array $headers): array
    {
        $pairs = [];
        foreach ($headers as $name => $values) {
            foreach (is_array($values) ? $values : [$values] as $value) {
                if (!is_string($value)) {
                    throw InvalidArgumentException::because(
                        'a header must be a string or a list of them, not ' . get_debug_type($value),
                        outcome: Outcome::Unknown, // There is a reply, so the request was sent.
                    );
                }
                // The lines include the status line, which has no colon.
                $pair = is_int($name) ? explode(':', $value, 2) : [(string) $name, $value];
                if (count($pair) === 2) {
                    array_push($pairs, $pair[0], trim($pair[1], " \t\r\n"));
                }
            }
        }
        return $pairs;
    }
}
