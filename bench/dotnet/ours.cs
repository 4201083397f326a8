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
        using (var protocol = new Protocol(options))
        using (var client = new MerchantPayClient(options))
        {
            Commands.Serve(new Dictionary<string, Action>
            {
                { "webhook", () => Read(verifier.Verify(Commands.Webhook, Commands.Signature, Commands.ServerKeyId).Payment) },
                { "status", () => Read(client.GetStatus(Commands.OrderId)) },
                { "prepare", () => Prepare(protocol) },
            });
        }
    }

    private static void Read(Payment payment)
    {
        Commands.Expect(payment.OrderId == Commands.OrderId && payment.Status == PaymentStatus.DoneSuccess && payment.Sum > 0);
    }

    private static void Prepare(Protocol protocol)
    {
        var request = new PaymentRequest { Sum = 1500.50m, PaymentMethod = PaymentMethod.Sbp, CustomerAccount = "79001234567" };
        using (var signed = protocol.PrepareCreatePayment(request)) Commands.Expect(signed.Headers.Count > 0 && signed.Body.Length > 0);
    }
}
