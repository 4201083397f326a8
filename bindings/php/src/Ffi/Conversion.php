<?php

declare(strict_types=1);

namespace MerchantPay\Ffi;

use FFI\CData;
use MerchantPay\Exception\InvalidArgumentException;
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
        $text = static fn (CData $amount): string => Library::ffi()->mpay_amount_text($amount);
        return Call::read($text, 'mpay_amount', 'mpay_to_balance', [
            Argument::amount('sum', $sum),
            Argument::amount('rate', $rate),
            self::numberOf('balance', self::class, $balance),
            Argument::uint32('scale', $scale),
            self::numberOf('rounding', Rounding::class, $rounding),
        ]);
    }

    /** @param class-string<self|Rounding> $enum */
    private static function numberOf(string $name, string $enum, self|Rounding|string $value): int
    {
        $case = is_string($value) ? $enum::tryFrom($value) : $value;
        if ($case === null) {
            $names = implode(', ', array_column($enum::cases(), 'value'));
            throw InvalidArgumentException::because("$name must be one of: $names");
        }
        return $case->number();
    }
}
