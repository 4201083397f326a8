using System.Collections.Generic;

namespace MerchantPay
{
    public sealed partial class AvailableAmounts
    {
        /// <summary>Makes a result for a test.</summary>
        public AvailableAmounts(IReadOnlyList<decimal> amounts, bool otherAmountsPossible, string json = null)
        {
            Amounts = amounts;
            OtherAmountsPossible = otherAmountsPossible;
            Json = json;
        }
    }
}
