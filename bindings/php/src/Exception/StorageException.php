<?php

declare(strict_types=1);

namespace MerchantPay\Exception;

/** The journal could not be read or written. */
final class StorageException extends MerchantPayException
{
}
