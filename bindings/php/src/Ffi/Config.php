<?php

declare(strict_types=1);

namespace MerchantPay\Ffi;

use MerchantPay\Exception\InvalidArgumentException;

/**
 * The settings of a client, protocol or verifier, as the library takes them. A setter's failure is remembered by the
 * config, and told by whatever is made of it.
 *
 * @internal
 */
final class Config
{
    use Opaque;

    public readonly Handle $handle;

    /**
     * @param array<string, ?string> $texts by the names of the settings in PHP
     * @param array<string, ?int> $numbers
     * @param array<string, string|array<mixed>|null> $lists
     */
    public function __construct(#[\SensitiveParameter] array $texts, array $numbers, array $lists)
    {
        $ffi = Library::ffi();
        $this->handle = new Handle($ffi->mpay_config_new(), 'mpay_config_free');
        $config = $this->handle->pointer();
        foreach ($texts as $name => $value) {
            if ($value !== null) {
                $ffi->{'mpay_config_set_' . Name::inC($name)}($config, self::text($name, $value));
            }
        }
        foreach ($numbers as $name => $value) {
            if ($value !== null) {
                $value = $name === 'maxReplyBytes'
                    ? Argument::notNegative($name, $value)
                    : Argument::uint32($name, $value);
                $ffi->{'mpay_config_set_' . Name::inC($name)}($config, $value);
            }
        }
        foreach ($lists as $name => $values) {
            foreach (Argument::strings($name, $values ?? []) as $value) {
                $ffi->{'mpay_config_set_' . Name::inC($name)}($config, self::text($name, $value));
            }
        }
    }

    /** A key with a NUL is a bad key; C would cut it there, so it gets a character that is as wrong. */
    private static function text(string $name, #[\SensitiveParameter] string $value): string
    {
        return str_ends_with($name, 'Key') ? str_replace("\0", "\x01", $value) : Argument::text($name, $value);
    }

    public function callBack(?object $logger, ?callable $signer): ?Callbacks
    {
        if ($logger === null && $signer === null) {
            return null;
        }
        if ($logger !== null && !is_callable([$logger, 'log'])) {
            throw InvalidArgumentException::because('logger has no method log, as PSR-3 describes it');
        }
        $callbacks = new Callbacks($logger, $signer === null ? null : $signer(...));
        $callbacks->register($this->handle->pointer());
        return $callbacks;
    }
}
