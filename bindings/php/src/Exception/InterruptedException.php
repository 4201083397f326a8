<?php

declare(strict_types=1);

namespace MerchantPay\Exception;

/**
 * Reports that a call had already succeeded when a signal handler threw an exception. This exception itself is
 * never thrown. It is the last one in the chain of previous exceptions of the handler's exception.
 */
final class InterruptedException extends \RuntimeException
{
    /**
     * @internal
     * @param mixed $result the result of the call; null if the call returns nothing
     */
    public function __construct(string $function, public readonly mixed $result)
    {
        parent::__construct("$function had succeeded when a signal's handler threw");
    }
}
