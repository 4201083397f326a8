<?php

declare(strict_types=1);

namespace MerchantPay\Tests;

use MerchantPay\Client;
use MerchantPay\ClientInterface;
use MerchantPay\Code;
use MerchantPay\Exception\ExceptionInterface;
use MerchantPay\Exception\MerchantPayException;
use MerchantPay\Ffi\Frame;
use MerchantPay\Ffi\Handle;
use MerchantPay\Ffi\Library;
use MerchantPay\Ffi\Records;
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
        $oldest = [intdiv(Library::OLDEST, 10000), intdiv(Library::OLDEST, 100) % 100, Library::OLDEST % 100];
        self::assertSame([$library['abi'], $library['version']], [Library::ABI_VERSION, implode('.', $oldest)]);
    }

    public function testEveryCodeHasAnException(): void
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
        $later = ['number' => 99, 'code' => 'later', 'outcome' => 'unknown', 'message' => 'new'];
        $error = MerchantPayException::of($later);
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

    public function testEachPublicMethodIsInItsInterface(): void
    {
        $interfaces = [Client::class => ClientInterface::class, Journal::class => JournalInterface::class];
        foreach ($interfaces as $class => $interface) {
            $own = array_filter(
                (new \ReflectionClass($class))->getMethods(\ReflectionMethod::IS_PUBLIC),
                static fn (\ReflectionMethod $method): bool => !$method->isStatic() && $method->name[0] !== '_',
            );
            $names = array_column((new \ReflectionClass($interface))->getMethods(), 'name');
            self::assertEqualsCanonicalizing($names, array_column($own, 'name'));
        }
    }

    public function testFrameIsReadAsItIsWritten(): void
    {
        $nested = Frame::of('a', '', null);
        $frame = Frame::of('text', '', null, -7, $nested, Frame::of());
        self::assertSame(['text', '', null, '-7', $nested, Frame::of()], Frame::read($frame));
        self::assertSame([['a', '', null], [], []], array_map(Frame::read(...), [$nested, Frame::of(), '']));
        self::assertSame(pack('l*', 2, 1, -2) . 'a', Frame::of('a', Frame::BULK));
        $settings = ['a' => true, 'x' => false, 'b' => 0, 'y' => null];
        self::assertSame(Frame::of('a', '1', 'b', '0'), Frame::pairs($settings));
    }

    /** The other fields of records are compared by tests/contract. */
    public function testRecordsAreReadAndWhatAnOlderLibraryLacksIsAbsent(): void
    {
        $settled = Records::settled(Frame::of(2, 500));
        $refused = Records::error(Frame::of(10, 'invalid_argument', 'not_sent', 0, null, '', 'sum'));
        $error = MerchantPayException::of($refused);
        self::assertSame([2, 500, 'sum'], [$settled->done, $settled->nextDueMs, $error->argument()]);
        $payment = Records::payment(Frame::of('1', '{}', 'o-1'));
        self::assertSame(['o-1', null, true], [$payment->orderId, $payment->status, $payment->isFinal()]);
        self::assertSame([0, ''], [Records::entry('')->news, Records::event('')->kind]);
    }
}
