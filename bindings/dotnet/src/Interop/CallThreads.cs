using System;
using System.Collections.Generic;
using System.Threading;

namespace MerchantPay.Interop
{
    /// <summary>
    /// The threads that make the calls. The program does not know these threads, so it cannot abort them in native code. A call occupies no
    /// thread of the .NET pool. An idle thread ends after a while.
    /// </summary>
    internal sealed class CallThreads
    {
        private static readonly TimeSpan IdleTime = TimeSpan.FromSeconds(5);
        private static readonly List<CallThreads> Idle = new List<CallThreads>();

        // On Mono and .NET, an AutoResetEvent costs half the processor time of Monitor.Wait and Monitor.Pulse.
        private readonly AutoResetEvent given = new AutoResetEvent(false);
        private volatile Action work;

        /// <summary>Runs the work on an idle or a new thread. The caller must be in a finally block, so that the caller cannot be aborted.</summary>
        internal static void Start(Action work)
        {
            CallThreads thread = null;
            lock (Idle)
            {
                if (Idle.Count > 0)
                {
                    thread = Idle[Idle.Count - 1];
                    Idle.RemoveAt(Idle.Count - 1);
                }
            }
            if (thread != null) thread.Give(work);
            else new CallThreads { work = work }.Begin();
        }

        private void Begin()
        {
            var thread = new Thread(Run) { IsBackground = true, Name = "merchantpay call" };
            // A new thread would keep the execution context of the first caller, such as its transaction. Later calls must not get that context.
            var isSuppressed = ExecutionContext.IsFlowSuppressed();
            if (!isSuppressed) ExecutionContext.SuppressFlow();
            try
            {
                thread.Start();
            }
            finally
            {
                if (!isSuppressed) ExecutionContext.RestoreFlow();
            }
        }

        private void Give(Action next)
        {
            work = next;
            given.Set();
        }

        private void Run()
        {
            for (var next = Next(); next != null; next = Next())
            {
                next();
                lock (Idle) Idle.Add(this);
            }
            given.Dispose();
        }

        private Action Next()
        {
            while (work == null)
            {
                if (!given.WaitOne(IdleTime) && work == null && Retire()) return null;
            }
            var next = work;
            work = null;
            return next;
        }

        /// <summary>Removes this thread from the list of idle threads, so that it can end. Returns false if a caller has just taken the thread.</summary>
        private bool Retire()
        {
            lock (Idle) return Idle.Remove(this);
        }
    }
}
