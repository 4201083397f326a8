<?php

declare(strict_types=1);

namespace MerchantPay\Ffi;

use FFI;
use FFI\CData;
use MerchantPay\Code;
use MerchantPay\Exception\MerchantPayException;
use MerchantPay\Outcome;

/**
 * Converts the library's errors to exceptions.
 *
 * @internal
 */
final class Failure
{
    /**
     * Reads an error, and frees it.
     *
     * @param ?CData $error null if the library could not make an error: then the request may have taken effect
     * @param int $code the code that the call returned
     * @param array<string, string> $names names in the message to replace, with their replacements
     */
    public static function take(
        ?CData $error,
        int $code,
        ?\Throwable $previous = null,
        array $names = [],
    ): MerchantPayException {
        $class = self::classOf(Code::tryFromNumber($code));
        if ($error === null) {
            return $class::because(
                'the call failed, and the library could not create the error object',
                $previous,
                Outcome::Unknown,
            );
        }
        $ffi = Library::ffi();
        try {
            $fields = Texts::orNull($error, 'mpay_error_fields');
            [$name, $outcome, $isTransient, $httpStatus, $message, $description, $reason, $orderId] = $fields;
            [8 => $type, 9 => $excerpt, 10 => $retryAfterMs] = $fields;
            return new $class(
                message: strtr((string) $message, self::isOfSetting($code) ? $names + NamedTexts::arguments() : $names),
                outcome: (string) $outcome,
                description: $description,
                reason: $reason,
                httpStatus: (int) $httpStatus ?: null,
                orderId: $orderId,
                contentType: $type,
                excerpt: $excerpt,
                body: self::body($ffi, $error),
                isTransient: $isTransient === '1',
                previous: $previous,
                code: $name,
                number: $code,
                retryAfterMs: (int) $retryAfterMs ?: null,
            );
        } finally {
            $ffi->mpay_error_free($error);
        }
    }

    /** Returns true if the message may contain the library's names of settings. */
    private static function isOfSetting(int $code): bool
    {
        return in_array($code, [Code::InvalidArgument->number(), Code::InvalidKey->number()], true);
    }

    /**
     * The class for a code. A code that only a later version of the library knows has the class
     * MerchantPayException.
     *
     * @return class-string<MerchantPayException>
     */
    private static function classOf(?Code $code): string
    {
        return $code === null ? MerchantPayException::class : "MerchantPay\\Exception\\{$code->name}Exception";
    }

    /** The error's body. The body is read by its length, because PHP would cut a C string at a NUL. */
    private static function body(FFI $ffi, CData $error): ?string
    {
        if ($ffi->mpay_error_body($error) === null) {
            return null;
        }
        $bytes = $ffi->cast('void *(*)(const mpay_error *)', $ffi->mpay_error_body);
        return FFI::string($bytes($error), (int) $ffi->mpay_error_body_len($error));
    }
}
