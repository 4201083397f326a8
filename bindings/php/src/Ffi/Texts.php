<?php

declare(strict_types=1);

namespace MerchantPay\Ffi;

use FFI;
use FFI\CData;

/**
 * Texts that the library gives all at once, because a call of it costs more than to take them apart.
 *
 * @internal
 */
final class Texts
{
    /** What stands for an absent one. */
    private const ABSENT = "\xFF";

    /** Where the library says how long they are. */
    private static ?CData $length = null;

    /**
     * @param string $function gives the texts of the handle, with a NUL between two
     * @return list<string>
     */
    public static function of(CData $handle, string $function): array
    {
        $ffi = Library::ffi();
        $length = self::$length ??= $ffi->new('size_t[1]');
        return explode("\0", FFI::string($ffi->$function($handle, $length), $length[0]));
    }

    /**
     * The same where some may be absent.
     *
     * @return list<?string>
     */
    public static function orNull(CData $handle, string $function): array
    {
        $texts = self::of($handle, $function);
        foreach (array_keys($texts, self::ABSENT, true) as $absent) {
            $texts[$absent] = null;
        }
        return $texts;
    }
}
