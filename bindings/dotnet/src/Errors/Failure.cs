using System;
using System.Runtime.InteropServices;
using MerchantPay.Interop;

namespace MerchantPay.Interop
{
    /// <summary>All fields of an error of the library.</summary>
    internal sealed class ErrorFields
    {
        internal Code Code;
        internal string CodeName;
        internal Outcome Outcome;
        internal string OutcomeName;
        internal bool IsTransient;
        internal string Message;
        internal string Description;
        internal Reason? Reason;
        internal string ReasonName;
        internal int? HttpStatus;
        internal string OrderId;
        internal string ContentType;
        internal string Excerpt;
        internal TimeSpan? RetryAfter;
        internal byte[] Body;

        internal static ErrorFields Read(IntPtr error)
        {
            UIntPtr length;
            var start = Native.mpay_error_fields(error, out length);
            var fields = new FieldReader(start, length);
            var read = new ErrorFields
            {
                Code = (Code)Native.mpay_error_code(error),
                CodeName = fields.Next(),
                Outcome = (Outcome)Native.mpay_error_outcome(error),
                OutcomeName = fields.Next(),
                IsTransient = fields.Flag(),
            };
            var status = fields.Number();
            read.HttpStatus = status == 0 ? (int?)null : status;
            read.Message = fields.Next();
            read.Description = fields.Next();
            read.ReasonName = fields.Next();
            read.Reason = WordNames.Reason(read.ReasonName);
            read.OrderId = fields.Next();
            read.ContentType = fields.Next();
            read.Excerpt = fields.Next();
            var milliseconds = fields.Long();
            read.RetryAfter = milliseconds == 0 ? (TimeSpan?)null : TimeSpan.FromMilliseconds(milliseconds);
            read.Body = Bytes.Out(Native.mpay_error_body(error), Native.mpay_error_body_len(error));
            return read;
        }
    }

    internal static class Bytes
    {
        /// <summary>A copy of bytes of the library; null if there are no bytes.</summary>
        internal static byte[] Out(IntPtr start, UIntPtr length)
        {
            if (start == IntPtr.Zero) return null;
            var bytes = new byte[checked((int)length)];
            Marshal.Copy(start, bytes, 0, bytes.Length);
            return bytes;
        }
    }

    /// <summary>Turns a failure of the library into an exception.</summary>
    internal static class Failure
    {
        internal static void Check(int code, ErrorHandle error)
        {
            using (error)
            {
                if (code == Native.MPAY_OK) return;
                // The error stays alive until the end of the block.
                var fields = ErrorFields.Read(error.DangerousGetHandle());
                throw Exception(fields, CallFrame.Cause);
            }
        }

        internal static Exception Exception(ErrorFields fields, Exception cause)
        {
            if (fields.Code != Code.Cancelled) return ExceptionOfCode.Make(fields, cause);
            return new PaymentCancelledException(new MerchantPayException(fields, cause), CallFrame.Token);
        }

        internal static InvalidArgumentException InvalidArgument(string message, Exception cause = null)
        {
            return new InvalidArgumentException(Local(Code.InvalidArgument, "invalid_argument", message), cause);
        }

        /// <summary>The failure of a message that cannot be passed to the library completely. Such a message does not verify.</summary>
        internal static UnverifiedException Unverified(string message)
        {
            var fields = Local(Code.Unverified, "unverified", message);
            fields.Outcome = Outcome.Unknown;
            fields.OutcomeName = "unknown";
            return new UnverifiedException(fields, null);
        }

        /// <summary>A failure that this package finds before it calls the library, so nothing was sent.</summary>
        internal static ErrorFields Local(Code code, string name, string message)
        {
            return new ErrorFields { Code = code, CodeName = name, Outcome = Outcome.NotSent, OutcomeName = "not_sent", Message = message };
        }
    }
}
