<?php

declare(strict_types=1);

namespace MerchantPay\Ffi;

use FFI\CData;
use MerchantPay\Exception\InvalidArgumentException;

/**
 * Settings as texts, each with its name, for the library. An error contains the name that the caller knows: the
 * name of the argument, or of the environment variable.
 *
 * @internal
 */
final class NamedTexts
{
    private const VARIABLE = 'MERCHANTPAY_';

    /** The out-pointer for an error. */
    private static ?CData $error = null;

    /**
     * @param array<string, mixed> $settings the settings by the caller's names; null or false if a setting is
     * not set
     * @return array<string, list<string>> texts that C can use unchanged
     */
    public static function of(#[\SensitiveParameter] array $settings): array
    {
        $texts = [];
        foreach ($settings as $name => $value) {
            if ($value !== null && $value !== false) {
                $strings = is_array($value) ? Argument::strings($name, $value) : [(string) $value];
                $texts[$name] = array_map(static fn (string $text): string => self::text($name, $text), $strings);
            }
        }
        return $texts;
    }

    /**
     * Makes an object of the library, and sets its settings.
     *
     * @param string $type such as mpay_config
     * @param array<string, list<string>> $texts
     */
    public static function make(string $type, #[\SensitiveParameter] array $texts): Handle
    {
        $ffi = Library::ffi();
        $handle = new Handle($ffi->{$type . '_new'}(), $type . '_free');
        $pointer = $handle->pointer();
        $error = self::$error ??= $ffi->new('mpay_error *[1]');
        foreach ($texts as $spelling => $several) {
            $name = self::name($spelling);
            foreach ($several as $text) {
                $code = $ffi->{$type . '_set'}($pointer, $name, $text, $error);
                if ($code !== 0) {
                    throw Failure::take($error[0], $code, names: [$name => $spelling]);
                }
            }
        }
        return $handle;
    }

    /** Converts a name to the library's form: timeoutMs and MERCHANTPAY_TIMEOUT_MS become timeout_ms. */
    public static function name(string $spelling): string
    {
        return strtolower(
            str_starts_with($spelling, self::VARIABLE)
                ? substr($spelling, strlen(self::VARIABLE))
                : (string) preg_replace('/[A-Z]/', '_$0', $spelling),
        );
    }

    /** @return array<string, string> the argument names by the library's names */
    public static function arguments(): array
    {
        $names = [...array_map(self::name(...), array_keys(SettingTable::NEEDED)), ...SettingTable::JOURNAL];
        $camel = static fn (string $name): string => lcfirst(str_replace('_', '', ucwords($name, '_')));
        return array_combine($names, array_map($camel, $names));
    }

    /** Checks a text. A key that C would cut becomes an invalid key. */
    private static function text(string $name, #[\SensitiveParameter] string $text): string
    {
        $isOneOfSeveral = in_array($name, ['serverKeyId', 'pinSpki'], true);
        return match (true) {
            str_ends_with(strtolower($name), 'file') => Argument::path($name, $text),
            str_ends_with($name, 'Key') => (string) preg_replace('/\0|^$/', '?', $text),
            $isOneOfSeveral && strpbrk(trim($text, " \r\n"), " \t\r\n,") !== false
                => throw InvalidArgumentException::because("$name contains a space or a comma"),
            default => Argument::text($name, $text),
        };
    }
}
