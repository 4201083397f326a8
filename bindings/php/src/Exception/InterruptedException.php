<?php

declare(strict_types=1);

namespace MerchantPay\Exception;

/**
 * No failure: it says that a call had succeeded when a signal's handler threw. It is never thrown itself, but stands at
 * the end of the chain of previous exceptions of what the handler threw.
 */
final class InterruptedException extends \RuntimeException
{
    /**
     * @internal
     * @param mixed $result what the call would have returned; null where it returns nothing
     */
    public function __construct(string $function, public readonly mixed $result)
    {
        parent::__construct("$function had succeeded when a signal's handler threw");
    }
}
