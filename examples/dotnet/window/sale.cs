using System;
using System.Threading;
using System.Threading.Tasks;
using MerchantPay;

/// <summary>
/// A sale behind a till's window. Every step awaits, so the thread of the window stays free: it paints, and takes the cashier's
/// button. Its events come on that thread.
/// </summary>
public sealed class Sale
{
    private readonly Journal journal;
    private readonly CancellationTokenSource button = new CancellationTokenSource();

    /// <summary>A sale whose payment is in this journal.</summary>
    public Sale(Journal journal) { this.journal = journal; }

    /// <summary>A line for the cashier.</summary>
    public event Action<string> Shown;

    /// <summary>Gives up waiting. The payment stays in the journal: the same reference goes on with it.</summary>
    public void GiveUp() { button.Cancel(); }

    /// <summary>Takes the payment. True if it is paid.</summary>
    public async Task<bool> Sell(string reference, PaymentRequest request)
    {
        try
        {
            Show("asking for credentials");
            var entry = await journal.PayAsync(reference, request, 0, button.Token);
            if (entry.Standing == Standing.Unknown)
            {
                Show("nobody knows whether there is a payment: sell it again, or ask support");
                return false;
            }
            if (entry.Credentials != null) Show("pay " + entry.Credentials.Sum + " to " + entry.Credentials.PayeeAccount);
            if (entry.Standing == Standing.Open && entry.ConfirmStateName == null) entry = await journal.ConfirmAsync(entry, button.Token);
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
