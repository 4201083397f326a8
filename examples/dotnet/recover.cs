using System;
using System.Globalization;
using System.Threading;
using MerchantPay;

/// <summary>
/// Makes exactly one payment, whatever fails: recover FILE [PORT]. FILE is the journal: a path, postgresql:// or mysql://. The
/// program receives webhooks on PORT, or on any free port if PORT is not given. If the program was killed or its responses were lost, run it
/// again with the same arguments: the program continues the same payment.
/// </summary>
internal static class Recover
{
    private static int Main(string[] arguments)
    {
        if (arguments.Length == 0) return Example.Usage("recover FILE [PORT]");
        int port;
        if (arguments.Length < 2 || !int.TryParse(arguments[1], NumberStyles.None, CultureInfo.InvariantCulture, out port)) port = 0;
        return Example.Run(() => Run(arguments[0], port));
    }

    private static int Run(string file, int port)
    {
        using (var client = new MerchantPayClient(Example.Options()))
        {
            Journal journal = null;
            var receiver = new Receiver(port, webhook => Receive(journal, webhook));
            using (journal = new Journal(client, file, "http://127.0.0.1:" + receiver.Port + "/hooks"))
            {
                receiver.Begin();
                Sell(journal, "order-1017");
            }
            return 0;
        }
    }

    /// <summary>If a webhook comes while the program ends, the service has to send it again.</summary>
    private static int Receive(Journal journal, Webhook webhook)
    {
        try
        {
            return journal.Receive(webhook.Path, webhook.Body, webhook.Signature, webhook.KeyId).HttpStatus;
        }
        catch (ObjectDisposedException)
        {
            return 503;
        }
    }

    private static void Sell(Journal journal, string reference)
    {
        // A repeated call returns the same payment. If the response is lost, a webhook still brings the credentials.
        var entry = journal.RequestPayment(reference, Example.Request(PaymentMethod.Sbp, "79001234567"));
        Example.Print(reference + " " + entry.StandingName);
        while ((entry.Standing != Standing.Final && entry.Standing != Standing.Refused) || !entry.Acknowledged)
        {
            Thread.Sleep(100);
            Settle(journal);
            entry = journal.Find(reference);
        }
    }

    /// <summary>Asks the service about due attempts, and acts on the changes that the journal reports (the news).</summary>
    private static void Settle(Journal journal)
    {
        journal.Settle();
        foreach (var entry in journal.News())
        {
            var task = entry.Succeeded ? ": ship it" : entry.Credentials != null ? ": show the credentials" : "";
            Example.Print(entry.Reference + " " + entry.StandingName + task);
            journal.Acknowledge(entry);
        }
    }
}
