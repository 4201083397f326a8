<?php

declare(strict_types=1);

namespace MerchantPay\Exception;

/**
 * Reports that a call had succeeded when a signal handler threw an exception. It is never thrown itself: it
 * is the last previous exception in the chain of the handler's exception.
 */
final class InterruptedException extends \RuntimeException
{
    /**
     * @internal
     * @param mixed $result the result of the call; null if it returns nothing
     */
    public function __construct(string $function, public readonly mixed $result)
    {
        parent::__construct("$function had succeeded when a signal's handler threw");
    }
}
