using System;
using System.Collections.Generic;
using MerchantPay.Interop;

namespace MerchantPay
{
    /// <summary>
    /// One attempt of a payment at the time of reading, or an orphan: a verified message that matches no attempt. The object does not
    /// change; Find reads the attempt again. Show the credentials to the customer. The property Succeeded means that the customer has paid
    /// exactly the requested sum.
    /// </summary>
    public sealed partial class Entry
    {
        // The entry of the C library, which Resolve and List need.
        private readonly OwnedHandle owner;
        private readonly IntPtr pointer;

        private Entry(OwnedHandle owner, IntPtr pointer)
        {
            this.owner = owner;
            this.pointer = pointer;
            UIntPtr length;
            var start = Native.mpay_entry_fields(pointer, out length);
            var fields = new FieldReader(start, length);
            Json = fields.Next();
            IsOrphan = fields.Flag();
            Read(fields, pointer, fields.Next(), fields.Next());
            var earlier = new List<Entry>();
            for (ulong place = 0; ; place++)
            {
                var each = Native.mpay_entry_earlier(pointer, (UIntPtr)place);
                if (each == IntPtr.Zero) break;
                earlier.Add(new Entry(owner, each));
            }
            Earlier = earlier;
            GC.KeepAlive(owner);
        }

        /// <summary>True if the entry is an orphan: a verified message that matches no attempt. An orphan has an order id and no standing.</summary>
        public bool IsOrphan { get; }

        /// <summary>The earlier attempts, the newest first; empty unless Find returned this entry.</summary>
        public IReadOnlyList<Entry> Earlier { get; }

        /// <summary>The whole entry as JSON.</summary>
        public string Json { get; }

        /// <summary>The reference, the attempt's number and the standing. The text contains nothing personal.</summary>
        public override string ToString() { return "Entry " + Reference + " attempt " + Attempt + " " + StandingName; }

        /// <summary>Passes the entry of the C library to a call.</summary>
        internal T Use<T>(Func<IntPtr, T> call)
        {
            var result = call(pointer);
            GC.KeepAlive(owner);
            return result;
        }

        internal static Entry Owned(int code, EntryHandle entry, ErrorHandle error)
        {
            Failure.Check(code, error);
            return entry.IsInvalid ? null : new Entry(entry, entry.DangerousGetHandle());
        }

        internal static IReadOnlyList<Entry> Owned(int code, EntriesHandle entries, ErrorHandle error)
        {
            Failure.Check(code, error);
            var list = new List<Entry>();
            for (ulong place = 0, count = (ulong)Native.mpay_entries_count(entries); place < count; place++)
                list.Add(new Entry(entries, Native.mpay_entries_get(entries, (UIntPtr)place)));
            return list;
        }
    }

    /// <summary>The error of the last call about an attempt.</summary>
    public sealed class EntryError
    {
        private EntryError(string codeName, string outcomeName, string description)
        {
            CodeName = codeName;
            Code = WordNames.Code(codeName);
            Outcome = WordNames.Outcome(outcomeName);
            Description = description;
        }

        internal static EntryError Of(string codeName, string outcomeName, string description)
        {
            return codeName == null ? null : new EntryError(codeName, outcomeName, description);
        }

        /// <summary>The code of the failure; null if this version does not know the code: see CodeName.</summary>
        public Code? Code { get; }

        /// <summary>The name of the code.</summary>
        public string CodeName { get; }

        /// <summary>Shows whether the request may have taken effect.</summary>
        public Outcome? Outcome { get; }

        /// <summary>The service's text about a refusal. It may contain personal data.</summary>
        public string Description { get; }
    }

    /// <summary>The result of a webhook that the journal received.</summary>
    public sealed class Received
    {
        internal Received(int httpStatus, Entry entry, Exception error)
        {
            HttpStatus = httpStatus;
            Entry = entry;
            Error = error;
        }

        /// <summary>
        /// The HTTP status to answer with: 200 if the webhook was applied, now or earlier; 400 if it does not verify; 404 for an unknown
        /// token; 409 for a different order; 503 if the journal failed, so that the service retries.
        /// </summary>
        public int HttpStatus { get; }

        /// <summary>The attempt after the webhook was applied; null if the webhook belongs to no attempt.</summary>
        public Entry Entry { get; }

        /// <summary>The reason why the webhook was not applied; null for 200, 404 and 409.</summary>
        public Exception Error { get; }
    }

    /// <summary>The result of Settle.</summary>
    public sealed class Settled
    {
        internal Settled(int done, TimeSpan? nextDue)
        {
            Done = done;
            NextDue = nextDue;
        }

        /// <summary>The number of processed attempts.</summary>
        public int Done { get; }

        /// <summary>The time until the next attempt is due; null if no attempt will be due.</summary>
        public TimeSpan? NextDue { get; }
    }
}
