<?php

declare(strict_types=1);

namespace MerchantPay\Testing;

use PHPUnit\Framework\Attributes\AfterClass;

/**
 * For a PHPUnit test case: one sandbox, which starts at the first use in a test and ends with the class.
 * Since 0.3.0.
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
