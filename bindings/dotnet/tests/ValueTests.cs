using System;
using System.Collections.Generic;
using System.Threading;
using MerchantPay;

internal static class ValueTests
{
    public static void ASumIsExactInBothDirections()
    {
        using (var client = Make.Client())
        {
            var request = Make.Request();
            request.Sum = 1500.50m;
            var payment = client.CreatePayment(request);
            Check.Equal("1500.50", payment.Sum.Value.ToString(System.Globalization.CultureInfo.InvariantCulture));
            Check.Equal(Paid.Exactly, payment.Paid(1500.5m).Value);
            Check.Equal(Paid.Less, payment.Paid(1500.51m).Value);
            Check.Equal(Paid.More, payment.Paid(1500.49m).Value);
        }
        Check.Equal("33.33", Conversion.ToBalance(3000m, 90.01m, Balance.Usdt, 2, Rounding.HalfUp).ToString(System.Globalization.CultureInfo.InvariantCulture));
        Check.Throws<InvalidArgumentException>(() => Conversion.ToBalance(1m, 1m, Balance.Usdt, 29, Rounding.HalfUp));
        Check.Throws<InvalidArgumentException>(() => Conversion.ToBalance(1m, 1m, Balance.Usdt, -1, Rounding.HalfUp));
    }

    public static void AStatusThatThisVersionDoesNotKnowKeepsItsNameAndIsNotFinal()
    {
        var payment = new Payment(new Dictionary<string, string> { { "orderId", "o-1" }, { "status", "inSpace" } });
        Check.True(payment.Status == null, "there is no status");
        Check.Equal("inSpace", payment.StatusName);
        Check.Equal(false, payment.IsFinal);
    }

    public static void ToStringShowsNothingPersonal()
    {
        var fields = new Dictionary<string, string> { { "orderId", "o-1" }, { "payeeAccount", "4276000011112222" }, { "payeeName", "Иван" }, { "status", "pending" } };
        var payment = new Payment(fields);
        Check.Equal("Payment o-1 pending", payment.ToString());
        Check.True(!new WebhookEvent(EventKind.Credentials, payment).ToString().Contains("4276"), "an event shows no account");
        var options = MerchantPayOptions.FromEnvironment();
        Check.True(!options.ToString().Contains(options.PrivateKey), "the options show no key");
        var pair = Keypair.Generate();
        Check.True(!pair.ToString().Contains(pair.PrivateKey), "a pair shows no private key");
    }

    public static void BadTextsAreInvalidArgumentsAndNothingIsSent()
    {
        using (var client = Make.Client())
        {
            foreach (var bad in new[] { null, "", "a\0b", "\ud800", "a\udc00" })
            {
                var error = Check.Throws<InvalidArgumentException>(() => client.GetStatus(bad));
                Check.Equal(Outcome.NotSent, error.Outcome);
                Check.Equal(Code.InvalidArgument, error.Code);
                Check.Equal("invalid_argument", error.CodeName);
                var request = Make.Request();
                request.CustomerAccount = bad;
                Check.Equal(Outcome.NotSent, Check.Throws<InvalidArgumentException>(() => client.CreatePayment(request)).Outcome);
            }
            Check.Throws<InvalidArgumentException>(() => client.CreatePayment(new PaymentRequest()));
            Check.Equal("CustomerAccount", Check.Throws<InvalidArgumentException>(() => client.CreatePayment(new PaymentRequest { Sum = 1m, PaymentMethod = "sbp", CustomerAccount = "a\0b" })).Argument);
            Check.Equal("Timeout", Check.Throws<InvalidArgumentException>(() => client.Wait("o-1", TimeSpan.FromSeconds(-1))).Argument);
            Check.Throws<InvalidArgumentException>(() => client.Derive(TimeSpan.Zero));
            Check.Throws<InvalidArgumentException>(() => client.Wait("o-1", TimeSpan.FromDays(100)));
            Check.Throws<InvalidArgumentException>(() => client.Wait("o-1", Timeout.InfiniteTimeSpan));
        }
    }

    public static void EveryMethodRefusesTextsThatTheLibraryCannotTake()
    {
        using (var client = Make.Client())
        using (var protocol = new Protocol(MerchantPayOptions.FromEnvironment()))
        {
            JournalTests.With(journal =>
            {
                var entry = journal.Pay("order-1", Make.Request());
                var file = new ReceiptFile("a.pdf", "application/pdf", new byte[] { 0x25, 0x50, 0x44, 0x46, 0x2d });
                foreach (var bad in new[] { null, "a\0b", "\ud800" })
                {
                    var calls = new Action[]
                    {
                        () => client.Confirm(bad), () => client.Cancel(bad), () => client.Wait(bad, Check.Patience), () => client.AttachReceipt(new Receipt(bad, file)),
                        () => protocol.PrepareConfirm(bad), () => protocol.PrepareCancel(bad), () => protocol.PrepareGetStatus(bad), () => protocol.PrepareAttachReceipt(new Receipt(bad, file)),
                        () => journal.Pay(bad, Make.Request()), () => journal.RequestPayment(bad, Make.Request()), () => journal.Replace(bad, 1, Make.Request()),
                        () => journal.Confirm(bad, 1), () => journal.Cancel(bad, 1), () => journal.Find(bad), () => journal.Wait(bad, Check.Patience), () => journal.Acknowledge(bad, 1, 1),
                        () => journal.ResolveAsSeen(entry, bad), () => journal.ResolveAsNoPayment(entry, bad), () => journal.ResolveAsTrusted(entry, bad), () => journal.ResolveAsOrder(entry, bad, "note"),
                    };
                    for (var place = 0; place < calls.Length; place++)
                    {
                        var error = Check.Throws<MerchantPayException>(calls[place]);
                        Check.True(error is InvalidArgumentException && error.Outcome == Outcome.NotSent, "call " + place + " refuses its text: " + error);
                    }
                }
                Check.Equal(1, journal.List().Count);
            });
        }
        foreach (var bad in new[] { "https://a\0b", "https://\ud800" })
        {
            var options = MerchantPayOptions.FromEnvironment();
            options.BaseUrl = bad;
            Check.Equal("BaseUrl", Check.Throws<InvalidArgumentException>(() => new MerchantPayClient(options)).Argument);
        }
    }

    public static void ErrorOfTheEnvironmentNamesTheVariables()
    {
        const string name = "MERCHANTPAY_KEY_ID";
        var before = Environment.GetEnvironmentVariable(name);
        try
        {
            Environment.SetEnvironmentVariable(name, null);
            Check.Equal(name, Check.Throws<InvalidArgumentException>(() => MerchantPayClient.FromEnvironment()).Argument);
            Check.Equal("KeyId", Check.Throws<InvalidArgumentException>(() => new MerchantPayClient(MerchantPayOptions.FromEnvironment())).Argument);
        }
        finally
        {
            Environment.SetEnvironmentVariable(name, before);
        }
    }

    public static void AnAbsentObjectIsAnArgumentNullException()
    {
        Check.Throws<ArgumentNullException>(() => new MerchantPayClient(null));
        Check.Throws<ArgumentNullException>(() => new WebhookVerifier((MerchantPayOptions)null));
        Check.Throws<ArgumentNullException>(() => new Protocol(null));
        using (var client = Make.Client())
        {
            Check.Throws<ArgumentNullException>(() => client.CreatePayment(null));
            Check.Throws<ArgumentNullException>(() => client.GetAvailableAmounts(null));
            Check.Throws<ArgumentNullException>(() => client.AttachReceipt(null));
            Check.Throws<ArgumentNullException>(() => new Journal(client, (JournalOptions)null));
            Check.Throws<ArgumentNullException>(() => new Journal(null, "/nowhere.db"));
        }
        JournalTests.With(journal =>
        {
            Check.Throws<ArgumentNullException>(() => journal.Pay("order-1", null));
            Check.Throws<ArgumentNullException>(() => journal.Confirm(null));
            Check.Throws<ArgumentNullException>(() => journal.Cancel(null));
            Check.Throws<ArgumentNullException>(() => journal.Acknowledge(null));
            Check.Throws<ArgumentNullException>(() => journal.ResolveAsSeen(null, "note"));
            Check.Throws<ArgumentNullException>(() => journal.Receive("/callback", null, "x"));
        });
        using (var protocol = new Protocol(MerchantPayOptions.FromEnvironment()))
        using (var request = protocol.PrepareGetStatus("o-1"))
        {
            Check.Throws<ArgumentNullException>(() => protocol.PrepareCreatePayment(null));
            Check.Throws<ArgumentNullException>(() => request.Open(200, null, new byte[0]));
            Check.Throws<ArgumentNullException>(() => request.Open(200, new KeyValuePair<string, string>[0], null));
        }
        Check.Throws<ArgumentNullException>(() => new ReceiptFile("a.pdf", "application/pdf", null));
        using (var verifier = WebhookVerifier.FromEnvironment()) Check.Throws<ArgumentNullException>(() => verifier.Verify(null, "x"));
        using (var verifier = WebhookVerifier.FromEnvironment()) Check.Throws<ArgumentNullException>(() => verifier.Explain(null, "x"));
    }

    public static void ABadKeyIsAnInvalidKey()
    {
        var options = MerchantPayOptions.FromEnvironment();
        options.PrivateKey = "not base64\0";
        Check.Equal(Code.InvalidKey, Check.Throws<InvalidKeyException>(() => new MerchantPayClient(options)).Code);
        Check.Throws<InvalidKeyException>(() => new WebhookVerifier("AAAA"));
    }

    public static void AForgedWebhookIsUnverified()
    {
        using (var verifier = WebhookVerifier.FromEnvironment())
        {
            var body = new byte[] { (byte)'{', (byte)'}' };
            Check.Throws<UnverifiedException>(() => verifier.Verify(body, null));
            foreach (var bad in new[] { "a\0b", "\ud800" })
            {
                Check.Throws<UnverifiedException>(() => verifier.Verify(body, bad));
                Check.Throws<UnverifiedException>(() => verifier.Verify(body, Convert.ToBase64String(new byte[64]), bad));
                Check.Equal("signature_encoding", verifier.Explain(body, bad).CauseName);
            }
            Check.Throws<UnverifiedException>(() => verifier.Verify(body, Convert.ToBase64String(new byte[64])));
        }
    }
}
