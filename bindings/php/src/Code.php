<?php

declare(strict_types=1);

namespace MerchantPay;

/** What went wrong. Codes are only ever added. */
enum Code: string
{
    case InvalidArgument = 'invalid_argument';
    case InvalidKey = 'invalid_key';
    case Signer = 'signer';
    case Transport = 'transport';
    case Timeout = 'timeout';
    case Cancelled = 'cancelled';
    case Unverified = 'unverified';
    case Malformed = 'malformed';
    case Rejected = 'rejected';
    case Storage = 'storage';
    case Internal = 'internal';

    /** The number in C, which is an exception's getCode() too. */
    public function number(): int
    {
        return match ($this) {
            self::InvalidArgument => 10,
            self::InvalidKey => 11,
            self::Signer => 12,
            self::Transport => 20,
            self::Timeout => 21,
            self::Cancelled => 22,
            self::Unverified => 30,
            self::Malformed => 31,
            self::Rejected => 40,
            self::Storage => 50,
            self::Internal => 90,
        };
    }

    /** The code of a number; null for 0, which is success, and for what this version does not know. */
    public static function tryFromNumber(int $number): ?self
    {
        foreach (self::cases() as $code) {
            if ($code->number() === $number) {
                return $code;
            }
        }
        return null;
    }
}
