<?php

declare(strict_types=1);

namespace MerchantPay\Ffi;

use MerchantPay\Exception\InvalidArgumentException;

/**
 * Files for a payment in arbitration.
 *
 * @internal
 */
final class Receipt
{
    /** @param array<mixed> $files paths, or [name, bytes, type] */
    public static function of(string $orderId, #[\SensitiveParameter] array $files): Handle
    {
        $receipt = Handle::library()->libraryReceipt($orderId);
        foreach ($files as $file) {
            if (is_string($file) || $file instanceof \SplFileInfo) {
                $receipt->addFile(Argument::path('the file', (string) $file));
            } elseif (is_array($file) && array_filter($file, is_string(...)) === $file && count($file) === 3) {
                [$name, $bytes, $type] = array_values($file);
                $receipt->addBytes($name, $type, $bytes);
            } else {
                throw InvalidArgumentException::because(
                    'a file must be a path or [name, bytes, content type], all strings',
                );
            }
        }
        return $receipt;
    }
}
