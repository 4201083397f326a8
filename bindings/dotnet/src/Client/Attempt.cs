using System;
using MerchantPay.Interop;

namespace MerchantPay
{
    /// <summary>One HTTP attempt of a call, for a log. It contains no key, signature, account or name.</summary>
    public sealed class Attempt
    {
        internal Attempt(IntPtr attempt)
        {
            UIntPtr length;
            var start = Native.mpay_attempt_fields(attempt, out length);
            var fields = new FieldReader(start, length);
            Line = fields.Next();
            Operation = fields.Next();
            OrderId = fields.Next();
            Number = fields.Number();
            var status = fields.Number();
            HttpStatus = status == 0 ? (int?)null : status;
            Elapsed = TimeSpan.FromMilliseconds(fields.Long());
            CodeName = fields.Next();
            Code = WordNames.Code(CodeName);
            Outcome = WordNames.Outcome(fields.Next());
        }

        /// <summary>The whole attempt as one line.</summary>
        public string Line { get; }

        /// <summary>The operation, by its name in the contract's table.</summary>
        public string Operation { get; }

        /// <summary>The order id of the call; null if the call has no order id yet.</summary>
        public string OrderId { get; }

        /// <summary>1 for the first attempt of a call.</summary>
        public int Number { get; }

        /// <summary>The HTTP status of the response; null if there was no response.</summary>
        public int? HttpStatus { get; }

        /// <summary>The duration of the attempt.</summary>
        public TimeSpan Elapsed { get; }

        /// <summary>The code of the failure; null for a success.</summary>
        public Code? Code { get; }

        /// <summary>The name of the failure's code; null for a success.</summary>
        public string CodeName { get; }

        /// <summary>Shows whether the request may have taken effect; null for a success.</summary>
        public Outcome? Outcome { get; }

        /// <summary>Returns the property Line: the whole attempt as one line.</summary>
        public override string ToString() { return Line; }
    }
}
