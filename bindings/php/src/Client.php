<?php

declare(strict_types=1);

namespace MerchantPay;

use MerchantPay\Ffi\ClientOperations;
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

    private const KIND = Handle::CLIENT;

    public function wait(string $orderId, int $timeoutMs): Payment
    {
        return $this->handle->wait($orderId, $timeoutMs);
    }

    public function connect(): void
    {
        $this->handle->connect();
    }

    public function derive(int $timeoutMs = 0): self
    {
        $client = clone $this;
        $client->handle = $this->handle->derive($timeoutMs);
        return $client;
    }

    public function close(): void
    {
        $this->handle->close();
    }

    /** @internal Returns the client's handle, with which a journal is opened. */
    public static function handleOf(self $client): Handle
    {
        return $client->handle;
    }
}
