using System;
using MerchantPay.Interop;

namespace MerchantPay
{
    /// <summary>
    /// A payment as a verified response or webhook reports it (contract, section 2). Every field other than the order id may
    /// be null.
    /// </summary>
    public sealed partial class Payment
    {
        /// <summary>The status; null if there is no status, or if this version does not know it. StatusName has the name of any status.</summary>
        public PaymentStatus? Status { get; }

        /// <summary>True if the status is final. A status that this version does not know is never
        /// final.</summary>
        public bool IsFinal { get { return Status.HasValue && Status.Value.IsFinal(); } }

        /// <summary>The verified body, unchanged. It includes fields that this version does not know.</summary>
        public string Json { get; }

        /// <summary> Compares the paid sum with the requested sum; null if there is no paid sum. The status DoneSuccess alone does not mean
        /// that the customer paid everything.
        /// </summary>
        public Paid? Paid(decimal asked)
        {
            if (Sum == null) return null;
            var order = Sum.Value.CompareTo(asked);
            return order == 0 ? MerchantPay.Paid.Exactly : order < 0 ? MerchantPay.Paid.Less : MerchantPay.Paid.More;
        }

        /// <summary>The order id and the status. The text contains nothing personal.</summary>
        public override string ToString() { return "Payment " + OrderId + (StatusName == null ? "" : " " + StatusName); }
    }
}

namespace MerchantPay.Interop
{
    internal static class PaymentReader
    {
        /// <summary>Reads the payment that a call has returned, or throws the call's error.</summary>
        internal static Payment Owned(int code, PaymentHandle payment, ErrorHandle error)
        {
            using (payment)
            {
                Failure.Check(code, error);
                return Borrowed(payment.DangerousGetHandle());
            }
        }

        internal static Payment Borrowed(IntPtr payment)
        {
            if (payment == IntPtr.Zero) return null;
            UIntPtr length;
            var start = Native.mpay_payment_fields(payment, out length);
            return new Payment(new FieldReader(start, length));
        }
    }
}
