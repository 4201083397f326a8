<?php

declare(strict_types=1);

namespace MerchantPay\Tests;

use MerchantPay\Ffi\Library;
use MerchantPay\Tests\Support\Program;
use MerchantPay\Tests\Support\TestCase;

/** Tests how a PHP process finds and loads the shared library, and what it says if it cannot. */
final class LibraryTest extends TestCase
{
    private const VERSION = 'MerchantPay\Ffi\Library::version()';
    private const PACKAGE = __DIR__ . '/..';

    private string $library;

    protected function setUp(): void
    {
        $this->library = (string) getenv('MERCHANTPAY_LIBRARY');
    }

    public function testLibraryIsFoundWhereItIsNamed(): void
    {
        self::assertMatchesRegularExpression('/^\d+\.\d+\.\d+$/', Library::version());
        self::assertSame(Library::version(), $this->printed(self::VERSION));
        $use = "MerchantPay\Ffi\Library::use('$this->library')";
        self::assertSame(Library::version(), $this->printed(self::VERSION, '/no/such/library.so', before: "$use;"));
        $late = $this->printed('MerchantPay\Ffi\Library::use("/another.so")', before: self::VERSION . ';');
        self::assertStringContainsString('already loaded', $late);
    }

    public function testLibraryIsFoundInThePackageOrByTheSystem(): void
    {
        $package = $this->folder() . '/package';
        Program::run(['cp', '-r', self::PACKAGE, $package]);
        Program::run(['mkdir', '-p', "$package/lib/linux-s390x-glibc", "$package/system", "$package/none"]);
        copy($this->library, "$package/lib/linux-s390x-glibc/libmerchantpay.so.0");
        copy($this->library, "$package/system/libmerchantpay.so.0");
        file_put_contents("$package/none/libmerchantpay.so.0", 'so that the system finds no installed library');
        $version = fn (string $folder = 'none', string $library = ''): string
            => $this->printed(self::VERSION, $library, ['LD_LIBRARY_PATH' => "$package/$folder"], package: $package);
        self::assertSame(Library::version(), $version('system'));
        $said = $version();
        self::assertMatchesRegularExpression(
            '~^LibraryException .*the C library for (linux-\\w+-(glibc|musl)) was not found, '
            . "neither in $package/lib/\\1 nor where the "
            . 'system looks .*: install the C library, or name the library file in MERCHANTPAY_LIBRARY or with .*use$~',
            $said,
        );
        $platform = (string) preg_replace('/.* for (linux-\S+) was .*/', '$1', $said);
        $isMusl = glob('/lib/ld-musl-*') !== [] && glob('/lib*/ld-linux*') === [];
        self::assertStringEndsWith($isMusl ? '-musl' : '-glibc', $platform);

        copy($this->library, "$package/lib/libmerchantpay.so.0");
        self::assertSame(Library::version(), $version());
        // The platform's folder is searched first. If its library cannot be loaded, no other place is tried.
        mkdir("$package/lib/$platform");
        copy("$package/none/libmerchantpay.so.0", "$package/lib/$platform/libmerchantpay.so.0");
        self::assertStringContainsString("cannot be loaded from $package/lib/$platform/", $version());
        self::assertSame(Library::version(), $version(library: $this->library));
        copy($this->library, "$package/lib/$platform/libmerchantpay.so.0");
        copy("$package/none/libmerchantpay.so.0", "$package/lib/libmerchantpay.so.0");
        self::assertSame(Library::version(), $version());
    }

    /** @return array<string, array{?string, list<string>, 2?: list<string>}> C code, messages, flags of PHP */
    public function unusable(): array
    {
        $versions = 'unsigned mpay_abi_version(void){return %d;} unsigned mpay_version_number(void){return %d;}';
        $needs = 'but this package needs';
        return [
            'another ABI' => [sprintf($versions, 99, 100), ["lib.so has the ABI 99, $needs 0"]],
            'an older one' => [sprintf($versions, 0, 99), ["lib.so has the version number 99, $needs", 'or newer']],
            'another library' => ['int nothing;', ['cannot be loaded', 'mpay_abi_version']],
            'no file' => [null, ['cannot be loaded', 'lib.so', 'MERCHANTPAY_LIBRARY', 'Library::use']],
            'FFI is off' => [null, ['set ffi.enable=preload in php.ini'], ['-dffi.enable=false']],
            'FFI is not there' => [null, ['add extension=ffi to php.ini'], ['-n']],
        ];
    }

    /**
     * @dataProvider unusable
     * @param list<string> $messages
     * @param list<string> $flags
     */
    public function testUnusableLibrarySaysWhy(?string $code, array $messages, array $flags = []): void
    {
        $library = $this->folder() . '/lib.so';
        if ($code !== null) {
            file_put_contents("$library.c", $code);
            Program::run(['cc', '-shared', '-fPIC', '-o', $library, "$library.c"]);
        }
        $said = $this->printed('MerchantPay\Keypair::generate()', $library, flags: $flags);
        self::assertStringStartsWith('LibraryException invalid_argument not_sent', $said);
        foreach ($messages as $message) {
            self::assertStringContainsString($message, $said);
        }
    }

    public function testHeaderOfFfiPreloadIsUsedAndChecked(): void
    {
        $script = self::PACKAGE . '/bin/merchantpay-ffi-header';
        $header = $this->folder() . '/preload.h';
        $text = Program::run([$script, $this->library]);
        // As php-fpm does if its master is root.
        $flags = [
            '-dopcache.enable_cli=1',
            '-dopcache.preload=' . self::PACKAGE . '/preload.php',
            '-dopcache.preload_user=' . posix_getpwuid(posix_geteuid())['name'],
        ];
        self::assertStringContainsString('set ffi.preload=FILE in php.ini', $this->printed('0', flags: $flags));
        file_put_contents($header, $text);
        $preloaded = 'FFI::scope("MERCHANTPAY"); ';
        $flags[] = "-dffi.preload=$header";
        self::assertSame(Library::version(), $this->printed(self::VERSION, '/none', flags: $flags, before: $preloaded));
        file_put_contents($header, preg_replace('/^.*\bmpay_call\(.*\n/m', '', $text));
        $said = $this->printed('0', '/none', flags: $flags);
        self::assertStringContainsString('is of another version and lacks mpay_call', $said);

        foreach ([[$script, '/no/such/library.so'], [PHP_BINARY, '-n', $script]] as $number => $command) {
            $program = new Program($command);
            $said = $program->rest();
            self::assertStringContainsString(['/no/such/library.so', 'PHP has no FFI extension'][$number], $said);
            self::assertSame(1, $program->exitStatus());
        }
        $said = (new Program([PHP_BINARY, '-n', self::PACKAGE . '/preload.php']))->rest();
        self::assertStringContainsString('PHP has no FFI extension: add extension=ffi to php.ini', $said);
    }

    /**
     * What an expression gives in a process of its own, or its exception.
     *
     * @param array<string, string> $environment
     * @param list<string> $flags
     */
    private function printed(
        string $expression,
        ?string $library = null,
        array $environment = [],
        array $flags = [],
        string $before = '',
        string $package = self::PACKAGE,
    ): string {
        $code = "require '$package/autoload.php'; $before try { echo $expression; }
            catch (MerchantPay\Exception\MerchantPayException \$error) {
                echo substr(strrchr(\$error::class, '\\\\'), 1), ' ', \$error->code(), ' ', \$error->outcome(), ' ',
                    \$error->getMessage();
            }";
        $environment['MERCHANTPAY_LIBRARY'] = $library ?? $this->library;
        return (new Program([PHP_BINARY, ...$flags, '-r', $code], $environment))->rest();
    }
}
