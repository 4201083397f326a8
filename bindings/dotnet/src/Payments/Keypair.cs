using MerchantPay.Interop;

namespace MerchantPay
{
    public sealed partial class Keypair
    {
        /// <summary>Makes a pair of keys.</summary>
        public static Keypair Generate() { return Calls.Keypair().On(Opening.Object); }

        /// <summary>The public key only.</summary>
        public override string ToString() { return "Keypair " + PublicKey; }
    }

    /// <summary>Exact conversions of sums.</summary>
    public static class Conversion
    {
        /// <summary>
        /// Converts a paid sum at a rate to the balance's currency (contract, section 2), and rounds the result once. <paramref
        /// name="scale"/> is the number of digits after the decimal point, from 0 to 28.
        /// </summary>
        public static decimal ToBalance(decimal sum, decimal rate, Balance balance, int scale, Rounding rounding)
        {
            return Calls.ToBalance(sum, rate, balance, scale, rounding).On(Opening.Object).Value;
        }
    }
}
