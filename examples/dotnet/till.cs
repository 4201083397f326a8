using System;
using System.Globalization;
using MerchantPay;

/// <summary>
/// A point of sale's whole sale: till FILE REFERENCE SUM [again]. No callback URL: the till asks. Ctrl-C is the cashier's button
/// that gives up waiting. After a power cut, run it again with the same words: it is the same payment, and it goes on.
/// </summary>
internal static class Till
{
    private static int Main(string[] arguments)
    {
        decimal sum;
        if (arguments.Length < 3 || !decimal.TryParse(arguments[2], NumberStyles.AllowDecimalPoint, CultureInfo.InvariantCulture, out sum))
            return Example.Usage("till FILE REFERENCE SUM [again]");
        return Example.Run(() => Run(arguments[0], arguments[1], sum, arguments.Length > 3 && arguments[3] == "again"));
    }

    private static int Run(string file, string reference, decimal sum, bool again)
    {
        using (var client = new MerchantPayClient(Example.Options()))
        using (var journal = new Journal(client, file))
        {
            Console.CancelKeyPress += (sender, pressed) =>
            {
                pressed.Cancel = true;
                client.Interrupt();
            };
            return Sell(journal, reference, sum, again);
        }
    }

    private static int Sell(Journal journal, string reference, decimal sum, bool again)
    {
        var entry = Pay(journal, reference, sum, again);
        Example.Print(reference + " " + entry.StandingName);
        if (entry.Standing == Standing.Unknown)
        {
            Example.Print("nobody knows whether there is a payment: try again, or ask support");
            return 4;
        }
        if (entry.Credentials != null) Example.Print("pay " + Example.Shown(entry.Credentials.Sum) + " to " + Example.Shown(entry.Credentials.PayeeAccount));
        // The customer reports the payment. It is stored first: after a power cut it is reported again.
        if (entry.Standing == Standing.Open && entry.ConfirmStateName == null)
        {
            journal.Confirm(entry);
            Example.Print("confirmed " + reference);
        }
        entry = journal.Wait(reference, TimeSpan.FromMinutes(10));
        Example.Print("status " + Example.Shown(entry.Payment == null ? null : entry.Payment.StatusName));
        PrintReceipts(journal);
        return entry.Succeeded ? 0 : 1;
    }

    /// <summary>The payment of this sale: the one that exists, or a new one.</summary>
    private static Entry Pay(Journal journal, string reference, decimal sum, bool again)
    {
        var request = Example.Request(PaymentMethod.Sbp, "79001234567");
        request.Sum = sum;
        var entry = journal.Pay(reference, request);
        // The cashier has decided: nobody has seen the old credentials, so nobody can pay them.
        if (again && entry.Credentials == null) entry = journal.Pay(reference, request, entry.Attempt);
        // A till that lost its power during the call: its row says so until the call would have ended.
        return entry.Standing == Standing.Sending ? journal.Wait(reference, TimeSpan.FromMinutes(1), Until.Credentials) : entry;
    }

    /// <summary>Prints the receipts of everything that has ended, of this sale and of those before a power cut.</summary>
    private static void PrintReceipts(Journal journal)
    {
        // There is one till, so nobody else must be kept from its news.
        foreach (var entry in journal.News(100, TimeSpan.FromMilliseconds(1)))
        {
            if (entry.Reported == Level.Final) Example.Print((entry.Succeeded ? "sold " : "not sold ") + entry.Reference);
            journal.Acknowledge(entry);
        }
    }
}
