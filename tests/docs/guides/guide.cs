using System;
using System.Collections.Generic;
using System.Text;
using System.Threading;
using MerchantPay;

/// <summary>Runs the code of a page, which guides.py puts in. examples.py sets the environment.</summary>
internal static class Guide
{
    // bindings/dotnet/README.md

    private static void Main()
    {
        Client.Connect();
        var first = Pay();
        Money(first);
        Need(Confirm(first.OrderId));
        Cancel(first.OrderId);
        Cancel(Pay().OrderId);

        Attach(Environment.GetEnvironmentVariable("DISPUTED"), Environment.GetEnvironmentVariable("RECEIPT"));

        var body = Encoding.UTF8.GetBytes(Environment.GetEnvironmentVariable("WEBHOOK_BODY"));
        var signature = Environment.GetEnvironmentVariable("WEBHOOK_SIGNATURE");
        using (var verifier = WebhookVerifier.FromEnvironment())
        {
            Need(Receive(verifier, body, signature, null) == 200);
            Need(Receive(verifier, Encoding.UTF8.GetBytes("{}"), signature, null) == 400);
        }

        var shown = new List<string>();
        var shipped = new List<string>();
        Sell(payment => shown.Add(payment.PayeeAccount));
        Sell(payment => shown.Add(payment.PayeeAccount));
        Need(shown.Count == 2 && shown[0] == shown[1]);
        CustomerHasPaid();
        Need(Callback("/pay/callback/0", body, signature, null) == 404);
        while (shipped.Count == 0)
        {
            EveryFewSeconds(entry => shipped.Add(entry.Reference));
            Thread.Sleep(100);
        }
        Need(shipped.Count == 1 && shipped[0] == "order-1017");
        TheJournal.Dispose();
        Client.Dispose();
        Console.WriteLine("the end");
    }

    private static void Need(bool holds)
    {
        if (!holds) throw new InvalidOperationException("the guide is wrong");
    }
}
