using System;
using System.Collections.Generic;
using System.IO;
using System.Net.Http;
using System.Runtime.InteropServices;
using System.Runtime.Serialization;
using System.Runtime.Serialization.Json;
using System.Text;
using System.Threading.Tasks;

/// <summary>Makes the measured calls by hand, with HttpClient, libsodium by P/Invoke, and DataContractJsonSerializer.</summary>
/// <remarks>
/// The assembly does more than this program: the strict check of a signature, checks of key ids, of duplicate names in JSON and of the
/// fields' types, a limit of the reply's size, retries, and outcomes. It also ends a call on Thread.Abort or when the application domain is
/// unloaded.
/// </remarks>
internal static class Peer
{
    private const int SignatureLength = 64;
    private static readonly byte[] PrivateKey = Convert.FromBase64String(Commands.PrivateKey);
    private static readonly byte[] ServerPublicKey = Convert.FromBase64String(Commands.ServerPublicKey);
    private static readonly DataContractJsonSerializer Requests = new DataContractJsonSerializer(typeof(OrderRequest));
    private static readonly DataContractJsonSerializer Payments = new DataContractJsonSerializer(typeof(PaymentReply));
    private static readonly HttpClient Client = new HttpClient { Timeout = TimeSpan.FromSeconds(30) };

    [DataContract]
    private sealed class OrderRequest
    {
        [DataMember(Name = "orderId")] internal string OrderId;
    }

    [DataContract]
    private sealed class PaymentReply
    {
        [DataMember(Name = "success")] internal bool Success;
        [DataMember(Name = "errorDescription")] internal string ErrorDescription;
        [DataMember(Name = "orderId")] internal string OrderId;
        [DataMember(Name = "status")] internal string Status;
        [DataMember(Name = "sum")] internal decimal? Sum;
        [DataMember(Name = "payeeAccount")] internal string PayeeAccount;
        [DataMember(Name = "payeeAccountBank")] internal string PayeeAccountBank;
        [DataMember(Name = "payeeName")] internal string PayeeName;
        [DataMember(Name = "dealSum")] internal decimal? DealSum;
        [DataMember(Name = "dealCurrency")] internal string DealCurrency;
        [DataMember(Name = "dealRate")] internal decimal? DealRate;
        [DataMember(Name = "deeplink")] internal string Deeplink;
    }

    [DllImport("libsodium.so.23")]
    private static extern int sodium_init();

    [DllImport("libsodium.so.23")]
    private static extern int crypto_sign_detached(byte[] signature, IntPtr length, byte[] message, ulong size, byte[] key);

    [DllImport("libsodium.so.23")]
    private static extern int crypto_sign_verify_detached(byte[] signature, byte[] message, ulong size, byte[] key);

    private static void Main()
    {
        if (sodium_init() < 0) throw new InvalidOperationException("libsodium");
        Commands.Serve(new Dictionary<string, Action>
        {
            { "webhook", () => Read(Commands.Webhook, Commands.Signature) },
            { "status", () => Status().GetAwaiter().GetResult() },
        });
    }

    private static async Task Status()
    {
        var body = new MemoryStream();
        Requests.WriteObject(body, new OrderRequest { OrderId = Commands.OrderId });
        var content = new ByteArrayContent(body.ToArray());
        content.Headers.Add("Content-Type", "application/json");
        content.Headers.Add("X-KeyId", Commands.KeyId);
        content.Headers.Add("X-Signature", Sign(body.ToArray()));
        using (var reply = await Client.PostAsync(Commands.Url + "/api/v1/merchant/pay/status", content).ConfigureAwait(false))
        {
            var received = await reply.Content.ReadAsByteArrayAsync().ConfigureAwait(false);
            Read(received, string.Join("", reply.Headers.GetValues("X-Signature")));
        }
    }

    private static string Sign(byte[] body)
    {
        var signature = new byte[SignatureLength];
        crypto_sign_detached(signature, IntPtr.Zero, body, (ulong)body.Length, PrivateKey);
        return Convert.ToBase64String(signature);
    }

    private static void Read(byte[] body, string signature)
    {
        var bytes = Convert.FromBase64String(signature);
        if (bytes.Length != SignatureLength || crypto_sign_verify_detached(bytes, body, (ulong)body.Length, ServerPublicKey) != 0)
            throw new InvalidOperationException("the reply is not signed by the service");
        var payment = (PaymentReply)Payments.ReadObject(new MemoryStream(body));
        if (!payment.Success) throw new InvalidOperationException(payment.ErrorDescription);
        Commands.Expect(payment.OrderId == Commands.OrderId && payment.Status == "doneSuccess" && payment.Sum > 0);
    }
}
