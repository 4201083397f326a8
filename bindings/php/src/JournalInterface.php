<?php

declare(strict_types=1);

namespace MerchantPay;

use PDO;
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
        ?int $replace = null,
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
        ?int $replace = null,
    ): Entry;

    // generated: end
    /** See Journal::confirm. */
    public function confirm(Entry $entry): Entry;

    /** See Journal::cancel. */
    public function cancel(Entry $entry): Entry;

    /** See Journal::confirmBy. */
    public function confirmBy(string $reference, int $attempt): Entry;

    /** See Journal::cancelBy. */
    public function cancelBy(string $reference, int $attempt): Entry;

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
    public function news(int $limit = 100, int $claimMs = 0): array;

    /** See Journal::acknowledge. */
    public function acknowledge(Entry $entry, ?PDO $transaction = null): bool;

    /** See Journal::acknowledgeBy. */
    public function acknowledgeBy(
        string $reference,
        int $attempt,
        Level|string $level,
        ?PDO $transaction = null,
    ): bool;

    /**
     * See Journal::attention.
     *
     * @return list<Entry>
     */
    public function attention(int $limit = 100): array;

    /** See Journal::resolve. */
    public function resolve(
        Entry $entry,
        string $note,
        ?string $orderId = null,
        bool $noPayment = false,
        bool $seen = false,
    ): void;

    /** See Journal::stats. */
    public function stats(): Stats;

    /** See Journal::purge. */
    public function purge(int $beforeMs): int;

    /** See Journal::forget. */
    public function forget(string $reference): int;

    /**
     * See Journal::export.
     *
     * @return \Generator<int, string>
     */
    public function export(): \Generator;

    /** See Journal::import. */
    public function import(string $line): bool;

    /** See Journal::pause. */
    public function pause(string $note): void;

    /** See Journal::resume. */
    public function resume(string $note): void;

    /** See Journal::backup. */
    public function backup(string $file): void;

    /** See Journal::close. */
    public function close(): void;
}
