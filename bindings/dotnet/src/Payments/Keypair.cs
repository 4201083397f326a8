using MerchantPay.Interop;

namespace MerchantPay
{
    /// <summary>A new pair of keys (contract, section 5).</summary>
    public sealed class Keypair
    {
        private Keypair(string privateKey, string publicKey)
        {
            PrivateKey = privateKey;
            PublicKey = publicKey;
        }

        /// <summary>The private key: base64 of 64 bytes. Keep it secret.</summary>
        public string PrivateKey { get; }

        /// <summary>The public key, for the service: base64 of 32 bytes.</summary>
        public string PublicKey { get; }

        /// <summary>Makes a pair of keys.</summary>
        public static Keypair Generate() { return Library.Loaded(Generated); }

        private static Keypair Generated()
        {
            KeypairHandle pair;
            ErrorHandle error;
            var code = Native.mpay_keypair_generate(out pair, out error);
            using (pair)
            {
                Failure.Check(code, error);
                return new Keypair(Text.Out(Native.mpay_keypair_private_key(pair)), Text.Out(Native.mpay_keypair_public_key(pair)));
            }
        }

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
            if (scale < 0) throw Failure.InvalidArgument("scale must be from 0 to 28");
            return Library.Loaded(() => Converted(sum, rate, balance, scale, rounding));
        }

        private static decimal Converted(decimal sum, decimal rate, Balance balance, int scale, Rounding rounding)
        {
            AmountHandle amount;
            ErrorHandle error;
            var code = Native.mpay_to_balance(
                Text.In(Sums.Write(sum), "sum"), Text.In(Sums.Write(rate), "rate"), (int)balance, (uint)scale, (int)rounding, out amount, out error);
            using (amount)
            {
                Failure.Check(code, error);
                return Sums.Read(Text.Out(Native.mpay_amount_text(amount))).Value;
            }
        }
    }
}
