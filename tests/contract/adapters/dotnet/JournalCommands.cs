using System;
using System.Collections;
using System.Collections.Generic;
using System.Data.Common;
using System.Globalization;
using System.Reflection;
using MerchantPay;

/// <summary>The commands of a journal, over a file or a database.</summary>
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
        var replace = (int)Values.Number(command, "replace", 0);
        switch (Values.Text(command, "do"))
        {
            case "journal_open": return Open(command);
            case "journal_close": return Close();
            case "pay": return One(journal.Pay(reference, Adapter.Request(Values.Object(command, "request")), replace));
            case "pay_async": return One(journal.RequestPayment(reference, Adapter.Request(Values.Object(command, "request")), replace));
            case "confirm": return One(journal.Confirm(Given(command, "entry")));
            case "cancel": return One(journal.Cancel(Given(command, "entry")));
            case "find": return One(journal.Find(reference));
            case "list": return Many(journal.List(StandingOf(Values.Text(command, "standing")), limit, Given(command, "before")));
            case "news": return Many(journal.News(limit, TimeSpan.FromMilliseconds(Values.Number(command, "claim_ms", 0))));
            case "attention": return Many(journal.Attention(limit));
            case "acknowledge": return new Dictionary<string, object> { { "changed", journal.Acknowledge(Given(command, "entry")) } };
            case "wait": return One(journal.Wait(reference, TimeSpan.FromMilliseconds(Values.Number(command, "timeout_ms", 0)), Values.Text(command, "until") == "final" ? Until.Final : Until.Credentials));
            case "settle": return Settle(limit);
            case "resolve": return Resolve(command);
            case "receive": return Receive(command);
            case "stats": return new Dictionary<string, object> { { "stats", Json.Object(journal.Stats().Json) } };
            case "purge": return Counted(journal.Purge(Epoch.AddMilliseconds(Values.Number(command, "before_ms", 0))));
            case "forget": return Counted(journal.Forget(reference));
            case "export": return new Dictionary<string, object> { { "lines", new List<object>(journal.Export()) } };
            case "import": return new Dictionary<string, object> { { "changed", journal.Import(Values.Text(command, "line")) } };
            case "pause": return Done(() => journal.Pause(Values.Text(command, "note")));
            case "resume": return Done(() => journal.Resume(Values.Text(command, "note")));
            case "backup": return Done(() => journal.Backup(Values.Text(command, "file")));
            default: throw new InvalidOperationException("there is no command " + Values.Text(command, "do"));
        }
    }

    private static object Counted(long count) { return new Dictionary<string, object> { { "count", count } }; }

    private static object Done(Action operate)
    {
        operate();
        return new Dictionary<string, object>();
    }

    private static object Open(Dictionary<string, object> command)
    {
        Close();
        var options = Values.Set(new JournalOptions(), Values.Object(command, "settings"));
        var place = Values.Object(command, "place");
        var dsn = Values.Text(place, "dsn");
        if (dsn == null) options.File = Values.Text(place, "file");
        else options.Database = () => Databases.Connection(dsn);
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
            if (name == "IsOrphan" || name == "Earlier" || name == "Json" || name.EndsWith("Name", StringComparison.Ordinal)) continue;
            Values.Put(fields, name == "ConfirmState" ? "confirm" : name == "CancelState" ? "cancel" : Values.Snake(name), FieldOf(property.GetValue(entry, null)));
        }
        var earlier = new List<object>();
        foreach (var each in entry.Earlier) earlier.Add(Shown(each));
        return new Dictionary<string, object> { { "entry", number }, { "fields", fields }, { "is_orphan", entry.IsOrphan }, { "earlier", earlier }, { "json", entry.Json } };
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
        if (command.ContainsKey("seen")) journal.ResolveAsSeen(entry, note);
        else if (command.ContainsKey("no_payment")) journal.ResolveAsNoPayment(entry, note);
        else journal.ResolveAsOrder(entry, Values.Text(command, "order_id"), note);
        return new Dictionary<string, object>();
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

/// <summary>Connections by ODBC. .NET Framework and Mono include ODBC; CoreCLR needs a package for it.</summary>
internal static class Databases
{
    private static readonly Type Odbc = Type.GetType("System.Data.Odbc.OdbcConnection, System.Data, Version=4.0.0.0, Culture=neutral, PublicKeyToken=b77a5c561934e089");

    internal static DbConnection Connection(string dsn) { return (DbConnection)Activator.CreateInstance(Odbc, dsn); }
}
