<?php

declare(strict_types=1);

namespace MerchantPay;

use FFI;
use FFI\CData;
use MerchantPay\Exception\MerchantPayException;
use MerchantPay\Ffi\Call;
use MerchantPay\Ffi\Handle;
use MerchantPay\Ffi\Library;
use MerchantPay\Ffi\Opaque;
use MerchantPay\Ffi\Response;
use MerchantPay\Ffi\Texts;

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

    /**
     * @param string $opener the function that opens the reply to this request
     * @param string $type the type of the result, or '' for nothing
     * @param ?\Closure(CData): T $reader reads the result
     */
    private function __construct(
        public readonly string $url,
        /** @var array<string, string> the headers by name */
        public readonly array $headers,
        public readonly string $body,
        private readonly Handle $handle,
        private readonly string $opener,
        private readonly string $type,
        private readonly ?\Closure $reader,
    ) {
        $this->method = 'POST';
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
        $response = new Response($status, $headers, $body);
        return Call::read($this->reader, $this->type, $this->opener, [$this->handle, $response]);
    }

    /** @return array<string, mixed> */
    public function __debugInfo(): array
    {
        return ['method' => $this->method, 'url' => $this->url];
    }

    /** @internal */
    public static function of(Handle $handle, string $opener, string $type, ?\Closure $reader): self
    {
        $ffi = Library::ffi();
        $request = $handle->pointer();
        $head = Texts::of($request, 'mpay_http_request_head');
        $headers = [];
        for ($index = 1, $count = count($head); $index < $count; $index += 2) {
            $headers[$head[$index]] = $head[$index + 1];
        }
        $body = FFI::string($ffi->mpay_http_request_body($request), $ffi->mpay_http_request_body_len($request));
        return new self($head[0], $headers, $body, $handle, $opener, $type, $reader);
    }
}
