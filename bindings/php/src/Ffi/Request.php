<?php

declare(strict_types=1);

namespace MerchantPay\Ffi;

use MerchantPay\Exception\InvalidArgumentException;
use MerchantPay\PaymentMethod;

/**
 * What is sent, as the library takes it. It checks the values when they are used.
 *
 * @internal
 */
final class Request
{
    private const SETTERS = [
        'sum' => 'mpay_payment_request_set_sum',
        'currency' => 'mpay_payment_request_set_currency',
        'paymentMethod' => 'mpay_payment_request_set_payment_method',
        'customerAccount' => 'mpay_payment_request_set_customer_account',
        'payerBank' => 'mpay_payment_request_set_payer_bank',
        'merchantId' => 'mpay_payment_request_set_merchant_id',
        'statusWebhookUrl' => 'mpay_payment_request_set_status_webhook_url',
        'credentialsWebhookUrl' => 'mpay_payment_request_set_credentials_webhook_url',
        'sumDriftUp' => 'mpay_payment_request_set_sum_drift_up',
        'sumDriftDown' => 'mpay_payment_request_set_sum_drift_down',
    ];

    /** @param array<string, ?string> $fields the others, by the contract's names */
    public static function payment(
        mixed $sum,
        PaymentMethod|string $paymentMethod,
        #[\SensitiveParameter] array $fields,
    ): Handle {
        $fields['sum'] = Argument::amount('sum', $sum);
        $fields['paymentMethod'] = $paymentMethod instanceof PaymentMethod ? $paymentMethod->value : $paymentMethod;
        $ffi = Library::ffi();
        $handle = new Handle($ffi->mpay_payment_request_new(), 'mpay_payment_request_free');
        $request = $handle->pointer();
        foreach ($fields as $name => $value) {
            if ($value !== null) {
                $ffi->{self::SETTERS[$name]}($request, Argument::text($name, $value));
            }
        }
        return $handle;
    }

    public static function amounts(
        mixed $sum,
        PaymentMethod|string $paymentMethod,
        string $currency,
        mixed $sumDriftUp,
        mixed $sumDriftDown,
        #[\SensitiveParameter] ?string $customerAccount,
    ): Handle {
        return self::payment($sum, $paymentMethod, [
            'currency' => $currency,
            'sumDriftUp' => $sumDriftUp === null ? null : Argument::amount('sumDriftUp', $sumDriftUp),
            'sumDriftDown' => $sumDriftDown === null ? null : Argument::amount('sumDriftDown', $sumDriftDown),
            'customerAccount' => $customerAccount,
        ]);
    }

    /** @param array<mixed> $files paths, and [name, bytes, type] */
    public static function receipt(string $orderId, #[\SensitiveParameter] array $files): Handle
    {
        $ffi = Library::ffi();
        $handle = new Handle($ffi->mpay_receipt_new(Argument::text('orderId', $orderId)), 'mpay_receipt_free');
        foreach ($files as $file) {
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
        throw InvalidArgumentException::because('a file is its path, or [name, bytes, content type], all strings');
    }
}
