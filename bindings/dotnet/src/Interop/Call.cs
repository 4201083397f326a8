using System;
using System.Collections.Generic;
using System.Runtime.ExceptionServices;
using System.Threading;
using System.Threading.Tasks;

namespace MerchantPay.Interop
{
    internal static class CallFrame
    {
        /// <summary>The exception that a delegate threw. The library reports it as a failure.</summary>
        [ThreadStatic] internal static Exception Cause;

        [ThreadStatic] internal static CancellationToken Token;

        /// <summary>The event with which this thread waits, kept for the next wait. Null while a wait uses the event, and after a wait that was aborted.</summary>
        [ThreadStatic] internal static AutoResetEvent Ended;
    }

    /// <summary>The running calls. Before an AppDomain is unloaded, this class interrupts all of them, and waits until they have left native code.</summary>
    internal static class RunningCalls
    {
        private static readonly HashSet<ICall> All = new HashSet<ICall>();
        private static bool isClosed;

        static RunningCalls() { AppDomain.CurrentDomain.DomainUnload += (sender, e) => Close(); }

        internal static void Add(ICall call)
        {
            lock (All)
            {
                // When finalizers run at the end of the process, no other thread runs. So a call would wait for its thread for ever.
                if (isClosed || Environment.HasShutdownStarted || AppDomain.CurrentDomain.IsFinalizingForUnload())
                    throw new ObjectDisposedException("MerchantPay", "The process or its AppDomain is ending.");
                All.Add(call);
            }
        }

        internal static void Remove(ICall call)
        {
            lock (All)
            {
                All.Remove(call);
                Monitor.PulseAll(All);
            }
        }

        private static void Close()
        {
            lock (All)
            {
                isClosed = true;
                foreach (var call in All) call.Interrupt();
                while (All.Count > 0) Monitor.Wait(All);
            }
        }
    }

    internal interface ICall
    {
        void Interrupt();
    }

    /// <summary>
    /// One call, on a thread that this library makes. If the waiting caller is aborted or cancelled, the call is interrupted, and no more
    /// bytes of its request are written. An exception never passes from managed code through native frames.
    /// </summary>
    internal sealed class Call<T> : ICall
    {
        private readonly Handle handle;
        private readonly Func<T> body;
        private readonly CancellationToken token;
        private AutoResetEvent ended;
        private CancellationTokenRegistration registration;
        private TaskCompletionSource<T> completion;
        private bool isStarted;
        private volatile bool isEnded;
        private T result;
        private ExceptionDispatchInfo failure;

        /// <summary>The body uses the handle, which belongs to this call only. The handle is null for a call that cannot be interrupted.</summary>
        internal Call(Handle handle, Func<T> body, CancellationToken token)
        {
            this.handle = handle;
            this.body = body;
            this.token = token;
        }

        /// <summary>If <paramref name="toEnd"/> is true, the abort of a caller takes effect only after the call has ended.</summary>
        internal T Run(bool toEnd = false)
        {
            var isDone = false;
            // While a thread waits, it can handle messages of a window. Such a message can make a second call, which needs a second event.
            ended = CallFrame.Ended ?? new AutoResetEvent(false);
            CallFrame.Ended = null;
            registration = token.Register(Interrupt);
            try
            {
                Start();
                Await();
                isDone = true;
            }
            finally
            {
                if (!isDone)
                {
                    Interrupt();
                    if (toEnd && isStarted) Await();
                }
            }
            CallFrame.Ended = ended;
            if (failure != null) failure.Throw();
            return result;
        }

        internal Task<T> RunAsync()
        {
            completion = new TaskCompletionSource<T>(TaskCreationOptions.RunContinuationsAsynchronously);
            registration = token.Register(Interrupt);
            Start();
            return Finish(completion.Task);
        }

        /// <summary>Only the task of an async method is cancelled, not faulted, by an OperationCanceledException, and keeps the exception.</summary>
        private static async Task<T> Finish(Task<T> task) { return await task.ConfigureAwait(false); }

        public void Interrupt()
        {
            if (handle != null) handle.Interrupt();
        }

        /// <summary>Passes the call's work to a thread, in a finally block: there nothing can abort the caller between two steps.</summary>
        private void Start()
        {
            try { }
            finally
            {
                RunningCalls.Add(this);
                try
                {
                    CallThreads.Start(Work);
                    isStarted = true;
                }
                finally
                {
                    if (!isStarted) RunningCalls.Remove(this);
                }
            }
        }

        private void Await()
        {
            while (!isEnded) ended.WaitOne();
        }

        private void Work()
        {
            CallFrame.Cause = null;
            CallFrame.Token = token;
            try
            {
                result = body();
            }
            catch (Exception e)
            {
                failure = ExceptionDispatchInfo.Capture(e);
            }
            CallFrame.Cause = null;
            CallFrame.Token = CancellationToken.None;
            if (handle != null) handle.Dispose();
            RunningCalls.Remove(this);
            registration.Dispose();
            isEnded = true;
            if (ended != null) ended.Set();
            if (completion == null) return;
            if (failure != null) completion.SetException(failure.SourceException);
            else completion.SetResult(result);
        }
    }
}
