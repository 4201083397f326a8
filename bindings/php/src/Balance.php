<?php

declare(strict_types=1);

namespace MerchantPay;

use MerchantPay\Exception\InvalidArgumentException;
use MerchantPay\Exception\MerchantPayException;
use MerchantPay\Ffi\Argument;
use MerchantPay\Ffi\Call;
use MerchantPay\Ffi\Library;
use MerchantPay\Ffi\Signals;

/** The currency of the merchant's balance, which decides how the rate is applied. */
enum Balance: string
{
    /** sum * dealRate */
    case Rub = 'RUB';
    /** sum / dealRate */
    case Usdt = 'USDT';

    private const NUMBERS = ['RUB' => 1, 'USDT' => 2];
    private const ROUNDINGS = ['half_up' => 1, 'half_even' => 2, 'down' => 3, 'up' => 4];

    /**
     * Converts a paid sum at a rate to the balance's currency, exactly, rounded once.
     *
     * @param int|string|\Stringable $sum decimal text or a whole number, never a float
     * @param int|string|\Stringable $rate
     * @param int $scale how many digits to keep behind the point, at most 28
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
        if (Signals::mayInterrupt()) {
            return Signals::around(self::convert(...), func_get_args(), __FUNCTION__);
        }
        $balance = $balance instanceof self ? $balance->value : $balance;
        $rounding = $rounding instanceof Rounding ? $rounding->value : $rounding;
        $amount = Call::make(
            'mpay_amount',
            'mpay_to_balance',
            Argument::amount('sum', $sum),
            Argument::amount('rate', $rate),
            self::NUMBERS[$balance] ?? throw InvalidArgumentException::because('balance must be RUB or USDT'),
            Argument::uint32('scale', $scale),
            self::ROUNDINGS[$rounding]
                ?? throw InvalidArgumentException::because('rounding must be half_up, half_even, down or up'),
        );
        return Library::ffi()->mpay_amount_text($amount->pointer());
    }
}
