<?php

declare(strict_types=1);

namespace MerchantPay\Ffi;

use FFI;
use FFI\CData;
use MerchantPay\Exception\MerchantPayException;

/**
 * Owns an object of the library, makes its calls, and closes it once. A running call keeps its object, so that it
 * can be closed at any time, also by the call's own logger.
 *
 * Signal handlers are blocked from before a call until its result is a PHP value, and while an object is closed.
 *
 * @internal
 */
final class Handle
{
    use Calls;
    use Opaque;

    /** Room for the usual reply. A larger one comes in memory of the library. */
    private const ROOM = 16384;

    /** How names are spelled in errors. */
    private const STYLE = 'camel';

    /** @var ?\WeakMap<self, true> all handles that exist */
    private static ?\WeakMap $live = null;

    private static ?self $library = null;

    /** One buffer is enough: the library writes a reply after its last callback, which may make another call. */
    private static ?CData $buffer = null;

    private static CData $large;

    /** The size of the large reply that is being read; 0 if none is. */
    private static int $largeSize = 0;

    /** The handle is no int, because it has 64 bits on every machine. */
    private readonly CData $number;

    /** @param ?Host $host what the library calls must live as long as the handle */
    private function __construct(string $bytes, private readonly ?Host $host)
    {
        $this->number = Library::ffi()->new('mpay_handle');
        FFI::memcpy($this->number, $bytes, strlen($bytes));
        if (self::$live === null) {
            self::$live = new \WeakMap();
            register_shutdown_function(self::atEnd(...));
        }
        self::$live[$this] = true;
    }

    public function __destruct()
    {
        $this->close();
    }

    /**
     * @param array<string, string|int|bool|null> $settings by the library's names; null or false if not set
     * @param ?array<string, string> $environment the variables, if the settings are in the environment
     * @param ?self $parent the client of a journal
     */
    public static function open(
        int $kind,
        #[\SensitiveParameter] array $settings,
        #[\SensitiveParameter] ?array $environment = null,
        ?Host $host = null,
        ?self $parent = null,
    ): self {
        if (Signals::mayInterrupt()) {
            $work = static fn (): self => self::open($kind, $settings, $environment, $host, $parent);
            return Signals::around('open', $work);
        }
        Argument::paths($settings + ($environment ?? []));
        $own = Frame::pairs($settings);
        $variables = Frame::pairs($environment ?? []);
        $args = self::opening(
            self::STYLE,
            $host?->callbacks() ?? [],
            $own,
            $environment === null ? null : $variables,
        );
        $ffi = Library::ffi();
        $length = $ffi->mpay_open(
            $kind,
            $parent?->number ?? $ffi->new('mpay_handle'),
            $args,
            strlen($args),
            $host === null ? null : Host::function(),
            $host?->token ?? 0,
            self::buffer(),
            self::ROOM,
            self::$large,
        );
        Frame::wipe($args);
        Frame::wipe($own);
        Frame::wipe($variables);
        return new self(self::take($length), $host ?? $parent?->host);
    }

    /** The object of the calls that need none. */
    public static function library(): self
    {
        return self::$library ??= self::open(self::LIBRARY, []);
    }

    public function close(): void
    {
        if (Signals::mayInterrupt()) {
            Signals::around('close', $this->close(...));
            return;
        }
        Library::ffi()->mpay_close($this->number);
    }

    /** A handle in a result; what it can call is that of the object that made it. */
    public static function of(string $bytes, self $maker): self
    {
        return new self($bytes, $maker->host);
    }

    private function bytes(): string
    {
        return FFI::string(FFI::addr($this->number), FFI::sizeof($this->number));
    }

    /**
     * @param string $reader the method of Records that reads the result
     * @param ?self $used a handle among the arguments, which is closed with the call, because a receipt is large
     */
    private function call(
        int $call,
        string $name,
        string $reader,
        #[\SensitiveParameter] string $args,
        bool $isSecret = false,
        #[\SensitiveParameter] string $bulk = '',
        ?self $used = null,
    ): mixed {
        // This is not a conditional expression, because PHP would compile it to a jump after the call, and PHP
        // runs signal handlers at jumps.
        if (Signals::mayInterrupt()) {
            $work = fn (): mixed => $this->call($call, $name, $reader, $args, $isSecret, $bulk, $used);
            return Signals::around($name, $work);
        }
        $buffer = self::$buffer ?? self::buffer();
        $outer = Host::$thrown;
        Host::$thrown = null;
        $length = Library::ffi()->mpay_call(
            $this->number,
            $call,
            $args,
            strlen($args),
            $bulk,
            strlen($bulk),
            $buffer,
            self::ROOM,
            self::$large,
        );
        $thrown = Host::$thrown;
        Host::$thrown = $outer;
        $used?->close();
        $reply = self::take($length, $thrown);
        if (!$isSecret) {
            return Records::$reader($reply, $this);
        }
        FFI::memset($buffer, 0, min($length, self::ROOM));
        $result = Records::$reader($reply, $this);
        Frame::wipe($reply);
        return $result;
    }

    /**
     * Makes a call whose result is bytes of a known length. The library writes them into the text itself, which no
     * other variable shares: PHP shares only texts of one byte, and a body is longer.
     */
    private function fetch(int $call, string $name, int $length): string
    {
        $bytes = str_repeat("\0", $length);
        $large = self::$large;
        $size = Library::ffi()->mpay_call($this->number, $call, null, 0, null, 0, $bytes, $length, $large);
        if ($size === $length) {
            return $bytes;
        }
        if (abs($size) > $length) {
            Library::ffi()->mpay_free($large[0], abs($size));
        }
        return $this->call($call, $name, 'text', Frame::of());
    }

    /** @throws MerchantPayException if the reply is an error; the host's exception is the previous one */
    private static function take(int $length, ?\Throwable $thrown = null): string
    {
        $size = abs($length);
        if ($size <= self::ROOM) {
            $reply = FFI::string(self::$buffer, $size);
        } else {
            self::$largeSize = $size;
            $reply = FFI::string(self::$large[0], $size);
            self::freeLarge();
        }
        return $length < 0 ? throw MerchantPayException::of(Records::error($reply), $thrown) : $reply;
    }

    private static function freeLarge(): void
    {
        [$size, self::$largeSize] = [self::$largeSize, 0];
        Library::ffi()->mpay_free(self::$large[0], $size);
    }

    private static function buffer(): CData
    {
        if (self::$buffer === null) {
            self::$large = Library::ffi()->new('void *[1]');
            self::$buffer = Library::ffi()->new('char[' . self::ROOM . ']');
        }
        return self::$buffer;
    }

    /**
     * Closes all objects after a fatal error. PHP then calls no destructors, and a php-fpm worker would keep
     * sockets and keys. Other shutdown functions may still use the objects, so this function runs after them.
     */
    private static function atEnd(): void
    {
        $error = error_get_last();
        $fatal = E_ERROR | E_CORE_ERROR | E_COMPILE_ERROR | E_USER_ERROR | E_RECOVERABLE_ERROR | E_PARSE;
        if ($error === null || ($error['type'] & $fatal) === 0) {
            return;
        }
        register_shutdown_function(static function (): void {
            if (self::$largeSize > 0) {
                self::freeLarge();
            }
            foreach (self::$live as $handle => $isLive) {
                $handle->close();
            }
        });
    }
}
