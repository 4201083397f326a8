using System.Collections.Generic;
using System.Linq;
using MerchantPay;
using Fields = System.Collections.Generic.Dictionary<string, object>;

internal static class JournalCommands
{
    private static MerchantPayClient client;
    private static Journal journal;

    internal static Fields Answer(Fields command)
    {
        var name = command.Of<string>("do");
        switch (name)
        {
            case "journal_open": return Open(command);
            case "journal_close": return Close();
            case "acknowledge_sql": return Statement((AcknowledgeStatement)Values.Invoke(Values.Entries[(int)command.Of<long>("entry")], name, command), command.Of<string>("style") == "colon" || command.Of<string>("style") == "at");
            case "resolve": name += command.ContainsKey("order_id") ? "_as_order" : command.ContainsKey("no_payment") ? "_as_no_payment" : command.ContainsKey("seen") ? "_as_seen" : "_as_trusted"; break;
        }
        return Shown(Adapter.Interruptible(command, token => Values.Invoke(journal, Adapter.Name(name), command, token)));
    }

    private static Fields Open(Fields command)
    {
        Close();
        var options = Values.Set(new JournalOptions(), command.Of<Fields>("settings"));
        options.Place = command.Of<string>("place");
        client = new MerchantPayClient(Adapter.Options(command, "client"));
        journal = new Journal(client, options);
        return new Fields();
    }

    private static Fields Close()
    {
        Values.Entries.Clear();
        journal?.Dispose();
        client?.Dispose();
        journal = null;
        client = null;
        return new Fields();
    }

    private static Fields Shown(object result)
    {
        var received = result as Received;
        if (result is bool) return new Fields { { "changed", result } };
        if (result is Settled) return Values.Shown(result);
        if (result is JournalStats) return new Fields { { "stats", Json.Object(((JournalStats)result).Json) } };
        if (result is IReadOnlyList<Entry>) return new Fields { { "entries", ((IReadOnlyList<Entry>)result).Select(Entry) } };
        if (received == null) return new Fields { { "entry", Entry((Entry)result) } };
        var answer = new Fields { { "entry", Entry(received.Entry) }, { "http_status", received.HttpStatus } };
        if (received.Error is MerchantPayException) answer["error"] = Adapter.Error((MerchantPayException)received.Error);
        return answer;
    }

    private static Fields Entry(Entry entry)
    {
        if (entry == null) return null;
        Values.Entries.Add(entry);
        var fields = Values.Shown(entry, "Json", "AttentionNames");
        return new Fields { { "entry", Values.Entries.Count - 1 }, { "fields", fields }, { "json", entry.Json } };
    }

    private static Fields Statement(AcknowledgeStatement statement, bool isNamed)
    {
        var named = statement.Parameters.ToDictionary(parameter => parameter.Key, parameter => parameter.Value);
        return new Fields { { "text", statement.Text }, { "parameters", isNamed ? (object)named : named.Values } };
    }
}
