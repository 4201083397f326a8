using System;
using System.Runtime.InteropServices;

namespace MerchantPay.Interop
{
    /// <summary>A call of the library with its arguments, which can be made on any object of the call's kind, once.</summary>
    internal sealed class Command<T>
    {
        private readonly uint number;
        private readonly FrameWriter args;
        private readonly byte[] bulk;
        private readonly bool isSecret;
        private readonly Func<Value, T> read;
        private Handle owned;

        internal Command(uint number, FrameWriter args, byte[] bulk, bool isSecret, Func<Value, T> read)
        {
            this.number = number;
            this.args = args;
            this.bulk = bulk;
            this.isSecret = isSecret;
            this.read = read;
        }

        internal Command<U> Then<U>(Func<T, U> next) { return new Command<U>(number, args, bulk, isSecret, reply => next(read(reply))) { owned = owned }; }

        /// <summary>Closes one of the arguments after the call.</summary>
        internal Command<T> Owning(Handle argument)
        {
            owned = argument;
            return this;
        }

        internal T On(Handle handle)
        {
            var reply = new Reply();
            try
            {
                reply.Receive((byte[] buffer, UIntPtr capacity, out IntPtr large) => Native.mpay_call(
                    handle.Number, number, args.Bytes, (UIntPtr)args.Length, bulk, (UIntPtr)(bulk == null ? 0 : bulk.Length), buffer, capacity, out large));
                return read(reply.Result());
            }
            finally
            {
                if (isSecret)
                {
                    args.Wipe();
                    reply.Wipe();
                }
                if (owned != null) owned.Dispose();
                GC.KeepAlive(handle);
            }
        }
    }

    /// <summary>Calls a function of the library that replies into a buffer, or into a block of its own if the buffer is too small.</summary>
    internal delegate long Replying(byte[] buffer, UIntPtr capacity, out IntPtr large);

    internal sealed class Reply
    {
        private const int UsualSize = 1024;

        private byte[] bytes = new byte[UsualSize];
        private long length;

        /// <summary>Makes the call in a finally block: there nothing can abort the caller before the block is freed.</summary>
        internal void Receive(Replying call)
        {
            try { }
            finally
            {
                var large = IntPtr.Zero;
                length = call(bytes, (UIntPtr)UsualSize, out large);
                if (large != IntPtr.Zero) Take(large, checked((int)Math.Abs(length)));
            }
        }

        internal Value Result()
        {
            if (length < 0) throw Failure.Exception(new ErrorRecord(new FrameReader(bytes, 0, (int)-length)), CallFrame.Cause);
            return new Value(bytes, 0, (int)length);
        }

        internal void Wipe() { Array.Clear(bytes, 0, bytes.Length); }

        private void Take(IntPtr large, int count)
        {
            try
            {
                bytes = new byte[count];
                Marshal.Copy(large, bytes, 0, count);
            }
            finally
            {
                Native.mpay_free(large, (UIntPtr)count);
            }
        }
    }
}
