<?php

declare(strict_types=1);

namespace MerchantPay\Tests;

use MerchantPay\Client;
use MerchantPay\Entry;
use MerchantPay\Exception\MerchantPayException;
use MerchantPay\Journal;
use MerchantPay\Payment;
use MerchantPay\Tests\Support\Sandbox;
use PHPUnit\Framework\Assert;
use PHPUnit\Framework\ExpectationFailedException;

/** Runs the cases of tests/contract/journal at one place: each begins anew. */
final class JournalCases
{
    private const CALLBACK = 'http://127.0.0.1:9/callback';

    private Sandbox $sandbox;
    private Client $client;
    private Journal $journal;

    /** @var array<string, mixed> what the steps have named: an entry, a payment or a webhook */
    private array $named = [];

    /** @param string|\Closure(): \PDO $place an empty one */
    private function __construct(private readonly string|\Closure $place)
    {
        $this->sandbox = new Sandbox('--pace-ms', '0');
        $this->client = $this->sandbox->client(timeoutMs: 5000);
        $this->journal = $this->open([], create: true);
    }

    /** @return array<string, array{list<array<string, mixed>>}> the steps by the name of the case */
    public static function all(): array
    {
        $file = dirname(__DIR__, 3) . '/tests/contract/journal/cases.json';
        $table = json_decode((string) file_get_contents($file), true, flags: JSON_THROW_ON_ERROR);
        Assert::assertCount($table['count'], $table['cases']);
        $cases = [];
        foreach ($table['cases'] as $case) {
            $cases[$case['name']] = [$case['steps']];
        }
        return $cases;
    }

    /** @param list<array<string, mixed>> $steps */
    public static function run(string|\Closure $place, array $steps): void
    {
        $cases = new self($place);
        foreach ($steps as $number => $step) {
            $cases->step($step, "step $number: " . json_encode($step));
        }
    }

    /** @param array<string, mixed> $step */
    private function step(array $step, string $what): void
    {
        $known = ['do' => 0, 'as' => 0, 'expect' => 0, 'error' => 0];
        $arguments = array_map($this->named(...), array_diff_key($step, $known));
        $did = null;
        try {
            $did = $this->{'do' . ucfirst($step['do'])}(...$arguments);
            $error = $step['do'] === 'receive' ? $did->error : null;
        } catch (MerchantPayException $error) {
        }
        $failed = $error === null ? null : ['code' => $error->code(), 'outcome' => $error->outcome()];
        $wanted = $step['error'] ?? null;
        $compared = $wanted === null ? $failed : array_intersect_key((array) $failed, $wanted);
        Assert::assertSame($wanted, $compared, "$what: $error");
        if ($step['do'] === 'receive') {
            $did = $did->entry;
        }
        if (array_key_exists('expect', $step)) {
            $this->expect($step['expect'], $did, $what);
        }
        if (isset($step['as'])) {
            $this->named[$step['as']] = is_array($did) && array_is_list($did) ? $did[0] : $did;
        }
    }

    /** A text "$name" is the order id of what has the name. */
    private function named(mixed $value): mixed
    {
        if (!is_string($value) || !str_starts_with($value, '$')) {
            return $value;
        }
        $named = $this->named[substr($value, 1)];
        return is_array($named) ? $named['orderId'] : $named->orderId;
    }

    /** @param array<string, mixed> $settings by the names of the table */
    private function open(array $settings, bool $create = false): Journal
    {
        $settings += ['callback_url' => self::CALLBACK, 'timeout_ms' => 15000, 'calls_per_second' => 1000];
        $names = ['callback_url' => 'callbackUrl', 'timeout_ms' => 'timeoutMs', 'calls_per_second' => 'callsPerSecond'];
        $arguments = [];
        foreach ($settings as $name => $value) {
            $arguments[$names[$name] ?? $name] = $value;
        }
        $journal = new Journal($this->client, $this->place, ...$arguments, create: $create);
        $journal->list(limit: 1); // Over a database it opens now.
        return $journal;
    }

    private function doOpen(array $settings, bool $use = false): void
    {
        $journal = $this->open($settings);
        if ($use) {
            $this->journal = $journal;
        }
    }

    private function doPay(
        string $reference,
        string $sum,
        string $account = '79001234567',
        bool $async = false,
        ?int $replace = null,
    ): Entry {
        $pay = $async ? $this->journal->payAsync(...) : $this->journal->pay(...);
        return $pay($reference, sum: $sum, paymentMethod: 'sbp', customerAccount: $account, replace: $replace);
    }

    private function doConfirm(string $entry): Entry
    {
        return $this->journal->confirm($this->named[$entry]);
    }

    private function doCancel(string $entry): Entry
    {
        return $this->journal->cancel($this->named[$entry]);
    }

    private function doResolve(
        string $entry,
        string $note,
        ?string $order_id = null,
        bool $no_payment = false,
        bool $seen = false,
    ): void {
        $this->journal->resolve($this->named[$entry], $note, orderId: $order_id, noPayment: $no_payment, seen: $seen);
    }

    private function doWait(string $reference, string $until): Entry
    {
        return $this->journal->wait($reference, 30_000, $until);
    }

    private function doSettle(string $reference, array $until): Entry
    {
        return Sandbox::eventually(function () use ($reference, $until): ?Entry {
            $settled = $this->journal->settle();
            $entry = $this->journal->find($reference);
            try {
                $this->expect($until, $entry, 'settle');
                return $entry;
            } catch (ExpectationFailedException) {
            }
            usleep(1000 * min($settled->nextDueMs ?? 100, 100));
            return null;
        });
    }

    private function doFind(string $reference): ?Entry
    {
        return $this->journal->find($reference);
    }

    /** @return list<Entry> */
    private function doList(?string $standing = null, int $limit = 100, ?string $before = null): array
    {
        return $this->journal->list($standing, $limit, $before === null ? null : $this->named[$before]);
    }

    /** @return list<Entry> */
    private function doNews(int $limit = 100, int $claim_ms = 0): array
    {
        return $this->journal->news($limit, $claim_ms);
    }

    private function doAcknowledge(string $entry, bool $changed): void
    {
        Assert::assertSame($changed, $this->journal->acknowledge($this->named[$entry]));
    }

    /** @return list<Entry> */
    private function doAttention(int $limit = 100): array
    {
        return $this->journal->attention($limit);
    }

    /** @return array<string, mixed> */
    private function doWebhook(string $merchant_id, string $kind): array
    {
        return $this->sandbox->webhook($merchant_id, $kind);
    }

    private function doReceive(
        string $webhook,
        int $http_status,
        ?string $to = null,
        ?string $path = null,
        ?string $body = null,
        ?string $signature = null,
    ): \MerchantPay\Received {
        $request = $this->named[$webhook]['request'];
        $received = $this->journal->receive(
            $path ?? $this->named[$to ?? $webhook]['url'],
            $body ?? base64_decode($request['body']['base64'], true),
            $signature ?? $request['signature'],
            $request['keyId'],
        );
        Assert::assertSame($http_status, $received->httpStatus);
        return $received;
    }

    private function doClient(
        string $operation,
        string $sum = '',
        string $account = '79001234567',
        ?string $merchant_id = null,
        string $order = '',
    ): ?Payment {
        $url = 'http://127.0.0.1:9/another';
        $asked = [
            'sum' => $sum,
            'paymentMethod' => 'sbp',
            'customerAccount' => $account,
            'merchantId' => $merchant_id,
            'statusWebhookUrl' => $url,
        ];
        return match ($operation) {
            'new_payment' => $this->client->newPayment(...$asked),
            'new_payment_async' => $this->client->newPaymentAsync(...$asked, credentialsWebhookUrl: $url),
            'cancel' => $this->client->cancel($order),
        };
    }

    private function doFault(string $kind, string $operation): void
    {
        $this->sandbox->control('/faults', ['kind' => $kind, 'operation' => $operation]);
    }

    private function doOperator(string $merchant_id, string $action): void
    {
        $payments = $this->sandbox->control('/payments?merchantId=' . rawurlencode($merchant_id))['payments'];
        $path = "/payments/{$payments[0]['orderId']}/operator";
        Sandbox::eventually(fn (): ?array => $this->sandbox->control($path, ['action' => $action]));
    }

    /** @return array<string, int> */
    private function doRequests(): array
    {
        return $this->sandbox->control('')['requests'];
    }

    private function doPause(int $ms): void
    {
        usleep(1000 * $ms);
    }

    private function expect(mixed $expected, mixed $did, string $what): void
    {
        if (is_array($did) && !array_is_list($did)) { // Counts of requests.
            $counted = array_map(static fn (string $name): int => $did[$name] ?? 0, array_keys($expected));
            Assert::assertSame(array_values($expected), $counted, $what);
        } elseif (is_array($did)) {
            Assert::assertCount(count($expected), $did, $what);
            array_map(fn (array $fields, Entry $entry) => $this->expect($fields, $entry, $what), $expected, $did);
        } elseif ($expected === null) {
            Assert::assertNull($did, $what);
        } else {
            $this->compare($expected, $this->read($did), $what);
            foreach ($expected['earlier'] ?? [] as $place => $fields) {
                $this->expect($fields, $did->earlier[$place], $what);
            }
        }
    }

    /**
     * @param array<string, mixed> $expected
     * @param array<string, mixed> $read
     */
    private function compare(array $expected, array $read, string $what): void
    {
        foreach ($expected as $name => $value) {
            Assert::assertArrayHasKey($name, $read, $what);
            $value = $this->named($value);
            if ($name === 'earlier') {
                $value = count($value);
            } elseif ($value === true && in_array($name, ['orderId', 'dueAt'], true)) {
                $read[$name] = $read[$name] !== null;
            } elseif (is_array($value) && !array_is_list($value)) {
                Assert::assertIsArray($read[$name], "$what: $name");
                $this->compare($value, $read[$name], $what);
                continue;
            }
            Assert::assertSame($value, $read[$name], "$what: $name");
        }
    }

    /** @return array<string, mixed> all fields as the table expects them, after they were compared with the JSON */
    private function read(Entry $entry): array
    {
        $json = json_decode($entry->json(), true, flags: JSON_THROW_ON_ERROR);
        $json = $json['orphan'] ?? $json;
        foreach (['reference', 'attempt', 'standing', 'orderId', 'paid', 'succeeded', 'confirm', 'cancel'] as $name) {
            if (isset($json[$name])) {
                Assert::assertSame($json[$name], $entry->$name, $name);
            }
        }
        foreach (['reported', 'acknowledged', 'attention', 'createdAt', 'updatedAt', 'dueAt'] as $name) {
            if (isset($json[$name])) {
                Assert::assertSame($json[$name], $entry->$name, $name);
            }
        }
        foreach (['credentials', 'payment', 'error'] as $name) {
            Assert::assertSame(isset($json[$name]), $entry->$name !== null, $name);
        }
        Assert::assertSame($entry->standing, $entry->standingCase()?->value);
        Assert::assertSame($entry->paid, $entry->paidCase()?->value);
        Assert::assertSame($entry->confirm, $entry->confirmCase()?->value);
        Assert::assertSame($entry->cancel, $entry->cancelCase()?->value);
        Assert::assertSame([$entry->reported, $entry->acknowledged], [
            $entry->reportedCase()?->value,
            $entry->acknowledgedCase()?->value,
        ]);
        Assert::assertSame($entry->attention, array_column($entry->attentionCases(), 'value'));
        return [
            'credentials' => $entry->credentials !== null,
            'payment' => $entry->payment === null ? null : get_object_vars($entry->payment),
            'error' => $entry->error === null ? null : get_object_vars($entry->error),
            'earlier' => count($entry->earlier),
            'orphan' => $entry->isOrphan,
        ] + get_object_vars($entry);
    }
}
