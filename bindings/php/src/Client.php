<?php

declare(strict_types=1);

namespace MerchantPay;

use MerchantPay\Ffi\Argument;
use MerchantPay\Ffi\Call;
use MerchantPay\Ffi\ClientOperations;
use MerchantPay\Ffi\Config;
use MerchantPay\Ffi\Handle;
use MerchantPay\Ffi\Opaque;
use MerchantPay\Ffi\Settings;

/**
 * Calls the service. Each call ends when its reply is verified or its deadline has passed. A failed call throws
 * a MerchantPayException. The exception's outcome shows whether the request may have taken effect.
 */
final class Client implements ClientInterface
{
    use ClientOperations;
    use Opaque;
    use Settings;

    private Handle $handle;

    /** @var array{?object, ?\Closure} the logger and the signer, which must live as long as the handle */
    private array $callbacks;

    public function wait(string $orderId, int $timeoutMs): Payment
    {
        return Call::read(Payment::read(...), 'mpay_payment', 'mpay_wait', [
            $this->handle,
            Argument::text('orderId', $orderId),
            Argument::uint32('timeoutMs', $timeoutMs),
        ]);
    }

    public function connect(): void
    {
        Call::run('mpay_client_connect', $this->handle);
    }

    public function derive(int $timeoutMs = 0): self
    {
        $owner = function (Handle $handle): self {
            $client = clone $this;
            $client->handle = $handle;
            return $client;
        };
        $timeoutMs = Argument::uint32('timeoutMs', $timeoutMs);
        return Call::make('mpay_client', 'mpay_client_derive', [$this->handle, $timeoutMs], $owner);
    }

    public function close(): void
    {
        $this->handle->free();
    }

    /** @internal Returns the client's handle, with which a journal is opened. */
    public static function handleOf(self $client): Handle
    {
        return $client->handle;
    }

    private function make(Config $config): void
    {
        $this->callbacks = $config->callbacks;
        $this->handle = Call::make('mpay_client', 'mpay_client_new', [$config]);
    }
}
