using System;
using System.Collections.Generic;
using MerchantPay.Interop;

namespace MerchantPay
{
    /// <summary>The amounts for which the service has a counter-offer at this moment (contract, section 4.1). No amount is reserved.</summary>
    public sealed class AvailableAmounts
    {
        /// <summary>Makes a result for a test.</summary>
        public AvailableAmounts(IReadOnlyList<decimal> amounts, bool otherAmountsPossible, string json = null)
        {
            Amounts = amounts;
            OtherAmountsPossible = otherAmountsPossible;
            Json = json;
        }

        /// <summary>The amounts, in the service's order.</summary>
        public IReadOnlyList<decimal> Amounts { get; }

        /// <summary>True if amounts outside the list can succeed too. Then an empty list does not mean that every amount fails.</summary>
        public bool OtherAmountsPossible { get; }

        /// <summary>The verified body, unchanged.</summary>
        public string Json { get; }

        internal static AvailableAmounts Owned(int code, AmountsHandle amounts, ErrorHandle error)
        {
            using (amounts)
            {
                Failure.Check(code, error);
                var count = (int)Native.mpay_amounts_count(amounts);
                var list = new List<decimal>(count);
                for (var index = 0; index < count; index++)
                    list.Add(Sums.Read(Text.Out(Native.mpay_amounts_get(amounts, (UIntPtr)index))).Value);
                return new AvailableAmounts(list, Native.mpay_amounts_other_possible(amounts) == 1, Text.Out(Native.mpay_amounts_json(amounts)));
            }
        }
    }
}
