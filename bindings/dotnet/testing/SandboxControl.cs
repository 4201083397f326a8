using System;
using System.Globalization;
using System.IO;
using System.Net;
using System.Text;
using System.Text.RegularExpressions;
using System.Threading;

namespace MerchantPay.Testing
{
    /// <summary>A webhook exactly as the sandbox sent it. A test can pass it to the shop's handler.</summary>
    public sealed class SentWebhook
    {
        internal SentWebhook(string path, byte[] body, string signature, string keyId)
        {
            Path = path;
            Body = body;
            Signature = signature;
            KeyId = keyId;
        }

        /// <summary>The path of the URL that the webhook is sent to.</summary>
        public string Path { get; }

        /// <summary>The bytes of the body.</summary>
        public byte[] Body { get; }

        /// <summary>The text of the header X-Signature.</summary>
        public string Signature { get; }

        /// <summary>The text of the header X-KeyId.</summary>
        public string KeyId { get; }
    }

    // The control API, which the real service does not have. A parser of JSON would be a dependency.
    public sealed partial class Sandbox
    {
        private static readonly TimeSpan Patience = TimeSpan.FromSeconds(30);

        /// <summary>Makes the merchant's next requests fail. With "dropAfterCommit" the request takes effect and the response is
        /// lost.</summary>
        /// <param name="kind">A fault that needs no number; docs/sandbox.md lists all.</param>
        /// <param name="operation">Such as "newPayment"; null for every operation.</param>
        /// <param name="times">The number of requests.</param>
        public void Fail(string kind, string operation = null, int times = 1)
        {
            var ofOperation = operation == null ? "" : ",\"operation\":" + JsonName(operation);
            Control("POST", "/faults", "{\"kind\":" + JsonName(kind) + ofOperation + ",\"times\":" + Number(times) + "}");
        }

        /// <summary>Removes every fault.</summary>
        public void ClearFaults()
        {
            Control("DELETE", "/faults", null);
        }

        /// <summary>Lets the customer pay "exactly", "less", "more" or "nothing".</summary>
        public void Pay(string orderId, string how = "exactly")
        {
            Control("POST", PathOf(orderId) + "/customer", "{\"pays\":" + JsonName(how) + "}");
        }

        /// <summary>Lets the service's operator act: "approve", "fail", "arbitration", "requireReceipt", "hold" or "release".</summary>
        public void Operate(string orderId, string action)
        {
            Control("POST", PathOf(orderId) + "/operator", "{\"action\":" + JsonName(action) + "}");
        }

        /// <summary>Changes the payment's next webhook: "duplicate", "tamper", "wrongKey", "unsigned" or "reorder".</summary>
        public void NextWebhook(string orderId, string action)
        {
            Control("POST", PathOf(orderId) + "/webhooks", "{\"action\":" + JsonName(action) + "}");
        }

        /// <summary>Moves a manual clock forward. Everything that the sandbox must do by the new time happens before the method
        /// returns.</summary>
        public void Advance(TimeSpan by)
        {
            Control("POST", "/clock", "{\"advanceMs\":" + Number((long)by.TotalMilliseconds) + "}");
        }

        /// <summary>The number of requests of an operation, such as "newPayment", that have arrived.</summary>
        public int Requests(string operation)
        {
            var requests = Regex.Match(Control("GET", "", null), @"""requests"":\{[^}]*\}").Value;
            var count = Regex.Match(requests, "\"" + Regex.Escape(operation) + @""":(\d+)");
            return count.Success ? int.Parse(count.Groups[1].Value, CultureInfo.InvariantCulture) : 0;
        }

        /// <summary>Returns the newest status webhook of an order as it was sent. Waits for it for 30 seconds, and then throws an
        /// InvalidOperationException.</summary>
        public SentWebhook Webhook(string orderId)
        {
            var path = "/webhooks?orderId=" + Uri.EscapeDataString(orderId);
            var id = "";
            if (!SpinWait.SpinUntil(() => (id = NewestStatus(Control("GET", path, null))).Length > 0, Patience))
                throw new InvalidOperationException("There is no status webhook of the order " + orderId + ".");
            var sent = Control("GET", "/webhooks/" + id, null);
            var request = sent.Substring(sent.IndexOf("\"request\":", StringComparison.Ordinal));
            var body = Convert.FromBase64String(Field(request, "base64"));
            return new SentWebhook(new Uri(Field(sent, "url")).AbsolutePath, body, Field(request, "signature"), Field(request, "keyId"));
        }

        /// <summary>The id of the first status webhook in the sandbox's list, which starts with the newest; empty if there is none.</summary>
        private static string NewestStatus(string list)
        {
            foreach (Match webhook in Regex.Matches(list, @"\{[^{}]*\}"))
                if (Field(webhook.Value, "kind") == "status") return Regex.Match(webhook.Value, @"""id"":(\d+)").Groups[1].Value;
            return "";
        }

        private static string PathOf(string orderId) { return "/payments/" + Uri.EscapeDataString(orderId); }

        private string Control(string method, string path, string body)
        {
            var request = WebRequest.CreateHttp(Url + "/sandbox" + path);
            request.Method = method;
            request.Proxy = null;
            if (body != null)
            {
                var bytes = Encoding.UTF8.GetBytes(body);
                request.ContentType = "application/json";
                using (var stream = request.GetRequestStream()) stream.Write(bytes, 0, bytes.Length);
            }
            try
            {
                using (var response = request.GetResponse()) return ReadBody(response);
            }
            catch (WebException e) when (e.Response != null)
            {
                throw new InvalidOperationException("The sandbox refuses: " + ReadBody(e.Response), e);
            }
        }

        private static string ReadBody(WebResponse response)
        {
            using (var reader = new StreamReader(response.GetResponseStream(), Encoding.UTF8)) return reader.ReadToEnd();
        }

        /// <summary>Reads a text from the sandbox's JSON. The text must not contain escapes.</summary>
        private static string Field(string json, string name) { return Regex.Match(json, "\"" + name + @""":""([^""\\]*)""").Groups[1].Value; }

        private static string Number(long number) { return number.ToString(CultureInfo.InvariantCulture); }

        private static string JsonName(string text)
        {
            if (text == null || Regex.IsMatch(text, @"[^A-Za-z0-9_-]")) throw new ArgumentException("\"" + text + "\" is no name that the sandbox knows.");
            return "\"" + text + "\"";
        }
    }
}
