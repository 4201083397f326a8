using System;
using System.Runtime.InteropServices;
using System.Security;

namespace MerchantPay.Interop
{
    /// <summary>The host's function: mpay_host of merchantpay.h. A token and an answer are as wide as a pointer.</summary>
    [UnmanagedFunctionPointer(CallingConvention.Cdecl)]
    internal delegate int HostFunction(IntPtr token, uint what, IntPtr args, UIntPtr length, IntPtr answer);

    /// <summary>The functions of the C library that carry everything; merchantpay.h documents them.</summary>
    [SuppressUnmanagedCodeSecurity]
    internal static class Native
    {
        private const string Name = "merchantpay";
        private const CallingConvention C = CallingConvention.Cdecl;

        [DllImport(Name, CallingConvention = C)] internal static extern uint mpay_abi_version();
        [DllImport(Name, CallingConvention = C)] internal static extern uint mpay_version_number();
        [DllImport(Name, CallingConvention = C)] internal static extern long mpay_open(
            uint kind, ulong parent, byte[] args, UIntPtr length, HostFunction host, IntPtr token, byte[] buffer, UIntPtr capacity, out IntPtr large);
        [DllImport(Name, CallingConvention = C)] internal static extern long mpay_call(
            ulong handle, uint call, byte[] args, UIntPtr length, byte[] bulk, UIntPtr bulkLength, byte[] buffer, UIntPtr capacity, out IntPtr large);
        [DllImport(Name, CallingConvention = C)] internal static extern int mpay_interrupt(ulong handle);
        [DllImport(Name, CallingConvention = C)] internal static extern void mpay_close(ulong handle);
        [DllImport(Name, CallingConvention = C)] internal static extern void mpay_free(IntPtr large, UIntPtr length);
        [DllImport(Name, CallingConvention = C)] internal static extern void mpay_answer(IntPtr answer, byte[] data, UIntPtr length);
    }
}
