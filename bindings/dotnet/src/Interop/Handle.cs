using System;
using System.Runtime.ConstrainedExecution;
using System.Threading;

namespace MerchantPay.Interop
{
    /// <summary>
    /// Owns an object of the library. The library refuses the number of a closed object, and a running call keeps its object. So an object
    /// can be closed at any time, also twice and while a call runs. Its finalizer runs after all others, because they can still make calls.
    /// </summary>
    internal sealed class Handle : CriticalFinalizerObject, IDisposable
    {
        private int isClosed;

        internal Handle(ulong number) { Number = number; }

        ~Handle() { Native.mpay_close(Number); }

        internal ulong Number { get; }

        internal void NeedOpen(string name)
        {
            if (Volatile.Read(ref isClosed) != 0) throw new ObjectDisposedException(name);
        }

        /// <summary>Ends the running calls of a client or a journal, and lets no more start. A closed one has none.</summary>
        internal void Interrupt()
        {
            Native.mpay_interrupt(Number);
            GC.KeepAlive(this);
        }

        /// <summary>Makes an object from this one, in a finally block: there nothing can abort the caller before the object has its owner.</summary>
        internal Handle Make(Command<Handle> command)
        {
            Handle made = null;
            try { }
            finally
            {
                made = command.On(this);
            }
            return made;
        }

        public void Dispose()
        {
            // The library may release the delegates meanwhile, on this thread. An abort would unwind its frames.
            try { }
            finally
            {
                if (Interlocked.Exchange(ref isClosed, 1) == 0)
                {
                    GC.SuppressFinalize(this);
                    Native.mpay_close(Number);
                }
            }
        }
    }
}
