using System;
using System.Threading;
using System.Threading.Tasks;
using MerchantPay;

/// <summary>Tests how a token or an interruption ends the wait for a call early.</summary>
internal static class EndingTests
{
    public static void ATokenThatIsCancelledWhileTheSignerRunsSendsNothing()
    {
        using (var server = new SilentServer())
        using (var source = new CancellationTokenSource())
        using (var goOn = new ManualResetEvent(false))
        using (var signs = new ManualResetEvent(false))
        {
            var options = Make.Signing(Make.OptionsOf(server), message =>
            {
                signs.Set();
                goOn.WaitOne();
                return Make.Signature("o-1");
            });
            using (var client = new MerchantPayClient(options))
            {
                var call = client.ConfirmAsync("o-1", source.Token);
                Check.Happens(signs);
                source.Cancel();
                goOn.Set();
                Check.Equal(Outcome.NotSent, Cancelled(call).Outcome);
                Check.Equal(false, server.Asked.WaitOne(0));
            }
        }
    }

    public static void AwaitThrowsTheExceptionWithTheOutcomeAndTheTaskIsCancelled()
    {
        using (var server = new SilentServer())
        using (var client = new MerchantPayClient(Make.OptionsOf(server)))
        using (var source = new CancellationTokenSource())
        {
            var call = client.ConfirmAsync("o-1", source.Token);
            Check.Happens(server.Asked);
            source.Cancel();
            var error = Check.Throws<PaymentCancelledException>(() => call.GetAwaiter().GetResult());
            Check.Equal(Outcome.Unknown, error.Outcome);
            Check.Equal(source.Token, error.CancellationToken);
            Check.Equal(true, call.IsCanceled);
            Check.Equal(Outcome.Unknown, MerchantPayException.OutcomeOf(Check.Throws<AggregateException>(() => call.Wait())).Value);
        }
    }

    public static void AnInterruptionReachesWhatIsDerivedAndNotTheParent()
    {
        using (var server = new SilentServer())
        using (var client = new MerchantPayClient(Make.OptionsOf(server)))
        using (var derived = client.Derive())
        {
            var call = derived.GetStatusAsync("o-1");
            Check.Happens(server.Asked);
            derived.Interrupt();
            Cancelled(call);
            Check.Equal(Outcome.NotSent, Check.Throws<PaymentCancelledException>(() => derived.GetStatus("o-1")).Outcome);
            var other = client.GetStatusAsync("o-2");
            Check.Happens(server.Asked);
            client.Interrupt();
            Cancelled(other);
        }
    }

    public static void ADerivedClientHasItsOwnDeadline()
    {
        using (var server = new SilentServer())
        using (var client = new MerchantPayClient(Make.OptionsOf(server)))
        using (var derived = client.Derive(TimeSpan.FromMilliseconds(50)))
        {
            var error = Check.Throws<RequestTimeoutException>(() => derived.GetStatus("o-1"));
            Check.Equal(true, error.IsTransient);
        }
    }

    internal static PaymentCancelledException Cancelled(Task call)
    {
        try
        {
            Check.True(((IAsyncResult)call).AsyncWaitHandle.WaitOne(Check.Patience), "the call ends");
            call.GetAwaiter().GetResult();
        }
        catch (PaymentCancelledException e)
        {
            return e;
        }
        throw new InvalidOperationException("the call was not cancelled");
    }
}
