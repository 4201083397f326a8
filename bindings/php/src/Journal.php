<?php

declare(strict_types=1);

namespace MerchantPay;

use MerchantPay\Exception\InvalidArgumentException;
use MerchantPay\Exception\MerchantPayException;
use MerchantPay\Ffi\Argument;
use MerchantPay\Ffi\Handle;
use MerchantPay\Ffi\Incoming;
use MerchantPay\Ffi\JournalOperations;
use MerchantPay\Ffi\Opaque;
use Psr\Http\Message\RequestInterface;

/**
 * Takes payments by the merchant's own order numbers. Each number has at most one payment that a customer can
 * pay, even after crashes and lost or repeated messages. Since 0.2.0.
 *
 * The journal keeps its rows in a file that only the journal may open, or in its tables of a PostgreSQL, MySQL or
 * MariaDB database. Over a database a process keeps its connection from one request to the next. The journal needs a
 * PHP of 64 bits.
 *
 * Its methods throw StorageException if the journal cannot be read or written. An error of the service is no
 * exception: it is the entry's field error.
 */
final class Journal implements JournalInterface
{
    use JournalOperations;
    use Opaque;

    private readonly Handle $handle;

    /**
     * Takes a webhook. It throws no exception if the webhook is invalid or the journal fails: the result has the HTTP
     * status of the answer.
     *
     * @param string $path the webhook's path or URL
     * @param string $body the unchanged body
     * @param ?string $signature the value of the header X-Signature; null if the header is absent
     * @param ?string $keyId the value of the header X-KeyId
     */
    public function receive(
        #[\SensitiveParameter] string $path,
        #[\SensitiveParameter] string $body,
        #[\SensitiveParameter] ?string $signature,
        ?string $keyId = null,
    ): Received {
        try {
            return $this->handle->journalReceive($path, $body, $signature, $keyId);
        } catch (MerchantPayException $error) {
            return new Received(503, null, $error); // the journal was closed
        }
    }

    /** Takes the webhook that PHP is serving: the path and the headers in $_SERVER, and php://input. */
    public function receiveGlobals(): Received
    {
        $path = $_SERVER['REQUEST_URI'] ?? '';
        return $this->receive(is_string($path) ? $path : '', ...Incoming::globals());
    }

    /** Takes a webhook from a PSR-7 request, whose body must be unchanged. */
    public function receiveRequest(RequestInterface $request): Received
    {
        return $this->receive($request->getUri()->getPath(), ...Incoming::request($request));
    }

    /**
     * Acknowledges the news on which the merchant has acted. In a transaction of your own, execute the entry's
     * acknowledgeSql instead.
     *
     * @param Entry|string $reference an entry; or a reference, its attempt and the number of the news
     * @return bool false if these news were acknowledged before, or if there are newer ones
     * @throws MerchantPayException
     */
    public function acknowledge(Entry|string $reference, ?int $attempt = null, ?int $news = null): bool
    {
        $key = self::key($reference, $attempt);
        if (($reference instanceof Entry) !== ($news === null)) {
            throw InvalidArgumentException::because('news is needed with a reference, and only with a reference');
        }
        return $this->handle->journalAcknowledge(...[...$key, $news ?? $reference->news]);
    }

    /**
     * Stores a person's decision about an item of attention, and returns the new entry; null for an orphan. Pass
     * exactly one of $orderId, $noPayment, $seen and $trusted; for an orphan only $seen.
     *
     * @param string $note who decided, and why: 1 to 500 characters
     * @param ?string $orderId the attempt's payment is this order. The service is asked about the order first
     * @param int|string|\Stringable|null $sum with $orderId: the sum of the order, if it is not the asked one
     * @param bool $noPayment there is no payment for the attempt
     * @param bool|list<Attention|string> $seen these reasons were seen; with true, those of the item. What came
     * meanwhile stays on the list
     * @param bool $trusted the service's support was asked about all payments of this reference, which a backup has
     * restored
     * @throws MerchantPayException
     */
    public function resolve(
        Entry $item,
        string $note,
        ?string $orderId = null,
        mixed $sum = null,
        bool $noPayment = false,
        bool|array $seen = false,
        bool $trusted = false,
    ): ?Entry {
        if (count(array_filter([$orderId !== null, $noPayment, $seen !== false, $trusted])) !== 1) {
            throw InvalidArgumentException::because(
                'exactly one of orderId, noPayment, seen and trusted is required',
            );
        }
        if ($sum !== null && $orderId === null) {
            throw InvalidArgumentException::because('sum is the sum of an order: orderId is required');
        }
        if ($item->isOrphan) {
            if ($seen === false) {
                throw InvalidArgumentException::because('the item is an orphan, which can only be seen');
            }
            $this->handle->journalResolveOrphan($item->orderId, $item->status, $note);
            return null;
        }
        $key = self::key($item);
        $sum = Argument::amount('sum', $sum);
        $reasons = array_map(Argument::word(...), is_array($seen) ? $seen : $item->attention);
        return match (true) {
            $orderId !== null => $this->handle->journalResolveOrder(...[...$key, $orderId, $note, $sum]),
            $noPayment => $this->handle->journalResolveNoPayment(...[...$key, $note]),
            $trusted => $this->handle->journalResolveTrusted(...[...$key, $note]),
            default => $this->handle->journalResolveSeen(...[...$key, $reasons, $note]),
        };
    }

    /** Closes the journal now, and not only when PHP destroys the object. */
    public function close(): void
    {
        $this->handle->close();
    }

    /** @param array<string, mixed> $settings */
    private function open(Client $client, #[\SensitiveParameter] string $place, array $settings): void
    {
        if (PHP_INT_SIZE < 8) {
            throw InvalidArgumentException::because('a journal needs a PHP of 64 bits: its times do not fit into 32');
        }
        if (!str_contains($place, '://')) {
            // The file may not exist yet.
            Argument::path('place', @file_exists($place) ? $place : dirname($place));
        }
        $this->handle = Handle::open(Handle::JOURNAL, $settings, parent: Client::handleOf($client));
    }

    /** @return array{string, int} the reference and the number of an attempt */
    private static function key(Entry|string $reference, ?int $attempt = null): array
    {
        if (($reference instanceof Entry) !== ($attempt === null)) {
            throw InvalidArgumentException::because('attempt is needed with a reference, and only with a reference');
        }
        return $reference instanceof Entry ? [$reference->reference, $reference->attempt] : [$reference, $attempt];
    }
}
