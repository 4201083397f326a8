using System;
using System.Threading;
using MerchantPay.Interop;

namespace MerchantPay
{
    /// <summary>
    /// Signs requests and verifies responses, for a program that sends the requests with its own HTTP client. Any number of threads may
    /// share it.
    /// </summary>
    public sealed class Protocol : IDisposable
    {
        private readonly ProtocolHandle handle;
        private readonly bool hasSigner;

        /// <summary>Makes a protocol from the settings of a client.</summary>
        public Protocol(MerchantPayOptions options)
        {
            if (options == null) throw new ArgumentNullException("options");
            hasSigner = options.Signer != null;
            handle = options.Use(config =>
            {
                ProtocolHandle made;
                ErrorHandle error;
                var code = Native.mpay_protocol_new(config, out made, out error);
                Failure.Check(code, error);
                return made;
            });
        }

        private delegate int Prepare(ProtocolHandle protocol, out HttpRequestHandle request, out ErrorHandle error);

        /// <summary>Prepares the request of CreatePayment. Send the request only once.</summary>
        public SignedRequest<Payment> PrepareCreatePayment(PaymentRequest request)
        {
            using (var native = Operations.Given(request, "request").ToNative())
            {
                return Prepared((ProtocolHandle p, out HttpRequestHandle r, out ErrorHandle e) => Native.mpay_prepare_new_payment(p, native, out r, out e), Opening.CreatePayment);
            }
        }

        /// <summary>Prepares the request of RequestPayment. Send the request only once.</summary>
        public SignedRequest<Payment> PrepareRequestPayment(PaymentRequest request)
        {
            using (var native = Operations.Given(request, "request").ToNative())
            {
                return Prepared((ProtocolHandle p, out HttpRequestHandle r, out ErrorHandle e) => Native.mpay_prepare_new_payment_async(p, native, out r, out e), Opening.RequestPayment);
            }
        }

        /// <summary>Prepares the request of GetAvailableAmounts. You can send the request several times.</summary>
        public SignedRequest<AvailableAmounts> PrepareGetAvailableAmounts(AmountsRequest request)
        {
            using (var native = Operations.Given(request, "request").ToNative())
            {
                return Prepared((ProtocolHandle p, out HttpRequestHandle r, out ErrorHandle e) => Native.mpay_prepare_get_available_amounts(p, native, out r, out e), Opening.GetAvailableAmounts);
            }
        }

        /// <summary>Prepares the request of Confirm. Send the request only once.</summary>
        public SignedRequest PrepareConfirm(string orderId)
        {
            var id = Text.In(orderId, "orderId");
            return Prepared((ProtocolHandle p, out HttpRequestHandle r, out ErrorHandle e) => Native.mpay_prepare_confirm(p, id, out r, out e), Opening.Confirm);
        }

        /// <summary>Prepares the request of Cancel. Send the request only once.</summary>
        public SignedRequest PrepareCancel(string orderId)
        {
            var id = Text.In(orderId, "orderId");
            return Prepared((ProtocolHandle p, out HttpRequestHandle r, out ErrorHandle e) => Native.mpay_prepare_cancel(p, id, out r, out e), Opening.Cancel);
        }

        /// <summary>Prepares the request of GetStatus. You can send the request several times.</summary>
        public SignedRequest<Payment> PrepareGetStatus(string orderId)
        {
            var id = Text.In(orderId, "orderId");
            return Prepared((ProtocolHandle p, out HttpRequestHandle r, out ErrorHandle e) => Native.mpay_prepare_get_status(p, id, out r, out e), Opening.GetStatus);
        }

        /// <summary>Prepares the request of AttachReceipt. Send the request only once.</summary>
        public SignedRequest PrepareAttachReceipt(Receipt receipt)
        {
            using (var native = Operations.Given(receipt, "receipt").ToNative())
            {
                return Prepared((ProtocolHandle p, out HttpRequestHandle r, out ErrorHandle e) => Native.mpay_prepare_attach_receipt(p, native, out r, out e), Opening.AttachReceipt);
            }
        }

        /// <summary>Frees the protocol. Prepared requests stay valid.</summary>
        public void Dispose() { handle.Dispose(); }

        private SignedRequest<T> Prepared<T>(Prepare prepare, Open<T> open)
        {
            if (handle.IsClosed) throw new ObjectDisposedException("Protocol");
            Func<HttpRequestHandle> run = () =>
            {
                HttpRequestHandle request;
                ErrorHandle error;
                var code = prepare(handle, out request, out error);
                Failure.Check(code, error);
                return request;
            };
            // The signer must not run on a thread that can be aborted.
            return new SignedRequest<T>(hasSigner ? new Call<HttpRequestHandle>(null, run, CancellationToken.None).Run(true) : run(), open);
        }
    }
}
