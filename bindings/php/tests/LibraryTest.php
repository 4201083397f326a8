<?php

declare(strict_types=1);

namespace MerchantPay\Tests;

use MerchantPay\Ffi\Library;
use MerchantPay\Tests\Support\Program;
use PHPUnit\Framework\TestCase;

/**
 * Tests how the package finds the shared library, and the errors if it finds none. Each case runs in a separate
 * PHP process.
 */
final class LibraryTest extends TestCase
{
    private static string $folder;

    public static function setUpBeforeClass(): void
    {
        self::$folder = sys_get_temp_dir() . '/merchantpay-library-' . bin2hex(random_bytes(6));
        mkdir(self::$folder);
        foreach (['abi' => [99, 100], 'old' => [0, 99], 'empty' => null] as $name => $numbers) {
            $source = $numbers === null ? 'int nothing;' : sprintf(
                'unsigned mpay_abi_version(void){return %d;} unsigned mpay_version_number(void){return %d;}',
                ...$numbers,
            );
            file_put_contents(self::$folder . "/$name.c", $source);
            $compiler = new Program(
                ['cc', '-shared', '-fPIC', '-o', self::$folder . "/$name.so", self::$folder . "/$name.c"],
            );
            self::assertSame('', $compiler->rest());
        }
        file_put_contents(self::$folder . '/text.so', 'hello');
    }

    public static function tearDownAfterClass(): void
    {
        (new Program(['rm', '-rf', self::$folder]))->rest();
    }

    public function testTheLibrarySaysItsVersion(): void
    {
        self::assertMatchesRegularExpression('/^\d+\.\d+\.\d+$/', Library::version());
    }

    /** @return array<string, array{string, string}> */
    public function places(): array
    {
        return [
            'the environment' => ['', '%s'],
            'by name, before the environment' => ['MerchantPay\Ffi\Library::use("%s");', '/no/such/library.so'],
        ];
    }

    /** @dataProvider places */
    public function testTheLibraryIsFoundWhereItIsNamed(string $code, string $environment): void
    {
        $library = (string) getenv('MERCHANTPAY_LIBRARY');
        self::assertSame(Library::version(), $this->php(
            sprintf($code, $library) . ' echo MerchantPay\Ffi\Library::version();',
            sprintf($environment, $library),
        ));
    }

    public function testTheLibraryIsFoundBesideThePackageAndByTheSystem(): void
    {
        $library = (string) getenv('MERCHANTPAY_LIBRARY');
        $package = self::$folder . '/package';
        $copy = new Program(['cp', '-r', dirname(__DIR__), $package]);
        self::assertSame('', $copy->rest());
        mkdir("$package/lib");
        copy($library, "$package/lib/libmerchantpay.so.0");
        $version = 'echo MerchantPay\Ffi\Library::version();';
        self::assertSame(Library::version(), $this->php($version, '', package: $package));

        copy($library, self::$folder . '/libmerchantpay.so.0');
        self::assertSame(Library::version(), $this->php($version, '', ['LD_LIBRARY_PATH' => self::$folder]));
    }

    public function testTheLibraryOfThisPlatformIsTakenFromThePackage(): void
    {
        $library = (string) getenv('MERCHANTPAY_LIBRARY');
        $package = self::$folder . '/platforms';
        $copy = new Program(['cp', '-r', dirname(__DIR__), $package]);
        self::assertSame('', $copy->rest());
        mkdir("$package/lib/linux-s390x-glibc", 0755, true);
        copy($library, "$package/lib/linux-s390x-glibc/libmerchantpay.so.0");

        // With this folder as search path, the system finds no library, even if one is installed.
        $none = self::$folder . '/none';
        mkdir($none);
        copy(self::$folder . '/text.so', "$none/libmerchantpay.so.0");
        $version = $this->report('echo MerchantPay\Ffi\Library::version()');
        $said = $this->php($version, '', ['LD_LIBRARY_PATH' => $none], $package);
        self::assertMatchesRegularExpression(
            '~^LibraryException .*the C library for (linux-\\w+-(glibc|musl)) was not found, '
            . "neither in $package/lib/\\1 nor where the "
            . 'system looks .*: install the C library, or name the library file in MERCHANTPAY_LIBRARY or with .*use$~',
            $said,
        );
        $platform = (string) preg_replace('/.* for (linux-\S+) was .*/', '$1', $said);
        $musl = glob('/lib/ld-musl-*') !== [] && glob('/lib*/ld-linux*') === [];
        self::assertStringEndsWith($musl ? '-musl' : '-glibc', $platform);

        // The platform's folder is searched before the older folder lib, even if lib has a library.
        mkdir("$package/lib/$platform");
        copy($library, "$package/lib/$platform/libmerchantpay.so.0");
        copy(self::$folder . '/text.so', "$package/lib/libmerchantpay.so.0");
        self::assertStringStartsWith(Library::version(), $this->php($version, '', package: $package));

        // If a library cannot be loaded, that is an error; the next place is not tried.
        copy(self::$folder . '/text.so', "$package/lib/$platform/libmerchantpay.so.0");
        copy($library, "$package/lib/libmerchantpay.so.0");
        $said = $this->php($version, '', package: $package);
        self::assertStringContainsString("cannot be loaded from $package/lib/$platform/", $said);
        self::assertStringStartsWith(Library::version(), $this->php($version, $library, package: $package));
    }

    /** @return array<string, array{string, list<string>}> */
    public function wrongLibraries(): array
    {
        return [
            'another ABI' => ['%s/abi.so', ['abi.so has the ABI 99, but this package needs 0']],
            'an older one' => ['%s/old.so', ['old.so has the version number 99, but this package needs', 'or newer']],
            'another library' => ['%s/empty.so', ['cannot be loaded', 'mpay_abi_version']],
            'no library' => ['%s/text.so', ['cannot be loaded', 'MERCHANTPAY_LIBRARY']],
            'no file' => ['%s/none.so', ['cannot be loaded', 'none.so', 'MERCHANTPAY_LIBRARY', 'Library::use']],
            'a folder' => ['%s', ['cannot be loaded']],
        ];
    }

    /**
     * @dataProvider wrongLibraries
     * @param list<string> $messages
     */
    public function testALibraryThatDoesNotFitIsNotUsed(string $library, array $messages): void
    {
        $said = $this->php($this->report('MerchantPay\Keypair::generate()'), sprintf($library, self::$folder));
        self::assertStringStartsWith('LibraryException invalid_argument not_sent', $said);
        foreach ($messages as $message) {
            self::assertStringContainsString($message, $said);
        }
    }

    /** @return array<string, array{list<string>, string}> */
    public function settings(): array
    {
        return [
            'FFI is off' => [['-d', 'ffi.enable=false'], 'set ffi.enable=preload in php.ini'],
            'FFI is not there' => [['-n'], 'add extension=ffi to php.ini'],
        ];
    }

    /**
     * @dataProvider settings
     * @param list<string> $flags
     */
    public function testWhereFfiIsNotAllowedTheMessageSaysWhatToChange(array $flags, string $message): void
    {
        $library = (string) getenv('MERCHANTPAY_LIBRARY');
        $said = $this->php($this->report('MerchantPay\Keypair::generate()'), $library, flags: $flags);
        self::assertStringContainsString($message, $said);
    }

    public function testTheLibraryIsNotChangedUnderWhatWasMadeWithIt(): void
    {
        $library = (string) getenv('MERCHANTPAY_LIBRARY');
        $code = 'MerchantPay\Keypair::generate(); ' . $this->report('MerchantPay\Ffi\Library::use("/another.so")');
        self::assertStringContainsString('already loaded', $this->php($code, $library));
    }

    public function testAPreloadedLibraryIsUsedOnTheCommandLineToo(): void
    {
        $library = (string) getenv('MERCHANTPAY_LIBRARY');
        $code = 'FFI::scope("MERCHANTPAY"); echo strlen(MerchantPay\Keypair::generate()->publicKey);';
        $header = self::$folder . '/preload.h';
        $written = new Program([dirname(__DIR__) . '/bin/merchantpay-ffi-header', $library]);
        file_put_contents($header, $written->rest());
        self::assertSame(0, $written->exitStatus());
        $flags = ["-dffi.preload=$header", ...$this->preload()];
        self::assertSame('44', $this->php($code, '/no/such/file', flags: $flags));
    }

    public function testAFileOfFfiPreloadFromAnotherVersionIsRefusedAtTheStart(): void
    {
        $header = self::$folder . '/another.h';
        $library = (string) getenv('MERCHANTPAY_LIBRARY');
        $text = (new Program([dirname(__DIR__) . '/bin/merchantpay-ffi-header', $library]))->rest();
        file_put_contents($header, preg_replace('/^.*\bmpay_call\(.*\n/m', '', $text));
        $said = $this->php('', '/no/such/file', flags: ["-dffi.preload=$header", ...$this->preload()]);
        self::assertStringContainsString('is of another version and lacks mpay_call', $said);
    }

    public function testPreloadingForAnotherUserNamesFfiPreload(): void
    {
        $said = $this->php('', (string) getenv('MERCHANTPAY_LIBRARY'), flags: $this->preload());
        self::assertStringContainsString('set ffi.preload=FILE in php.ini', $said);
    }

    public function testTheWriterOfTheHeaderSaysWhatIsWrong(): void
    {
        $written = new Program([dirname(__DIR__) . '/bin/merchantpay-ffi-header', '/no/such/library.so']);
        self::assertStringContainsString('/no/such/library.so', $written->rest());
        self::assertSame(1, $written->exitStatus());
    }

    /** @return array<string, array{string}> */
    public function preloaders(): array
    {
        return ['the writer of the header' => ['bin/merchantpay-ffi-header'], 'the preloader' => ['preload.php']];
    }

    /** @dataProvider preloaders */
    public function testWhatPreloadsSaysThatThereIsNoFfi(string $script): void
    {
        $php = new Program([PHP_BINARY, '-n', dirname(__DIR__) . "/$script"]);
        $printed = $php->rest();
        self::assertStringContainsString('PHP has no FFI extension: add extension=ffi to php.ini', $printed);
        self::assertStringNotContainsString('not found', $printed);
        self::assertNotSame(0, $php->exitStatus());
    }

    /** @return list<string> flags that preload as php-fpm does if its master is root */
    private function preload(): array
    {
        return [
            '-dopcache.enable_cli=1',
            '-dopcache.preload=' . dirname(__DIR__) . '/preload.php',
            '-dopcache.preload_user=' . posix_getpwuid(posix_geteuid())['name'],
        ];
    }

    private function report(string $code): string
    {
        return "try { $code; echo 'done'; } catch (MerchantPay\Exception\MerchantPayException \$error) {
            echo substr(strrchr(\$error::class, '\\\\'), 1), ' ', \$error->code(), ' ', \$error->outcome(), ' ',
                \$error->getMessage();
        }";
    }

    /**
     * @param array<string, string> $environment
     * @param list<string> $flags
     */
    private function php(
        string $code,
        string $library,
        array $environment = [],
        ?string $package = null,
        array $flags = [],
    ): string {
        $autoload = var_export(($package ?? dirname(__DIR__)) . '/autoload.php', true);
        $php = new Program(
            [PHP_BINARY, ...$flags, '-r', "require $autoload; $code"],
            $environment + ['MERCHANTPAY_LIBRARY' => $library],
        );
        return $php->rest();
    }
}
