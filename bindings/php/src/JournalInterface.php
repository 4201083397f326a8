<?php

declare(strict_types=1);

namespace MerchantPay;

use Psr\Http\Message\RequestInterface;

/**
 * The methods of Journal that a shop calls. Use this interface in code that is tested with a replacement for
 * Journal. A later version can add methods. Since 0.3.0.
 */
interface JournalInterface
{
    // generated: begin payments
    /** See Journal::pay. */
    public function pay(
        string $reference,
        mixed $sum,
        PaymentMethod|string $paymentMethod,
        #[\SensitiveParameter] string $customerAccount,
        string $currency = 'RUB',
        ?string $payerBank = null,
        ?string $merchantId = null,
    ): Entry;

    /** See Journal::payAsync. */
    public function payAsync(
        string $reference,
        mixed $sum,
        PaymentMethod|string $paymentMethod,
        #[\SensitiveParameter] string $customerAccount,
        string $currency = 'RUB',
        ?string $payerBank = null,
        ?string $merchantId = null,
    ): Entry;

    /** See Journal::replace. */
    public function replace(
        string $reference,
        int $attempt,
        mixed $sum,
        PaymentMethod|string $paymentMethod,
        #[\SensitiveParameter] string $customerAccount,
        string $currency = 'RUB',
        ?string $payerBank = null,
        ?string $merchantId = null,
    ): Entry;

    // generated: end
    /** See Journal::confirm. */
    public function confirm(Entry|string $reference, ?int $attempt = null): Entry;

    /** See Journal::cancel. */
    public function cancel(Entry|string $reference, ?int $attempt = null): Entry;

    /** See Journal::receive. */
    public function receive(
        #[\SensitiveParameter] string $path,
        #[\SensitiveParameter] string $body,
        #[\SensitiveParameter] ?string $signature,
        ?string $keyId = null,
    ): Received;

    /** See Journal::receiveGlobals. */
    public function receiveGlobals(): Received;

    /** See Journal::receiveRequest. */
    public function receiveRequest(RequestInterface $request): Received;

    /** See Journal::settle. */
    public function settle(int $limit = 100): Settled;

    /** See Journal::wait. */
    public function wait(string $reference, int $timeoutMs, Until|string $until = Until::Credentials): Entry;

    /** See Journal::find. */
    public function find(string $reference): ?Entry;

    /**
     * See Journal::list.
     *
     * @return list<Entry>
     */
    public function list(Standing|string|null $standing = null, int $limit = 100, ?Entry $before = null): array;

    /**
     * See Journal::news.
     *
     * @return list<Entry>
     */
    public function news(int $limit = 100): array;

    /** See Journal::acknowledge. */
    public function acknowledge(Entry|string $reference, ?int $attempt = null, ?int $news = null): bool;

    /**
     * See Journal::attention.
     *
     * @return list<Entry>
     */
    public function attention(int $limit = 100): array;

    /**
     * See Journal::resolve.
     *
     * @param bool|list<Attention|string> $seen
     */
    public function resolve(
        Entry $item,
        string $note,
        ?string $orderId = null,
        mixed $sum = null,
        bool $noPayment = false,
        bool|array $seen = false,
        bool $trusted = false,
    ): ?Entry;

    /** See Journal::stats. */
    public function stats(): Stats;

    /** See Journal::close. */
    public function close(): void;
}
