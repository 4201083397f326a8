using MerchantPay.Interop;

namespace MerchantPay
{
    /// <summary>The reason why a webhook does not verify. Since 0.3.0.</summary>
    public sealed class Explanation
    {
        internal Explanation(string causeName, string hint)
        {
            CauseName = causeName;
            Hint = hint;
        }

        /// <summary>The cause; null if this version does not know the cause.</summary>
        public Cause? Cause { get { return WordNames.Cause(CauseName); } }

        /// <summary>The name of the cause.</summary>
        public string CauseName { get; }

        /// <summary>The exact fault and its remedy. It contains nothing of the webhook.</summary>
        public string Hint { get; }

        /// <summary>The cause and the hint.</summary>
        public override string ToString() { return CauseName + ": " + Hint; }
    }
}
