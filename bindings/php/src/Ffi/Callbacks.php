<?php

declare(strict_types=1);

namespace MerchantPay\Ffi;

use FFI;
use FFI\CData;

/**
 * The functions through which the library calls the logger and the signer. The library calls them during a call,
 * on the same thread. No exception may pass through C.
 *
 * The exception of a signer is kept, and becomes the previous exception of the failed call's exception. The
 * exception of a logger is ignored, because the call's result matters more.
 *
 * @internal
 */
final class Callbacks
{
    private const SIGNATURE_BYTES = 64;

    /**
     * The exception of a signer. A nested call saves and restores the exception of the outer
     * call, so that each call sees only its own exception.
     */
    public static ?\Throwable $thrown = null;

    /**
     * @param ?object $logger an object with PSR-3's method log
     * @param ?\Closure(string): string $signer
     */
    public static function register(CData $config, ?object $logger, ?\Closure $signer): void
    {
        $ffi = Library::ffi();
        if ($logger !== null) {
            $log = UserData::of($logger, 'mpay_log_callback', self::log(...));
            $ffi->mpay_config_set_log_callback($config, ...$log);
        }
        if ($signer !== null) {
            $sign = UserData::of($signer, 'mpay_signer_callback', self::sign(...));
            $ffi->mpay_config_set_signer_callback($config, ...$sign);
        }
    }

    private static function log(CData $userData, CData $attempt): void
    {
        try {
            $texts = Texts::orNull($attempt, 'mpay_attempt_fields');
            [$line, $operation, $orderId, $number, $httpStatus, $elapsedMs, $code, $outcome] = $texts;
            UserData::object($userData)?->log($code === null ? 'info' : 'warning', $line, [
                'operation' => $operation,
                'orderId' => $orderId,
                'attempt' => (int) $number,
                'httpStatus' => (int) $httpStatus ?: null,
                'elapsedMs' => (int) $elapsedMs,
                'code' => $code,
                'outcome' => $outcome,
            ]);
        } catch (\Throwable) {
        }
    }

    private static function sign(CData $userData, ?CData $message, int $length, CData $signature): int
    {
        try {
            $signer = UserData::object($userData);
            $signed = $signer === null ? '' : $signer($message === null ? '' : FFI::string($message, $length));
            if (!is_string($signed) || strlen($signed) !== self::SIGNATURE_BYTES) {
                throw new \UnexpectedValueException('a signer has to return a string of 64 bytes');
            }
            FFI::memcpy($signature, $signed, self::SIGNATURE_BYTES);
            return 0;
        } catch (\Throwable $thrown) {
            Trace::strip($thrown);
            self::$thrown = $thrown;
            return 1;
        }
    }
}
