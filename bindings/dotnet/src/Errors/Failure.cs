using System;

namespace MerchantPay.Interop
{
    internal static class Failure
    {
        internal static Exception Exception(ErrorRecord error, Exception cause)
        {
            if (error.Code != Code.Cancelled) return ExceptionOfCode.Make(error, cause);
            return new PaymentCancelledException(new MerchantPayException(error, cause), CallFrame.Token);
        }

        internal static T Checked<T>(this T argument, string name = "request") where T : class
        {
            if (argument == null) throw new ArgumentNullException(name);
            return argument;
        }

        /// <summary>The failure of an argument that this package finds before it calls the library.</summary>
        internal static InvalidArgumentException InvalidArgument(string message)
        {
            var error = new ErrorRecord
            {
                Code = Code.InvalidArgument,
                CodeName = Names.Code.Of(Code.InvalidArgument),
                Outcome = Outcome.NotSent,
                OutcomeName = Names.Outcome.Of(Outcome.NotSent),
                Message = message,
            };
            return new InvalidArgumentException(error, null);
        }
    }
}
