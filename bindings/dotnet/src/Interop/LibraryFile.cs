using System;
using System.Collections.Generic;
using System.IO;
using System.Reflection;
using System.Runtime.InteropServices;

namespace MerchantPay.Interop
{
    /// <summary>
    /// The file of the C library in the program's folder. .NET Framework and Mono do not look into the folders for each processor. So the
    /// file is loaded by its full path; the first import then finds the loaded library by its name.
    /// </summary>
    internal static class LibraryFile
    {
        private const int RtldNow = 2;
        private const string Import = "merchantpay";

        private static readonly bool IsWindows = Environment.OSVersion.Platform == PlatformID.Win32NT;

        private static IntPtr handle;

        internal static string Name { get { return IsWindows ? "merchantpay.dll" : "libmerchantpay.so"; } }

        /// <summary>The processor for which this process runs: x86, x64, arm or arm64.</summary>
        internal static string Processor { get; } = FindProcessor();

        /// <summary>Loads the library and returns its path; null if the program's folder has no library.</summary>
        internal static string Load()
        {
            foreach (var path in Candidates())
            {
                if (!File.Exists(path)) continue;
                var processor = ProcessorOf(path);
                if (processor != null && processor != Processor)
                    throw new LibraryException("The C library " + path + " is for " + processor + ", and this process is for " + Processor + ".");
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

        /// <summary>The possible paths. The folder of this process's processor comes first, because a program for AnyCPU can run on several.</summary>
        private static IEnumerable<string> Candidates()
        {
            var folder = IsWindows ? Processor : "linux-" + Processor;
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

        /// <summary>.NET Framework before 4.7.1 lacks the class, and runs for no other processors than these two.</summary>
        private static string FindProcessor()
        {
            const string name = "System.Runtime.InteropServices.RuntimeInformation";
            var information = Type.GetType(name) ?? Type.GetType(name + ", " + name);
            var property = information == null ? null : information.GetProperty("ProcessArchitecture");
            if (property == null) return IntPtr.Size == 8 ? "x64" : "x86";
            return property.GetValue(null, null).ToString().ToLowerInvariant();
        }

        /// <summary>The processor of an ELF or PE file, from its header; null for any other file or processor.</summary>
        private static string ProcessorOf(string path)
        {
            using (var file = new FileStream(path, FileMode.Open, FileAccess.Read, FileShare.Read | FileShare.Delete))
            {
                var head = new byte[4096];
                var length = file.Read(head, 0, head.Length);
                if (length >= 20 && head[0] == 0x7F && head[1] == 'E' && head[2] == 'L' && head[3] == 'F') return Named(BitConverter.ToUInt16(head, 18));
                if (length < 64 || head[0] != 'M' || head[1] != 'Z') return null;
                var at = BitConverter.ToInt32(head, 60);
                return at < 0 || at + 6 > length ? null : Named(BitConverter.ToUInt16(head, at + 4));
            }
        }

        /// <summary>The processor with a number of ELF (e_machine) or PE (Machine).</summary>
        private static string Named(int machine)
        {
            switch (machine)
            {
                case 3: case 0x14C: return "x86";
                case 62: case 0x8664: return "x64";
                case 40: case 0x1C4: return "arm";
                case 183: case 0xAA64: return "arm64";
                default: return null;
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
