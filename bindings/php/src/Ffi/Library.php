<?php

declare(strict_types=1);

namespace MerchantPay\Ffi;

use FFI;
use MerchantPay\Exception\LibraryException;

/**
 * The shared library: where it is found, whether it fits, and the one FFI object of the process.
 *
 * It is looked for at use(), then at the environment's MERCHANTPAY_LIBRARY, then in this package's folder lib, then
 * where the system looks. What was named and does not load is an error: nothing else is tried in its place.
 */
final class Library
{
    /** @internal The name under which preload.php leaves it for FFI::scope. */
    public const SCOPE = 'MERCHANTPAY';

    /** @internal What merchantpay.ffi.h says. */
    public const ABI_VERSION = 0;

    /** @internal The oldest library that has all that this package calls, as mpay_version_number gives it. */
    public const OLDEST = 100;

    private const ENVIRONMENT = 'MERCHANTPAY_LIBRARY';

    /** Not all of the header: a library of another ABI may lack functions, and has to be recognised first. */
    private const VERSIONS = 'uint32_t mpay_abi_version(void); uint32_t mpay_version_number(void);';

    private static ?FFI $ffi = null;
    private static ?string $path = null;

    /** Names the library's file. Call it before anything else of this package; under php-fpm see preload.php. */
    public static function use(string $path): void
    {
        if (self::$ffi !== null && $path !== self::$path) {
            throw LibraryException::because('the library is loaded already: name it before anything else is used');
        }
        self::$path = $path;
    }

    /** The version of the library that runs, such as "0.1.0". */
    public static function version(): string
    {
        return self::ffi()->mpay_version();
    }

    /** @internal */
    public static function ffi(): FFI
    {
        return self::$ffi ??= self::preloaded() ?? self::load();
    }

    /** @internal The declarations, as the C library's own header gives them. */
    public static function declarations(): string
    {
        return (string) file_get_contents(dirname(__DIR__, 2) . '/merchantpay.ffi.h');
    }

    /**
     * The path of a library that loads and fits.
     *
     * @internal
     */
    public static function checked(?string $path = null): string
    {
        if (!class_exists(FFI::class, false)) {
            throw LibraryException::because('PHP has no FFI here: add extension=ffi to php.ini');
        }
        $path ??= self::find();
        try {
            self::check(FFI::cdef(self::VERSIONS, $path), $path);
        } catch (FFI\Exception $error) {
            throw self::unusable($path, $error);
        }
        return $path;
    }

    /** @internal */
    public static function check(FFI $versions, string $library): void
    {
        $abi = (int) $versions->mpay_abi_version();
        $version = (int) $versions->mpay_version_number();
        if ($abi !== self::ABI_VERSION) {
            throw LibraryException::because(
                sprintf('%s has the ABI %d, this package needs %d', $library, $abi, self::ABI_VERSION)
                . ': install the two together',
            );
        }
        if ($version < self::OLDEST) {
            throw LibraryException::because(
                sprintf('%s is of version number %d, this package needs %d or newer', $library, $version, self::OLDEST),
            );
        }
    }

    /** @internal What preload.php or the setting ffi.preload has loaded. */
    public static function preloaded(): ?FFI
    {
        if (self::$path !== null || !class_exists(FFI::class, false)) {
            return null;
        }
        try {
            return FFI::scope(self::SCOPE);
        } catch (FFI\Exception) {
            return null;
        }
    }

    private static function load(): FFI
    {
        $path = self::checked(self::$path);
        try {
            return FFI::cdef(self::declarations(), $path);
        } catch (FFI\Exception $error) {
            throw self::unusable($path, $error);
        }
    }

    private static function find(): string
    {
        $named = getenv(self::ENVIRONMENT);
        if (is_string($named) && $named !== '') {
            return $named;
        }
        $name = match (PHP_OS_FAMILY) {
            'Darwin' => 'libmerchantpay.' . self::ABI_VERSION . '.dylib',
            'Windows' => 'merchantpay.dll',
            default => 'libmerchantpay.so.' . self::ABI_VERSION,
        };
        $beside = dirname(__DIR__, 2) . '/lib/' . $name;
        return is_file($beside) ? $beside : $name;
    }

    private static function unusable(string $path, FFI\Exception $error): LibraryException
    {
        if (str_contains($error->getMessage(), 'restricted')) {
            $preload = dirname(__DIR__, 2) . '/preload.php';
            return LibraryException::because(
                ini_get('ffi.enable') === 'preload'
                    ? "FFI is for preloaded code alone: set opcache.preload=$preload in php.ini (or ffi.enable=true)"
                    : "FFI is off: set ffi.enable=preload in php.ini, and for php-fpm opcache.preload=$preload",
                $error,
            );
        }
        return LibraryException::because(
            sprintf('the library cannot be loaded from %s: %s', $path, $error->getMessage()) .
            ' (name its file in ' . self::ENVIRONMENT . ' or by ' . self::class . '::use)',
            $error,
        );
    }
}
