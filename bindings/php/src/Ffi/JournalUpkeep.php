<?php

declare(strict_types=1);

namespace MerchantPay\Ffi;

use FFI\CData;
use MerchantPay\Exception\MerchantPayException;
use MerchantPay\Stats;

/**
 * An operator's methods of a Journal: they count, erase and copy attempts, and pause the journal in every
 * process. Since 0.3.0.
 *
 * @internal
 */
trait JournalUpkeep
{
    /**
     * Counts the journal's attempts. Above a thousand attempts the number of final ones is an estimate, so that
     * the cost does not grow.
     *
     * @throws MerchantPayException
     */
    public function stats(): Stats
    {
        $read = static fn (CData $stats): Stats => Stats::read(Library::ffi()->mpay_stats_json($stats));
        return Call::read($read, 'mpay_stats', 'mpay_journal_stats', [$this->handle()]);
    }

    /**
     * Deletes the details of finished attempts and seen orphans that were last written before $beforeMs.
     * Reference, attempt, standing, order id and token stay for ever.
     *
     * @param int $beforeMs the time in milliseconds since 1970
     * @return int the number of attempts and orphans whose details were deleted
     * @throws MerchantPayException InvalidArgumentException for a negative time
     */
    public function purge(int $beforeMs): int
    {
        $purged = new Out('uint64_t');
        Call::run('mpay_journal_purge', $this->handle(), $beforeMs, $purged);
        return $purged->value();
    }

    /**
     * Deletes the details of all attempts of a reference, and of their orphans. Use it when a customer asks
     * for erasure.
     *
     * @return int the number of attempts and orphans that had details
     * @throws MerchantPayException InvalidArgumentException if there is no such reference, or if one of its
     * attempts or orphans is not finished
     */
    public function forget(string $reference): int
    {
        $forgotten = new Out('uint64_t');
        Call::run('mpay_journal_forget', $this->handle(), Argument::text('reference', $reference), $forgotten);
        return $forgotten->value();
    }

    /**
     * Yields each attempt and each orphan as a line for import. Pause the journal first.
     *
     * @return \Generator<int, string>
     * @throws MerchantPayException when the export begins, or when a line is read
     */
    public function export(): \Generator
    {
        return $this->lines(Call::make('mpay_export', 'mpay_journal_export', [$this->handle()]));
    }

    /**
     * Yields the lines. The generator keeps the journal alive, because reading a line uses the journal's
     * connection.
     *
     * @internal This method calls only a getter of the library.
     * @return \Generator<int, string>
     */
    private function lines(Handle $lines): \Generator
    {
        $found = new Out('int32_t');
        while (true) {
            Call::run('mpay_export_next', $lines, $found);
            if ($found->value() === 0) {
                return;
            }
            yield Library::ffi()->mpay_export_line($lines->pointer());
        }
    }

    /**
     * Stores the attempt or orphan of an export's line, and marks it as restored.
     *
     * @return bool false if the journal already has that attempt or orphan
     * @throws MerchantPayException InvalidArgumentException if $line is not a line of an export, or belongs to a
     * different account
     */
    public function import(string $line): bool
    {
        $imported = new Out('int32_t');
        Call::run('mpay_journal_import', $this->handle(), Argument::text('line', $line), $imported);
        return $imported->value() === 1;
    }

    /**
     * Stops pay and news in every process that uses the journal, until resume: they throw a StorageException
     * that is transient. Returns when no payment call is running; for the call of a killed process it waits
     * until the call's deadline.
     *
     * @param string $note names the operator and the reason, in 1 to 500 characters
     * @throws MerchantPayException
     */
    public function pause(string $note): void
    {
        Call::run('mpay_journal_pause', $this->handle(), Argument::text('note', $note));
    }

    /**
     * Ends a pause, and stores the operator's note.
     *
     * @throws MerchantPayException
     */
    public function resume(string $note): void
    {
        Call::run('mpay_journal_resume', $this->handle(), Argument::text('note', $note));
    }

    /**
     * Copies a journal's file to a new file, also while other processes use the journal. The copy is paused,
     * and its rows are marked as restored.
     *
     * @param string $file the absolute path of the new file
     * @throws MerchantPayException InvalidArgumentException if the journal is in a database or the path is relative
     */
    public function backup(string $file): void
    {
        Call::run('mpay_journal_backup', $this->handle(), JournalConfig::file($file));
    }
}
