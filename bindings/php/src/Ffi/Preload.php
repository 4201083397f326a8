<?php

declare(strict_types=1);

namespace MerchantPay\Ffi;

use FFI;
use MerchantPay\Exception\LibraryException;

/**
 * Loads the library once for all requests of php-fpm. Under php-fpm only preloaded code may use FFI, so the
 * whole package is preloaded.
 *
 * @internal
 */
final class Preload
{
    public static function run(?string $path = null): void
    {
        require_once __DIR__ . '/../../autoload.php';
        $path ??= Library::named();
        $ffi = Library::preloaded();
        if ($ffi !== null) {
            Library::check($ffi, 'the preloaded library');
            self::checkHeader($ffi);
        } elseif ($path !== null) {
            self::load($path);
        } else {
            self::loadIfThere();
        }
        $sources = dirname(__DIR__);
        foreach ([...glob("$sources/*.php"), ...glob("$sources/*/*.php")] as $file) {
            require_once $file;
        }
    }

    /** The content of a file for the setting ffi.preload. */
    public static function header(?string $path = null): string
    {
        $path = Library::checked($path);
        if (strpbrk($path, "\"\\\n") !== false) {
            throw LibraryException::because(
                'the path of the library contains a character that a C header cannot contain: ' . $path
            );
        }
        return sprintf("#define FFI_SCOPE \"%s\"\n#define FFI_LIB \"%s\"\n", Library::SCOPE, $path)
            . Library::declarations();
    }

    /** Checks that the file of ffi.preload does not come from a different version of this package. */
    private static function checkHeader(FFI $ffi): void
    {
        preg_match_all('/\b(mpay_\w+)\(/', Library::declarations(), $found);
        foreach ($found[1] as $function) {
            try {
                $ffi->$function;
            } catch (FFI\Exception) {
                throw LibraryException::because(
                    "the file that ffi.preload names is of another version and lacks $function: "
                    . 'write the file again with '
                    . dirname(__DIR__, 2) . '/bin/merchantpay-ffi-header > FILE',
                );
            }
        }
    }

    /**
     * Without the library PHP still starts: each request then searches it again, and its first call reports the
     * error.
     */
    private static function loadIfThere(): void
    {
        try {
            $path = Library::checked();
            if (ini_get('opcache.preload_user') === '') {
                self::load($path);
            }
        } catch (LibraryException $error) {
            error_log('merchantpay is preloaded without its library: ' . $error->getMessage());
        }
    }

    /**
     * FFI::load takes the library's path from a header, and a header from a file only: hence the temporary file.
     */
    private static function load(string $path): FFI
    {
        if ((string) ini_get('opcache.preload_user') !== '') {
            throw LibraryException::because(
                'with opcache.preload_user PHP loads libraries only through ffi.preload: write its file with '
                . dirname(__DIR__, 2) . '/bin/merchantpay-ffi-header > FILE, and set ffi.preload=FILE in php.ini',
            );
        }
        $text = self::header($path);
        $file = tempnam(sys_get_temp_dir(), 'merchantpay');
        if ($file === false) {
            throw LibraryException::because('the folder for temporary files cannot be written: ' . sys_get_temp_dir());
        }
        try {
            file_put_contents($file, $text);
            return FFI::load($file) ?? throw LibraryException::because('the library cannot be preloaded');
        } finally {
            unlink($file);
        }
    }
}
