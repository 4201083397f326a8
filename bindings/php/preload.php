<?php

/*
 * A preload script for php-fpm, where ffi.enable=preload is the default. Set in php.ini:
 *
 *     opcache.preload=/path/to/merchantpay/preload.php
 *
 * The library's path comes from the variable MERCHANTPAY_LIBRARY in the environment of php-fpm's master process.
 * Or set the path in your own preload script: $merchantpayLibrary = '/opt/…/libmerchantpay.so.0'; require
 * '…/merchantpay/preload.php';
 */

declare(strict_types=1);

require_once __DIR__ . '/src/Ffi/Preload.php';

MerchantPay\Ffi\Preload::run(isset($merchantpayLibrary) && is_string($merchantpayLibrary) ? $merchantpayLibrary : null);
