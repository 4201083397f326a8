using System;
using System.Runtime.InteropServices;
using System.Threading;

namespace MerchantPay.Interop
{
    /// <summary>
    /// The delegates of a client. The user data of the C callbacks refers to this object. The delegates run on the call's own thread. No
    /// exception leaves a callback, because an exception would unwind native frames. The two C callbacks are static, so the garbage collector
    /// never frees them.
    /// </summary>
    internal sealed class Callbacks
    {
        internal static readonly LogCallback LogEntry = OnAttempt;
        internal static readonly SignerCallback SignerEntry = OnSign;

        private const int SignatureLength = 64;
        private const int Refused = 1;

        internal Action<Attempt> Log;
        internal Func<byte[], byte[]> Signer;

        /// <summary>Runs code of the program, and keeps the exception of that code as the cause of the call's failure.</summary>
        internal static bool Guard(Action run)
        {
            try
            {
                run();
                return true;
            }
            catch (ThreadAbortException e)
            {
                Thread.ResetAbort(); // A delegate may have aborted its own thread; that must not end the call.
                CallFrame.Cause = e;
                return false;
            }
            catch (Exception e)
            {
                CallFrame.Cause = e;
                return false;
            }
        }

        internal static T Of<T>(IntPtr userData) { return (T)GCHandle.FromIntPtr(userData).Target; }

        /// <summary>Calls the logger. An exception of the logger is ignored, as in every language.</summary>
        private static void OnAttempt(IntPtr userData, IntPtr attempt)
        {
            var cause = CallFrame.Cause;
            Guard(() => Of<Callbacks>(userData).Log(new Attempt(attempt)));
            CallFrame.Cause = cause;
        }

        private static int OnSign(IntPtr userData, IntPtr message, UIntPtr length, IntPtr signature)
        {
            var isSigned = Guard(() =>
            {
                var signed = Of<Callbacks>(userData).Signer(Bytes.Out(message, length) ?? new byte[0]);
                if (signed == null || signed.Length != SignatureLength)
                    throw new InvalidOperationException("The signer must return the 64 bytes of an ed25519 signature.");
                Marshal.Copy(signed, 0, signature, SignatureLength);
            });
            return isSigned ? Native.MPAY_OK : Refused;
        }
    }
}
