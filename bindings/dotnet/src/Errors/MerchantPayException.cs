using System;
using System.Runtime.Serialization;
using System.Threading;
using System.Threading.Tasks;
using MerchantPay.Interop;

namespace MerchantPay
{
    /// <summary>
    /// A call that failed. <see cref="Outcome"/> shows whether the request may have taken effect. Each code has its own subclass. A cancelled
    /// call throws a <see cref="PaymentCancelledException"/> instead. The message contains nothing personal. ToString also writes the inner
    /// exception, whose text can contain personal data. The inner exception comes from the signer or from the database's driver.
    /// </summary>
    [Serializable]
    public partial class MerchantPayException : Exception
    {
        private readonly ErrorRecord error;

        internal MerchantPayException(ErrorRecord error, Exception inner) : base(error.Message, inner) { this.error = error; }

        /// <summary>Reads an exception that comes from a different AppDomain.</summary>
        protected MerchantPayException(SerializationInfo info, StreamingContext context) : base(info, context)
        {
            error = (ErrorRecord)info.GetValue("Error", typeof(ErrorRecord));
        }

        /// <summary>The code of the failure.</summary>
        public Code Code { get { return error.Code ?? (Code)error.Number; } } // A code of a newer library keeps its number.

        /// <summary>The name of the code, such as invalid_argument.</summary>
        public string CodeName { get { return error.CodeName; } }

        /// <summary>Shows whether the request may have taken effect.</summary>
        public Outcome Outcome { get { return error.Outcome ?? Outcome.Unknown; } }

        /// <summary>The name of the outcome, such as not_sent.</summary>
        public string OutcomeName { get { return error.OutcomeName; } }

        /// <summary>The outcome of any exception that a call throws; null for an exception that is not from this library.</summary>
        public static Outcome? OutcomeOf(Exception exception)
        {
            for (var each = exception; each != null; each = each.InnerException)
            {
                if (each is MerchantPayException) return ((MerchantPayException)each).Outcome;
                if (each is PaymentCancelledException) return ((PaymentCancelledException)each).Outcome;
                var task = each is TaskCanceledException ? ((TaskCanceledException)each).Task : null;
                if (task != null && task.IsCanceled) return OutcomeOfCancelled(task);
            }
            return null;
        }

        /// <summary>Task.Wait and Task.Result throw an exception that does not contain the call's exception. Only the task itself has that one.</summary>
        private static Outcome? OutcomeOfCancelled(Task task)
        {
            try
            {
                task.GetAwaiter().GetResult();
                return null;
            }
            catch (TaskCanceledException)
            {
                return null;
            }
            catch (Exception exception)
            {
                return OutcomeOf(exception);
            }
        }

        /// <inheritdoc/>
        public override void GetObjectData(SerializationInfo info, StreamingContext context)
        {
            base.GetObjectData(info, context);
            info.AddValue("Error", error);
        }
    }

    /// <summary> The caller cancelled or interrupted the call. For such a call, .NET programs expect an OperationCanceledException, so this
    /// class derives from it. <see cref="Outcome"/> shows whether the request may have taken effect: unknown means that bytes of the request
    /// were written before the end of the call. The inner exception has the other fields.
    /// </summary>
    [Serializable]
    public sealed class PaymentCancelledException : OperationCanceledException
    {
        internal PaymentCancelledException(MerchantPayException inner, CancellationToken token) : base(inner.Message, inner, token) { }

        private PaymentCancelledException(SerializationInfo info, StreamingContext context) : base(info, context) { }

        /// <summary>Shows whether the request may have taken effect.</summary>
        public Outcome Outcome { get { return ((MerchantPayException)InnerException).Outcome; } }
    }
}
