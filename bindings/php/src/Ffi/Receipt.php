<?php

declare(strict_types=1);

namespace MerchantPay\Ffi;

use MerchantPay\Exception\InvalidArgumentException;

/**
 * Files for a payment in arbitration.
 *
 * @internal
 */
final class Receipt implements Builder
{
    use Opaque;

    /** @param array<mixed> $files paths, or [name, bytes, type] */
    public function __construct(
        private readonly string $orderId,
        #[\SensitiveParameter] private readonly array $files,
    ) {
    }

    public function build(): Handle
    {
        $orderId = Argument::text('orderId', $this->orderId);
        $handle = new Handle(Library::ffi()->mpay_receipt_new($orderId), 'mpay_receipt_free');
        foreach ($this->files as $file) {
            if (is_string($file) || $file instanceof \SplFileInfo) {
                Call::run('mpay_receipt_add_file', $handle, Argument::path('the file', (string) $file));
                continue;
            }
            [$name, $bytes, $type] = self::inMemory($file);
            Call::run('mpay_receipt_add_bytes', $handle, $name, $type, $bytes, strlen($bytes));
        }
        return $handle;
    }

    /** @return array{string, string, string} */
    private static function inMemory(#[\SensitiveParameter] mixed $file): array
    {
        if (is_array($file) && array_is_list($file) && count($file) === 3) {
            [$name, $bytes, $type] = $file;
            if (is_string($name) && is_string($bytes) && is_string($type)) {
                $name = Argument::text('the name of a file', $name);
                return [$name, $bytes, Argument::text('the type of a file', $type)];
            }
        }
        throw InvalidArgumentException::because('a file must be a path or [name, bytes, content type], all strings');
    }
}
