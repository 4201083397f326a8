<?php

/* For programs without Composer: require this file, and PHP finds the classes. */

declare(strict_types=1);

spl_autoload_register(static function (string $class): void {
    if (str_starts_with($class, 'MerchantPay\\')) {
        $file = __DIR__ . '/src/' . strtr(substr($class, 12), '\\', '/') . '.php';
        if (is_file($file)) {
            require $file;
        }
    }
});
