<?php

declare(strict_types=1);

require_once __DIR__ . '/../autoload.php';
require_once 'Psr/Log/autoload.php'; // from Debian's package php-psr-log
require_once 'Nyholm/Psr7/autoload.php'; // from Debian's package php-nyholm-psr7

spl_autoload_register(static function (string $class): void {
    if (str_starts_with($class, 'MerchantPay\\Tests\\')) {
        require __DIR__ . '/' . strtr(substr($class, 18), '\\', '/') . '.php';
    }
});
