using System;
using System.Threading;
using System.Threading.Tasks;
using MerchantPay.Interop;

namespace MerchantPay
{
    /// <summary>
    /// Records the payments of the merchant's orders. Each order has at most one payment that a customer can pay, even if a program crashes
    /// or a message is lost. The journal stores each order before anything is sent. It keeps its rows in a file of its own or in the
    /// merchant's database, which it opens itself. Any number of threads may share a journal. A cancelled token, Thread.Abort and
    /// AppDomain.Unload interrupt the calls of a journal like the calls of a client. The result of an interrupted call is still stored.
    /// </summary>
    /// <remarks>The task of a method with the suffix Async occupies no thread of the .NET pool while it waits.</remarks>
    public sealed partial class Journal : IDisposable
    {
        private readonly Handle handle;

        /// <summary>
        /// Opens a journal. The place is the absolute path of a file, postgresql://… or mysql://…. The file or the tables must exist: the
        /// command merchantpay journal init creates them.
        /// </summary>
        public Journal(MerchantPayClient client, string place, string callbackUrl = null)
            : this(client, new JournalOptions { Place = place, CallbackUrl = callbackUrl }) { }

        /// <summary>Opens a journal with options.</summary>
        public Journal(MerchantPayClient client, JournalOptions options)
        {
            var parent = client.Checked("client").Handle;
            var settings = new SettingWriter();
            options.Checked("options").Write(settings);
            parent.NeedOpen("MerchantPayClient");
            handle = Opening.Open(Calls.ObjectKindJournal, settings, null, parent);
        }

        /// <summary>Frees the journal. Running calls continue to their end. It can be repeated.</summary>
        public void Dispose() { handle.Dispose(); }

        private T Run<T>(Command<T> command, CancellationToken token) { return NewCall(command, token).Run(); }

        private Task<T> RunAsync<T>(Command<T> command, CancellationToken token) { return NewCall(command, token).RunAsync(); }

        private Call<T> NewCall<T>(Command<T> command, CancellationToken token)
        {
            handle.NeedOpen("Journal");
            var derived = handle.Make(Calls.JournalDerive());
            return new Call<T>(derived, () => command.On(derived), token);
        }
    }
}
