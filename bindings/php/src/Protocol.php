<?php

declare(strict_types=1);

namespace MerchantPay;

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

    private const KIND = Handle::PROTOCOL;

    /** Forgets the private key now, not only when PHP destroys the object. Prepared requests stay valid. */
    public function close(): void
    {
        $this->handle->close();
    }
}
