<?php

declare(strict_types=1);

namespace MerchantPay\Ffi;

use MerchantPay\PaymentMethod;

/**
 * The fields of a request, in the library's format. The library checks the values when they are used.
 *
 * @internal
 */
final class Request implements Builder
{
    use Opaque;

    /** @param array<string, mixed> $fields the fields by the contract's names; null for an absent field */
    public function __construct(#[\SensitiveParameter] private readonly array $fields)
    {
    }

    public function build(): Handle
    {
        $ffi = Library::ffi();
        $handle = new Handle($ffi->mpay_payment_request_new(), 'mpay_payment_request_free');
        $request = $handle->pointer();
        foreach ($this->fields as $name => $value) {
            if ($value !== null) {
                $text = $value instanceof PaymentMethod ? $value->value : Argument::amount($name, $value);
                $ffi->mpay_payment_request_set($request, NamedTexts::name($name), $text, null);
            }
        }
        return $handle;
    }
}
