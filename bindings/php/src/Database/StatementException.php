<?php

declare(strict_types=1);

namespace MerchantPay\Database;

/**
 * Why a statement gave nothing. Its message says what the driver says, without the values of a row.
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
