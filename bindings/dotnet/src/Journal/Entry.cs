using System;
using System.Collections.Generic;
using MerchantPay.Interop;

namespace MerchantPay
{
    /// <summary>
    /// One attempt of a payment at the time of reading: a value, which needs no journal. Find reads the attempt again. Show the
    /// credentials to the customer, and ship if Succeeded is true. An item of Attention can also be an orphan, or a row that cannot be
    /// read: see IsOrphan and Unreadable.
    /// </summary>
    public sealed partial class Entry
    {
        // The texts are the same for every entry, but the library has them only for an entry's handle.
        private static volatile Dictionary<Style, string> statements;

        private Entry(IntPtr entry)
        {
            UIntPtr length;
            var fields = new FieldReader(Native.mpay_entry_fields(entry, out length), length);
            Json = fields.Next();
            var outcome = fields.Next();
            var description = fields.Next();
            IsOrphan = fields.Flag();
            Unreadable = fields.Next();
            fields.Next(); // The details as a JSON array.
            Details = DetailsOf(entry);
            Read(fields, entry, outcome, description);
            if (statements == null && !IsOrphan && Unreadable == null) statements = StatementsOf(entry);
        }

        /// <summary>What each reason of Attention means here, in their order; empty unless Journal.Attention returned this entry. Since 0.4.0.</summary>
        public IReadOnlyList<string> Details { get; }

        /// <summary>
        /// True for messages about an order that no attempt has. Such an orphan has OrderId, Status and CreatedAt (when the first message
        /// came). Reference and Attempt name the attempt to whose URL a message came, if there is one.
        /// </summary>
        public bool IsOrphan { get; }

        /// <summary>
        /// The column because of which this version cannot read the attempt, else null. An unreadable entry has only Reference and Attempt.
        /// Since 0.4.0.
        /// </summary>
        public string Unreadable { get; }

        /// <summary>The whole entry as JSON.</summary>
        public string Json { get; }

        /// <summary>The names in Attention, separated by commas, also those that this version does not know.</summary>
        internal string AttentionNames { get; private set; }

        /// <summary>
        /// Returns the statement that acknowledges this entry's news in your own transaction on the journal's database. Execute it first.
        /// If it changes no row, another worker was first, or there are newer news: roll back, and read the news again. Otherwise the
        /// transaction's other work is done exactly once. Since 0.4.0.
        /// </summary>
        public AcknowledgeStatement AcknowledgeSql(Style style)
        {
            string text = null;
            if (IsOrphan || Unreadable != null || !statements.TryGetValue(style, out text)) throw Failure.InvalidArgument("this entry and style have no statement");
            return new AcknowledgeStatement(text, Reference, Attempt, News);
        }

        /// <summary>The reference, the attempt's number and the standing. The text contains nothing personal.</summary>
        public override string ToString() { return "Entry " + Reference + " attempt " + Attempt + " " + StandingName; }

        internal static Entry Owned(int code, EntryHandle entry, ErrorHandle error)
        {
            using (entry)
            {
                Failure.Check(code, error);
                return entry.IsInvalid ? null : new Entry(entry.DangerousGetHandle());
            }
        }

        internal static IReadOnlyList<Entry> Owned(int code, EntriesHandle entries, ErrorHandle error)
        {
            using (entries)
            {
                Failure.Check(code, error);
                var list = new List<Entry>();
                for (ulong place = 0, count = (ulong)Native.mpay_entries_count(entries); place < count; place++)
                    list.Add(new Entry(Native.mpay_entries_get(entries, (UIntPtr)place)));
                return list;
            }
        }

        private static IReadOnlyList<string> DetailsOf(IntPtr entry)
        {
            var details = new List<string>();
            for (var detail = Detail(entry, 0); detail != null; detail = Detail(entry, details.Count)) details.Add(detail);
            return details;
        }

        private static Dictionary<Style, string> StatementsOf(IntPtr entry)
        {
            var texts = new Dictionary<Style, string>();
            foreach (Style style in Enum.GetValues(typeof(Style))) texts[style] = Text.Out(Native.mpay_entry_acknowledge_sql(entry, (int)style));
            return texts;
        }

        private static string Detail(IntPtr entry, int place) { return Text.Out(Native.mpay_entry_detail(entry, (UIntPtr)place)); }
    }

    /// <summary>A statement for your own transaction on the journal's database: see Entry.AcknowledgeSql. Since 0.4.0.</summary>
    public sealed class AcknowledgeStatement
    {
        internal AcknowledgeStatement(string text, string reference, int attempt, long news)
        {
            Text = text;
            Parameters = new[]
            {
                new KeyValuePair<string, object>("reference", reference),
                new KeyValuePair<string, object>("attempt", attempt),
                new KeyValuePair<string, object>("news", news),
            };
        }

        /// <summary>The UPDATE, for CommandText.</summary>
        public string Text { get; }

        /// <summary>
        /// The names and values of the parameters reference, attempt and news, in the order of the text: a string, an int and a long. With
        /// a style without names, only the order counts.
        /// </summary>
        public IReadOnlyList<KeyValuePair<string, object>> Parameters { get; }
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
        /// The HTTP status to answer with: 200 if the webhook is stored, now or earlier; 400 if it does not verify; 404 for an unknown
        /// token; 409 for a different order; 503 if the journal failed, so that the service retries.
        /// </summary>
        public int HttpStatus { get; }

        /// <summary>The attempt after the webhook; null if the webhook belongs to no attempt.</summary>
        public Entry Entry { get; }

        /// <summary>The reason why the webhook was refused; null for 200, 404 and 409.</summary>
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
