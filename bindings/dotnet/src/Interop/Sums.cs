using System.Globalization;

namespace MerchantPay.Interop
{
    /// <summary>Sums as exact texts. The type decimal can hold every amount of the library, with the same
    /// number of decimals.</summary>
    internal static class Sums
    {
        internal static string Write(decimal? sum)
        {
            return sum == null ? null : sum.Value.ToString(CultureInfo.InvariantCulture);
        }

        internal static decimal? Read(string text)
        {
            const NumberStyles style = NumberStyles.AllowDecimalPoint | NumberStyles.AllowLeadingSign;
            return text == null ? (decimal?)null : decimal.Parse(text, style, CultureInfo.InvariantCulture);
        }
    }
}
