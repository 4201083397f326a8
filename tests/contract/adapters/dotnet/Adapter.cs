using System;
using System.Collections.Generic;
using System.IO;
using System.Linq;
using System.Text;
using System.Threading;
using System.Threading.Tasks;
using MerchantPay;
using Fields = System.Collections.Generic.Dictionary<string, object>;

/// <summary>The adapter in C#: reads one command per line, and writes one result per line. See ../../README.md.</summary>
internal static class Adapter
{
    // The other commands are the journal's.
    private static readonly Dictionary<string, Func<Fields, Fields>> Commands = new Dictionary<string, Func<Fields, Fields>>
    {
        { "settings", command => With(Kind(command.Of<string>("makes")), command, made => null) },
        { "prepare", command => Prepared(command, request => request) },
        { "open", command => Prepared(command, request => Values.Invoke(request, "open", command.Of<Fields>("reply"))) },
        { "verify", command => With(typeof(WebhookVerifier), command, verifier => Values.Invoke(verifier, "verify", command)) },
        { "explain", command => With(typeof(WebhookVerifier), command, verifier => Values.Invoke(verifier, "explain", command) ?? new Fields { { "cause", "" } }) },
        { "call", command => With(typeof(MerchantPayClient), command, client => Called(client, command)) },
    };

    private static TextReader input;

    // What the callbacks of a command got, which belongs to its answer.
    private static readonly Dictionary<string, List<object>> collected = new Dictionary<string, List<object>>();

    private static int Main()
    {
        input = new StreamReader(Console.OpenStandardInput(), new UTF8Encoding(false));
        var output = new StreamWriter(Console.OpenStandardOutput(), new UTF8Encoding(false)) { AutoFlush = true, NewLine = "\n" };
        for (var line = input.ReadLine(); line != null; line = input.ReadLine()) output.WriteLine(Json.Write(Answer(Json.Object(line))));
        return 0;
    }

    private static Fields Answer(Fields command)
    {
        collected.Clear();
        try
        {
            Func<Fields, Fields> run;
            return Answered("ok", Commands.TryGetValue(command.Of<string>("do"), out run) ? run(command) : JournalCommands.Answer(command));
        }
        catch (Exception e)
        {
            // A cancellation has the library's exception inside, as .NET has one of its own.
            var error = (e is PaymentCancelledException ? e.InnerException : e) as MerchantPayException;
            if (error != null) return Answered("error", Error(error));
            // Mono cannot read such a variable.
            if (e.Message.Contains("Illegal byte sequence")) return new Fields { { "cannot", "a text that is not UTF-8" } };
            return e is CannotException ? new Fields { { "cannot", e.Message } } : new Fields { { "crash", e.ToString() } };
        }
    }

    private static Fields Answered(string name, Fields result)
    {
        foreach (var one in collected) result[one.Key] = one.Value;
        return new Fields { { name, result } };
    }

    internal static Fields Error(MerchantPayException error)
    {
        var shown = Values.Shown(error, "Data", "InnerException", "TargetSite", "StackTrace", "HelpLink", "Source", "HResult");
        // The code of its class. A cancellation has no class of its own inside.
        if (error.GetType() != typeof(MerchantPayException)) shown["code"] = Values.Snake(error.GetType().Name.Replace("RequestTimeout", "Timeout").Replace("Exception", ""));
        return shown;
    }

    private static Fields Shown(object result)
    {
        var verified = result as WebhookEvent;
        var request = result as SignedRequest;
        var payment = verified == null ? result as Payment : verified.Payment;
        if (result is Fields) return (Fields)result;
        if (result is AvailableAmounts || result is Explanation) return Values.Shown(result);
        var shown = new Fields();
        if (verified != null) shown["kind"] = Values.Snake(verified.Kind.ToString());
        if (payment != null)
        {
            shown["payment"] = Values.Shown(payment, "IsFinal", "Json");
            shown["final"] = payment.IsFinal;
            shown["known"] = payment.Status != null;
            shown["json"] = payment.Json;
        }
        if (request == null) return shown;
        return new Fields { { "url", request.Url }, { "headers", request.Headers.Select(header => new[] { header.Key, header.Value }) }, { "body", Values.Hex(request.Body) } };
    }

    /// <summary>MerchantPayClient, Protocol or WebhookVerifier.</summary>
    private static Type Kind(string makes) { return typeof(Protocol).Assembly.GetExportedTypes().Single(type => type.IsSealed && type.Name.EndsWith(Values.Pascal(makes), StringComparison.Ordinal)); }

    private static Fields With(Type kind, Fields command, Func<object, object> use)
    {
        var made = Values.Unwrapped(() => Activator.CreateInstance(kind, Options(command, "settings")));
        using ((IDisposable)made) return Shown(use(made));
    }

    internal static MerchantPayOptions Options(Fields command, string name)
    {
        var inEnvironment = command.Of<bool>("from_environment");
        // .NET replaces the bytes of a variable that is not UTF-8.
        if (inEnvironment && Environment.GetEnvironmentVariables().Values.Cast<string>().Any(text => text.Contains("\ufffd"))) throw new CannotException("a text that is not UTF-8");
        var options = inEnvironment ? MerchantPayOptions.FromEnvironment() : new MerchantPayOptions();
        var signer = command.Of<Fields>("signer");
        var logger = command.Of<string>("logger");
        if (signer != null) options.Signer = message => Collected("signed", Values.Hex(message), signer.Of<string>("fails"), Values.Bytes(signer.Of<string>("returns") ?? ""));
        if (logger != null) options.Log = attempt => Collected("log", Values.Shown(attempt, "Line", "Elapsed"), logger == "fails" ? logger : null, true);
        if (signer != null) collected["signed"] = new List<object>();
        if (logger != null) collected["log"] = new List<object>();
        return Values.Set(options, command.Of<Fields>(name) ?? new Fields());
    }

    /// <summary>What a callback does with what it got.</summary>
    private static T Collected<T>(string name, object got, string failure, T answer)
    {
        collected[name].Add(got);
        if (failure != null) throw new InvalidOperationException(failure);
        return answer;
    }

    private static Fields Prepared(Fields command, Func<object, object> use)
    {
        return With(typeof(Protocol), command, protocol =>
        {
            using (var request = (SignedRequest)Values.Invoke(protocol, "prepare_" + Name(command.Of<string>("operation")), command.Of<Fields>("arguments"))) return Shown(use(request));
        });
    }

    private static object Called(object client, Fields command)
    {
        object result = null;
        for (var times = Math.Max(1, command.Of<long>("times")); times > 0; times--)
            result = Interruptible(command, token => Values.Invoke(client, Name(command.Of<string>("operation")), command.Of<Fields>("arguments"), token));
        return result;
    }

    /// <summary>If the command says so, the token is cancelled before the call, or when the next line comes.</summary>
    internal static object Interruptible(Fields command, Func<CancellationToken, object> call)
    {
        var interrupt = command.Of<string>("interrupt");
        if (interrupt == null) return call(CancellationToken.None);
        var source = new CancellationTokenSource();
        var reader = Task.Run(() =>
        {
            if (interrupt == "during") input.ReadLine();
            source.Cancel();
        });
        if (interrupt == "before") reader.Wait();
        try
        {
            return call(source.Token);
        }
        finally
        {
            reader.Wait();
        }
    }

    /// <summary>The name of a method in C#, where Async means that it returns a task.</summary>
    internal static string Name(string operation)
    {
        return operation == "new_payment_async" || operation == "pay_async" ? "request_payment" : operation == "new_payment" ? "create_payment" : operation;
    }
}
