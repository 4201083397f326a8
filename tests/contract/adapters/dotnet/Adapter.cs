using System;
using System.Collections.Generic;
using System.IO;
using System.Text;
using MerchantPay;

/// <summary>The adapter in C#: reads one command per line, and writes one result per line. See
/// ../../README.md.</summary>
internal static class Adapter
{
    private static int Main()
    {
        var input = new StreamReader(Console.OpenStandardInput(), new UTF8Encoding(false));
        var output = new StreamWriter(Console.OpenStandardOutput(), new UTF8Encoding(false)) { AutoFlush = true, NewLine = "\n" };
        for (var line = input.ReadLine(); line != null; line = input.ReadLine()) output.WriteLine(Json.Write(Answer(Json.Object(line))));
        return 0;
    }

    private static Dictionary<string, object> Answer(Dictionary<string, object> command)
    {
        try
        {
            return One("ok", Done(command));
        }
        catch (CannotException e)
        {
            return One("cannot", e.Message);
        }
        catch (MerchantPayException e)
        {
            return One("error", Values.Error(e));
        }
        catch (PaymentCancelledException e)
        {
            return One("error", Values.Error((MerchantPayException)e.InnerException));
        }
        catch (Exception e)
        {
            return One("crash", e.ToString());
        }
    }

    private static Dictionary<string, object> One(string name, object value) { return new Dictionary<string, object> { { name, value } }; }

    private static object Done(Dictionary<string, object> command)
    {
        switch (Values.Text(command, "do"))
        {
            case "settings": return Made(command);
            case "prepare": return Prepared(command);
            case "open": return Opened(command);
            case "verify": return Verified(command);
            case "explain": return Explained(command);
            case "call": return Called(command);
            default: return JournalCommands.Answer(command);
        }
    }

    internal static MerchantPayOptions Options(Dictionary<string, object> command, string name)
    {
        return Values.Set(new MerchantPayOptions(), Values.Object(command, name));
    }

    private static object Made(Dictionary<string, object> command)
    {
        var options = Options(command, "settings");
        if (Values.Text(command, "makes") == "protocol") new Protocol(options).Dispose();
        else new WebhookVerifier(options).Dispose();
        return new Dictionary<string, object>();
    }

    internal static PaymentRequest Request(Dictionary<string, object> arguments) { return Values.Set(new PaymentRequest(), arguments); }

    private static SignedRequest Prepare(Dictionary<string, object> command)
    {
        var arguments = Values.Object(command, "arguments");
        using (var protocol = new Protocol(Options(command, "settings")))
        {
            switch (Values.Text(command, "operation"))
            {
                case "get_available_amounts": return protocol.PrepareGetAvailableAmounts(Values.Set(new AmountsRequest(), arguments));
                case "new_payment": return protocol.PrepareCreatePayment(Request(arguments));
                case "new_payment_async": return protocol.PrepareRequestPayment(Request(arguments));
                case "confirm": return protocol.PrepareConfirm(Values.Text(arguments, "order_id"));
                case "cancel": return protocol.PrepareCancel(Values.Text(arguments, "order_id"));
                case "get_status": return protocol.PrepareGetStatus(Values.Text(arguments, "order_id"));
                default: return protocol.PrepareAttachReceipt(Values.Receipt(arguments));
            }
        }
    }

    private static object Prepared(Dictionary<string, object> command)
    {
        using (var request = Prepare(command))
        {
            var headers = new List<object>();
            foreach (var header in request.Headers) headers.Add(new List<object> { header.Key, header.Value });
            return new Dictionary<string, object> { { "url", request.Url }, { "headers", headers }, { "body", Values.Hex(request.Body) } };
        }
    }

    private static object Opened(Dictionary<string, object> command)
    {
        using (var request = Prepare(command))
        {
            var reply = Values.Object(command, "reply");
            var headers = new List<KeyValuePair<string, string>>();
            foreach (List<object> header in (List<object>)reply["headers"]) headers.Add(new KeyValuePair<string, string>((string)header[0], (string)header[1]));
            var status = (int)Values.Number(reply, "status", 0);
            var body = Values.Bytes(Values.Text(reply, "body"));
            if (request is SignedRequest<Payment>) return Values.Result(((SignedRequest<Payment>)request).Open(status, headers, body));
            if (request is SignedRequest<AvailableAmounts>) return Values.Result(((SignedRequest<AvailableAmounts>)request).Open(status, headers, body));
            request.Check(status, headers, body);
            return new Dictionary<string, object>();
        }
    }

    private static object Verified(Dictionary<string, object> command)
    {
        using (var verifier = new WebhookVerifier(Options(command, "settings")))
        {
            var verified = verifier.Verify(Values.Bytes(Values.Text(command, "body")), Values.Text(command, "signature"), Values.Text(command, "key_id"));
            var result = Values.Result(verified.Payment);
            result["kind"] = Values.Snake(verified.Kind.ToString());
            return result;
        }
    }

    private static object Explained(Dictionary<string, object> command)
    {
        using (var verifier = new WebhookVerifier(Options(command, "settings")))
        {
            var explanation = verifier.Explain(Values.Bytes(Values.Text(command, "body")), Values.Text(command, "signature"), Values.Text(command, "key_id"));
            if (explanation == null) return new Dictionary<string, object> { { "cause", "" } };
            return new Dictionary<string, object> { { "cause", Values.Snake(explanation.Cause.ToString()) }, { "hint", explanation.Hint } };
        }
    }

    private static object Called(Dictionary<string, object> command)
    {
        using (var client = new MerchantPayClient(Options(command, "settings")))
        {
            object result = null;
            for (var times = Values.Number(command, "times", 1); times > 0; times--) result = Call(client, command);
            return result;
        }
    }

    private static object Call(MerchantPayClient client, Dictionary<string, object> command)
    {
        var arguments = Values.Object(command, "arguments");
        switch (Values.Text(command, "operation"))
        {
            case "get_available_amounts": return Values.Result(client.GetAvailableAmounts(Values.Set(new AmountsRequest(), arguments)));
            case "new_payment": return Values.Result(client.CreatePayment(Request(arguments)));
            case "new_payment_async": return Values.Result(client.RequestPayment(Request(arguments)));
            case "get_status": return Values.Result(client.GetStatus(Values.Text(arguments, "order_id")));
            case "confirm": client.Confirm(Values.Text(arguments, "order_id")); break;
            case "cancel": client.Cancel(Values.Text(arguments, "order_id")); break;
            default: client.AttachReceipt(Values.Receipt(arguments)); break;
        }
        return new Dictionary<string, object>();
    }
}
