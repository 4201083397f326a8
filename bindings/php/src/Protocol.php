<?php

declare(strict_types=1);

namespace MerchantPay;

use MerchantPay\Exception\MerchantPayException;
use MerchantPay\Ffi\Argument;
use MerchantPay\Ffi\Call;
use MerchantPay\Ffi\Callbacks;
use MerchantPay\Ffi\Config;
use MerchantPay\Ffi\Handle;
use MerchantPay\Ffi\Opaque;
use MerchantPay\Ffi\Request;
use MerchantPay\Ffi\Signals;

/**
 * Prepares signed requests and opens their replies, without sending anything: for an HTTP client of your own.
 *
 * Send the body as it is, by POST, once, and follow no redirect. What a failure of your HTTP client means for the money
 * is yours to say: once a byte was sent, it is "unknown". The methods take what those of Client take.
 */
final class Protocol
{
    use Opaque;

    private readonly Handle $handle;

    /** Lives as long as the handle. */
    private readonly ?Callbacks $callbacks;

    /**
     * @param string $baseUrl what stands before /api/v1/merchant/pay; plain http only to this machine
     * @param string $keyId the merchant's key id, as the service issued it
     * @param ?string $privateKey base64 of 64 bytes; null where $signer signs
     * @param string|list<string> $serverPublicKey base64 of 32 bytes; several while the service rotates its keys
     * @param string|list<string>|null $serverKeyId where there is any, what the service sends must carry one of them
     * @param ?callable(string): string $signer gives the 64 bytes of an ed25519 signature, such as from an HSM
     * @param ?string $publicKey the merchant's own; needed with $signer
     * @throws MerchantPayException
     */
    public function __construct(
        string $baseUrl,
        string $keyId,
        #[\SensitiveParameter] ?string $privateKey,
        string|array $serverPublicKey,
        string|array|null $serverKeyId = null,
        ?string $userAgent = null,
        ?callable $signer = null,
        ?string $publicKey = null,
    ) {
        if (Signals::mayInterrupt()) {
            Signals::around($this->__construct(...), func_get_args(), __FUNCTION__);
            return;
        }
        $config = new Config(
            compact('baseUrl', 'keyId', 'privateKey', 'publicKey', 'userAgent'),
            [],
            compact('serverPublicKey', 'serverKeyId'),
        );
        $this->callbacks = $config->callBack(null, $signer);
        $this->handle = Call::make('mpay_protocol', 'mpay_protocol_new', $config->handle);
    }

    /** Forgets its key now, not when PHP destroys the object. What it prepared stays. */
    public function close(): void
    {
        $this->handle->free();
    }

    /**
     * @param int|string|\Stringable $sum decimal text or whole rubles, never a float
     * @param int|string|\Stringable|null $sumDriftUp
     * @param int|string|\Stringable|null $sumDriftDown
     * @return HttpRequest<AvailableAmounts>
     * @throws MerchantPayException
     */
    public function prepareGetAvailableAmounts(
        mixed $sum,
        PaymentMethod|string $paymentMethod,
        string $currency = 'RUB',
        mixed $sumDriftUp = null,
        mixed $sumDriftDown = null,
        #[\SensitiveParameter] ?string $customerAccount = null,
    ): HttpRequest {
        if (Signals::mayInterrupt()) {
            return Signals::around($this->prepareGetAvailableAmounts(...), func_get_args(), __FUNCTION__);
        }
        $request = Request::amounts($sum, $paymentMethod, $currency, $sumDriftUp, $sumDriftDown, $customerAccount);
        $reader = static fn (HttpRequest $sent, Handle $response): AvailableAmounts
            => $sent->result(
                AvailableAmounts::read(...),
                'mpay_amounts',
                'mpay_open_get_available_amounts',
                $response,
            );
        return $this->prepare('mpay_prepare_get_available_amounts', $request, $reader);
    }

    /**
     * @param int|string|\Stringable $sum decimal text or whole rubles, never a float
     * @return HttpRequest<Payment>
     * @throws MerchantPayException
     */
    public function prepareNewPayment(
        mixed $sum,
        PaymentMethod|string $paymentMethod,
        #[\SensitiveParameter] string $customerAccount,
        string $currency = 'RUB',
        ?string $payerBank = null,
        ?string $merchantId = null,
        ?string $statusWebhookUrl = null,
    ): HttpRequest {
        if (Signals::mayInterrupt()) {
            return Signals::around($this->prepareNewPayment(...), func_get_args(), __FUNCTION__);
        }
        $request = Request::payment(
            $sum,
            $paymentMethod,
            compact('customerAccount', 'currency', 'payerBank', 'merchantId', 'statusWebhookUrl'),
        );
        return $this->preparePayment('new_payment', $request);
    }

    /**
     * @param int|string|\Stringable $sum decimal text or whole rubles, never a float
     * @return HttpRequest<Payment>
     * @throws MerchantPayException
     */
    public function prepareNewPaymentAsync(
        mixed $sum,
        PaymentMethod|string $paymentMethod,
        #[\SensitiveParameter] string $customerAccount,
        string $credentialsWebhookUrl,
        string $currency = 'RUB',
        ?string $payerBank = null,
        ?string $merchantId = null,
        ?string $statusWebhookUrl = null,
    ): HttpRequest {
        if (Signals::mayInterrupt()) {
            return Signals::around($this->prepareNewPaymentAsync(...), func_get_args(), __FUNCTION__);
        }
        $request = Request::payment(
            $sum,
            $paymentMethod,
            compact(
                'customerAccount',
                'credentialsWebhookUrl',
                'currency',
                'payerBank',
                'merchantId',
                'statusWebhookUrl',
            ),
        );
        return $this->preparePayment('new_payment_async', $request);
    }

    /**
     * @return HttpRequest<null>
     * @throws MerchantPayException
     */
    public function prepareConfirm(string $orderId): HttpRequest
    {
        if (Signals::mayInterrupt()) {
            return Signals::around($this->prepareConfirm(...), func_get_args(), __FUNCTION__);
        }
        return $this->prepareCommand('confirm', Argument::text('orderId', $orderId));
    }

    /**
     * @return HttpRequest<null>
     * @throws MerchantPayException
     */
    public function prepareCancel(string $orderId): HttpRequest
    {
        if (Signals::mayInterrupt()) {
            return Signals::around($this->prepareCancel(...), func_get_args(), __FUNCTION__);
        }
        return $this->prepareCommand('cancel', Argument::text('orderId', $orderId));
    }

    /**
     * @return HttpRequest<Payment>
     * @throws MerchantPayException
     */
    public function prepareGetStatus(string $orderId): HttpRequest
    {
        if (Signals::mayInterrupt()) {
            return Signals::around($this->prepareGetStatus(...), func_get_args(), __FUNCTION__);
        }
        return $this->preparePayment('get_status', Argument::text('orderId', $orderId));
    }

    /**
     * @param list<string|\SplFileInfo|array{string, string, string}> $files paths, and [name, bytes, content type]
     * @return HttpRequest<null>
     * @throws MerchantPayException
     */
    public function prepareAttachReceipt(string $orderId, #[\SensitiveParameter] array $files): HttpRequest
    {
        if (Signals::mayInterrupt()) {
            return Signals::around($this->prepareAttachReceipt(...), func_get_args(), __FUNCTION__);
        }
        return $this->prepareCommand('attach_receipt', Request::receipt($orderId, $files));
    }

    /** @return HttpRequest<Payment> */
    private function preparePayment(string $operation, Handle|string $argument): HttpRequest
    {
        $reader = static fn (HttpRequest $sent, Handle $response): Payment
            => $sent->result(Payment::read(...), 'mpay_payment', 'mpay_open_' . $operation, $response);
        return $this->prepare('mpay_prepare_' . $operation, $argument, $reader);
    }

    /** @return HttpRequest<null> */
    private function prepareCommand(string $operation, Handle|string $argument): HttpRequest
    {
        $reader = static function (HttpRequest $sent, Handle $response) use ($operation): mixed {
            $sent->run('mpay_open_' . $operation, $response);
            return null;
        };
        return $this->prepare('mpay_prepare_' . $operation, $argument, $reader);
    }

    private function prepare(string $function, Handle|string $argument, \Closure $reader): HttpRequest
    {
        return HttpRequest::read(Call::make('mpay_http_request', $function, $this->handle, $argument), $reader);
    }
}
