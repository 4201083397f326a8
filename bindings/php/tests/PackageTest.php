<?php

declare(strict_types=1);

namespace MerchantPay\Tests;

use MerchantPay\Client;
use MerchantPay\ClientInterface;
use MerchantPay\Code;
use MerchantPay\Exception\ExceptionInterface;
use MerchantPay\Exception\MerchantPayException;
use MerchantPay\Journal;
use MerchantPay\JournalInterface;
use MerchantPay\Outcome;
use PHPUnit\Framework\TestCase;

final class PackageTest extends TestCase
{
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
}
