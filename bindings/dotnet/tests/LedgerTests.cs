using System;
using System.Collections.Generic;
using System.Threading;
using MerchantPay;
using MerchantPay.Testing;

/// <summary>
/// Ends a caller at each step of a payment: while the request is signed, while the service works on it, when the service has finished, and
/// when the response has arrived. Afterwards the journal and the service agree, and no reference has two payments.
/// </summary>
internal static class LedgerTests
{
    internal const string Signing = "signing";
    internal const string Answered = "answered";
    private const string New = "newPayment";
    private static readonly string[] Steps = { Signing, "stallBeforeCommit", "stallAfterCommit", Answered };

    public static void TokenAtAnyStepKeepsTheLedgerCorrect()
    {
        AtEachStep(() => new StoppedSale(), (sale, isInDelegate) => sale.Cancel());
    }

    internal static void AtEachStep(Func<StoppedSale> make, Action<StoppedSale, bool> end)
    {
        Make.WithFile(file =>
        {
            using (var sandbox = TestingTests.Start())
            using (var client = sandbox.Client())
            using (var journal = new Journal(client, new JournalOptions { Place = file, Create = true }))
            {
                foreach (var step in Steps) At(step, sandbox, journal, file, make, end);
                Check.Equal(Steps.Length, sandbox.Requests(New));
            }
        });
    }

    private static void At(string step, Sandbox sandbox, Journal journal, string file, Func<StoppedSale> make, Action<StoppedSale, bool> end)
    {
        var isInDelegate = step == Signing || step == Answered;
        var before = sandbox.Requests(New);
        if (!isInDelegate) sandbox.Fail(step, New);
        var sale = make();
        sale.Begin((Dictionary<string, string>)sandbox.Variables, file, step);
        if (isInDelegate) sale.AwaitDelegate();
        else Check.Becomes(() => sandbox.Requests(New) > before, "the service has the request");
        end(sale, isInDelegate);

        Check.Becomes(() => journal.Find(step).Standing != Standing.Sending, "the end of the call is stored");
        Check.Equal(step == Signing ? Standing.Refused : isInDelegate ? Standing.Open : Standing.Unknown, journal.Find(step).Standing.Value);
        // The till tries again.
        var entry = journal.Pay(step, Make.Request());
        Check.Equal(before + 1, sandbox.Requests(New));
        Check.Equal(isInDelegate ? Standing.Open : Standing.Unknown, entry.Standing.Value);
        if (!isInDelegate) return;
        journal.Confirm(entry);
        entry = journal.Wait(step, Check.Patience, Until.Final);
        using (var client = sandbox.Client()) Check.True(entry.Succeeded && client.GetStatus(entry.OrderId).Status == PaymentStatus.DoneSuccess, "both sides say that it is paid");
    }
}

/// <summary>Tests the same as LedgerTests, but ends the caller by Thread.Abort and AppDomain.Unload, which only .NET Framework and Mono have.</summary>
internal static class FrameworkLedgerTests
{
    public static void AbortAtAnyStepKeepsTheLedgerCorrect()
    {
        LedgerTests.AtEachStep(() => new StoppedSale(), (sale, isInDelegate) => sale.Abort());
    }

    public static void UnloadAtAnyStepKeepsTheLedgerCorrect()
    {
        AppDomain domain = null;
        Func<StoppedSale> make = () =>
        {
            domain = AppDomain.CreateDomain("till");
            return (StoppedSale)domain.CreateInstanceAndUnwrap(typeof(StoppedSale).Assembly.FullName, typeof(StoppedSale).FullName);
        };
        LedgerTests.AtEachStep(make, (sale, isInDelegate) =>
        {
            var unload = new Thread(() => AppDomain.Unload(domain));
            unload.Start();
            if (isInDelegate) sale.GoOn(); // An unload waits until the delegate returns.
            Check.Ends(unload);
        });
    }
}

/// <summary>A payment on its own thread. Its reference names the step at which a delegate stops it.</summary>
public sealed class StoppedSale : MarshalByRefObject
{
    private readonly ManualResetEvent isInDelegate = new ManualResetEvent(false);
    private readonly ManualResetEvent goOn = new ManualResetEvent(false);
    private readonly CancellationTokenSource button = new CancellationTokenSource();
    private Thread thread;

    public void Begin(Dictionary<string, string> variables, string file, string step)
    {
        var options = new MerchantPayOptions
        {
            BaseUrl = variables["MERCHANTPAY_BASE_URL"],
            KeyId = variables["MERCHANTPAY_KEY_ID"],
            PrivateKey = variables["MERCHANTPAY_PRIVATE_KEY"],
            ServerPublicKeys = { variables["MERCHANTPAY_SERVER_PUBLIC_KEY"] },
        };
        if (step == LedgerTests.Answered) options.Log = attempt => Stop();
        if (step == LedgerTests.Signing)
        {
            options = Make.Signing(options, message =>
            {
                Stop();
                return new byte[64];
            });
        }
        thread = new Thread(() => Pay(options, file, step)) { IsBackground = true };
        thread.Start();
    }

    public void AwaitDelegate() { Check.Happens(isInDelegate); }

    public void Cancel()
    {
        button.Cancel();
        GoOn();
        Check.Ends(thread);
    }

    public void Abort()
    {
        thread.Abort();
        Check.Ends(thread);
        GoOn();
    }

    public void GoOn() { goOn.Set(); }

    private void Stop()
    {
        isInDelegate.Set();
        goOn.WaitOne();
    }

    private void Pay(MerchantPayOptions options, string file, string reference)
    {
        try
        {
            using (var client = new MerchantPayClient(options))
            using (var journal = new Journal(client, file)) journal.Pay(reference, Make.Request(), button.Token);
        }
        catch (PaymentCancelledException)
        {
            // The token has ended the payment, or its AppDomain is being unloaded.
        }
        catch (MerchantPayException e) when (e.Outcome == Outcome.NotSent)
        {
            // The payment was ended before its request could be sent.
        }
        catch (ThreadAbortException)
        {
            // An abort or an unload has ended the payment.
        }
    }
}
