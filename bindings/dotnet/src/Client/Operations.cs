using System;
using MerchantPay.Interop;

namespace MerchantPay
{
    /// <summary>The operations of a client. Each operation is a function, and a call runs the function with the call's own handle. The
    /// arguments are read before the call begins.</summary>
    internal static class Operations
    {
        private delegate int Command(ClientHandle client, byte[] orderId, out ErrorHandle error);

        private delegate int NewPayment(ClientHandle client, PaymentRequestHandle request, out PaymentHandle payment, out ErrorHandle error);

        internal static Func<ClientHandle, Payment> CreatePayment(PaymentRequest request) { return New(request, Native.mpay_new_payment); }

        internal static Func<ClientHandle, Payment> RequestPayment(PaymentRequest request) { return New(request, Native.mpay_new_payment_async); }

        internal static Func<ClientHandle, AvailableAmounts> GetAvailableAmounts(AmountsRequest request)
        {
            var native = Given(request, "request").ToNative();
            return client =>
            {
                using (native)
                {
                    AmountsHandle amounts;
                    ErrorHandle error;
                    var code = Native.mpay_get_available_amounts(client, native, out amounts, out error);
                    return AvailableAmounts.Owned(code, amounts, error);
                }
            };
        }

        internal static Func<ClientHandle, bool> Confirm(string orderId) { return ByOrder(orderId, Native.mpay_confirm); }

        internal static Func<ClientHandle, bool> Cancel(string orderId) { return ByOrder(orderId, Native.mpay_cancel); }

        internal static Func<ClientHandle, Payment> GetStatus(string orderId)
        {
            var id = Text.In(orderId, "orderId");
            return client =>
            {
                PaymentHandle payment;
                ErrorHandle error;
                var code = Native.mpay_get_status(client, id, out payment, out error);
                return PaymentReader.Owned(code, payment, error);
            };
        }

        internal static Func<ClientHandle, Payment> Wait(string orderId, TimeSpan timeout)
        {
            var id = Text.In(orderId, "orderId");
            var milliseconds = Milliseconds.Of(timeout, "timeout");
            return client =>
            {
                PaymentHandle payment;
                ErrorHandle error;
                var code = Native.mpay_wait(client, id, milliseconds, out payment, out error);
                return PaymentReader.Owned(code, payment, error);
            };
        }

        internal static Func<ClientHandle, bool> AttachReceipt(Receipt receipt)
        {
            var native = Given(receipt, "receipt").ToNative();
            return client =>
            {
                using (native)
                {
                    ErrorHandle error;
                    var code = Native.mpay_attach_receipt(client, native, out error);
                    Failure.Check(code, error);
                    return true;
                }
            };
        }

        internal static Func<ClientHandle, bool> Connect()
        {
            return client =>
            {
                ErrorHandle error;
                var code = Native.mpay_client_connect(client, out error);
                Failure.Check(code, error);
                return true;
            };
        }

        internal static T Given<T>(T argument, string name) where T : class
        {
            if (argument == null) throw new ArgumentNullException(name);
            return argument;
        }

        private static Func<ClientHandle, Payment> New(PaymentRequest request, NewPayment make)
        {
            var native = Given(request, "request").ToNative();
            return client =>
            {
                using (native)
                {
                    PaymentHandle payment;
                    ErrorHandle error;
                    var code = make(client, native, out payment, out error);
                    return PaymentReader.Owned(code, payment, error);
                }
            };
        }

        private static Func<ClientHandle, bool> ByOrder(string orderId, Command command)
        {
            var id = Text.In(orderId, "orderId");
            return client =>
            {
                ErrorHandle error;
                var code = command(client, id, out error);
                Failure.Check(code, error);
                return true;
            };
        }
    }
}
