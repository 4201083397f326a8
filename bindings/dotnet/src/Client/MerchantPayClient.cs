using System;
using System.Threading;
using System.Threading.Tasks;
using MerchantPay.Interop;

namespace MerchantPay
{
    /// <summary>
    /// A client of the service. Any number of threads may share it. Each call runs on a thread that this library makes. A cancelled token,
    /// Thread.Abort and AppDomain.Unload end the caller's wait, and interrupt the call. A method with the suffix Async occupies no thread
    /// of the .NET pool while it waits.
    /// </summary>
    public sealed partial class MerchantPayClient : IDisposable
    {
        internal readonly Handle Handle;

        /// <summary>Makes a client. It opens no connection yet.</summary>
        public MerchantPayClient(MerchantPayOptions options) { Handle = options.Checked("options").Open(Calls.ObjectKindClient); }

        private MerchantPayClient(Handle handle) { Handle = handle; }

        /// <summary>Makes a client from the settings in the environment. Its errors name the variables.</summary>
        public static MerchantPayClient FromEnvironment() { return new MerchantPayClient(MerchantPayOptions.FromEnvironment()); }

        /// <summary>
        /// Makes a derived client, which shares keys and connections with this client. The timeout limits each call of the derived client;
        /// without one it keeps this client's timeout. Interrupting the derived client does not interrupt this client.
        /// </summary>
        public MerchantPayClient Derive(TimeSpan? timeout = null)
        {
            // For the library, zero is no timeout of its own.
            if (timeout == TimeSpan.Zero) throw Failure.InvalidArgument("Timeout must be longer than zero; null keeps this client's timeout");
            return new MerchantPayClient(Derived(timeout));
        }

        /// <summary>
        /// Ends the running calls of this client and of every client derived from it. The interruption is permanent: later calls of these
        /// clients do not start. A disposed client ignores it.
        /// </summary>
        public void Interrupt() { Handle.Interrupt(); }

        /// <summary>Frees the client. Running calls still run to their end. It can be repeated.</summary>
        public void Dispose() { Handle.Dispose(); }

        private T Run<T>(Command<T> command, CancellationToken token) { return NewCall(command, token).Run(); }

        private Task<T> RunAsync<T>(Command<T> command, CancellationToken token) { return NewCall(command, token).RunAsync(); }

        private Call<T> NewCall<T>(Command<T> command, CancellationToken token)
        {
            var derived = Derived(null);
            return new Call<T>(derived, () => command.On(derived), token);
        }

        private Handle Derived(TimeSpan? timeout)
        {
            Handle.NeedOpen("MerchantPayClient");
            return Handle.Make(Calls.Derive(timeout));
        }
    }
}
