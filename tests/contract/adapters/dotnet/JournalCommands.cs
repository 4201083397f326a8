using System;
using System.Collections;
using System.Collections.Generic;
using System.Globalization;
using System.Reflection;
using MerchantPay;

/// <summary>The commands of a journal.</summary>
internal static class JournalCommands
{
    private static readonly DateTime Epoch = new DateTime(1970, 1, 1, 0, 0, 0, DateTimeKind.Utc);
    private static readonly List<Entry> Entries = new List<Entry>();
    private static MerchantPayClient client;
    private static Journal journal;

    internal static object Answer(Dictionary<string, object> command)
    {
        var reference = Values.Text(command, "reference");
        var limit = (int)Values.Number(command, "limit", 100);
        var attempt = (int)Values.Number(command, "attempt", 0);
        switch (Values.Text(command, "do"))
        {
            case "journal_open": return Open(command);
            case "journal_close": return Close();
            case "pay": return One(journal.Pay(reference, Request(command)));
            case "pay_async": return One(journal.RequestPayment(reference, Request(command)));
            case "replace": return One(journal.Replace(reference, attempt, Request(command)));
            case "confirm": return One(reference == null ? journal.Confirm(Given(command, "entry")) : journal.Confirm(reference, attempt));
            case "cancel": return One(reference == null ? journal.Cancel(Given(command, "entry")) : journal.Cancel(reference, attempt));
            case "find": return One(journal.Find(reference));
            case "list": return Many(journal.List(StandingOf(Values.Text(command, "standing")), limit, Given(command, "before")));
            case "news": return Many(journal.News(limit));
            case "attention": return Many(journal.Attention(limit));
            case "acknowledge": return Acknowledge(command, reference, attempt);
            case "acknowledge_sql": return AcknowledgeSql(Given(command, "entry"), Values.Text(command, "style"));
            case "wait": return One(journal.Wait(reference, TimeSpan.FromMilliseconds(Values.Number(command, "timeout_ms", 0)), Values.Text(command, "until") == "final" ? Until.Final : Until.Credentials));
            case "settle": return Settle(limit);
            case "resolve": return Resolve(command);
            case "receive": return Receive(command);
            case "stats": return new Dictionary<string, object> { { "stats", Json.Object(journal.Stats().Json) } };
            default: throw new InvalidOperationException("there is no command " + Values.Text(command, "do"));
        }
    }

    private static PaymentRequest Request(Dictionary<string, object> command) { return Adapter.Request(Values.Object(command, "request")); }

    private static object Acknowledge(Dictionary<string, object> command, string reference, int attempt)
    {
        var changed = reference == null ? journal.Acknowledge(Given(command, "entry")) : journal.Acknowledge(reference, attempt, Values.Number(command, "news", 0));
        return new Dictionary<string, object> { { "changed", changed } };
    }

    private static object AcknowledgeSql(Entry entry, string style)
    {
        var statement = entry.AcknowledgeSql((Style)Enum.Parse(typeof(Style), Values.Pascal(style)));
        var named = new Dictionary<string, object>();
        foreach (var parameter in statement.Parameters) named[parameter.Key] = parameter.Value;
        object parameters = style == "colon" || style == "at" ? (object)named : new List<object>(named.Values);
        return new Dictionary<string, object> { { "text", statement.Text }, { "parameters", parameters } };
    }

    private static object Open(Dictionary<string, object> command)
    {
        Close();
        var options = Values.Set(new JournalOptions(), Values.Object(command, "settings"));
        options.Place = Values.Text(command, "place");
        client = new MerchantPayClient(Adapter.Options(command, "client"));
        journal = new Journal(client, options);
        return new Dictionary<string, object>();
    }

    private static object Close()
    {
        Entries.Clear();
        if (journal != null) journal.Dispose();
        if (client != null) client.Dispose();
        journal = null;
        client = null;
        return new Dictionary<string, object>();
    }

    private static Entry Given(Dictionary<string, object> command, string name)
    {
        object number;
        return command.TryGetValue(name, out number) && number != null ? Entries[(int)(long)number] : null;
    }

    private static Standing? StandingOf(string name) { return name == null ? (Standing?)null : (Standing)Enum.Parse(typeof(Standing), Values.Pascal(name)); }

    private static object One(Entry entry) { return new Dictionary<string, object> { { "entry", entry == null ? null : Shown(entry) } }; }

    private static object Many(IReadOnlyList<Entry> entries)
    {
        var list = new List<object>();
        foreach (var entry in entries) list.Add(Shown(entry));
        return new Dictionary<string, object> { { "entries", list } };
    }

    private static object Shown(Entry entry)
    {
        Entries.Add(entry);
        var number = Entries.Count - 1;
        var fields = new Dictionary<string, object>();
        foreach (var property in typeof(Entry).GetProperties(BindingFlags.Public | BindingFlags.Instance))
        {
            var name = property.Name;
            if (name == "IsOrphan" || name == "Unreadable" || name == "Details" || name == "Json" || name.EndsWith("Name", StringComparison.Ordinal)) continue;
            Values.Put(fields, Values.Snake(name), name == "Status" ? entry.StatusName : FieldOf(property.GetValue(entry, null)));
        }
        return new Dictionary<string, object>
        {
            { "entry", number }, { "fields", fields }, { "is_orphan", entry.IsOrphan }, { "unreadable", entry.Unreadable }, { "details", new List<object>(entry.Details) }, { "json", entry.Json },
        };
    }

    private static object FieldOf(object value)
    {
        if (value is Enum) return Convert.ToInt32(value, CultureInfo.InvariantCulture);
        if (value is decimal) return ((decimal)value).ToString(CultureInfo.InvariantCulture);
        if (value is DateTime) return (long)((DateTime)value - Epoch).TotalMilliseconds;
        if (value is Payment) return Values.Fields((Payment)value);
        if (value is EntryError) return ErrorOf((EntryError)value);
        if (value is string || !(value is IEnumerable)) return value;
        var list = new List<object>();
        foreach (var item in (IEnumerable)value) list.Add(FieldOf(item));
        return list;
    }

    private static object ErrorOf(EntryError error)
    {
        var fields = new Dictionary<string, object> { { "code", error.CodeName }, { "outcome", Values.Snake(error.Outcome.ToString()) } };
        Values.Put(fields, "description", error.Description);
        return fields;
    }

    private static object Settle(int limit)
    {
        var settled = journal.Settle(limit);
        var result = new Dictionary<string, object> { { "done", settled.Done } };
        if (settled.NextDue != null) result["next_due_ms"] = (long)settled.NextDue.Value.TotalMilliseconds;
        return result;
    }

    private static object Resolve(Dictionary<string, object> command)
    {
        var entry = Given(command, "entry");
        var note = Values.Text(command, "note");
        if (command.ContainsKey("seen")) return One(journal.ResolveAsSeen(entry, note));
        if (command.ContainsKey("trusted")) return One(journal.ResolveAsTrusted(entry, note));
        if (command.ContainsKey("no_payment")) return One(journal.ResolveAsNoPayment(entry, note));
        var sum = Values.Text(command, "sum");
        return One(journal.ResolveAsOrder(entry, Values.Text(command, "order_id"), note, sum == null ? (decimal?)null : decimal.Parse(sum, CultureInfo.InvariantCulture)));
    }

    private static object Receive(Dictionary<string, object> command)
    {
        var received = journal.Receive(Values.Text(command, "path"), Values.Bytes(Values.Text(command, "body")), Values.Text(command, "signature"), Values.Text(command, "key_id"));
        var result = (Dictionary<string, object>)One(received.Entry);
        result["http_status"] = received.HttpStatus;
        var error = received.Error as MerchantPayException;
        if (error != null) result["error"] = Values.Error(error);
        return result;
    }
}
