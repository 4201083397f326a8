<?php

declare(strict_types=1);

namespace MerchantPay\Tests\Support;

/** A folder that is deleted after its test. */
final class Folder
{
    public readonly string $path;

    public function __construct()
    {
        $this->path = sys_get_temp_dir() . '/merchantpay-test-' . bin2hex(random_bytes(6));
        mkdir($this->path, 0700);
    }

    public function __destruct()
    {
        foreach (glob("$this->path/*") ?: [] as $file) {
            unlink($file);
        }
        rmdir($this->path);
    }
}
