using System;
using System.Collections.Generic;
using System.Reflection;
using System.Threading;
using MerchantPay;

internal static class ValueTests
{
    public static void SumIsExactInBothDirections()
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

    public static void UnknownStatusKeepsItsNameAndIsNotFinal()
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

    public static void UnusableTimesAreRefused()
    {
        using (var client = Make.Client())
        {
            Check.Equal("Timeout", Check.Throws<InvalidArgumentException>(() => client.Wait("o-1", TimeSpan.FromSeconds(-1))).Argument);
            Check.Throws<InvalidArgumentException>(() => client.Derive(TimeSpan.Zero));
            Check.Throws<InvalidArgumentException>(() => client.Wait("o-1", TimeSpan.FromDays(100)));
            Check.Throws<InvalidArgumentException>(() => client.Wait("o-1", Timeout.InfiniteTimeSpan));
        }
    }

    public static void LoneSurrogateIsRefused()
    {
        using (var client = Make.Client())
        {
            foreach (var bad in new[] { "\ud800", "a\udc00" })
            {
                var error = Check.Throws<InvalidArgumentException>(() => client.GetStatus(bad));
                Check.Equal("OrderId", error.Argument);
                Check.Equal(Outcome.NotSent, error.Outcome);
            }
        }
        var options = MerchantPayOptions.FromEnvironment();
        options.BaseUrl = "https://\ud800";
        Check.Equal("BaseUrl", Check.Throws<InvalidArgumentException>(() => new MerchantPayClient(options)).Argument);
    }

    public static void EnvironmentOptionsCanBeChanged()
    {
        var options = MerchantPayOptions.FromEnvironment();
        options.UserAgent = "a\tb";
        Check.Equal("UserAgent", Check.Throws<InvalidArgumentException>(() => new MerchantPayClient(options)).Argument);
        options = MerchantPayOptions.FromEnvironment();
        options.ServerPublicKeys.Clear();
        options.BaseUrl = null;
        Check.True(Check.Throws<InvalidArgumentException>(() => new MerchantPayClient(options)).Message.StartsWith("MERCHANTPAY_BASE_URL and MERCHANTPAY_SERVER_PUBLIC_KEY", StringComparison.Ordinal), "both are missing");
    }

    public static void NullIsAnArgumentNullException()
    {
        Check.Throws<ArgumentNullException>(() => new MerchantPayClient(null));
        Check.Throws<ArgumentNullException>(() => new WebhookVerifier((MerchantPayOptions)null));
        Check.Throws<ArgumentNullException>(() => new Protocol(null));
        Check.Throws<ArgumentNullException>(() => new Journal(null, "/nowhere.db"));
        Check.Throws<ArgumentNullException>(() => new ReceiptFile("a.pdf", "application/pdf", null));
        using (var client = Make.Client())
        using (var protocol = new Protocol(MerchantPayOptions.FromEnvironment()))
        using (var request = protocol.PrepareGetStatus("o-1"))
        using (var verifier = WebhookVerifier.FromEnvironment())
        {
            Check.Throws<ArgumentNullException>(() => new Journal(client, (JournalOptions)null));
            Make.WithJournal(journal =>
            {
                foreach (var on in new object[] { client, protocol, request, verifier, journal })
                foreach (var method in on.GetType().GetMethods(BindingFlags.Public | BindingFlags.Instance | BindingFlags.DeclaredOnly))
                foreach (var absent in method.GetParameters())
                {
                    if (absent.IsOptional || absent.ParameterType.IsValueType || absent.ParameterType == typeof(string)) continue;
                    // The other arguments are not looked at before this one.
                    var arguments = Array.ConvertAll(method.GetParameters(), other =>
                        other == absent ? null : other.ParameterType == typeof(byte[]) ? new byte[0] : other.ParameterType.IsInterface ? (object)new KeyValuePair<string, string>[0] : null);
                    var error = Check.Throws<TargetInvocationException>(() => method.Invoke(on, arguments));
                    Check.True(error.InnerException is ArgumentNullException, method + ": " + error.InnerException);
                }
            });
        }
    }

    public static void WebhookWithALoneSurrogateIsUnverified()
    {
        using (var verifier = WebhookVerifier.FromEnvironment())
        {
            var body = new byte[] { (byte)'{', (byte)'}' };
            Check.Throws<UnverifiedException>(() => verifier.Verify(body, "\ud800"));
            Check.Throws<UnverifiedException>(() => verifier.Verify(body, Convert.ToBase64String(new byte[64]), "\ud800"));
            Check.Equal("signature_encoding", verifier.Explain(body, "\ud800").CauseName);
        }
    }
}
