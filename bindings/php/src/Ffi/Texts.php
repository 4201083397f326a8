<?php

declare(strict_types=1);

namespace MerchantPay\Ffi;

use FFI;
use FFI\CData;

/**
 * Texts that the library returns together in one C call. Splitting the texts costs less than one call for each.
 *
 * @internal
 */
final class Texts
{
    /** Marks an absent text. */
    private const ABSENT = "\xFF";

    /** The out-pointer for the length of the texts. */
    private static ?CData $length = null;

    /**
     * @param string $function the C function that returns the texts of the handle, separated by NUL
     * @return list<string>
     */
    public static function of(CData $handle, string $function): array
    {
        $ffi = Library::ffi();
        $length = self::$length ??= $ffi->new('size_t[1]');
        return explode("\0", FFI::string($ffi->$function($handle, $length), $length[0]));
    }

    /**
     * Like the method of, for texts that can be absent.
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
