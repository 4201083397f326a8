using System;
using System.Collections.Generic;
using MerchantPay;

/// <summary>Makes the measured calls with the C# assembly.</summary>
internal static class Ours
{
    private static void Main()
    {
        var options = new MerchantPayOptions
        {
            BaseUrl = Commands.Url, KeyId = Commands.KeyId, PrivateKey = Commands.PrivateKey, ServerPublicKeys = { Commands.ServerPublicKey },
        };
        using (var verifier = new WebhookVerifier(Commands.ServerPublicKey))
        using (var client = new MerchantPayClient(options))
        {
            Commands.Serve(new Dictionary<string, Action>
            {
                { "webhook", () => Read(verifier.Verify(Commands.Webhook, Commands.Signature, "service-1").Payment) },
                { "status", () => Read(client.GetStatus(Commands.OrderId)) },
            });
        }
    }

    private static void Read(Payment payment)
    {
        Commands.Expect(payment.OrderId == Commands.OrderId && payment.Status == PaymentStatus.DoneSuccess && payment.Sum > 0);
    }
}
