<?php

declare(strict_types=1);

namespace MerchantPay\Ffi;

use MerchantPay\Exception\InvalidArgumentException;

/**
 * Compares decimal texts as numbers, like the library. The library's own function needs a payment object of C,
 * but a PHP Payment keeps only the texts.
 *
 * @internal
 */
final class Decimal
{
    private const NUMBER = '/^(-?)(0|[1-9]\d*)(?:\.(\d+))?(?:[eE]([+-]?\d{1,3}))?$/D';

    /**
     * Returns a number less than 0 if $left is less than $right, 0 if they are equal, else a number greater than
     * 0.
     */
    public static function compare(string $left, string $right): int
    {
        [$sign, $size, $digits] = self::parts($left);
        [$otherSign, $otherSize, $otherDigits] = self::parts($right);
        if ($sign !== $otherSign) {
            return $sign <=> $otherSign;
        }
        return $sign * (($size <=> $otherSize) ?: strcmp($digits, $otherDigits));
    }

    /**
     * @return array{int, int, string} the sign, the power of ten, and d of sign · 0.d · 10^power, without
     * leading and trailing zeros
     */
    private static function parts(string $number): array
    {
        if (preg_match(self::NUMBER, $number, $found) !== 1) {
            throw InvalidArgumentException::because('the amount is not a decimal number');
        }
        [, $minus, $whole, $fraction, $exponent] = $found + ['', '', '', '', '0'];
        $all = $whole . $fraction;
        $digits = ltrim($all, '0');
        $size = strlen($whole) + (int) $exponent - (strlen($all) - strlen($digits));
        $digits = rtrim($digits, '0');
        return $digits === '' ? [0, 0, ''] : [$minus === '' ? 1 : -1, $size, $digits];
    }
}
