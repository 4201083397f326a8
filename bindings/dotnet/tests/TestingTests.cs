using System;
using System.Collections;
using System.Threading;
using MerchantPay;
using MerchantPay.Testing;

internal static class TestingTests
{
    /// <summary>Starts a sandbox with the path of the program, because these tests run without the variable MERCHANTPAY_PROGRAM.</summary>
    internal static Sandbox Start(bool hold = false, bool manualClock = false)
    {
        return Sandbox.Start(new SandboxOptions { Program = Environment.GetEnvironmentVariable("KIT_PROGRAM"), Hold = hold, ManualClock = manualClock });
    }

    // [kit]
    public static void ASandboxOfItsOwnLosesResponsesAndPlaysCustomerAndOperator()
    {
        var request = new PaymentRequest { Sum = 1500.50m, PaymentMethod = PaymentMethod.Sbp, CustomerAccount = "79001234567" };
        using (var sandbox = Start())
        using (var client = sandbox.Client())
        {
            sandbox.Fail("dropAfterCommit", "newPayment");
            Check.Equal(Outcome.Unknown, Check.Throws<TransportException>(() => client.CreatePayment(request)).Outcome);
            Check.Equal(1, sandbox.Requests("newPayment"));
            sandbox.ClearFaults();
            var id = client.CreatePayment(request).OrderId;
            sandbox.Pay(id, "less");
            client.Confirm(id);
            Check.Equal(Paid.Less, client.Wait(id, Check.Patience).Paid(1500.50m).Value);
            Check.Throws<InvalidOperationException>(() => sandbox.Operate("sb-none", "approve"));
            Check.Throws<ArgumentException>(() => sandbox.Operate(id, "not a name"));
        }
    }
    // [/kit]

    public static void EnvironmentHasOnlyTheSandboxsSettings()
    {
        var before = Environment.GetEnvironmentVariables();
        try
        {
            Environment.SetEnvironmentVariable("MERCHANTPAY_PROXY", "http://127.0.0.1:9");
            using (var sandbox = Start())
            {
                sandbox.SetEnvironment();
                using (var client = MerchantPayClient.FromEnvironment()) client.CreatePayment(Make.Request());
                Check.Equal(1, sandbox.Requests("newPayment"));
            }
        }
        finally
        {
            Environment.SetEnvironmentVariable("MERCHANTPAY_PROXY", null);
            foreach (DictionaryEntry variable in before) Environment.SetEnvironmentVariable((string)variable.Key, (string)variable.Value);
        }
    }

    public static void SandboxWebhookVerifies()
    {
        using (var sandbox = Start(hold: true))
        using (var client = sandbox.Client())
        using (var verifier = sandbox.Verifier())
        {
            var request = Make.Request();
            request.StatusWebhookUrl = "http://127.0.0.1:9/hook";
            request.CredentialsWebhookUrl = "http://127.0.0.1:9/credentials";
            var id = client.RequestPayment(request).OrderId;
            Check.True(SpinWait.SpinUntil(() => client.GetStatus(id).PayeeAccount != null, Check.Patience), "the credentials are found");
            client.Confirm(id);
            sandbox.Operate(id, "approve");
            var sent = sandbox.Webhook(id);
            var verified = verifier.Verify(sent.Body, sent.Signature, sent.KeyId);
            Check.Equal(EventKind.Status, verified.Kind);
            Check.Equal("/hook", sent.Path);
            Check.Equal(id, verified.Payment.OrderId);
            sent.Body[5] ^= 1;
            Check.Throws<UnverifiedException>(() => verifier.Verify(sent.Body, sent.Signature, sent.KeyId));
        }
    }

    public static void SandboxEndsWithItsObject()
    {
        var sandbox = Start(manualClock: true);
        sandbox.Advance(TimeSpan.FromMinutes(1));
        sandbox.Dispose();
        sandbox.Dispose();
        using (var client = new MerchantPayClient(sandbox.Options())) Check.Equal(Outcome.NotSent, Check.Throws<TransportException>(() => client.GetStatus("o-1")).Outcome);
        Check.Throws<InvalidOperationException>(() => Sandbox.Start(new SandboxOptions { Program = "/nowhere/merchantpay" }));
    }
}

/// <summary>A sandbox that keeps the requests of an operation, and never answers them.</summary>
internal sealed class SilentService : IDisposable
{
    internal readonly Sandbox Sandbox = TestingTests.Start();
    private readonly string operation;

    internal SilentService(string operation = "getStatus")
    {
        this.operation = operation;
        Sandbox.Fail("stallBeforeCommit", operation, 1000);
    }

    internal int Asked { get { return Sandbox.Requests(operation); } }

    internal void Await(int requests) { Check.Becomes(() => Asked >= requests, "the service has the request"); }

    public void Dispose() { Sandbox.Dispose(); }
}
