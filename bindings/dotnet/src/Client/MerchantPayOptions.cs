using System;
using System.Runtime.InteropServices;
using MerchantPay.Interop;

namespace MerchantPay
{
    /// <summary>
    /// The settings of a client, a verifier or a protocol. A setting that is null has the library's default. Making the client, verifier or
    /// protocol checks the settings.
    /// </summary>
    public sealed partial class MerchantPayOptions
    {
        /// <summary>Receives every HTTP attempt after the attempt has ended, on the thread of the call. The delegate's exceptions are ignored.</summary>
        public Action<Attempt> Log { get; set; }

        /// <summary>
        /// Signs bytes in place of PrivateKey, for example with an HSM: returns the 64 bytes of the ed25519 signature. Set PublicKey too.
        /// The delegate runs on the thread of the call, and several threads can call it at once.
        /// </summary>
        public Func<byte[], byte[]> Signer { get; set; }

        /// <summary>
        /// Reads the settings from the environment: MERCHANTPAY_BASE_URL and so on. An empty variable is treated as absent.
        /// </summary>
        public static MerchantPayOptions FromEnvironment()
        {
            var options = new MerchantPayOptions();
            options.Read(new VariableReader());
            return options;
        }

        internal bool HasCallbacks { get { return Log != null || Signer != null; } }

        /// <summary>Makes a handle of these settings. The delegates live as long as the handle.</summary>
        internal T Use<T>(Func<ConfigHandle, T> make) where T : OwnedHandle { return Library.Loaded(() => Made(make)); }

        private T Made<T>(Func<ConfigHandle, T> make) where T : OwnedHandle
        {
            using (var config = Native.mpay_config_new())
            {
                Write(new SettingWriter((byte[] name, byte[] text, out ErrorHandle error) => Native.mpay_config_set(config, name, text, out error)));
                if (!HasCallbacks) return make(config);
                var target = GCHandle.Alloc(new Callbacks { Log = Log, Signer = Signer });
                try
                {
                    var userData = GCHandle.ToIntPtr(target);
                    if (Log != null) Native.mpay_config_set_log_callback(config, Callbacks.LogEntry, userData, null);
                    if (Signer != null) Native.mpay_config_set_signer_callback(config, Callbacks.SignerEntry, userData, null);
                    // Making the object can call the signer, which must not run on a thread that can be aborted.
                    var made = new Call<T>(null, () => make(config), default(System.Threading.CancellationToken)).Run(true);
                    made.Keep(target);
                    target = default(GCHandle);
                    return made;
                }
                finally
                {
                    if (target.IsAllocated) target.Free();
                }
            }
        }
    }
}
