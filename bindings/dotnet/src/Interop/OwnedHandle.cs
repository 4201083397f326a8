using System;
using System.Runtime.InteropServices;

namespace MerchantPay.Interop
{
    internal delegate int Derivation<T>(out T derived, out ErrorHandle error) where T : OwnedHandle;

    /// <summary>Owns a handle of the C library. Keeps the objects alive that the handle uses: its parent handle, and the target of its callbacks.</summary>
    /// <remarks>Any thread may finalize this object. Freeing calls no managed code, so it also works while an AppDomain is
    /// unloaded.</remarks>
    internal abstract class OwnedHandle : SafeHandle
    {
        private OwnedHandle parent;
        private GCHandle target;

        protected OwnedHandle() : base(IntPtr.Zero, true) { }

        public override bool IsInvalid { get { return handle == IntPtr.Zero; } }

        /// <summary>Makes sure that the owner is freed only after this handle. Nothing may abort the thread meanwhile.</summary>
        internal void DependsOn(OwnedHandle owner)
        {
            var held = false;
            owner.DangerousAddRef(ref held);
            parent = owner;
        }

        /// <summary>Makes a handle that keeps this handle alive. It does both steps in a finally block: there nothing can abort the caller in between.</summary>
        internal T Derived<T>(Derivation<T> derive) where T : OwnedHandle
        {
            T derived = null;
            ErrorHandle error = null;
            var code = 0;
            try { }
            finally
            {
                code = derive(out derived, out error);
                if (code == Native.MPAY_OK) derived.DependsOn(this);
            }
            Failure.Check(code, error);
            return derived;
        }

        /// <summary>Frees the callbacks' target together with this handle.</summary>
        internal void Keep(GCHandle callbacks) { target = callbacks; }

        /// <summary>Ends the running calls of this handle. The interruption is permanent: later calls do not start.</summary>
        internal virtual void Interrupt() { }

        protected abstract void Free();

        protected override bool ReleaseHandle()
        {
            Free();
            if (target.IsAllocated) target.Free();
            if (parent != null) parent.DangerousRelease();
            return true;
        }
    }

    internal sealed partial class ClientHandle
    {
        internal override void Interrupt() { Native.mpay_client_interrupt(this); }
    }

    internal sealed partial class JournalHandle
    {
        internal override void Interrupt() { Native.mpay_journal_interrupt(this); }
    }
}
