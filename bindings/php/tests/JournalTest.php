<?php

declare(strict_types=1);

namespace MerchantPay\Tests;

use MerchantPay\Attention;
use MerchantPay\Entry;
use MerchantPay\Journal;
use MerchantPay\Payment;
use MerchantPay\Style;
use MerchantPay\Tests\Support\TestCase;

/** Tests the arguments and values of a journal that only PHP has; tests/contract has its methods. */
final class JournalTest extends TestCase
{
    private function journal(mixed ...$settings): Journal
    {
        return new Journal(self::client(), $this->folder() . '/payments.db', ...$settings + ['create' => true]);
    }

    public function testEntryIsAValueThatAnotherJournalTakes(): void
    {
        $journal = $this->journal();
        $journal->pay('order', ...self::PAYMENT);
        [$news] = $journal->news();
        $journal->close();
        $copy = unserialize(serialize($news));
        self::assertEquals($news, $copy);
        self::assertSame($news->json(), $copy->json());
        $made = new Entry(reference: 'order', attempt: 1, credentials: new Payment(orderId: 'made by a test'));
        self::assertSame('accepted', $this->journal()->confirm($made)->intentState);
        self::assertTrue($this->journal()->acknowledge($copy));
    }

    /** @return array<string, array{\Closure(Journal, Entry): mixed, string}> */
    public function wrong(): array
    {
        $orphan = new Entry(reference: '', orderId: 'o', isOrphan: true);
        $one = 'exactly one of orderId, noPayment, seen and trusted is required';
        $seen = ['seen' => [Attention::Stuck, 'sum_differs']];
        return [
            'a float' => [fn ($it) => $it->pay('a', 1.5, 'sbp', '7'), 'sum must be a decimal'],
            'another until' => [fn ($it) => $it->wait('a', 0, 'ever'), 'until must be one of cred'],
            'another standing' => [fn ($it) => $it->list('paid'), 'standing must be one of sending'],
            'another style' => [fn ($it, $entry) => $entry->acknowledgeSql('odbc'), 'style must be one of question'],
            'no attempt' => [fn ($it) => $it->confirm('a'), 'attempt is needed'],
            'an attempt twice' => [fn ($it, $entry) => $it->cancel($entry, 1), 'only with a reference'],
            'no news' => [fn ($it) => $it->acknowledge('a', 1), 'news is needed'],
            'news twice' => [fn ($it, $entry) => $it->acknowledge($entry, news: 1), 'only with a reference'],
            'no decision' => [fn ($it, $entry) => $it->resolve($entry, 'n'), $one],
            'two' => [fn ($it, $entry) => $it->resolve($entry, 'n', noPayment: true, trusted: true), $one],
            'a sum alone' => [fn ($it, $entry) => $it->resolve($entry, 'n', sum: '1', seen: true), 'orderId is'],
            'no orphan' => [fn ($it) => $it->resolve($orphan, 'n', noPayment: true), 'only be seen'],
            'no reason' => [fn ($it, $entry) => $it->resolve($entry, 'n', seen: ['paid']), 'paid'],
            'not its reasons' => [fn ($it, $entry) => $it->resolve($entry, 'n', ...$seen), 'does not have this reason'],
        ];
    }

    /** @dataProvider wrong */
    public function testWrongInputIsRefused(\Closure $call, string $why): void
    {
        $journal = $this->journal();
        $entry = $journal->pay('order', ...self::PAYMENT);
        self::assertFails('invalid_argument not_sent', fn () => $call($journal, $entry), $why);
    }

    public function testSettingsAndWordsAreEnumsTextsAndLists(): void
    {
        $entry = new Entry(reference: "o'1", attempt: 2, news: 1_764_000_000_000);
        foreach (Style::cases() as $style) {
            self::assertSame($entry->acknowledgeSql($style->value), $entry->acknowledgeSql($style));
        }
        self::assertSame([], $this->journal(durabilityVouched: [])->stats()->durabilityVouched);
        $vouched = $this->journal(durabilityVouched: ['synchronous', 'journal_mode']);
        self::assertSame(['synchronous', 'journal_mode'], $vouched->stats()->durabilityVouched);
    }

    public function testClosedJournalAndMissingPlaceSaySo(): void
    {
        $journal = $this->journal();
        $journal->close();
        $journal->close();
        self::assertFails('invalid_argument not_sent', fn () => $journal->stats(), 'the object is closed');
        self::assertSame(503, $journal->receive('/x', '{}', 's')->httpStatus);
        $missing = fn () => new Journal(self::client(), $this->folder() . '/missing.db');
        self::assertFails('storage not_sent', $missing, 'missing.db');
    }
}
