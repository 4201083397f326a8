using System;
using MerchantPay;

/// <summary>Shows what to do about each of the three outcomes of a call that failed.</summary>
internal static class Outcomes
{
    private static int Main() { return Example.Run(Run); }

    private static int Run()
    {
        using (var client = new MerchantPayClient(Example.Options()))
        {
            // No server listens at this URL, so no byte was sent.
            var unreachable = Example.Options();
            unreachable.BaseUrl = "http://127.0.0.1:1";
            unreachable.MaxRetries = 0;
            using (var other = new MerchantPayClient(unreachable)) Fails(() => other.CreatePayment(Example.Request(PaymentMethod.Sbp, "79001234567")));

            // The service refuses the request, and signs its refusal.
            Fails(() => client.Cancel("no-such-order"));

            // A client with a wrong service key cannot verify a response. The service still executes the client's requests.
            var payment = client.CreatePayment(Example.Request(PaymentMethod.Sbp, "79001234567"));
            Example.Print("order " + payment.OrderId);
            var suspicious = Example.Options();
            suspicious.ServerPublicKeys.Clear();
            suspicious.ServerPublicKeys.Add(Keypair.Generate().PublicKey);
            using (var other = new MerchantPayClient(suspicious)) Fails(() => other.Confirm(payment.OrderId));

            // Do not guess and confirm again: the status shows whether the first confirm took effect.
            Example.WaitFor(client, payment.OrderId);
            return 0;
        }
    }

    /// <summary>Prints what to do about the error.</summary>
    private static void Fails(Action call)
    {
        try
        {
            call();
        }
        catch (MerchantPayException e)
        {
            var line = e.OutcomeName + " " + e.CodeName + (e.ReasonName == null ? "" : " " + e.ReasonName);
            switch (e.Outcome)
            {
                case Outcome.NotSent: Example.Print(line + ": safe to send again"); return;
                case Outcome.Rejected: Example.Print(line + ": nothing took effect"); return;
                default: Example.Print(line + ": ask for the status"); return; // Outcome.Unknown, and any outcome that a later version adds.
            }
        }
        throw new InvalidOperationException("a call succeeded that had to fail");
    }
}
