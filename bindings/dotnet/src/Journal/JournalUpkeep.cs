using System;
using System.Collections.Generic;
using System.Threading;
using MerchantPay.Interop;

namespace MerchantPay
{
    public sealed partial class Journal
    {
        private static readonly DateTime Epoch = new DateTime(1970, 1, 1, 0, 0, 0, DateTimeKind.Utc);

        private delegate int Noting(JournalHandle journal, byte[] text, out ErrorHandle error);

        /// <summary>Counts the attempts. The number of final attempts is estimated if there are many, so that the cost does not grow. Since 0.3.0.</summary>
        public JournalStats Stats(CancellationToken token = default(CancellationToken))
        {
            return Run(
                journal =>
                {
                    StatsHandle stats;
                    ErrorHandle error;
                    var code = Native.mpay_journal_stats(journal, out stats, out error);
                    using (stats)
                    {
                        Failure.Check(code, error);
                        return new JournalStats(stats);
                    }
                },
                token);
        }

        /// <summary>
        /// Deletes the details of finished attempts and seen orphans that were last written before a time. Reference, attempt, standing,
        /// order id and token stay for ever. Returns the number of attempts and orphans whose details it deleted. Since 0.3.0.
        /// </summary>
        public long Purge(DateTime before, CancellationToken token = default(CancellationToken))
        {
            var milliseconds = (long)Math.Floor((before.ToUniversalTime() - Epoch).TotalMilliseconds);
            return Run(
                journal =>
                {
                    ulong purged;
                    ErrorHandle error;
                    var code = Native.mpay_journal_purge(journal, milliseconds, out purged, out error);
                    Failure.Check(code, error);
                    return (long)purged;
                },
                token);
        }

        /// <summary>
        /// Deletes the details of all attempts of a reference, and of their orphans. Use it when a customer asks for erasure. Returns the
        /// number of attempts and orphans that had details. Since 0.3.0.
        /// </summary>
        public long Forget(string reference, CancellationToken token = default(CancellationToken))
        {
            var native = Text.In(reference, "reference");
            return Run(
                journal =>
                {
                    ulong forgotten;
                    ErrorHandle error;
                    var code = Native.mpay_journal_forget(journal, native, out forgotten, out error);
                    Failure.Check(code, error);
                    return (long)forgotten;
                },
                token);
        }

        /// <summary>Reads each attempt and each orphan as a line for Import. Pause the journal first. Since 0.3.0.</summary>
        public IEnumerable<string> Export()
        {
            var lines = Run(
                journal => handle.Derived((out ExportHandle made, out ErrorHandle error) => Native.mpay_journal_export(journal, out made, out error)),
                CancellationToken.None);
            return Exported(lines);
        }

        /// <summary>Stores a line of an export. Returns false if the journal already has that attempt or orphan. Since 0.3.0.</summary>
        public bool Import(string line, CancellationToken token = default(CancellationToken))
        {
            var native = Text.In(line, "line");
            return Run(
                journal =>
                {
                    int imported;
                    ErrorHandle error;
                    var code = Native.mpay_journal_import(journal, native, out imported, out error);
                    Failure.Check(code, error);
                    return imported == 1;
                },
                token);
        }

        /// <summary>
        /// Stops Pay, RequestPayment and News in every process that uses the journal, until Resume is called. Pause returns when no payment
        /// call is running. The note names the operator and the reason. Since 0.3.0.
        /// </summary>
        public void Pause(string note, CancellationToken token = default(CancellationToken)) { Note(Text.In(note, "note"), Native.mpay_journal_pause, token); }

        /// <summary>Ends a pause, and stores the note. Since 0.3.0.</summary>
        public void Resume(string note, CancellationToken token = default(CancellationToken)) { Note(Text.In(note, "note"), Native.mpay_journal_resume, token); }

        /// <summary>Copies a journal's file to a new file, also while other processes use the journal. The copy is paused. Since 0.3.0.</summary>
        public void Backup(string path, CancellationToken token = default(CancellationToken)) { Note(Text.In(path, "path"), Native.mpay_journal_backup, token); }

        private static IEnumerable<string> Exported(ExportHandle lines)
        {
            using (lines)
            {
                for (var line = Next(lines); line != null; line = Next(lines)) yield return line;
            }
        }

        /// <summary>Reads the next line, on a thread that cannot be aborted: reading can run a statement by the merchant's provider.</summary>
        private static string Next(ExportHandle lines)
        {
            return new Call<string>(
                null,
                () =>
                {
                    int found;
                    ErrorHandle error;
                    var code = Native.mpay_export_next(lines, out found, out error);
                    Failure.Check(code, error);
                    return found == 1 ? Text.Out(Native.mpay_export_line(lines)) : null;
                },
                CancellationToken.None).Run(true);
        }

        private void Note(byte[] text, Noting command, CancellationToken token)
        {
            Run(
                journal =>
                {
                    ErrorHandle error;
                    var code = command(journal, text, out error);
                    Failure.Check(code, error);
                    return true;
                },
                token);
        }
    }

    /// <summary>The counts of a journal. Since 0.3.0.</summary>
    public sealed class JournalStats
    {
        internal JournalStats(StatsHandle stats)
        {
            var counts = new Dictionary<Standing, long>();
            foreach (Standing standing in Enum.GetValues(typeof(Standing))) counts[standing] = (long)Native.mpay_stats_count(stats, (int)standing);
            Counts = counts;
            Attention = (long)Native.mpay_stats_attention(stats);
            Due = (long)Native.mpay_stats_due(stats);
            Overdue = TimeSpan.FromMilliseconds(Native.mpay_stats_overdue_ms(stats));
            PauseNote = Text.Out(Native.mpay_stats_pause_note(stats));
            Json = Text.Out(Native.mpay_stats_json(stats));
        }

        /// <summary>The number of attempts with each standing. The number of final attempts is estimated if there are many.</summary>
        public IReadOnlyDictionary<Standing, long> Counts { get; }

        /// <summary>The number of items about which an operator must decide: attempts, orphans and a changed server.</summary>
        public long Attention { get; }

        /// <summary>The number of due attempts, which Settle can process now.</summary>
        public long Due { get; }

        /// <summary>The time since the oldest due attempt became due.</summary>
        public TimeSpan Overdue { get; }

        /// <summary>The note of the operator who paused the journal; null if the journal is not paused.</summary>
        public string PauseNote { get; }

        /// <summary>All counts as JSON.</summary>
        public string Json { get; }
    }
}
