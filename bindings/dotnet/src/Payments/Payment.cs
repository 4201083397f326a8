namespace MerchantPay
{
    public sealed partial class Payment
    {
        /// <summary>
        /// Compares the paid sum with the requested sum; null if there is no paid sum. The status DoneSuccess alone does not mean that the
        /// customer paid everything.
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

    public sealed partial class Attempt
    {
        /// <summary>Returns the property Line: the whole attempt as one line.</summary>
        public override string ToString() { return Line; }
    }
}
