<?php

declare(strict_types=1);

namespace MerchantPay\Tests\Support;

use MerchantPay\Exception\MerchantPayException;
use PHPUnit\Framework\Assert;

/** Returns the exception of a call that must fail. */
trait Failing
{
    private static function failure(\Closure $call): MerchantPayException
    {
        try {
            $call();
        } catch (MerchantPayException $error) {
            return $error;
        }
        Assert::fail('a call succeeded that had to fail');
    }

    private static function assertFails(string $code, string $outcome, \Closure $call): MerchantPayException
    {
        $error = self::failure($call);
        Assert::assertSame("$code $outcome", $error->code() . ' ' . $error->outcome(), $error->getMessage());
        return $error;
    }
}
