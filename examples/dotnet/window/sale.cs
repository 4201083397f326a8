using System;
using System.Threading;
using System.Threading.Tasks;
using MerchantPay;

/// <summary>
/// The sale that a till's window shows. Every step awaits, so the window's thread stays free: it paints, and handles the cashier's button.
/// The sale's events arrive on the window's thread.
/// </summary>
public sealed class Sale
{
    private readonly Journal journal;
    private readonly CancellationTokenSource button = new CancellationTokenSource();

    /// <summary>Makes a sale; this journal stores its payment.</summary>
    public Sale(Journal journal) { this.journal = journal; }

    /// <summary>Reports a line that the cashier should see.</summary>
    public event Action<string> Shown;

    /// <summary>Ends the waiting. The payment stays in the journal: selling the same reference again continues the same payment.</summary>
    public void GiveUp() { button.Cancel(); }

    /// <summary>Creates or continues the payment, and waits for its final status. Returns true if the payment is paid.</summary>
    public async Task<bool> Sell(string reference, PaymentRequest request)
    {
        try
        {
            Show("asking for credentials");
            var entry = await journal.PayAsync(reference, request, button.Token);
            if (entry.Standing == Standing.Unknown)
            {
                Show("nobody knows whether there is a payment: sell it again, or ask support");
                return false;
            }
            if (entry.Credentials != null) Show("pay " + entry.Credentials.Sum + " to " + entry.Credentials.PayeeAccount);
            if (entry.Standing == Standing.Open && entry.IntentName == null) entry = await journal.ConfirmAsync(entry, button.Token);
            Show("waiting for the payment");
            entry = await journal.WaitAsync(reference, TimeSpan.FromMinutes(10), Until.Final, button.Token);
            Show(entry.Succeeded ? "paid" : "not paid: " + entry.StandingName);
            return entry.Succeeded;
        }
        catch (PaymentCancelledException)
        {
            Show("given up; sell it again to go on");
            return false;
        }
        catch (MerchantPayException e)
        {
            Show(e.Outcome == Outcome.NotSent ? "nothing was sent: " + e.Message : "try again: " + e.Message);
            return false;
        }
    }

    private void Show(string line)
    {
        var shown = Shown;
        if (shown != null) shown(line);
    }
}
