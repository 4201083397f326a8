<?php

declare(strict_types=1);

namespace MerchantPay\Ffi;

use FFI;
use FFI\CData;
use MerchantPay\Exception\InvalidArgumentException;

/**
 * The logger and the signer of an object. The library calls them during a call, on the same thread. No exception
 * may pass through C: a signer's is kept, and becomes the previous one of the failed call's exception. A logger's
 * is ignored, because the call's result matters more.
 *
 * @internal
 */
final class Host
{
    /** The exception of a signer. Each call saves and restores that of the call around it. */
    public static ?\Throwable $thrown = null;

    /**
     * By their tokens. The handles keep the hosts alive: a strong reference from here would prevent PHP from
     * collecting a cycle of a client and its logger.
     *
     * @var array<int, \WeakReference<self>>
     */
    private static array $hosts = [];
    private static int $last = 0;

    /** PHP keeps the C function of a closure until the request ends, so there is only one. */
    private static ?CData $function = null;

    public readonly int $token;

    private function __construct(private readonly ?object $logger, private readonly ?\Closure $signer)
    {
        $this->token = ++self::$last;
        self::$hosts[$this->token] = \WeakReference::create($this);
    }

    /**
     * @param ?object $logger an object with PSR-3's method log
     * @param ?callable(string): string $signer
     */
    public static function of(?object $logger, ?callable $signer): ?self
    {
        if ($logger !== null && !is_callable([$logger, 'log'])) {
            throw InvalidArgumentException::because('the logger must have the method log of PSR-3');
        }
        $isUsed = $logger !== null || $signer !== null;
        return $isUsed ? new self($logger, $signer === null ? null : $signer(...)) : null;
    }

    /** @return list<string> the names of the callbacks */
    public function callbacks(): array
    {
        return array_keys(array_filter(['log' => $this->logger, 'sign' => $this->signer]));
    }

    public static function function(): CData
    {
        if (self::$function === null) {
            self::$function = Library::ffi()->new('mpay_host[1]');
            self::$function[0] = self::ask(...);
        }
        return self::$function[0];
    }

    private static function ask(int $token, int $what, ?CData $args, int $length, ?CData $answer): int
    {
        if ($what === Handle::RELEASE) {
            unset(self::$hosts[$token]);
            return 0;
        }
        try {
            $host = (self::$hosts[$token] ?? null)?->get();
            $given = $args === null ? '' : FFI::string($args, $length);
            if ($what === Handle::LOG) {
                $host?->log(Records::attempt($given));
            } elseif ($what === Handle::SIGN) {
                $signature = ($host?->signer)($given);
                if (!is_string($signature)) {
                    throw new \UnexpectedValueException('a signer has to return a string of 64 bytes');
                }
                Library::ffi()->mpay_answer($answer, $signature, strlen($signature));
            }
            return 0;
        } catch (\Throwable $thrown) {
            if ($what === Handle::SIGN) {
                Trace::strip($thrown);
                self::$thrown = $thrown;
            }
            return 1;
        }
    }

    /** @param array<string, mixed> $attempt */
    private function log(array $attempt): void
    {
        ['line' => $line, 'number' => $number] = $attempt;
        $context = array_diff_key($attempt, ['line' => 0, 'number' => 0]) + ['attempt' => $number];
        $this->logger?->log($attempt['code'] === null ? 'info' : 'warning', $line, $context);
    }
}
