<?php

declare(strict_types=1);

namespace MerchantPay;

use MerchantPay\Ffi\Builder;
use MerchantPay\Ffi\Call;
use MerchantPay\Ffi\Config;
use MerchantPay\Ffi\Handle;
use MerchantPay\Ffi\Opaque;
use MerchantPay\Ffi\ProtocolOperations;
use MerchantPay\Ffi\Settings;

/**
 * Prepares signed requests and opens their replies, for a program that sends the requests with its own HTTP
 * client.
 *
 * Send the unchanged body by POST, only once, and do not follow redirects. If your HTTP client fails, your program
 * decides the outcome: after the first byte was sent, the outcome is "unknown". The constructor and the methods
 * have the arguments of Client; settings about connections have no effect.
 */
final class Protocol
{
    use Opaque;
    use ProtocolOperations;
    use Settings;

    private readonly Handle $handle;

    /** @var array{?object, ?\Closure} the logger and the signer, which must live as long as the handle */
    private readonly array $callbacks;

    /** Forgets the private key now, not only when PHP destroys the object. Prepared requests stay valid. */
    public function close(): void
    {
        $this->handle->free();
    }

    private function make(Config $config): void
    {
        $this->callbacks = $config->callbacks;
        $this->handle = Call::make('mpay_protocol', 'mpay_protocol_new', [$config]);
    }

    /**
     * @param string $type the type of the reply's result, or '' for nothing
     * @param ?\Closure $reader reads the result
     */
    private function prepare(
        string $operation,
        string|Builder $argument,
        string $type = '',
        ?\Closure $reader = null,
    ): HttpRequest {
        $owner = static fn (Handle $request): HttpRequest
            => HttpRequest::of($request, 'mpay_open_' . $operation, $type, $reader);
        return Call::make('mpay_http_request', 'mpay_prepare_' . $operation, [$this->handle, $argument], $owner);
    }
}
