<?php

declare(strict_types=1);

namespace MerchantPay\Ffi;

use MerchantPay\Exception\MerchantPayException;
use MerchantPay\Rounding;

/**
 * The implementation of Balance.
 *
 * @internal
 */
trait Conversion
{
    /**
     * Converts a paid sum at a rate to the balance's currency. It calculates exactly, and rounds the result
     * once. The commission is not subtracted.
     *
     * @param int|string|\Stringable $sum decimal text or a whole number, never a float
     * @param int|string|\Stringable $rate
     * @param int $scale the number of digits after the decimal point, at most 28
     * @return string decimal text
     * @throws MerchantPayException
     */
    public static function convert(
        mixed $sum,
        mixed $rate,
        self|string $balance,
        int $scale,
        Rounding|string $rounding,
    ): string {
        return Handle::library()->libraryToBalance(
            Argument::amount('sum', $sum),
            Argument::amount('rate', $rate),
            Argument::word($balance),
            $scale,
            Argument::word($rounding),
        );
    }
}
