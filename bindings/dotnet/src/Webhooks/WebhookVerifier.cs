using System;
using MerchantPay.Interop;

namespace MerchantPay
{
    /// <summary>Verifies webhooks (contract, section 6). It needs no private key. Any number of threads may share it.</summary>
    public sealed class WebhookVerifier : IDisposable
    {
        private readonly Handle handle;

        /// <summary>Makes a verifier from the service's public key, without other settings.</summary>
        public WebhookVerifier(string serverPublicKey) : this(new MerchantPayOptions { ServerPublicKeys = { serverPublicKey } }) { }

        /// <summary>Makes a verifier from the settings of a client.</summary>
        public WebhookVerifier(MerchantPayOptions options) { handle = options.Checked("options").Open(Calls.ObjectKindVerifier); }

        /// <summary>Makes a verifier from the settings in the environment.</summary>
        public static WebhookVerifier FromEnvironment() { return new WebhookVerifier(MerchantPayOptions.FromEnvironment()); }

        /// <summary>
        /// Verifies a webhook: the unchanged bytes of its body, and the texts of its headers X-Signature and X-KeyId. If Verify
        /// throws an <see cref="UnverifiedException"/> or a <see cref="MalformedException"/>, answer 400, and do not use the webhook.
        /// </summary>
        public WebhookEvent Verify(byte[] body, string signature, string keyId = null)
        {
            handle.NeedOpen("WebhookVerifier");
            return new WebhookEvent(Calls.Verify(body.Checked("body"), signature, keyId).On(handle));
        }

        /// <summary>
        /// Explains why a webhook does not verify; null if its signature and its key id are accepted. The headers show some causes, and the
        /// form of the body others. Any other cause is reported only with a proof: the library undoes it in a copy, and the copy verifies.
        /// Write the cause to the log, and do not return it to the sender. Do not use the webhook, even with a known cause. Since 0.3.0.
        /// </summary>
        public Explanation Explain(byte[] body, string signature, string keyId = null)
        {
            handle.NeedOpen("WebhookVerifier");
            return Calls.Explain(body.Checked("body"), signature, keyId).On(handle);
        }

        /// <summary>Frees the verifier.</summary>
        public void Dispose() { handle.Dispose(); }
    }

    /// <summary>A verified webhook.</summary>
    public sealed class WebhookEvent
    {
        internal WebhookEvent(EventRecord verified) : this(verified.Kind.GetValueOrDefault(), verified.Payment) { }

        /// <summary>Makes an event for a test.</summary>
        public WebhookEvent(EventKind kind, Payment payment)
        {
            Kind = kind;
            Payment = payment;
        }

        /// <summary>The kind of event that the webhook reports.</summary>
        public EventKind Kind { get; }

        /// <summary>The payment that the webhook is about.</summary>
        public Payment Payment { get; }

        /// <summary>The kind, the order id and the status. The text contains nothing personal.</summary>
        public override string ToString() { return Kind + " of " + Payment; }
    }

    public sealed partial class Explanation
    {
        /// <summary>The cause and the hint.</summary>
        public override string ToString() { return CauseName + ": " + Hint; }
    }
}
