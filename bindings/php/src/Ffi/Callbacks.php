<?php

declare(strict_types=1);

namespace MerchantPay\Ffi;

use FFI;
use FFI\CData;
use MerchantPay\Code;
use MerchantPay\Outcome;

/**
 * A logger and a signer that the library calls back, always on the thread and inside of the call that was made.
 *
 * PHP keeps what it makes of a closure for C until the request ends. So there is one of each kind, and user_data says
 * whose call it is. No exception may cross C: a signer's is kept for the call that it spoils, a logger's is dropped,
 * because the reply matters more.
 *
 * @internal
 */
final class Callbacks
{
    use Opaque;

    private const SIGNATURE_BYTES = 64;

    /** @var array<int, \WeakReference<self>> */
    private static array $all = [];
    private static int $last = 0;
    private static ?CData $log = null;
    private static ?CData $sign = null;

    /** What a signer threw. Each call sees its own alone: one inside of another puts the other's back. */
    public static ?\Throwable $thrown = null;

    /** What user_data points to. */
    private readonly CData $id;

    /**
     * @param ?object $logger with PSR-3's method log
     * @param ?\Closure(string): string $signer
     */
    public function __construct(private readonly ?object $logger, private readonly ?\Closure $signer)
    {
        $this->id = Library::ffi()->new('int64_t[1]');
        $this->id[0] = ++self::$last;
        self::$all[self::$last] = \WeakReference::create($this);
    }

    public function __destruct()
    {
        unset(self::$all[$this->id[0]]);
    }

    public function register(CData $config): void
    {
        $ffi = Library::ffi();
        if ($this->logger !== null) {
            self::$log ??= self::toC('mpay_log_callback', self::log(...));
            $ffi->mpay_config_set_log_callback($config, self::$log[0], $this->id, null);
        }
        if ($this->signer !== null) {
            self::$sign ??= self::toC('mpay_signer_callback', self::sign(...));
            $ffi->mpay_config_set_signer_callback($config, self::$sign[0], $this->id, null);
        }
    }

    private static function toC(string $type, \Closure $callback): CData
    {
        $pointer = Library::ffi()->new($type . '[1]');
        $pointer[0] = $callback;
        return $pointer;
    }

    private static function of(CData $userData): ?self
    {
        $id = Library::ffi()->cast('int64_t *', $userData)[0];
        return isset(self::$all[$id]) ? self::$all[$id]->get() : null;
    }

    private static function log(CData $userData, CData $attempt): void
    {
        try {
            $ffi = Library::ffi();
            $code = $ffi->mpay_attempt_code($attempt);
            self::of($userData)?->logger?->log($code === 0 ? 'info' : 'warning', $ffi->mpay_attempt_line($attempt), [
                'operation' => $ffi->mpay_attempt_operation($attempt),
                'orderId' => $ffi->mpay_attempt_order_id($attempt),
                'attempt' => $ffi->mpay_attempt_number($attempt),
                'httpStatus' => $ffi->mpay_attempt_http_status($attempt) ?: null,
                'elapsedMs' => $ffi->mpay_attempt_elapsed_ms($attempt),
                'code' => Code::tryFromNumber($code)?->value,
                'outcome' => Outcome::tryFromNumber($ffi->mpay_attempt_outcome($attempt))?->value,
            ]);
        } catch (\Throwable) {
        }
    }

    private static function sign(CData $userData, ?CData $message, int $length, CData $signature): int
    {
        try {
            $signer = self::of($userData)?->signer;
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
