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
 * Calls the service. Each call ends when its reply is verified or its deadline has passed, and throws a
 * MerchantPayException that says what became of the request.
 */
final class Client
{
    use Opaque;

    private Handle $handle;

    /** Lives as long as the handle. */
    private ?Callbacks $callbacks;

    /**
     * Makes a client. Nothing is sent and no connection opened.
     *
     * @param string $baseUrl what stands before /api/v1/merchant/pay; plain http only to this machine
     * @param string $keyId the merchant's key id, as the service issued it
     * @param ?string $privateKey base64 of 64 bytes; null where $signer signs
     * @param string|list<string> $serverPublicKey base64 of 32 bytes; several while the service rotates its keys
     * @param string|list<string>|null $serverKeyId where there is any, what the service sends must carry one of them
     * @param ?string $caFile PEM certificates of an authority to trust beside the system's
     * @param ?string $caPem the same as text
     * @param ?string $proxy http://[user:password@]host:port; the environment is not asked
     * @param ?int $timeoutMs the deadline of a whole call; 30000 unless set
     * @param ?int $maxRetries how often a call that cannot take effect twice is repeated; 2 unless set
     * @param ?object $logger a \Psr\Log\LoggerInterface, or whatever has its method log: is told of every attempt
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
        ?string $caFile = null,
        ?string $caPem = null,
        #[\SensitiveParameter] ?string $proxy = null,
        ?string $userAgent = null,
        ?int $timeoutMs = null,
        ?int $connectTimeoutMs = null,
        ?int $maxRetries = null,
        ?int $maxReplyBytes = null,
        ?object $logger = null,
        ?callable $signer = null,
        ?string $publicKey = null,
    ) {
        if (Signals::mayInterrupt()) {
            Signals::around($this->__construct(...), func_get_args(), __FUNCTION__);
            return;
        }
        if ($caFile !== null) {
            Argument::path('caFile', $caFile);
        }
        $config = new Config(
            compact('baseUrl', 'keyId', 'privateKey', 'publicKey', 'caFile', 'caPem', 'proxy', 'userAgent'),
            compact('timeoutMs', 'connectTimeoutMs', 'maxRetries', 'maxReplyBytes'),
            compact('serverPublicKey', 'serverKeyId'),
        );
        $this->callbacks = $config->callBack($logger, $signer);
        $this->handle = Call::make('mpay_client', 'mpay_client_new', $config->handle);
    }

    /**
     * The same client, connections included, with another deadline for its calls.
     *
     * @param int $timeoutMs 0 keeps this client's
     * @throws MerchantPayException
     */
    public function derive(int $timeoutMs = 0): self
    {
        if (Signals::mayInterrupt()) {
            return Signals::around($this->derive(...), func_get_args(), __FUNCTION__);
        }
        $handle = Call::make(
            'mpay_client',
            'mpay_client_derive',
            $this->handle,
            Argument::uint32('timeoutMs', $timeoutMs),
        );
        $client = clone $this;
        $client->handle = $handle;
        return $client;
    }

    /** Closes its connections and forgets its key now, not when PHP destroys the object. */
    public function close(): void
    {
        $this->handle->free();
    }

    /**
     * Amounts with a counter-offer right now; nothing is reserved. May be repeated by the library.
     *
     * @param int|string|\Stringable $sum decimal text or whole rubles, never a float
     * @param int|string|\Stringable|null $sumDriftUp
     * @param int|string|\Stringable|null $sumDriftDown
     * @throws MerchantPayException
     */
    public function getAvailableAmounts(
        mixed $sum,
        PaymentMethod|string $paymentMethod,
        string $currency = 'RUB',
        mixed $sumDriftUp = null,
        mixed $sumDriftDown = null,
        #[\SensitiveParameter] ?string $customerAccount = null,
    ): AvailableAmounts {
        if (Signals::mayInterrupt()) {
            return Signals::around($this->getAvailableAmounts(...), func_get_args(), __FUNCTION__);
        }
        return Call::read(AvailableAmounts::read(...), 'mpay_amounts', 'mpay_get_available_amounts', [
            $this->handle,
            Request::amounts($sum, $paymentMethod, $currency, $sumDriftUp, $sumDriftDown, $customerAccount),
        ]);
    }

    /**
     * A payment with its credentials, after up to 10 seconds. Sent once: with the outcome "unknown" it may exist.
     *
     * @param int|string|\Stringable $sum decimal text or whole rubles, never a float
     * @throws MerchantPayException
     */
    public function newPayment(
        mixed $sum,
        PaymentMethod|string $paymentMethod,
        #[\SensitiveParameter] string $customerAccount,
        string $currency = 'RUB',
        ?string $payerBank = null,
        ?string $merchantId = null,
        ?string $statusWebhookUrl = null,
    ): Payment {
        if (Signals::mayInterrupt()) {
            return Signals::around($this->newPayment(...), func_get_args(), __FUNCTION__);
        }
        $fields = compact('customerAccount', 'currency', 'payerBank', 'merchantId', 'statusWebhookUrl');
        return $this->payment('mpay_new_payment', Request::payment($sum, $paymentMethod, $fields));
    }

    /**
     * A payment of which only the orderId is known yet: its credentials come by webhook. Sent once: with the outcome
     * "unknown" it may exist.
     *
     * @param int|string|\Stringable $sum decimal text or whole rubles, never a float
     * @throws MerchantPayException
     */
    public function newPaymentAsync(
        mixed $sum,
        PaymentMethod|string $paymentMethod,
        #[\SensitiveParameter] string $customerAccount,
        string $credentialsWebhookUrl,
        string $currency = 'RUB',
        ?string $payerBank = null,
        ?string $merchantId = null,
        ?string $statusWebhookUrl = null,
    ): Payment {
        if (Signals::mayInterrupt()) {
            return Signals::around($this->newPaymentAsync(...), func_get_args(), __FUNCTION__);
        }
        $fields = compact(
            'customerAccount',
            'credentialsWebhookUrl',
            'currency',
            'payerBank',
            'merchantId',
            'statusWebhookUrl',
        );
        return $this->payment('mpay_new_payment_async', Request::payment($sum, $paymentMethod, $fields));
    }

    /**
     * The customer has paid. Sent once: with the outcome "unknown" ask getStatus.
     *
     * @throws MerchantPayException
     */
    public function confirm(string $orderId): void
    {
        if (Signals::mayInterrupt()) {
            Signals::around($this->confirm(...), func_get_args(), __FUNCTION__);
            return;
        }
        Call::run('mpay_confirm', $this->handle, Argument::text('orderId', $orderId));
    }

    /**
     * Cancels a payment. Sent once: with the outcome "unknown" ask getStatus.
     *
     * @throws MerchantPayException with the reason "payment_could_not_be_canceled" where its state does not allow it
     */
    public function cancel(string $orderId): void
    {
        if (Signals::mayInterrupt()) {
            Signals::around($this->cancel(...), func_get_args(), __FUNCTION__);
            return;
        }
        Call::run('mpay_cancel', $this->handle, Argument::text('orderId', $orderId));
    }

    /**
     * The payment as it is now. May be repeated by the library.
     *
     * @throws MerchantPayException
     */
    public function getStatus(string $orderId): Payment
    {
        if (Signals::mayInterrupt()) {
            return Signals::around($this->getStatus(...), func_get_args(), __FUNCTION__);
        }
        return $this->payment('mpay_get_status', Argument::text('orderId', $orderId));
    }

    /**
     * Attaches receipts to a payment in arbitration. Sent once: with the outcome "unknown" ask getStatus.
     *
     * @param list<string|\SplFileInfo|array{string, string, string}> $files paths, and [name, bytes, content type]
     * @throws MerchantPayException
     */
    public function attachReceipt(string $orderId, #[\SensitiveParameter] array $files): void
    {
        if (Signals::mayInterrupt()) {
            Signals::around($this->attachReceipt(...), func_get_args(), __FUNCTION__);
            return;
        }
        Call::run('mpay_attach_receipt', $this->handle, Request::receipt($orderId, $files));
    }

    private function payment(string $function, Handle|string $argument): Payment
    {
        return Call::read(Payment::read(...), 'mpay_payment', $function, [$this->handle, $argument]);
    }
}
