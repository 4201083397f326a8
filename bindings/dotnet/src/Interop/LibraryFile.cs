using System;
using System.Collections.Generic;
using System.IO;
using System.Reflection;
using System.Runtime.InteropServices;

namespace MerchantPay.Interop
{
    /// <summary>
    /// The file of the C library in the program's folder. .NET Framework and Mono do not look into the folders for 32 and for 64 bits. So
    /// the file is loaded by its full path; the first import then finds the loaded library by its name.
    /// </summary>
    internal static class LibraryFile
    {
        private const int RtldNow = 2;
        private const string Import = "merchantpay";

        private static readonly bool IsWindows = Environment.OSVersion.Platform == PlatformID.Win32NT;

        private static IntPtr handle;

        internal static string Name { get { return IsWindows ? "merchantpay.dll" : "libmerchantpay.so"; } }

        internal static int Bits { get { return IntPtr.Size * 8; } }

        /// <summary>Loads the library and returns its path; null if the program's folder has no library.</summary>
        internal static string Load()
        {
            foreach (var path in Candidates())
            {
                if (!File.Exists(path)) continue;
                var bits = BitsOf(path);
                if (bits != null && bits != Bits)
                    throw new LibraryException("The C library " + path + " has " + bits + " bits, and this process has " + Bits + ".");
                var loaded = IsWindows ? LoadLibraryW(path) : DlOpen(path);
                if (loaded == IntPtr.Zero) throw new LibraryException("The C library " + path + " cannot be loaded: " + Reason());
                Resolve(loaded);
                return path;
            }
            return null;
        }

        /// <summary>Registers a delegate that returns the loaded library, because .NET Core 3.0 and later does not find a loaded library by its name.</summary>
        private static void Resolve(IntPtr loaded)
        {
            const string type = "System.Runtime.InteropServices.NativeLibrary", delegateType = "System.Runtime.InteropServices.DllImportResolver";
            var libraries = Type.GetType(type);
            var set = libraries == null ? null : libraries.GetMethod("SetDllImportResolver");
            if (set == null) return;
            handle = loaded;
            var resolver = Delegate.CreateDelegate(Type.GetType(delegateType), typeof(LibraryFile).GetMethod("Find", BindingFlags.NonPublic | BindingFlags.Static));
            set.Invoke(null, new object[] { typeof(LibraryFile).Assembly, resolver });
        }

        private static IntPtr Find(string name, Assembly assembly, DllImportSearchPath? path) { return name == Import ? handle : IntPtr.Zero; }

        /// <summary>The possible paths. The folder of this process's bitness comes first, because a program for AnyCPU can run with 32 and
        /// with 64 bits.</summary>
        private static IEnumerable<string> Candidates()
        {
            var folder = IsWindows ? (IntPtr.Size == 8 ? "x64" : "x86") : "linux-" + (IntPtr.Size == 8 ? "x64" : "x86");
            foreach (var root in Roots())
            {
                yield return Path.Combine(root, folder, Name);
                yield return Path.Combine(root, Name);
            }
        }

        private static IEnumerable<string> Roots()
        {
            yield return AppDomain.CurrentDomain.BaseDirectory;
            // The assembly can be in a different folder, for example in a web application's bin.
            var assembly = typeof(LibraryFile).Assembly;
            string place = null;
            try
            {
                place = assembly.CodeBase == null ? assembly.Location : new Uri(assembly.CodeBase).LocalPath;
            }
            catch (UriFormatException)
            {
                // An assembly in memory has no path.
            }
            catch (NotSupportedException)
            {
                // A dynamic assembly has no path either.
            }
            if (!string.IsNullOrEmpty(place)) yield return Path.GetDirectoryName(place);
        }

        /// <summary>The bitness of an ELF or PE file, from its header; null for any other file.</summary>
        private static int? BitsOf(string path)
        {
            using (var file = new FileStream(path, FileMode.Open, FileAccess.Read, FileShare.Read | FileShare.Delete))
            {
                var head = new byte[4096];
                var length = file.Read(head, 0, head.Length);
                if (length >= 5 && head[0] == 0x7F && head[1] == 'E' && head[2] == 'L' && head[3] == 'F') return head[4] * 32;
                if (length < 64 || head[0] != 'M' || head[1] != 'Z') return null;
                var at = BitConverter.ToInt32(head, 60);
                if (at < 0 || at + 6 > length) return null;
                return BitConverter.ToUInt16(head, at + 4) == 0x14C ? 32 : 64;
            }
        }

        private static IntPtr DlOpen(string path)
        {
            try
            {
                return dlopen(path, RtldNow);
            }
            catch (DllNotFoundException)
            {
                return dlopenOfLibc(path, RtldNow); // musl has no library with the name of glibc's libdl.
            }
        }

        private static string Reason()
        {
            const string text = "it is damaged, or a library that it needs is missing";
            return IsWindows ? text + " (Windows error " + Marshal.GetLastWin32Error() + ")." : text + ".";
        }

        [DllImport("kernel32", CharSet = CharSet.Unicode, SetLastError = true, ExactSpelling = true)]
        private static extern IntPtr LoadLibraryW(string path);

        [DllImport("libdl.so.2")]
        private static extern IntPtr dlopen(string path, int flags);

        [DllImport("libc", EntryPoint = "dlopen")]
        private static extern IntPtr dlopenOfLibc(string path, int flags);
    }
}
