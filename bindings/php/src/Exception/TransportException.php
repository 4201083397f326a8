<?php

declare(strict_types=1);

namespace MerchantPay\Exception;

/** DNS, connect, TLS, a broken connection, a redirect, a reply that is too large. */
final class TransportException extends MerchantPayException
{
}
