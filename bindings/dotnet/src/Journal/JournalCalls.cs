using System;
using System.Collections.Generic;
using System.Data.Common;
using System.Runtime.InteropServices;
using MerchantPay.Interop;

namespace MerchantPay
{
    /// <summary>The operations of a journal. Each operation is a function, and a call runs the function with the call's own handle.</summary>
    internal static class JournalCalls
    {
        private const int NotVerified = 400;

        private delegate int ByReference(JournalHandle journal, byte[] reference, uint attempt, out EntryHandle entry, out ErrorHandle error);

        private delegate int Payer(JournalHandle journal, byte[] reference, PaymentRequestHandle request, uint replace, out EntryHandle entry, out ErrorHandle error);

        private delegate int Reader(JournalHandle journal, out EntriesHandle entries, out ErrorHandle error);

        internal static Func<JournalHandle, Entry> Pay(string reference, PaymentRequest request, int replace) { return Pay(reference, request, replace, Native.mpay_journal_pay); }

        internal static Func<JournalHandle, Entry> RequestPayment(string reference, PaymentRequest request, int replace) { return Pay(reference, request, replace, Native.mpay_journal_pay_async); }

        internal static Func<JournalHandle, Entry> Confirm(Entry entry) { return Confirm(Of(entry), entry.Attempt); }

        internal static Func<JournalHandle, Entry> Confirm(string reference, int attempt) { return By(reference, attempt, Native.mpay_journal_confirm_by); }

        internal static Func<JournalHandle, Entry> Cancel(Entry entry) { return Cancel(Of(entry), entry.Attempt); }

        internal static Func<JournalHandle, Entry> Cancel(string reference, int attempt) { return By(reference, attempt, Native.mpay_journal_cancel_by); }

        internal static Func<JournalHandle, Entry> Find(string reference)
        {
            var native = Text.In(reference, "reference");
            return journal =>
            {
                EntryHandle entry;
                ErrorHandle error;
                var code = Native.mpay_journal_find(journal, native, out entry, out error);
                return Entry.Owned(code, entry, error);
            };
        }

        internal static Func<JournalHandle, Entry> Wait(string reference, TimeSpan timeout, Until until)
        {
            var native = Text.In(reference, "reference");
            var milliseconds = Milliseconds.Of(timeout, "timeout");
            return journal =>
            {
                EntryHandle entry;
                ErrorHandle error;
                var code = Native.mpay_journal_wait(journal, native, milliseconds, (int)until, out entry, out error);
                return Entry.Owned(code, entry, error);
            };
        }

        internal static Func<JournalHandle, IReadOnlyList<Entry>> List(Standing? standing, int limit, Entry before)
        {
            var most = Count(limit, "limit");
            Reader first = (JournalHandle j, out EntriesHandle e, out ErrorHandle x) => Native.mpay_journal_list(j, (int)(standing ?? 0), most, IntPtr.Zero, out e, out x);
            if (before == null) return Many(first);
            return journal => before.Use(pointer => Many((JournalHandle j, out EntriesHandle e, out ErrorHandle x) => Native.mpay_journal_list(j, (int)(standing ?? 0), most, pointer, out e, out x))(journal));
        }

        internal static Func<JournalHandle, IReadOnlyList<Entry>> News(int limit, TimeSpan claim)
        {
            var most = Count(limit, "limit");
            var milliseconds = Milliseconds.Of(claim, "claim");
            return Many((JournalHandle j, out EntriesHandle e, out ErrorHandle x) => Native.mpay_journal_news(j, most, milliseconds, out e, out x));
        }

        internal static Func<JournalHandle, IReadOnlyList<Entry>> Attention(int limit)
        {
            var most = Count(limit, "limit");
            return Many((JournalHandle j, out EntriesHandle e, out ErrorHandle x) => Native.mpay_journal_attention(j, most, out e, out x));
        }

        internal static Func<JournalHandle, bool> Acknowledge(string reference, int attempt, Level level, DbTransaction transaction)
        {
            var native = Text.In(reference, "reference");
            var number = Count(attempt, "attempt");
            return journal =>
            {
                int changed;
                ErrorHandle error;
                if (transaction == null)
                {
                    var done = Native.mpay_journal_acknowledge_by(journal, native, number, (int)level, out changed, out error);
                    Failure.Check(done, error);
                    return changed == 1;
                }
                var statements = GCHandle.Alloc(new TransactionStatements(transaction));
                try
                {
                    var code = Native.mpay_journal_acknowledge_by_with(
                        journal, native, number, (int)level, DatabaseEntry.Run, GCHandle.ToIntPtr(statements), out changed, out error);
                    Failure.Check(code, error);
                    return changed == 1;
                }
                finally
                {
                    statements.Free();
                }
            };
        }

        internal static Func<JournalHandle, Settled> Settle(int limit)
        {
            var most = Count(limit, "limit");
            return journal =>
            {
                uint done;
                long nextDue;
                ErrorHandle error;
                var code = Native.mpay_journal_settle(journal, most, out done, out nextDue, out error);
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
                int httpStatus;
                EntryHandle entry;
                ErrorHandle error;
                var code = Native.mpay_journal_receive(
                    journal, nativePath, body, (UIntPtr)body.Length, nativeSignature, nativeKeyId, out httpStatus, out entry, out error);
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

        internal static Func<JournalHandle, bool> Resolve(Entry entry, int resolution, string orderId, string note)
        {
            if (entry == null) throw new ArgumentNullException("entry");
            byte[] nativeOrderId = Text.In(orderId, "orderId"), nativeNote = Text.In(note, "note");
            return journal => entry.Use(pointer =>
            {
                ErrorHandle error;
                var code = Native.mpay_journal_resolve(journal, pointer, resolution, nativeOrderId, nativeNote, out error);
                Failure.Check(code, error);
                return true;
            });
        }

        internal static string Of(Entry entry)
        {
            if (entry == null) throw new ArgumentNullException("entry");
            return entry.Reference;
        }

        private static uint Count(int number, string name)
        {
            if (number < 0) throw Failure.InvalidArgument(name + " must not be negative");
            return (uint)number;
        }

        private static Func<JournalHandle, Entry> Pay(string reference, PaymentRequest request, int replace, Payer payer)
        {
            var native = Text.In(reference, "reference");
            var replaced = Count(replace, "replace");
            var asked = Operations.Given(request, "request").ToNative();
            return journal =>
            {
                using (asked)
                {
                    EntryHandle entry;
                    ErrorHandle error;
                    var code = payer(journal, native, asked, replaced, out entry, out error);
                    return Entry.Owned(code, entry, error);
                }
            };
        }

        private static Func<JournalHandle, Entry> By(string reference, int attempt, ByReference command)
        {
            var native = Text.In(reference, "reference");
            var number = Count(attempt, "attempt");
            return journal =>
            {
                EntryHandle entry;
                ErrorHandle error;
                var code = command(journal, native, number, out entry, out error);
                return Entry.Owned(code, entry, error);
            };
        }

        private static Func<JournalHandle, IReadOnlyList<Entry>> Many(Reader reader)
        {
            return journal =>
            {
                EntriesHandle entries;
                ErrorHandle error;
                var code = reader(journal, out entries, out error);
                return Entry.Owned(code, entries, error);
            };
        }
    }
}
