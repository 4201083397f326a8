using System;
using System.Globalization;
using System.Runtime.CompilerServices;

namespace MerchantPay.Interop
{
    /// <summary>Loads the C library once, and checks its version. A library in the program's folder is loaded by its full path.</summary>
    internal static class Library
    {
        private static readonly object Gate = new object();
        private static volatile bool isLoaded;

        internal static void Load()
        {
            if (isLoaded) return;
            lock (Gate)
            {
                if (isLoaded) return;
                var path = LibraryFile.Load();
                Check(path ?? "by the system's search path");
                isLoaded = true;
            }
        }

        [MethodImpl(MethodImplOptions.NoInlining)]
        private static void Check(string place)
        {
            uint abi, version;
            try
            {
                abi = Native.mpay_abi_version();
                version = Native.mpay_version_number();
            }
            catch (DllNotFoundException e)
            {
                throw new LibraryException("The C library " + LibraryFile.Name + " was not found: put it beside the program, or where the system looks for libraries.", e);
            }
            catch (BadImageFormatException e)
            {
                throw new LibraryException("The C library " + LibraryFile.Name + " that was found is not for this process, which is for " + LibraryFile.Processor + ".", e);
            }
            catch (EntryPointNotFoundException e)
            {
                throw new LibraryException("The C library that was found (" + place + ") is not merchantpay, or is older than this assembly.", e);
            }
            if (abi != Calls.Abi || version < Calls.VersionNumber)
            {
                throw new LibraryException(string.Format(
                    CultureInfo.InvariantCulture,
                    "This assembly needs the C library {0} or newer with ABI {1}; {2} with ABI {3} was found ({4}).",
                    VersionText(Calls.VersionNumber), Calls.Abi, VersionText(version), abi, place));
            }
        }

        private static string VersionText(long number)
        {
            return string.Format(CultureInfo.InvariantCulture, "{0}.{1}.{2}", number / 10000, number / 100 % 100, number % 100);
        }
    }
}

namespace MerchantPay
{
    /// <summary>The C library cannot be loaded: it is missing, is for a different processor, or has the wrong version.</summary>
    [Serializable]
    public sealed class LibraryException : Exception
    {
        internal LibraryException(string message, Exception inner = null) : base(message, inner) { }

        private LibraryException(System.Runtime.Serialization.SerializationInfo info, System.Runtime.Serialization.StreamingContext context) : base(info, context) { }
    }
}
