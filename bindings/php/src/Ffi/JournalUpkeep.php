<?php

declare(strict_types=1);

namespace MerchantPay\Ffi;

use FFI\CData;
use MerchantPay\Exception\MerchantPayException;
use MerchantPay\Stats;

/**
 * An operator's methods of a Journal: they count, erase and copy, and they stop every process. Since 0.3.0.
 *
 * @internal
 */
trait JournalUpkeep
{
    /**
     * Counts the attempts that are not final, and estimates the number of final ones if there are more than a thousand
     * attempts: the cost is the same for any number.
     *
     * @throws MerchantPayException
     */
    public function stats(): Stats
    {
        $read = static fn (CData $stats): Stats => Stats::read(Library::ffi()->mpay_stats_json($stats));
        return Call::read($read, 'mpay_stats', 'mpay_journal_stats', [$this->handle()]);
    }

    /**
     * Deletes the details of attempts and messages that were last written before a time and of which nothing more is
     * expected. Reference, attempt, standing, order id and token stay for ever.
     *
     * @param int $beforeMs the time in milliseconds since 1970
     * @return int how many it emptied
     * @throws MerchantPayException InvalidArgumentException for a negative time
     */
    public function purge(int $beforeMs): int
    {
        $purged = new Out('uint64_t');
        Call::run('mpay_journal_purge', $this->handle(), $beforeMs, $purged);
        return $purged->value();
    }

    /**
     * Deletes the details of all attempts of a reference, and of the messages that came for them. It serves a customer
     * who asks for it.
     *
     * @return int how many had details
     * @throws MerchantPayException InvalidArgumentException if there is no such reference, or if something is still
     * expected of it
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
     * @throws MerchantPayException also while the lines are read
     */
    public function export(): \Generator
    {
        return $this->lines(Call::make('mpay_export', 'mpay_journal_export', [$this->handle()]));
    }

    /**
     * Keeps the journal, whose connection the lines come over.
     *
     * @internal It calls a getter alone.
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
     * Stores a line of an export, and marks it as restored.
     *
     * @return bool false if the journal already has that attempt or orphan
     * @throws MerchantPayException InvalidArgumentException for another text, or for an attempt of another account
     */
    public function import(string $line): bool
    {
        $imported = new Out('int32_t');
        Call::run('mpay_journal_import', $this->handle(), Argument::text('line', $line), $imported);
        return $imported->value() === 1;
    }

    /**
     * Stops pay and news in every process that uses the journal, until resume: they throw a StorageException that is
     * transient. Returns when no call that makes a payment runs any more; the call of a killed process counts until its
     * deadline.
     *
     * @param string $note names the operator and the reason, in 1 to 500 characters
     * @throws MerchantPayException
     */
    public function pause(string $note): void
    {
        Call::run('mpay_journal_pause', $this->handle(), Argument::text('note', $note));
    }

    /**
     * Ends a pause, and keeps the note.
     *
     * @throws MerchantPayException
     */
    public function resume(string $note): void
    {
        Call::run('mpay_journal_resume', $this->handle(), Argument::text('note', $note));
    }

    /**
     * Copies a journal in a file into a new file, while the journal is in use. The copy is paused, and its rows are
     * marked as restored.
     *
     * @param string $file the absolute path of the new file
     * @throws MerchantPayException InvalidArgumentException if the journal is in a database or the path is relative
     */
    public function backup(string $file): void
    {
        Call::run('mpay_journal_backup', $this->handle(), JournalConfig::file($file));
    }
}
