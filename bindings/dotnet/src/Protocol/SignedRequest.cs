using System;
using System.Collections.Generic;
using MerchantPay.Interop;

namespace MerchantPay
{
    /// <summary>A signed request. Send exactly this body with these headers, by POST.</summary>
    public abstract class SignedRequest : IDisposable
    {
        internal readonly Handle Handle;

        internal SignedRequest(PreparedRecord prepared)
        {
            Handle = prepared.Request;
            Url = prepared.Url;
            Headers = prepared.Headers;
        }

        /// <summary>The URL to which the request must be sent.</summary>
        public string Url { get; }

        /// <summary>All headers of the request. Keep X-Signature secret: anybody who has the signature can send the request
        /// again.</summary>
        public IReadOnlyList<KeyValuePair<string, string>> Headers { get; }

        /// <summary>The signed bytes.</summary>
        public byte[] Body { get { return Calls.PreparedBody().On(Opened()); } }

        /// <summary>
        /// Verifies the response to this request. The arguments are the response's HTTP status, headers and unchanged body. Check
        /// throws the same exceptions as the client's method for the same operation.
        /// </summary>
        public void Check(int status, IEnumerable<KeyValuePair<string, string>> headers, byte[] body) { Answer(status, headers, body); }

        /// <summary>Frees the request and its body.</summary>
        public void Dispose() { Handle.Dispose(); }

        internal abstract object Answer(int status, IEnumerable<KeyValuePair<string, string>> headers, byte[] body);

        internal Handle Opened()
        {
            Handle.NeedOpen("SignedRequest");
            return Handle;
        }
    }

    /// <summary>A signed request. The response to the request contains a result.</summary>
    public sealed class SignedRequest<T> : SignedRequest
    {
        private readonly Func<Value, T> read;

        internal SignedRequest(PreparedRecord prepared, Func<Value, T> read) : base(prepared) { this.read = read; }

        /// <summary>
        /// Verifies the response to this request, and returns the result. The arguments are the response's HTTP status, headers and
        /// unchanged body. Open throws the same exceptions as the client's method for the same operation.
        /// </summary>
        public T Open(int status, IEnumerable<KeyValuePair<string, string>> headers, byte[] body)
        {
            return Calls.Open(status, headers.Checked("headers"), body.Checked("body"), null, read).On(Opened());
        }

        internal override object Answer(int status, IEnumerable<KeyValuePair<string, string>> headers, byte[] body) { return Open(status, headers, body); }
    }
}
