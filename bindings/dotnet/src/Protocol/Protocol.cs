using System;
using System.Threading;
using MerchantPay.Interop;

namespace MerchantPay
{
    /// <summary>
    /// Signs requests and verifies responses, for a program that sends the requests with its own HTTP client. Any number of threads may
    /// share it.
    /// </summary>
    public sealed partial class Protocol : IDisposable
    {
        private readonly Handle handle;
        private readonly bool hasSigner;

        /// <summary>Makes a protocol from the settings of a client.</summary>
        public Protocol(MerchantPayOptions options)
        {
            handle = options.Checked("options").Open(Calls.ObjectKindProtocol);
            hasSigner = options.Signer != null;
        }

        /// <summary>Frees the protocol. Prepared requests stay valid.</summary>
        public void Dispose() { handle.Dispose(); }

        private SignedRequest<T> Prepared<T>(Command<PreparedRecord> command, Func<Value, T> read)
        {
            handle.NeedOpen("Protocol");
            // The signer must not run on a thread that can be aborted.
            var prepared = hasSigner ? new Call<PreparedRecord>(null, () => command.On(handle), CancellationToken.None).Run(true) : command.On(handle);
            return new SignedRequest<T>(prepared, read);
        }
    }
}
