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
    public sealed class MerchantPayClient : IMerchantPayClient, IDisposable
    {
        internal readonly ClientHandle Handle;

        /// <summary>Makes a client. It opens no connection yet.</summary>
        public MerchantPayClient(MerchantPayOptions options)
        {
            if (options == null) throw new ArgumentNullException("options");
            Handle = options.Use(config =>
            {
                ClientHandle made;
                ErrorHandle error;
                var code = Native.mpay_client_new(config, out made, out error);
                Failure.Check(code, error);
                return made;
            });
        }

        private MerchantPayClient(ClientHandle handle) { Handle = handle; }

        /// <summary>Makes a client from the settings in the environment.</summary>
        public static MerchantPayClient FromEnvironment() { return new MerchantPayClient(MerchantPayOptions.FromEnvironment()); }

        /// <summary>
        /// Makes a derived client, which shares keys and connections with this client. The timeout limits each call of the derived client; zero
        /// keeps this client's timeout. Interrupting the derived client does not interrupt this client.
        /// </summary>
        public MerchantPayClient Derive(TimeSpan timeout) { return new MerchantPayClient(Derived(Milliseconds.Of(timeout, "timeout"))); }

        /// <summary>
        /// Ends the running calls of this client and of every client derived from it. The interruption is permanent: later calls of these
        /// clients do not start.
        /// </summary>
        public void Interrupt() { Handle.Interrupt(); }

        /// <summary>Frees the client. Running calls still run to their end.</summary>
        public void Dispose() { Handle.Dispose(); }

        /// <inheritdoc/>
        public Payment CreatePayment(PaymentRequest request, CancellationToken token = default(CancellationToken)) { return Run(Operations.CreatePayment(request), token); }

        /// <inheritdoc/>
        public Task<Payment> CreatePaymentAsync(PaymentRequest request, CancellationToken token = default(CancellationToken)) { return RunAsync(Operations.CreatePayment(request), token); }

        /// <inheritdoc/>
        public Payment RequestPayment(PaymentRequest request, CancellationToken token = default(CancellationToken)) { return Run(Operations.RequestPayment(request), token); }

        /// <inheritdoc/>
        public Task<Payment> RequestPaymentAsync(PaymentRequest request, CancellationToken token = default(CancellationToken)) { return RunAsync(Operations.RequestPayment(request), token); }

        /// <inheritdoc/>
        public AvailableAmounts GetAvailableAmounts(AmountsRequest request, CancellationToken token = default(CancellationToken)) { return Run(Operations.GetAvailableAmounts(request), token); }

        /// <inheritdoc/>
        public Task<AvailableAmounts> GetAvailableAmountsAsync(AmountsRequest request, CancellationToken token = default(CancellationToken)) { return RunAsync(Operations.GetAvailableAmounts(request), token); }

        /// <inheritdoc/>
        public void Confirm(string orderId, CancellationToken token = default(CancellationToken)) { Run(Operations.Confirm(orderId), token); }

        /// <inheritdoc/>
        public Task ConfirmAsync(string orderId, CancellationToken token = default(CancellationToken)) { return RunAsync(Operations.Confirm(orderId), token); }

        /// <inheritdoc/>
        public void Cancel(string orderId, CancellationToken token = default(CancellationToken)) { Run(Operations.Cancel(orderId), token); }

        /// <inheritdoc/>
        public Task CancelAsync(string orderId, CancellationToken token = default(CancellationToken)) { return RunAsync(Operations.Cancel(orderId), token); }

        /// <inheritdoc/>
        public Payment GetStatus(string orderId, CancellationToken token = default(CancellationToken)) { return Run(Operations.GetStatus(orderId), token); }

        /// <inheritdoc/>
        public Task<Payment> GetStatusAsync(string orderId, CancellationToken token = default(CancellationToken)) { return RunAsync(Operations.GetStatus(orderId), token); }

        /// <inheritdoc/>
        public void AttachReceipt(Receipt receipt, CancellationToken token = default(CancellationToken)) { Run(Operations.AttachReceipt(receipt), token); }

        /// <inheritdoc/>
        public Task AttachReceiptAsync(Receipt receipt, CancellationToken token = default(CancellationToken)) { return RunAsync(Operations.AttachReceipt(receipt), token); }

        /// <inheritdoc/>
        public Payment Wait(string orderId, TimeSpan timeout, CancellationToken token = default(CancellationToken)) { return Run(Operations.Wait(orderId, timeout), token); }

        /// <inheritdoc/>
        public Task<Payment> WaitAsync(string orderId, TimeSpan timeout, CancellationToken token = default(CancellationToken)) { return RunAsync(Operations.Wait(orderId, timeout), token); }

        /// <inheritdoc/>
        public void Connect(CancellationToken token = default(CancellationToken)) { Run(Operations.Connect(), token); }

        /// <inheritdoc/>
        public Task ConnectAsync(CancellationToken token = default(CancellationToken)) { return RunAsync(Operations.Connect(), token); }

        private T Run<T>(Func<ClientHandle, T> operation, CancellationToken token) { return NewCall(operation, token).Run(); }

        private Task<T> RunAsync<T>(Func<ClientHandle, T> operation, CancellationToken token) { return NewCall(operation, token).RunAsync(); }

        private Call<T> NewCall<T>(Func<ClientHandle, T> operation, CancellationToken token)
        {
            var derived = Derived(0);
            return new Call<T>(derived, () => operation(derived), token);
        }

        /// <summary>Makes a derived handle, which keeps the callbacks of this client alive.</summary>
        private ClientHandle Derived(uint timeout)
        {
            if (Handle.IsClosed) throw new ObjectDisposedException("MerchantPayClient");
            return Handle.Derived((out ClientHandle made, out ErrorHandle error) => Native.mpay_client_derive(Handle, timeout, out made, out error));
        }
    }
}
