<?php

declare(strict_types=1);

namespace MerchantPay\Testing;

use PHPUnit\Framework\Attributes\AfterClass;

/**
 * A trait for PHPUnit: the tests of a class share a sandbox. The sandbox starts when a test of the class first uses
 * it, and ends after the last test of the class. Since 0.3.0.
 */
trait UsesSandbox
{
    private static ?Sandbox $sandbox = null;

    protected static function sandbox(): Sandbox
    {
        return self::$sandbox ??= Sandbox::start();
    }

    /** @afterClass */
    #[AfterClass]
    public static function stopSandbox(): void
    {
        self::$sandbox?->stop();
        self::$sandbox = null;
    }
}
