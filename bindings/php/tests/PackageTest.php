<?php

declare(strict_types=1);

namespace MerchantPay\Tests;

use MerchantPay\Client;
use MerchantPay\ClientInterface;
use MerchantPay\Code;
use MerchantPay\Exception\ExceptionInterface;
use MerchantPay\Exception\MerchantPayException;
use MerchantPay\Ffi\Handle;
use MerchantPay\Ffi\Library;
use MerchantPay\Journal;
use MerchantPay\JournalInterface;
use MerchantPay\Outcome;
use MerchantPay\Protocol;
use PHPUnit\Framework\TestCase;

/** Tests that the parts of the package fit together. */
final class PackageTest extends TestCase
{
    public function testPackageNeedsTheLibraryOfItsSources(): void
    {
        $described = (string) file_get_contents(dirname(__DIR__, 3) . '/include/merchantpay.json');
        $library = json_decode($described, true, flags: JSON_THROW_ON_ERROR);
        self::assertSame($library['abi'], Library::ABI_VERSION);
        self::assertSame($library['version'], vsprintf('%d.%d.%d', [
            intdiv(Library::OLDEST, 10000),
            intdiv(Library::OLDEST, 100) % 100,
            Library::OLDEST % 100,
        ]));
    }

    public function testEveryCodeHasAnExceptionOfItsOwn(): void
    {
        foreach (Code::cases() as $code) {
            $class = 'MerchantPay\Exception\\' . $code->name . 'Exception';
            self::assertSame(MerchantPayException::class, get_parent_class($class));
            $made = new $class('made by a test', Outcome::Rejected, description: 'no');
            self::assertInstanceOf(ExceptionInterface::class, $made);
            self::assertSame([$code->value, $code->number()], [$made->code(), $made->getCode()]);
            self::assertSame([$code, Outcome::Rejected], [$made->codeCase(), $made->outcomeCase()]);
            $fields = ['number' => $code->number(), 'code' => $code->value, 'outcome' => 'unknown', 'message' => ''];
            self::assertInstanceOf($class, MerchantPayException::of($fields));
        }
    }

    public function testCodeOfALaterVersionIsAMerchantPayException(): void
    {
        $fields = ['number' => 99, 'code' => 'later', 'outcome' => 'unknown', 'message' => 'new'];
        $error = MerchantPayException::of($fields);
        self::assertSame(MerchantPayException::class, $error::class);
        self::assertSame(['later', 99, null], [$error->code(), $error->getCode(), $error->codeCase()]);
    }

    public function testEverySettingIsAnArgument(): void
    {
        $kinds = [
            'client' => [Client::class, ['logger', 'signer']],
            'protocol' => [Protocol::class, ['logger', 'signer']],
            'journal' => [Journal::class, ['client']],
        ];
        $camel = static fn (string $name): string => lcfirst(str_replace('_', '', ucwords($name, '_')));
        foreach ($kinds as $kind => [$class, $others]) {
            $settings = array_map($camel, array_column(Handle::library()->librarySettings($kind), 'name'));
            $arguments = array_column((new \ReflectionMethod($class, '__construct'))->getParameters(), 'name');
            self::assertEqualsCanonicalizing([...$settings, ...$others], $arguments);
        }
    }

    /** @return list<array{class-string, class-string}> */
    public static function interfaces(): array
    {
        return [[Client::class, ClientInterface::class], [Journal::class, JournalInterface::class]];
    }

    /** @dataProvider interfaces */
    public function testEachPublicMethodIsInItsInterface(string $class, string $interface): void
    {
        $own = array_filter(
            (new \ReflectionClass($class))->getMethods(\ReflectionMethod::IS_PUBLIC),
            static fn (\ReflectionMethod $method): bool => !$method->isStatic() && $method->name[0] !== '_',
        );
        $names = static fn (array $methods): array => array_column($methods, 'name');
        self::assertEqualsCanonicalizing($names((new \ReflectionClass($interface))->getMethods()), $names($own));
    }

    public function testEveryFileIsStrict(): void
    {
        $folder = dirname(__DIR__) . '/src';
        foreach ([...(array) glob("$folder/*.php"), ...(array) glob("$folder/*/*.php")] as $file) {
            self::assertStringContainsString('declare(strict_types=1);', (string) file_get_contents($file), $file);
        }
    }
}
