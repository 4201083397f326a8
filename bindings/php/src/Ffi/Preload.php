<?php

declare(strict_types=1);

namespace MerchantPay\Ffi;

use FFI;
use MerchantPay\Exception\LibraryException;

/**
 * Loads the library once for all requests of php-fpm. Only code that was preloaded may use FFI there, so the whole package is.
 *
 * @internal
 */
final class Preload
{
    public static function run(?string $path = null): void
    {
        require_once __DIR__ . '/../../autoload.php';
        $path = Library::checked($path);
        self::load($path);
        foreach (self::files(dirname(__DIR__)) as $file) {
            require_once $file;
        }
    }

    /** FFI::load wants a file that names the library, and only here is it known which one. */
    private static function load(string $path): void
    {
        if (strpbrk($path, "\"\\\n") !== false) {
            throw LibraryException::because('the path of the library holds a character that a C header cannot: ' . $path);
        }
        $header = tempnam(sys_get_temp_dir(), 'merchantpay');
        if ($header === false) {
            throw LibraryException::because('the folder for temporary files cannot be written: ' . sys_get_temp_dir());
        }
        try {
            $defines = sprintf("#define FFI_SCOPE \"%s\"\n#define FFI_LIB \"%s\"\n", Library::SCOPE, $path);
            file_put_contents($header, $defines . Library::declarations());
            if (FFI::load($header) === null) {
                throw LibraryException::because('the library cannot be preloaded: ' . $path);
            }
        } finally {
            unlink($header);
        }
    }

    /** @return list<string> */
    private static function files(string $folder): array
    {
        $files = [];
        $found = new \RecursiveIteratorIterator(
            new \RecursiveDirectoryIterator($folder, \FilesystemIterator::SKIP_DOTS),
        );
        foreach ($found as $file) {
            if ($file instanceof \SplFileInfo && $file->getExtension() === 'php') {
                $files[] = $file->getPathname();
            }
        }
        sort($files);
        return $files;
    }
}
