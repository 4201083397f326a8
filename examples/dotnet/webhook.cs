using System;
using System.Globalization;
using MerchantPay;

/// <summary>Receives webhooks: webhook [COUNT]. The program ends after COUNT webhooks, or never if COUNT is not given.</summary>
internal static class WebhookProgram
{
    private static int Main(string[] arguments)
    {
        int count;
        if (arguments.Length == 0 || !int.TryParse(arguments[0], NumberStyles.None, CultureInfo.InvariantCulture, out count)) count = 0; // 0 means without end.
        return Example.Run(() => Run(count));
    }

    private static int Run(int count)
    {
        // The verifier needs only the service's public key. The other settings make the verifier stricter.
        using (var verifier = new WebhookVerifier(Example.Options()))
        {
            var receiver = new Receiver(0, webhook => Receive(verifier, webhook));
            for (var received = 0; count == 0 || received < count;)
            {
                if (receiver.Serve()) received++;
            }
            return 0;
        }
    }

    /// <summary>Verifies one webhook or refuses it. The same event may come again: a shop handles it once.</summary>
    private static int Receive(WebhookVerifier verifier, Webhook webhook)
    {
        if (webhook.IsTooLarge)
        {
            Example.Print("refused too_large");
            return 400;
        }
        try
        {
            Print(verifier.Verify(webhook.Body, webhook.Signature, webhook.KeyId));
            return 200;
        }
        catch (MerchantPayException e)
        {
            Example.Print("refused " + e.CodeName);
            var why = verifier.Explain(webhook.Body, webhook.Signature, webhook.KeyId);
            Console.Error.WriteLine("webhook refused: {0}", why == null ? e.Message : why.ToString()); // for your log, not for the sender
            return 400;
        }
    }

    private static void Print(WebhookEvent verified)
    {
        var payment = verified.Payment;
        switch (verified.Kind)
        {
            case EventKind.Credentials:
                Example.Print("credentials " + payment.OrderId + " pay " + Example.Shown(payment.Sum) + " RUB to " + Example.Shown(payment.PayeeAccount));
                break;
            case EventKind.CredentialsFailed: Example.Print("credentials_failed " + payment.OrderId); break;
            case EventKind.Status: Example.Print("status " + payment.OrderId + " " + Example.Shown(payment.StatusName)); break;
            default: Example.Print("event " + payment.OrderId); break; // A later version of the library may know more kinds.
        }
    }
}
