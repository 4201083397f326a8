<?php

declare(strict_types=1);

namespace MerchantPay;

/** What to do with the digits behind the last one that is kept. */
enum Rounding: string
{
    /** To the nearest; a half goes away from zero, as on a till. */
    case HalfUp = 'half_up';
    /** To the nearest; a half goes to the even neighbour. */
    case HalfEven = 'half_even';
    /** Towards zero. */
    case Down = 'down';
    /** Away from zero. */
    case Up = 'up';
}
