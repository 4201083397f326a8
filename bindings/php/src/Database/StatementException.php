<?php

declare(strict_types=1);

namespace MerchantPay\Database;

/**
 * The exception for a failed statement. Its message is the driver's text without a row's values.
 *
 * @internal
 */
final class StatementException extends \RuntimeException
{
    public function __construct(public readonly Effect $effect, string $message, ?\Throwable $previous = null)
    {
        parent::__construct($message, previous: $previous);
    }
}
