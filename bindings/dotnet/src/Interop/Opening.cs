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
        internal const string Variable = "MERCHANTPAY_";

        private static readonly Lazy<Handle> LibraryObject =
            new Lazy<Handle>(() => Open(Calls.ObjectKindLibrary, new SettingWriter()), LazyThreadSafetyMode.PublicationOnly);

        /// <summary>The object of the calls that need none.</summary>
        internal static Handle Object { get { return LibraryObject.Value; } }

        /// <summary>
        /// The parent is the client of a journal. The environment is read only if it is given; the settings take precedence.
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

        internal static Dictionary<string, string> Environment()
        {
            var variables = new Dictionary<string, string>();
            foreach (DictionaryEntry variable in System.Environment.GetEnvironmentVariables())
            {
                var name = (string)variable.Key;
                if (name.StartsWith(Variable, StringComparison.Ordinal)) variables[name] = (string)variable.Value;
            }
            return variables;
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
        private readonly Dictionary<string, Action<FrameWriter>> values = new Dictionary<string, Action<FrameWriter>>();
        private readonly Dictionary<string, string> texts = new Dictionary<string, string>();

        internal void Set(string name, string text) { if (text != null) Set(name, text, to => to.Add(text)); }

        internal void Set(string name, IList<string> list) { if (list.Count > 0) Set(name, string.Join("\n", list), to => to.Add(new List<string>(list))); }

        internal void Set(string name, bool? flag) { if (flag != null) Set(name, flag.Value ? "1" : "0"); }

        internal void Set(string name, long? number) { if (number != null) Set(name, number.ToString(), to => to.Add(number)); }

        internal void Set(string name, TimeSpan? time) { if (time != null) Set(name, time.ToString(), to => to.Add(time)); }

        /// <summary>
        /// Leaves a setting to its variable if it still is what was read from it, because errors then name the variable. Returns the variables
        /// without those of settings that have changed.
        /// </summary>
        internal Dictionary<string, string> Above(Dictionary<string, string> environment, SettingWriter read)
        {
            var left = new Dictionary<string, string>(environment);
            foreach (var setting in read.texts)
            {
                string text;
                if (texts.TryGetValue(setting.Key, out text) && text == setting.Value) values.Remove(setting.Key);
                else
                {
                    left.Remove(Opening.Variable + setting.Key.ToUpperInvariant());
                    left.Remove(Opening.Variable + setting.Key.ToUpperInvariant() + "_FILE");
                }
            }
            return left;
        }

        internal FrameWriter Frame()
        {
            var pairs = new FrameWriter(2 * values.Count);
            foreach (var value in values)
            {
                pairs.Add(value.Key);
                value.Value(pairs);
            }
            return pairs;
        }

        private void Set(string name, string text, Action<FrameWriter> value)
        {
            texts[name] = text;
            values[name] = value;
        }
    }
}
