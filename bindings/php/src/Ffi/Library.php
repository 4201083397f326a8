<?php

declare(strict_types=1);

namespace MerchantPay\Ffi;

use FFI;
use MerchantPay\Exception\LibraryException;

/**
 * Finds the shared library, checks its version, and keeps the only FFI object of the process.
 *
 * The search order is: the path of use(), the environment variable MERCHANTPAY_LIBRARY, this package's folder
 * lib/<platform>, its folder lib, and the system's search path. If a named or packaged library does not load,
 * that is an error, and no other place is tried.
 */
final class Library
{
    /** @internal The scope under which preload.php registers the library for FFI::scope. */
    public const SCOPE = 'MERCHANTPAY';

    private const ENVIRONMENT = 'MERCHANTPAY_LIBRARY';

    /**
     * Only these two functions are declared first. A library with a different ABI may lack other functions, so
     * the version must be checked before any other function is used.
     */
    private const VERSIONS = 'uint32_t mpay_abi_version(void); uint32_t mpay_version_number(void);';

    private static ?FFI $ffi = null;
    private static ?string $path = null;

    /**
     * Sets the path of the library's file. Call this method before you use anything else of this package. For
     * php-fpm see preload.php.
     */
    public static function use(string $path): void
    {
        if (self::$ffi !== null && $path !== self::$path) {
            throw LibraryException::because(
                'the library is already loaded: name its file before you use any other class',
            );
        }
        self::$path = $path;
    }

    /** Returns the version of the loaded library, such as "0.1.0". */
    public static function version(): string
    {
        $number = self::ffi()->mpay_version_number();
        return sprintf('%d.%d.%d', intdiv($number, 10000), intdiv($number, 100) % 100, $number % 100);
    }

    /** @internal */
    public static function ffi(): FFI
    {
        return self::$ffi ??= self::preloaded() ?? self::load();
    }

    /** @internal */
    public static function declarations(): string
    {
        return (string) file_get_contents(dirname(__DIR__, 2) . '/merchantpay.ffi.h');
    }

    /**
     * Returns the path of a library that can be loaded and has the right version.
     *
     * @internal
     */
    public static function checked(?string $path = null): string
    {
        if (!class_exists(FFI::class, false)) {
            throw LibraryException::because('PHP has no FFI extension: add extension=ffi to php.ini');
        }
        try {
            $path ??= self::find();
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
        if ($abi !== Handle::ABI) {
            throw LibraryException::because(
                sprintf('%s has the ABI %d, but this package needs %d', $library, $abi, Handle::ABI)
                . ': install the library and the package of one release',
            );
        }
        if ($version < Handle::VERSION_NUMBER) {
            throw LibraryException::because(
                sprintf('%s has the version number %d', $library, $version)
                . sprintf(', but this package needs %d or newer', Handle::VERSION_NUMBER),
            );
        }
    }

    /** @internal Returns the library that preload.php or the setting ffi.preload has loaded. */
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

    /** @internal */
    public static function named(): ?string
    {
        return getenv(self::ENVIRONMENT) ?: null;
    }

    private static function find(): string
    {
        $named = self::named();
        if ($named !== null) {
            return $named;
        }
        $name = match (PHP_OS_FAMILY) {
            'Darwin' => 'libmerchantpay.' . Handle::ABI . '.dylib',
            'Windows' => 'merchantpay.dll',
            default => 'libmerchantpay.so.' . Handle::ABI,
        };
        $lib = self::folder();
        foreach (is_dir($lib) ? ["$lib/" . self::platform() . "/$name", "$lib/$name"] : [] as $file) {
            if (is_file($file)) {
                return $file;
            }
        }
        return $name;
    }

    private static function folder(): string
    {
        return dirname(__DIR__, 2) . '/lib';
    }

    /** The name of this platform's folder, such as linux-x86_64-glibc. */
    private static function platform(): string
    {
        $processor = strtolower(php_uname('m'));
        $processor = match (true) {
            in_array($processor, ['x86_64', 'amd64'], true) => PHP_INT_SIZE === 8 ? 'x86_64' : 'x86',
            // A 32-bit PHP may run on a 64-bit processor and kernel.
            in_array($processor, ['aarch64', 'arm64', 'armv8l'], true) => PHP_INT_SIZE === 8 ? 'aarch64' : 'armv7',
            str_starts_with($processor, 'armv7') => 'armv7',
            default => $processor,
        };
        $system = strtolower(PHP_OS_FAMILY);
        return $system === 'linux' ? "$system-$processor-" . self::libc() : "$system-$processor";
    }

    /** Only glibc has the function gnu_get_libc_version. */
    private static function libc(): string
    {
        try {
            FFI::cdef('const char *gnu_get_libc_version(void);');
            return 'glibc';
        } catch (FFI\Exception $error) {
            return self::isForbidden($error) ? throw $error : 'musl';
        }
    }

    private static function isForbidden(FFI\Exception $error): bool
    {
        return str_contains($error->getMessage(), 'restricted');
    }

    private static function unusable(?string $path, FFI\Exception $error): LibraryException
    {
        if ($path === null || self::isForbidden($error)) {
            $preload = dirname(__DIR__, 2) . '/preload.php';
            return LibraryException::because(
                ini_get('ffi.enable') === 'preload'
                    ? "only preloaded code can use FFI: set opcache.preload=$preload in php.ini (or ffi.enable=true)"
                    : "FFI is off: set ffi.enable=preload in php.ini, and for php-fpm opcache.preload=$preload",
                $error,
            );
        }
        $named = 'name the library file in ' . self::ENVIRONMENT . ' or with ' . self::class . '::use';
        if (str_contains($path, '/')) {
            return LibraryException::because(
                sprintf('the library cannot be loaded from %s: %s (%s)', $path, $error->getMessage(), $named),
                $error,
            );
        }
        $platform = self::platform();
        return LibraryException::because(
            sprintf('the C library for %s was not found, neither in %s', $platform, self::folder() . "/$platform")
            . sprintf(' nor where the system looks (%s): install the C library, or %s', $error->getMessage(), $named),
            $error,
        );
    }
}
