<?php

declare(strict_types=1);

namespace MerchantPay;

/** What became of a request that failed. */
enum Outcome: string
{
    /** Not one byte of it was written: it is safe to send it again. */
    case NotSent = 'not_sent';
    /** The service refused, provably: nothing took effect. */
    case Rejected = 'rejected';
    /** It may have taken effect: ask getStatus, or support, before sending it again. */
    case Unknown = 'unknown';

    /** The outcome of a number in C; null for 0, which is success, and for what this version does not know. */
    public static function tryFromNumber(int $number): ?self
    {
        return [1 => self::NotSent, 2 => self::Rejected, 3 => self::Unknown][$number] ?? null;
    }
}
