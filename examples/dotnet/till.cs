using System;
using System.Globalization;
using MerchantPay;

/// <summary>
/// A whole sale at a point of sale: till FILE REFERENCE SUM [again]. The till has no callback URL, so it asks for the status. Ctrl-C is the
/// cashier's button, which ends the waiting. After a power cut, run the program again with the same arguments: it continues the same payment.
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
        // The customer has paid. The journal stores the confirm first, and retries it after a power cut.
        if (entry.Standing == Standing.Open && entry.IntentName == null)
        {
            journal.Confirm(entry);
            Example.Print("confirmed " + reference);
        }
        entry = journal.Wait(reference, TimeSpan.FromMinutes(10), Until.Final);
        Example.Print("status " + Example.Shown(entry.StatusName));
        PrintReceipt(journal, entry);
        return entry.Succeeded ? 0 : 1;
    }

    /// <summary>Returns the payment of this sale: an existing one, or a new one.</summary>
    private static Entry Pay(Journal journal, string reference, decimal sum, bool again)
    {
        var request = Example.Request(PaymentMethod.Sbp, "79001234567");
        request.Sum = sum;
        var entry = journal.Pay(reference, request);
        // After a power cut during the call, the standing stays "sending" until the call's deadline.
        if (entry.Standing == Standing.Sending) entry = journal.Wait(reference, TimeSpan.FromMinutes(1));
        // The cashier has decided that no customer saw the old credentials, so no customer can use them.
        return again && entry.Credentials == null && !entry.Succeeded ? journal.Replace(reference, entry.Attempt, request) : entry;
    }

    /// <summary>Prints the receipt of a payment that has ended. After a power cut before the receipt, the entry is still not acknowledged.</summary>
    private static void PrintReceipt(Journal journal, Entry entry)
    {
        var hasEnded = entry.Standing == Standing.Final || entry.Standing == Standing.Refused;
        if (!hasEnded || entry.Acknowledged) return;
        Example.Print((entry.Succeeded ? "sold " : "not sold ") + entry.Reference);
        journal.Acknowledge(entry);
    }
}
