using System;
using System.Runtime.InteropServices;
using System.Threading;

namespace MerchantPay.Interop
{
    /// <summary>
    /// The delegates of an object, which the token of its host function names. They run on the call's own thread. No exception leaves the
    /// host function, because an exception would unwind native frames.
    /// </summary>
    internal sealed class Host
    {
        // Static, so the garbage collector never frees it.
        internal static readonly HostFunction Function = Answer;

        private const int SignatureLength = 64;
        private const int Done = 0, Failed = 1;

        private readonly Action<Attempt> log;
        private readonly Func<byte[], byte[]> signer;

        internal Host(Action<Attempt> log, Func<byte[], byte[]> signer)
        {
            this.log = log;
            this.signer = signer;
        }

        internal string[] Callbacks { get { return log == null ? new[] { "sign" } : signer == null ? new[] { "log" } : new[] { "log", "sign" }; } }

        private static int Answer(IntPtr token, uint what, IntPtr args, UIntPtr length, IntPtr answer)
        {
            if (what == Calls.CallbackRelease)
            {
                // On any thread, also on a finalizer's or on one that can be aborted.
                try { }
                finally
                {
                    GCHandle.FromIntPtr(token).Free();
                }
                return Done;
            }
            var host = (Host)GCHandle.FromIntPtr(token).Target;
            var given = new byte[checked((int)length)];
            if (given.Length > 0) Marshal.Copy(args, given, 0, given.Length);
            if (what == Calls.CallbackSign) return Guard(() => host.Sign(given, answer)) ? Done : Failed;
            if (what != Calls.CallbackLog) return Failed;
            // An exception of the logger is ignored, as in every language.
            var cause = CallFrame.Cause;
            Guard(() => host.log(new Attempt(new FrameReader(given, 0, given.Length))));
            CallFrame.Cause = cause;
            return Done;
        }

        private void Sign(byte[] message, IntPtr answer)
        {
            var signature = signer(message);
            if (signature == null || signature.Length != SignatureLength)
                throw new InvalidOperationException("The signer must return the 64 bytes of an ed25519 signature.");
            Native.mpay_answer(answer, signature, (UIntPtr)signature.Length);
        }

        /// <summary>Runs code of the program, and keeps the exception of that code as the cause of the call's failure.</summary>
        private static bool Guard(Action run)
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
    }
}
