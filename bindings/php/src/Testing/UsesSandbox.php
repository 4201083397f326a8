<?php

declare(strict_types=1);

namespace MerchantPay\Testing;

use PHPUnit\Framework\Attributes\AfterClass;

/** For a test case of PHPUnit: one sandbox, started when a test asks for it, which ends with the class. Since 0.3.0. */
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
