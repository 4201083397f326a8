<?php

declare(strict_types=1);

namespace MerchantPay\Ffi;

use MerchantPay\Exception\InvalidArgumentException;

/**
 * The settings of a client, protocol or verifier, as the library takes them. A setter's failure is kept by the
 * config, and whatever is made of it fails with that.
 *
 * @internal
 */
final class Config implements Builder
{
    use Opaque;

    /** To be kept as long as what is made of this. */
    public readonly ?Callbacks $callbacks;

    /** @var array<string, string|int|list<string>> by the names of the arguments */
    private array $settings = [];

    /** @param array<string, mixed> $settings by the names of the arguments; null or false for one that is not set */
    public function __construct(
        #[\SensitiveParameter] array $settings,
        ?object $logger = null,
        ?callable $signer = null,
    ) {
        foreach ($settings as $name => $value) {
            if ($value !== null && $value !== false) {
                $this->settings[$name] = self::checked(SettingTable::ALL[$name]['kind'], $name, $value);
            }
        }
        if ($logger !== null && !is_callable([$logger, 'log'])) {
            throw InvalidArgumentException::because('logger has no method log, as PSR-3 describes it');
        }
        $signer = $signer === null ? null : $signer(...);
        $this->callbacks = $logger === null && $signer === null ? null : new Callbacks($logger, $signer);
    }

    public function build(): Handle
    {
        $ffi = Library::ffi();
        $handle = new Handle($ffi->mpay_config_new(), 'mpay_config_free');
        $config = $handle->pointer();
        foreach ($this->settings as $name => $values) {
            $setter = SettingTable::ALL[$name]['function'];
            foreach ($setter === null ? [] : (array) $values as $value) {
                $ffi->$setter($config, $value);
            }
        }
        $certificate = $this->settings['clientCertFile'] ?? null;
        $key = $this->settings['clientKeyFile'] ?? null;
        if ($certificate !== null || $key !== null) {
            $ffi->mpay_config_set_client_certificate($config, $certificate, $key);
        }
        $this->callbacks?->register($config);
        return $handle;
    }

    /** @return string|int|list<string> */
    private static function checked(
        string $kind,
        string $name,
        #[\SensitiveParameter] mixed $value,
    ): string|int|array {
        return match ($kind) {
            'Texts' => array_map(
                static fn (string $text): string => self::text($name, $text),
                Argument::strings($name, $value),
            ),
            'File', 'SecretFile' => Argument::path($name, $value),
            'Milliseconds', 'Number' => Argument::uint32($name, $value),
            'Bytes' => Argument::notNegative($name, $value),
            'Flag' => (int) $value,
            'Text', 'Secret' => self::text($name, $value),
        };
    }

    /** A key with a NUL is a bad key; C would cut it there, so it gets a character that is as wrong. */
    private static function text(string $name, #[\SensitiveParameter] string $value): string
    {
        return str_ends_with($name, 'Key') ? str_replace("\0", "\x01", $value) : Argument::text($name, $value);
    }
}
