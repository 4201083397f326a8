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
        /// <summary>What each reason of Attention means here, in their order; empty unless Journal.Attention returned this entry. Since 0.4.0.</summary>
        public IReadOnlyList<string> Details { get; private set; } = new string[0];

        /// <summary>
        /// True for messages about an order that no attempt has. Such an orphan has OrderId, Status and CreatedAt (when the first message
        /// came). Reference and Attempt name the attempt to whose URL a message came, if there is one.
        /// </summary>
        public bool IsOrphan { get; private set; }

        /// <summary>
        /// The column because of which this version cannot read the attempt, else null. An unreadable entry has only Reference and Attempt.
        /// Since 0.4.0.
        /// </summary>
        public string Unreadable { get; private set; }

        /// <summary>
        /// Returns the statement that acknowledges this entry's news in your own transaction on the journal's database. Execute it first.
        /// If it changes no row, another worker was first, or there are newer news: roll back, and read the news again. Otherwise the
        /// transaction's other work is done exactly once. Since 0.4.0.
        /// </summary>
        public AcknowledgeStatement AcknowledgeSql(Style style)
        {
            if (Unreadable != null) throw Failure.InvalidArgument("this row cannot be read, so it has no statement");
            return Calls.AcknowledgeSql(ReferenceOf(this), Attempt, News, style).Then(statement => new AcknowledgeStatement(statement)).On(Opening.Object);
        }

        /// <summary>The reference, the attempt's number and the standing. The text contains nothing personal.</summary>
        public override string ToString() { return "Entry " + Reference + " attempt " + Attempt + " " + StandingName; }

        internal static IReadOnlyList<Entry> Of(IReadOnlyList<AttentionRecord> items)
        {
            var entries = new List<Entry>();
            foreach (var item in items) entries.Add(Of(item));
            return entries;
        }

        /// <summary>The reference of an attempt. An orphan can name the attempt to whose URL it came, but its order is not that attempt's.</summary>
        internal static string ReferenceOf(Entry entry)
        {
            if (entry.Checked("entry").IsOrphan) throw Failure.InvalidArgument("the entry is an orphan, and no attempt");
            return entry.Reference;
        }

        internal static FrameWriter PositionOf(Entry entry) { return entry == null ? null : Calls.Position(entry.CreatedAt, ReferenceOf(entry)); }

        internal Command<Entry> Seen(string note)
        {
            if (IsOrphan) return Calls.JournalResolveOrphan(OrderId, StatusName, note).Then(done => (Entry)null);
            return Calls.JournalResolveSeen(Reference, Attempt, AttentionNames, note);
        }

        private static Entry Of(AttentionRecord item)
        {
            var entry = item.Entry ?? new Entry { Attention = new Attention[0], AttentionNames = new string[0] };
            if (item.Orphan != null)
            {
                entry.IsOrphan = true;
                entry.OrderId = item.Orphan.OrderId;
                entry.StatusName = item.Orphan.Status;
                entry.Status = Names.PaymentStatus.Find(entry.StatusName);
                entry.CreatedAt = item.Orphan.ReceivedAt;
                entry.Reference = item.Orphan.Reference;
                entry.Attempt = item.Orphan.Attempt ?? 0;
            }
            if (item.Unreadable != null)
            {
                entry.Reference = item.Unreadable.Reference;
                entry.Attempt = item.Unreadable.Attempt;
                entry.Unreadable = item.Unreadable.Column;
            }
            entry.Json = item.Json;
            entry.Details = item.Details;
            return entry;
        }
    }

    /// <summary>A statement for your own transaction on the journal's database: see Entry.AcknowledgeSql. Since 0.4.0.</summary>
    public sealed class AcknowledgeStatement
    {
        internal AcknowledgeStatement(StatementRecord statement)
        {
            Text = statement.Text;
            Parameters = new[]
            {
                new KeyValuePair<string, object>("reference", statement.Reference),
                new KeyValuePair<string, object>("attempt", statement.Attempt),
                new KeyValuePair<string, object>("news", statement.News),
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

    /// <summary>The result of a webhook that the journal received.</summary>
    public sealed class Received
    {
        private Received(ReceivedRecord received)
        {
            HttpStatus = received.HttpStatus;
            Entry = received.Entry;
            Error = received.Error == null ? null : Failure.Exception(received.Error, null);
        }

        internal static Received Of(ReceivedRecord received) { return new Received(received); }

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

    public sealed partial class JournalStats
    {
        /// <summary>The attempts that are sending, unknown or open. The others are not counted, because their number only grows.</summary>
        public IReadOnlyDictionary<Standing, long> Counts
        {
            get { return new Dictionary<Standing, long> { { Standing.Sending, Sending }, { Standing.Unknown, Unknown }, { Standing.Open, Open } }; }
        }
    }
}
