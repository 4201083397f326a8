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
 * Prepares signed requests and opens their replies, without sending anything: for an HTTP client of your own.
 *
 * Send the body as it is, by POST, once, and follow no redirect. What a failure of your HTTP client means for the money
 * is yours to say: once a byte was sent, it is "unknown". The settings and the methods take what those of Client take;
 * what the settings say of connections has no effect here.
 */
final class Protocol
{
    use Opaque;
    use ProtocolOperations;
    use Settings;

    private readonly Handle $handle;

    /** @var array{?object, ?\Closure} live as long as the handle */
    private readonly array $callbacks;

    /** Forgets its key now, not when PHP destroys the object. What it prepared stays. */
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
     * @param string $type what the library makes of a reply, or '' for nothing
     * @param ?\Closure $reader reads it
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
