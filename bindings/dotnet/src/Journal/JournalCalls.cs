using System;
using System.Collections.Generic;
using MerchantPay.Interop;

namespace MerchantPay
{
    /// <summary>The operations of a journal. Each operation is a function, and a call runs the function with the call's own handle.</summary>
    internal static class JournalCalls
    {
        private const int NotVerified = 400;

        private delegate int OneEntry(JournalHandle journal, out EntryHandle entry, out ErrorHandle error);

        private delegate int ManyEntries(JournalHandle journal, out EntriesHandle entries, out ErrorHandle error);

        private delegate int OfAttempt(JournalHandle journal, byte[] reference, uint attempt, out EntryHandle entry, out ErrorHandle error);

        private delegate int OfRequest(JournalHandle journal, byte[] reference, PaymentRequestHandle request, out EntryHandle entry, out ErrorHandle error);

        internal static Func<JournalHandle, Entry> Pay(string reference, PaymentRequest request) { return Pay(reference, request, Native.mpay_journal_pay); }

        internal static Func<JournalHandle, Entry> RequestPayment(string reference, PaymentRequest request) { return Pay(reference, request, Native.mpay_journal_pay_async); }

        internal static Func<JournalHandle, Entry> Replace(string reference, int attempt, PaymentRequest request)
        {
            var number = Count(attempt, "attempt");
            return Pay(
                reference, request,
                (JournalHandle j, byte[] text, PaymentRequestHandle asked, out EntryHandle e, out ErrorHandle x) => Native.mpay_journal_replace(j, text, number, asked, out e, out x));
        }

        internal static Func<JournalHandle, Entry> Confirm(string reference, int attempt) { return Of(reference, attempt, Native.mpay_journal_confirm); }

        internal static Func<JournalHandle, Entry> Cancel(string reference, int attempt) { return Of(reference, attempt, Native.mpay_journal_cancel); }

        internal static Func<JournalHandle, Entry> Find(string reference)
        {
            var native = Text.In(reference, "reference");
            return One((JournalHandle j, out EntryHandle e, out ErrorHandle x) => Native.mpay_journal_find(j, native, out e, out x));
        }

        internal static Func<JournalHandle, Entry> Wait(string reference, TimeSpan timeout, Until until)
        {
            var native = Text.In(reference, "reference");
            var milliseconds = Milliseconds.Of(timeout, "timeout");
            return One((JournalHandle j, out EntryHandle e, out ErrorHandle x) => Native.mpay_journal_wait(j, native, milliseconds, (int)until, out e, out x));
        }

        internal static Func<JournalHandle, IReadOnlyList<Entry>> List(Standing? standing, int limit, Entry before)
        {
            var most = Count(limit, "limit");
            var reference = before == null ? null : Text.In(OfEntry(before), "reference");
            var createdAt = before == null || before.CreatedAt == null ? 0 : FieldReader.MillisecondsOf(before.CreatedAt.Value);
            return Many((JournalHandle j, out EntriesHandle e, out ErrorHandle x) => Native.mpay_journal_list(j, (int)(standing ?? 0), most, reference, createdAt, out e, out x));
        }

        internal static Func<JournalHandle, IReadOnlyList<Entry>> News(int limit)
        {
            var most = Count(limit, "limit");
            return Many((JournalHandle j, out EntriesHandle e, out ErrorHandle x) => Native.mpay_journal_news(j, most, out e, out x));
        }

        internal static Func<JournalHandle, IReadOnlyList<Entry>> Attention(int limit)
        {
            var most = Count(limit, "limit");
            return Many((JournalHandle j, out EntriesHandle e, out ErrorHandle x) => Native.mpay_journal_attention(j, most, out e, out x));
        }

        internal static Func<JournalHandle, bool> Acknowledge(string reference, int attempt, long news)
        {
            var native = Text.In(reference, "reference");
            var number = Count(attempt, "attempt");
            return journal =>
            {
                var code = Native.mpay_journal_acknowledge(journal, native, number, news, out int acknowledged, out ErrorHandle error);
                Failure.Check(code, error);
                return acknowledged == 1;
            };
        }

        internal static Func<JournalHandle, Settled> Settle(int limit)
        {
            var most = Count(limit, "limit");
            return journal =>
            {
                var code = Native.mpay_journal_settle(journal, most, out uint done, out long nextDue, out ErrorHandle error);
                Failure.Check(code, error);
                return new Settled((int)done, nextDue < 0 ? (TimeSpan?)null : TimeSpan.FromMilliseconds(nextDue));
            };
        }

        internal static Func<JournalHandle, Received> Receive(string path, byte[] body, string signature, string keyId)
        {
            if (body == null) throw new ArgumentNullException("body");
            byte[] nativePath, nativeSignature, nativeKeyId;
            try
            {
                nativePath = Text.Received(path, "path");
                nativeSignature = Text.Received(signature, "signature");
                nativeKeyId = Text.Received(keyId, "keyId");
            }
            catch (UnverifiedException e)
            {
                return journal => new Received(NotVerified, null, e);
            }
            return journal =>
            {
                var code = Native.mpay_journal_receive(
                    journal, nativePath, body, (UIntPtr)body.Length, nativeSignature, nativeKeyId, out int httpStatus, out EntryHandle entry, out ErrorHandle error);
                Exception failure = null;
                try
                {
                    Failure.Check(code, error);
                }
                catch (Exception e) when (e is MerchantPayException || e is PaymentCancelledException)
                {
                    failure = e;
                }
                return new Received(httpStatus, Entry.Owned(Native.MPAY_OK, entry, error), failure);
            };
        }

        internal static Func<JournalHandle, Entry> ResolveAsOrder(Entry entry, string orderId, string note, decimal? sum)
        {
            byte[] order = Text.In(orderId, "orderId"), asked = Text.In(Sums.Write(sum), "sum"), text = Text.In(note, "note");
            return Of(
                entry,
                (JournalHandle j, byte[] reference, uint attempt, out EntryHandle e, out ErrorHandle x) => Native.mpay_journal_resolve_order(j, reference, attempt, order, asked, text, out e, out x));
        }

        internal static Func<JournalHandle, Entry> ResolveAsNoPayment(Entry entry, string note)
        {
            var text = Text.In(note, "note");
            return Of(
                entry,
                (JournalHandle j, byte[] reference, uint attempt, out EntryHandle e, out ErrorHandle x) => Native.mpay_journal_resolve_no_payment(j, reference, attempt, text, out e, out x));
        }

        internal static Func<JournalHandle, Entry> ResolveAsTrusted(Entry entry, string note)
        {
            var text = Text.In(note, "note");
            return Of(
                entry,
                (JournalHandle j, byte[] reference, uint attempt, out EntryHandle e, out ErrorHandle x) => Native.mpay_journal_resolve_trusted(j, reference, attempt, text, out e, out x));
        }

        internal static Func<JournalHandle, Entry> ResolveAsSeen(Entry entry, string note)
        {
            if (entry == null) throw new ArgumentNullException("entry");
            var text = Text.In(note, "note");
            if (!entry.IsOrphan)
            {
                var reasons = Text.In(entry.AttentionNames ?? "", "attention");
                return Of(
                    entry,
                    (JournalHandle j, byte[] reference, uint attempt, out EntryHandle e, out ErrorHandle x) => Native.mpay_journal_resolve_seen(j, reference, attempt, reasons, text, out e, out x));
            }
            byte[] order = Text.In(entry.OrderId, "orderId"), status = Text.In(entry.StatusName, "status");
            return journal =>
            {
                var code = Native.mpay_journal_resolve_orphan(journal, order, status, text, out ErrorHandle error);
                Failure.Check(code, error);
                return null;
            };
        }

        internal static JournalStats Stats(JournalHandle journal)
        {
            var code = Native.mpay_journal_stats(journal, out StatsHandle stats, out ErrorHandle error);
            using (stats)
            {
                Failure.Check(code, error);
                return new JournalStats(stats);
            }
        }

        /// <summary>The reference of an attempt. An orphan can name the attempt to whose URL it came, but its order is not that attempt's.</summary>
        internal static string OfEntry(Entry entry)
        {
            if (entry == null) throw new ArgumentNullException("entry");
            if (entry.IsOrphan) throw Failure.InvalidArgument("the entry is an orphan, and no attempt");
            return entry.Reference;
        }

        private static uint Count(int number, string name)
        {
            if (number < 0) throw Failure.InvalidArgument(name + " must not be negative");
            return (uint)number;
        }

        private static Func<JournalHandle, Entry> Pay(string reference, PaymentRequest request, OfRequest call)
        {
            var native = Text.In(reference, "reference");
            var asked = Operations.Given(request, "request").ToNative();
            return journal =>
            {
                using (asked)
                {
                    var code = call(journal, native, asked, out EntryHandle entry, out ErrorHandle error);
                    return Entry.Owned(code, entry, error);
                }
            };
        }

        private static Func<JournalHandle, Entry> Of(Entry entry, OfAttempt call) { return Of(OfEntry(entry), entry.Attempt, call); }

        private static Func<JournalHandle, Entry> Of(string reference, int attempt, OfAttempt call)
        {
            var native = Text.In(reference, "reference");
            var number = Count(attempt, "attempt");
            return One((JournalHandle j, out EntryHandle e, out ErrorHandle x) => call(j, native, number, out e, out x));
        }

        private static Func<JournalHandle, Entry> One(OneEntry call)
        {
            return journal =>
            {
                var code = call(journal, out EntryHandle entry, out ErrorHandle error);
                return Entry.Owned(code, entry, error);
            };
        }

        private static Func<JournalHandle, IReadOnlyList<Entry>> Many(ManyEntries call)
        {
            return journal =>
            {
                var code = call(journal, out EntriesHandle entries, out ErrorHandle error);
                return Entry.Owned(code, entries, error);
            };
        }
    }
}
