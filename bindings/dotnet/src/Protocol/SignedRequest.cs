using System;
using System.Collections.Generic;
using MerchantPay.Interop;

namespace MerchantPay
{
    /// <summary>A signed request. Send exactly this body with these headers, by POST.</summary>
    public abstract class SignedRequest : IDisposable
    {
        internal readonly HttpRequestHandle Handle;

        internal SignedRequest(HttpRequestHandle handle)
        {
            Handle = handle;
            UIntPtr length;
            var start = Native.mpay_http_request_head(handle, out length);
            var head = new FieldReader(start, length);
            Url = head.Next();
            var headers = new List<KeyValuePair<string, string>>();
            while (head.HasMore) headers.Add(new KeyValuePair<string, string>(head.Next(), head.Next()));
            Headers = headers;
            GC.KeepAlive(handle);
        }

        /// <summary>The URL to which the request must be sent.</summary>
        public string Url { get; }

        /// <summary>All headers of the request. Keep X-Signature secret: anybody who has the signature can send the request
        /// again.</summary>
        public IReadOnlyList<KeyValuePair<string, string>> Headers { get; }

        /// <summary>The signed bytes.</summary>
        public byte[] Body
        {
            get
            {
                var body = Bytes.Out(Native.mpay_http_request_body(Handle), Native.mpay_http_request_body_len(Handle)) ?? new byte[0];
                // The finalizer must not free the bytes before they are copied.
                GC.KeepAlive(this);
                return body;
            }
        }

        /// <summary> Verifies the response to this request. The arguments are the response's HTTP status, headers and unchanged body. Check
        /// throws the same exceptions as the client's method for the same operation.
        /// </summary>
        public void Check(int status, IEnumerable<KeyValuePair<string, string>> headers, byte[] body) { Answer(status, headers, body); }

        /// <summary>Frees the request.</summary>
        public void Dispose() { Handle.Dispose(); }

        internal abstract object Answer(int status, IEnumerable<KeyValuePair<string, string>> headers, byte[] body);
    }

    /// <summary>A signed request. The response to the request contains a result.</summary>
    public sealed class SignedRequest<T> : SignedRequest
    {
        private readonly Open<T> open;

        internal SignedRequest(HttpRequestHandle handle, Open<T> open) : base(handle) { this.open = open; }

        /// <summary> Verifies the response to this request, and returns the result. The arguments are the response's HTTP status, headers
        /// and unchanged body. Open throws the same exceptions as the client's method for the same operation.
        /// </summary>
        public T Open(int status, IEnumerable<KeyValuePair<string, string>> headers, byte[] body)
        {
            if (headers == null) throw new ArgumentNullException("headers");
            if (body == null) throw new ArgumentNullException("body");
            if (Handle.IsClosed) throw new ObjectDisposedException("SignedRequest");
            using (var response = Native.mpay_http_response_new())
            {
                // The errors of these setters can be ignored: opening the response reports them.
                Native.mpay_http_response_set_status(response, status);
                foreach (var header in headers) Native.mpay_http_response_add_header(response, Text.Received(header.Key, "a header's name"), Text.Received(header.Value, "a header"));
                Native.mpay_http_response_set_body(response, body, (UIntPtr)body.Length);
                return open(Handle, response);
            }
        }

        internal override object Answer(int status, IEnumerable<KeyValuePair<string, string>> headers, byte[] body) { return Open(status, headers, body); }
    }

    internal delegate T Open<T>(HttpRequestHandle request, HttpResponseHandle response);

    /// <summary>Opens the response of each operation.</summary>
    internal static class Opening
    {
        private delegate int OfPayment(HttpRequestHandle request, HttpResponseHandle response, out PaymentHandle payment, out ErrorHandle error);

        private delegate int OfNothing(HttpRequestHandle request, HttpResponseHandle response, out ErrorHandle error);

        internal static Payment CreatePayment(HttpRequestHandle request, HttpResponseHandle response) { return Paid(request, response, Native.mpay_open_new_payment); }

        internal static Payment RequestPayment(HttpRequestHandle request, HttpResponseHandle response) { return Paid(request, response, Native.mpay_open_new_payment_async); }

        internal static Payment GetStatus(HttpRequestHandle request, HttpResponseHandle response) { return Paid(request, response, Native.mpay_open_get_status); }

        internal static AvailableAmounts GetAvailableAmounts(HttpRequestHandle request, HttpResponseHandle response)
        {
            AmountsHandle amounts;
            ErrorHandle error;
            var code = Native.mpay_open_get_available_amounts(request, response, out amounts, out error);
            return AvailableAmounts.Owned(code, amounts, error);
        }

        internal static bool Confirm(HttpRequestHandle request, HttpResponseHandle response) { return Done(request, response, Native.mpay_open_confirm); }

        internal static bool Cancel(HttpRequestHandle request, HttpResponseHandle response) { return Done(request, response, Native.mpay_open_cancel); }

        internal static bool AttachReceipt(HttpRequestHandle request, HttpResponseHandle response) { return Done(request, response, Native.mpay_open_attach_receipt); }

        private static Payment Paid(HttpRequestHandle request, HttpResponseHandle response, OfPayment open)
        {
            PaymentHandle payment;
            ErrorHandle error;
            var code = open(request, response, out payment, out error);
            return PaymentReader.Owned(code, payment, error);
        }

        private static bool Done(HttpRequestHandle request, HttpResponseHandle response, OfNothing open)
        {
            ErrorHandle error;
            var code = open(request, response, out error);
            Failure.Check(code, error);
            return true;
        }
    }
}
