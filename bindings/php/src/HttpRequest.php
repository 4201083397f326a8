<?php

declare(strict_types=1);

namespace MerchantPay;

use FFI;
use MerchantPay\Exception\MerchantPayException;
use MerchantPay\Ffi\Call;
use MerchantPay\Ffi\Handle;
use MerchantPay\Ffi\Library;
use MerchantPay\Ffi\Opaque;
use MerchantPay\Ffi\Response;
use MerchantPay\Ffi\Signals;
use MerchantPay\Ffi\Texts;

/**
 * What to send, by POST, once: exactly this body with these headers. Its signature is as good as a password for its
 * order, so var_dump and print_r leave headers and body out.
 *
 * @template-covariant T of Payment|AvailableAmounts|null
 */
final class HttpRequest
{
    use Opaque;

    public readonly string $method;

    /**
     * @param \Closure(self<T>, Handle): T $reader
     */
    private function __construct(
        public readonly string $url,
        /** @var array<string, string> by name */
        public readonly array $headers,
        public readonly string $body,
        private readonly Handle $handle,
        private readonly \Closure $reader,
    ) {
        $this->method = 'POST';
    }

    /**
     * Opens the reply: verifies its bytes, parses them, binds them to this request. This request was sent, so whatever
     * is wrong has the outcome "unknown", but for a refusal that is proven.
     *
     * @param array<mixed> $headers all of them, as often as they came: by name, each a string or a list of strings; or
     *     lines such as "X-KeyId: service-1"
     * @param string $body the bytes as they came
     * @return T
     * @throws MerchantPayException
     */
    public function open(
        int $status,
        array $headers,
        #[\SensitiveParameter] string $body,
    ): Payment|AvailableAmounts|null {
        if (Signals::mayInterrupt()) {
            return Signals::around($this->open(...), func_get_args(), __FUNCTION__);
        }
        return ($this->reader)($this, Response::of($status, $headers, $body));
    }

    /** @return array<string, mixed> */
    public function __debugInfo(): array
    {
        return ['method' => $this->method, 'url' => $this->url];
    }

    /** @internal */
    public static function read(Handle $handle, \Closure $reader): self
    {
        $ffi = Library::ffi();
        $request = $handle->pointer();
        $head = Texts::of($request, 'mpay_http_request_head');
        $headers = [];
        for ($index = 1, $count = count($head); $index < $count; $index += 2) {
            $headers[$head[$index]] = $head[$index + 1];
        }
        return new self(
            $head[0],
            $headers,
            FFI::string($ffi->mpay_http_request_body($request), $ffi->mpay_http_request_body_len($request)),
            $handle,
            $reader,
        );
    }

    /** @internal */
    public function result(\Closure $reader, string $type, string $function, Handle $response): mixed
    {
        return Call::read($reader, $type, $function, [$this->handle, $response]);
    }

    /** @internal */
    public function run(string $function, Handle $response): void
    {
        Call::run($function, $this->handle, $response);
    }
}
