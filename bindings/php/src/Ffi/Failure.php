<?php

declare(strict_types=1);

namespace MerchantPay\Ffi;

use FFI;
use FFI\CData;
use MerchantPay\Code;
use MerchantPay\Exception\MerchantPayException;
use MerchantPay\Outcome;

/**
 * Makes exceptions of the library's errors.
 *
 * @internal
 */
final class Failure
{
    /**
     * Reads an error, and frees it.
     *
     * @param ?CData $error null if the library could not make one: then the request may have taken effect
     * @param int $code what the call returned
     */
    public static function take(?CData $error, int $code, ?\Throwable $previous = null): MerchantPayException
    {
        if ($error === null) {
            $class = self::classOf(Code::tryFromNumber($code));
            return $class::because(
                'the call failed, and the library could not make its error',
                $previous,
                Outcome::Unknown,
            );
        }
        $ffi = Library::ffi();
        try {
            $number = (int) $ffi->mpay_error_code($error);
            $class = self::classOf(Code::tryFromNumber($number));
            return new $class(
                message: (string) $ffi->mpay_error_message($error),
                outcome: (string) $ffi->mpay_error_outcome_name($error),
                description: $ffi->mpay_error_description($error),
                reason: $ffi->mpay_error_reason($error),
                httpStatus: ((int) $ffi->mpay_error_http_status($error)) ?: null,
                orderId: $ffi->mpay_error_order_id($error),
                contentType: $ffi->mpay_error_content_type($error),
                excerpt: $ffi->mpay_error_excerpt($error),
                body: self::body($ffi, $error),
                isTransient: $ffi->mpay_error_is_transient($error) === 1,
                previous: $previous,
                code: (string) $ffi->mpay_error_code_name($error),
                number: $number,
            );
        } finally {
            $ffi->mpay_error_free($error);
        }
    }

    /**
     * A later library may have other codes: they are a MerchantPayException.
     *
     * @return class-string<MerchantPayException>
     */
    private static function classOf(?Code $code): string
    {
        return $code === null ? MerchantPayException::class : "MerchantPay\\Exception\\{$code->name}Exception";
    }

    /** A body may hold a NUL, at which PHP would cut a C string: so its bytes are read by their number. */
    private static function body(FFI $ffi, CData $error): ?string
    {
        if ($ffi->mpay_error_body($error) === null) {
            return null;
        }
        $bytes = $ffi->cast('void *(*)(const mpay_error *)', $ffi->mpay_error_body);
        return FFI::string($bytes($error), (int) $ffi->mpay_error_body_len($error));
    }
}
