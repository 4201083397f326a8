<?php

declare(strict_types=1);

namespace MerchantPay\Tests;

use MerchantPay\Exception\InvalidArgumentException;
use MerchantPay\Exception\MerchantPayException;
use MerchantPay\Exception\StorageException;
use MerchantPay\Journal;
use MerchantPay\Stats;
use MerchantPay\Tests\Support\Folder;
use MerchantPay\Tests\Support\Sandbox;
use PHPUnit\Framework\TestCase;

/** Tests the parts of an operator's methods that only PHP has; tests/contract tests the common parts. */
final class UpkeepTest extends TestCase
{
    private Folder $folder;

    protected function setUp(): void
    {
        $this->folder = new Folder();
    }

    private function journal(string $name = 'payments.db', mixed ...$settings): Journal
    {
        $settings += ['callsPerSecond' => 1000, 'create' => true];
        return new Journal(Sandbox::one()->client(), "{$this->folder->path}/$name", ...$settings);
    }

    private static function pay(Journal $journal, string ...$references): void
    {
        foreach ($references as $reference) {
            $journal->pay($reference, sum: '1500.50', paymentMethod: 'sbp', customerAccount: '79001234567');
        }
    }

    /** @param \Closure(): mixed $call */
    private static function assertNotSent(string $exception, string $message, \Closure $call): void
    {
        try {
            $call();
        } catch (MerchantPayException $error) {
            self::assertInstanceOf($exception, $error);
            self::assertStringContainsString($message, $error->getMessage());
            self::assertSame('not_sent', $error->outcome());
            return;
        }
        self::fail("it is not refused: $message");
    }

    public function testStatsAreCountsByName(): void
    {
        $journal = $this->journal();
        self::assertEquals(new Stats(), $journal->stats());
        self::pay($journal, 'a', 'b');
        $journal->pause('db2 – Иван');
        $stats = $journal->stats();
        self::assertSame([['open' => 2], false, 0, []], [
            $stats->standings,
            $stats->estimated,
            $stats->attention,
            $stats->reasons,
        ]);
        self::assertSame(['db2 – Иван', [], null], [$stats->pauseNote, $stats->durabilityVouched, $stats->server]);
        self::assertEqualsWithDelta(microtime(true) * 1000, $stats->pausedAt, 3_600_000);
        $journal->resume('moved');
        self::assertNull($journal->stats()->pauseNote);
    }

    public function testAnExportIsReadLineByLineWhileItsJournalIsThere(): void
    {
        $journal = $this->journal();
        self::pay($journal, 'a', 'b', 'c');
        $lines = $journal->export();
        self::assertStringContainsString('"reference":"a"', $lines->current());
        $copy = $this->journal('copy.db');
        self::assertTrue($copy->import($lines->current()));
        self::assertFalse($copy->import($lines->current()));
        $journal->close();
        // The generator keeps its own reference to the journal's file.
        for ($rest = 0, $lines->next(); $lines->valid(); $lines->next()) {
            $rest++;
        }
        self::assertSame(2, $rest);
        self::assertNotSent(InvalidArgumentException::class, 'closed', static fn () => $journal->export());
    }

    public function testAnExportThatIsLeftIsFreed(): void
    {
        $journal = $this->journal();
        self::pay($journal, 'a', 'b');
        foreach ($journal->export() as $line) {
            self::assertStringContainsString('"reference":"a"', $line);
            break;
        }
        self::assertSame(2, $journal->stats()->standings['open']);
    }

    public function testACopyOfTheFileIsPaused(): void
    {
        $journal = $this->journal();
        self::pay($journal, 'a');
        $journal->backup("{$this->folder->path}/copy.db");
        $copy = $this->journal('copy.db');
        self::assertNotSent(StorageException::class, 'the journal is paused', static fn () => self::pay($copy, 'a'));
        $again = fn () => $journal->backup("{$this->folder->path}/copy.db");
        self::assertNotSent(StorageException::class, 'copy.db', $again);
    }

    /** @return iterable<string, array{\Closure(Journal): mixed, string}> */
    public static function wrongValues(): iterable
    {
        yield 'a negative time' => [static fn (Journal $journal) => $journal->purge(-1), 'milliseconds since 1970'];
        yield 'an unknown reference' => [static fn (Journal $journal) => $journal->forget('nobody'), 'no such entry'];
        yield 'an attempt that is open' => [
            static fn (Journal $journal) => $journal->forget('open'),
            'cannot be deleted yet',
        ];
        yield 'another line' => [static fn (Journal $journal) => $journal->import('{}'), 'was not written by export'];
        yield 'a line with NUL' => [static fn (Journal $journal) => $journal->import("{\0}"), 'contains a NUL byte'];
        yield 'an empty note' => [static fn (Journal $journal) => $journal->pause(''), 'note'];
        yield 'a long note' => [static fn (Journal $journal) => $journal->resume(str_repeat('x', 501)), 'note'];
        yield 'a relative path' => [static fn (Journal $journal) => $journal->backup('copy.db'), 'absolute'];
    }

    /**
     * @dataProvider wrongValues
     * @param \Closure(Journal): mixed $call
     */
    public function testAWrongValueIsRefused(\Closure $call, string $message): void
    {
        $journal = $this->journal();
        self::pay($journal, 'open');
        self::assertNotSent(InvalidArgumentException::class, $message, static fn () => $call($journal));
    }

    public function testAClosedJournalRefuses(): void
    {
        $journal = $this->journal();
        $journal->close();
        foreach (
            [
                static fn () => $journal->stats(),
                static fn () => $journal->purge(0),
                static fn () => $journal->forget('a'),
                static fn () => $journal->import('{}'),
                static fn () => $journal->pause('why'),
                static fn () => $journal->resume('why'),
                fn () => $journal->backup("{$this->folder->path}/copy.db"),
            ] as $call
        ) {
            self::assertNotSent(InvalidArgumentException::class, 'closed', $call);
        }
    }
}
