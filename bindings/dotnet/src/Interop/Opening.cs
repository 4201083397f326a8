using System;
using System.Collections;
using System.Collections.Generic;
using System.Runtime.CompilerServices;
using System.Runtime.InteropServices;
using System.Threading;

namespace MerchantPay.Interop
{
    /// <summary>Opens objects of the library. The library checks every setting, and names it as C# does.</summary>
    internal static class Opening
    {
        private const string Style = "csharp";
        private const string Variable = "MERCHANTPAY_";

        private static readonly Lazy<Handle> LibraryObject =
            new Lazy<Handle>(() => Open(Calls.ObjectKindLibrary, new SettingWriter()), LazyThreadSafetyMode.PublicationOnly);

        /// <summary>The object of the calls that need none.</summary>
        internal static Handle Object { get { return LibraryObject.Value; } }

        /// <summary>
        /// Opens an object. The parent is the client of a journal. The environment is read only if it is given; the settings take
        /// precedence.
        /// </summary>
        internal static Handle Open(uint kind, SettingWriter settings, Host host = null, Handle parent = null, IEnumerable<KeyValuePair<string, string>> environment = null)
        {
            Library.Load();
            var callbacks = host == null ? new string[0] : host.Callbacks;
            var args = Calls.Opening(Style, callbacks, settings.Frame(), environment == null ? null : FrameWriter.Of(environment));
            // The delegates and the journal's database must not be used on a thread that can be aborted.
            if (host == null && parent == null) return Opened(kind, args, null, null);
            return new Call<Handle>(null, () => Opened(kind, args, host, parent), CancellationToken.None).Run(true);
        }

        /// <summary>The variables of the environment that may be settings.</summary>
        internal static IEnumerable<KeyValuePair<string, string>> Environment()
        {
            foreach (DictionaryEntry variable in System.Environment.GetEnvironmentVariables())
            {
                var name = (string)variable.Key;
                if (name.StartsWith(Variable, StringComparison.Ordinal)) yield return new KeyValuePair<string, string>(name, (string)variable.Value);
            }
        }

        // Mono looks for a native function when it compiles the calling method, so the library must be loaded before.
        [MethodImpl(MethodImplOptions.NoInlining)]
        private static Handle Opened(uint kind, FrameWriter args, Host host, Handle parent)
        {
            var reply = new Reply();
            Handle made = null;
            try { }
            finally
            {
                // The library releases the token, also if it opens nothing.
                var token = host == null ? IntPtr.Zero : GCHandle.ToIntPtr(GCHandle.Alloc(host));
                reply.Receive((byte[] buffer, UIntPtr capacity, out IntPtr large) => Native.mpay_open(
                    kind, parent == null ? 0 : parent.Number, args.Bytes, (UIntPtr)args.Length, host == null ? null : Host.Function, token, buffer, capacity, out large));
                args.Wipe();
                GC.KeepAlive(parent);
                made = reply.Result().Handle();
            }
            return made;
        }
    }

    /// <summary>Collects settings by their names, and leaves out those that are null.</summary>
    internal sealed class SettingWriter
    {
        private readonly List<Action<FrameWriter>> values = new List<Action<FrameWriter>>();

        internal void Set(string name, string text) { if (text != null) Set(name, to => to.Add(text)); }

        internal void Set(string name, IList<string> texts) { if (texts.Count > 0) Set(name, to => to.Add(new List<string>(texts))); }

        internal void Set(string name, bool? flag) { if (flag != null) Set(name, to => to.Add(flag.Value ? "1" : "0")); }

        internal void Set(string name, long? number) { if (number != null) Set(name, to => to.Add(number)); }

        internal void Set(string name, TimeSpan? time) { if (time != null) Set(name, to => to.Add(time)); }

        internal FrameWriter Frame()
        {
            var pairs = new FrameWriter(values.Count);
            foreach (var value in values) value(pairs);
            return pairs;
        }

        private void Set(string name, Action<FrameWriter> value)
        {
            values.Add(to => to.Add(name));
            values.Add(value);
        }
    }
}
