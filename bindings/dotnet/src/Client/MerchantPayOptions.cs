using System;
using System.Collections.Generic;
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

        // The variables, and the settings that they have set here.
        private Dictionary<string, string> environment;
        private SettingWriter read;

        /// <summary>
        /// Reads the settings from the environment: MERCHANTPAY_BASE_URL and so on. An empty variable is treated as absent. What the program
        /// sets afterwards takes precedence. Errors name the variables.
        /// </summary>
        public static MerchantPayOptions FromEnvironment()
        {
            var options = new MerchantPayOptions { environment = Opening.Environment(), read = new SettingWriter() };
            try
            {
                foreach (var setting in Calls.Environment(options.environment).On(Opening.Object)) options.Read(setting.Key, setting.Value);
            }
            catch (MerchantPayException)
            {
                // An object that needs the variable refuses it.
            }
            options.Write(options.read);
            return options;
        }

        /// <summary>Opens an object with these settings. A verifier calls no delegate.</summary>
        internal Handle Open(uint kind)
        {
            var host = (Log == null && Signer == null) || kind == Calls.ObjectKindVerifier ? null : new Host(Log, Signer);
            var settings = new SettingWriter();
            Write(settings);
            return Opening.Open(kind, settings, host, null, environment == null ? null : settings.Above(environment, read));
        }

        private static void Add(IList<string> to, string texts)
        {
            foreach (var text in texts.Split(',')) to.Add(text.Trim());
        }
    }
}
