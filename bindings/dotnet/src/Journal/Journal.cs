using System;
using System.Collections.Generic;
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
    public sealed class Journal : IDisposable
    {
        private readonly JournalHandle handle;

        /// <summary>
        /// Opens a journal. The place is the absolute path of a file, postgresql://… or mysql://…. The file or the tables must exist: the
        /// command merchantpay journal init creates them.
        /// </summary>
        public Journal(MerchantPayClient client, string place, string callbackUrl = null)
            : this(client, new JournalOptions { Place = place, CallbackUrl = callbackUrl }) { }

        /// <summary>Opens a journal with options.</summary>
        public Journal(MerchantPayClient client, JournalOptions options)
        {
            if (client == null) throw new ArgumentNullException("client");
            if (options == null) throw new ArgumentNullException("options");
            if (client.Handle.IsClosed) throw new ObjectDisposedException("MerchantPayClient");
            // Opening reads the database, which must not happen on a thread that can be aborted.
            handle = new Call<JournalHandle>(null, () => Open(client.Handle, options), CancellationToken.None).Run(true);
        }

        /// <summary>Creates a payment, or returns the existing payment of the reference, so this call can be repeated safely. The reference is the merchant's own order number.</summary>
        public Entry Pay(string reference, PaymentRequest request, CancellationToken token = default(CancellationToken)) { return Run(JournalCalls.Pay(reference, request), token); }

        /// <summary>Runs Pay as a task.</summary>
        public Task<Entry> PayAsync(string reference, PaymentRequest request, CancellationToken token = default(CancellationToken)) { return RunAsync(JournalCalls.Pay(reference, request), token); }

        /// <summary>Like Pay, but the payment details that the customer needs (credentials) come by webhook. This method needs a callback URL.</summary>
        public Entry RequestPayment(string reference, PaymentRequest request, CancellationToken token = default(CancellationToken)) { return Run(JournalCalls.RequestPayment(reference, request), token); }

        /// <summary>Runs RequestPayment as a task.</summary>
        public Task<Entry> RequestPaymentAsync(string reference, PaymentRequest request, CancellationToken token = default(CancellationToken)) { return RunAsync(JournalCalls.RequestPayment(reference, request), token); }

        /// <summary>
        /// Creates a payment in place of the last attempt of a reference. Only a person may decide this: the attempt must be unknown, refused,
        /// failed, or open with an accepted cancel. Since 0.4.0.
        /// </summary>
        public Entry Replace(string reference, int attempt, PaymentRequest request, CancellationToken token = default(CancellationToken)) { return Run(JournalCalls.Replace(reference, attempt, request), token); }

        /// <summary>Runs Replace as a task. Since 0.4.0.</summary>
        public Task<Entry> ReplaceAsync(string reference, int attempt, PaymentRequest request, CancellationToken token = default(CancellationToken)) { return RunAsync(JournalCalls.Replace(reference, attempt, request), token); }

        /// <summary>Reports to the service that the customer has paid. The journal stores the report before it sends it, and Settle repeats it until there is an answer.</summary>
        public Entry Confirm(Entry entry, CancellationToken token = default(CancellationToken)) { return Confirm(JournalCalls.OfEntry(entry), entry.Attempt, token); }

        /// <summary>Confirms the attempt with this reference and number.</summary>
        public Entry Confirm(string reference, int attempt, CancellationToken token = default(CancellationToken)) { return Run(JournalCalls.Confirm(reference, attempt), token); }

        /// <summary>Runs Confirm as a task.</summary>
        public Task<Entry> ConfirmAsync(Entry entry, CancellationToken token = default(CancellationToken)) { return ConfirmAsync(JournalCalls.OfEntry(entry), entry.Attempt, token); }

        /// <summary>Runs Confirm as a task. Since 0.4.0.</summary>
        public Task<Entry> ConfirmAsync(string reference, int attempt, CancellationToken token = default(CancellationToken)) { return RunAsync(JournalCalls.Confirm(reference, attempt), token); }

        /// <summary>Cancels an attempt. Do not show its credentials any more.</summary>
        public Entry Cancel(Entry entry, CancellationToken token = default(CancellationToken)) { return Cancel(JournalCalls.OfEntry(entry), entry.Attempt, token); }

        /// <summary>Cancels the attempt with this reference and number.</summary>
        public Entry Cancel(string reference, int attempt, CancellationToken token = default(CancellationToken)) { return Run(JournalCalls.Cancel(reference, attempt), token); }

        /// <summary>Runs Cancel as a task.</summary>
        public Task<Entry> CancelAsync(Entry entry, CancellationToken token = default(CancellationToken)) { return CancelAsync(JournalCalls.OfEntry(entry), entry.Attempt, token); }

        /// <summary>Runs Cancel as a task. Since 0.4.0.</summary>
        public Task<Entry> CancelAsync(string reference, int attempt, CancellationToken token = default(CancellationToken)) { return RunAsync(JournalCalls.Cancel(reference, attempt), token); }

        /// <summary>Finds the last attempt of a reference; null if there is no such reference.</summary>
        public Entry Find(string reference, CancellationToken token = default(CancellationToken)) { return Run(JournalCalls.Find(reference), token); }

        /// <summary>Runs Find as a task.</summary>
        public Task<Entry> FindAsync(string reference, CancellationToken token = default(CancellationToken)) { return RunAsync(JournalCalls.Find(reference), token); }

        /// <summary>
        /// Lists the last attempt of each reference, or all attempts of one standing, the newest first. <paramref name="before"/> is the last
        /// entry of the previous page.
        /// </summary>
        public IReadOnlyList<Entry> List(Standing? standing = null, int limit = 100, Entry before = null, CancellationToken token = default(CancellationToken)) { return Run(JournalCalls.List(standing, limit, before), token); }

        /// <summary>Runs List as a task.</summary>
        public Task<IReadOnlyList<Entry>> ListAsync(Standing? standing = null, int limit = 100, Entry before = null, CancellationToken token = default(CancellationToken)) { return RunAsync(JournalCalls.List(standing, limit, before), token); }

        /// <summary>
        /// Returns entries with news that are not acknowledged, the oldest first. Act on a payment only when this method returns its entry,
        /// then acknowledge it. Each entry is leased to the caller for a minute, so that concurrent workers get different entries.
        /// </summary>
        public IReadOnlyList<Entry> News(int limit = 100, CancellationToken token = default(CancellationToken)) { return Run(JournalCalls.News(limit), token); }

        /// <summary>Runs News as a task.</summary>
        public Task<IReadOnlyList<Entry>> NewsAsync(int limit = 100, CancellationToken token = default(CancellationToken)) { return RunAsync(JournalCalls.News(limit), token); }

        /// <summary>Lists what a person must look at: attempts with the reasons, orphans, and rows that cannot be read.</summary>
        public IReadOnlyList<Entry> Attention(int limit = 100, CancellationToken token = default(CancellationToken)) { return Run(JournalCalls.Attention(limit), token); }

        /// <summary>Runs Attention as a task.</summary>
        public Task<IReadOnlyList<Entry>> AttentionAsync(int limit = 100, CancellationToken token = default(CancellationToken)) { return RunAsync(JournalCalls.Attention(limit), token); }

        /// <summary>
        /// Records that the merchant has acted on the news that the entry shows. Returns false if they were acknowledged before, or if there
        /// are newer news. Use <see cref="Entry.AcknowledgeSql"/> to do it in your own transaction.
        /// </summary>
        public bool Acknowledge(Entry entry, CancellationToken token = default(CancellationToken)) { return Acknowledge(JournalCalls.OfEntry(entry), entry.Attempt, entry.News, token); }

        /// <summary>Acknowledges the attempt with this reference and number. <paramref name="news"/> is the value of News when the entry was read.</summary>
        public bool Acknowledge(string reference, int attempt, long news, CancellationToken token = default(CancellationToken)) { return Run(JournalCalls.Acknowledge(reference, attempt, news), token); }

        /// <summary>Runs Acknowledge as a task.</summary>
        public Task<bool> AcknowledgeAsync(Entry entry, CancellationToken token = default(CancellationToken)) { return AcknowledgeAsync(JournalCalls.OfEntry(entry), entry.Attempt, entry.News, token); }

        /// <summary>Runs Acknowledge as a task. Since 0.4.0.</summary>
        public Task<bool> AcknowledgeAsync(string reference, int attempt, long news, CancellationToken token = default(CancellationToken)) { return RunAsync(JournalCalls.Acknowledge(reference, attempt, news), token); }

        /// <summary>Waits until the last attempt of a reference has credentials or is final, or until the timeout. Returns the attempt in each case.</summary>
        public Entry Wait(string reference, TimeSpan timeout, Until until = Until.Final, CancellationToken token = default(CancellationToken)) { return Run(JournalCalls.Wait(reference, timeout, until), token); }

        /// <summary>Runs Wait as a task.</summary>
        public Task<Entry> WaitAsync(string reference, TimeSpan timeout, Until until = Until.Final, CancellationToken token = default(CancellationToken)) { return RunAsync(JournalCalls.Wait(reference, timeout, until), token); }

        /// <summary>Asks the service about attempts that are due, and repeats unanswered confirms and cancels. Call it in a loop; several processes may share the work.</summary>
        public Settled Settle(int limit = 100, CancellationToken token = default(CancellationToken)) { return Run(JournalCalls.Settle(limit), token); }

        /// <summary>Runs Settle as a task.</summary>
        public Task<Settled> SettleAsync(int limit = 100, CancellationToken token = default(CancellationToken)) { return RunAsync(JournalCalls.Settle(limit), token); }

        /// <summary>
        /// Handles a webhook. The arguments are its path or URL, the unchanged bytes of its body, and the texts of its headers X-Signature and
        /// X-KeyId.
        /// </summary>
        public Received Receive(string path, byte[] body, string signature, string keyId = null, CancellationToken token = default(CancellationToken)) { return Run(JournalCalls.Receive(path, body, signature, keyId), token); }

        /// <summary>Runs Receive as a task.</summary>
        public Task<Received> ReceiveAsync(string path, byte[] body, string signature, string keyId = null, CancellationToken token = default(CancellationToken)) { return RunAsync(JournalCalls.Receive(path, body, signature, keyId), token); }

        /// <summary>
        /// Stores a person's decision: the unknown attempt belongs to this order. The service must report <paramref name="sum"/> for it, the
        /// asked sum unless given. The note names who decided, and why.
        /// </summary>
        public Entry ResolveAsOrder(Entry entry, string orderId, string note, decimal? sum = null, CancellationToken token = default(CancellationToken)) { return Run(JournalCalls.ResolveAsOrder(entry, orderId, note, sum), token); }

        /// <summary>Stores a person's decision: the service made no payment for the unknown attempt. The note names who decided, and why.</summary>
        public Entry ResolveAsNoPayment(Entry entry, string note, CancellationToken token = default(CancellationToken)) { return Run(JournalCalls.ResolveAsNoPayment(entry, note), token); }

        /// <summary>
        /// Stores that a person has seen the item: the reasons that it shows, and of an orphan its status. What came meanwhile stays on the
        /// list. The note names who has seen it. Returns null for an orphan.
        /// </summary>
        public Entry ResolveAsSeen(Entry entry, string note, CancellationToken token = default(CancellationToken)) { return Run(JournalCalls.ResolveAsSeen(entry, note), token); }

        /// <summary>
        /// Stores a person's decision: the attempt, which comes from a backup, is as new as the truth. Ask support about every merchantId of
        /// the reference before. Since 0.4.0.
        /// </summary>
        public Entry ResolveAsTrusted(Entry entry, string note, CancellationToken token = default(CancellationToken)) { return Run(JournalCalls.ResolveAsTrusted(entry, note), token); }

        /// <summary>Counts what is open, due, new and for a person. Since 0.3.0.</summary>
        public JournalStats Stats(CancellationToken token = default(CancellationToken)) { return Run(JournalCalls.Stats, token); }

        /// <summary>Frees the journal. Running calls continue to their end.</summary>
        public void Dispose() { handle.Dispose(); }

        private static JournalHandle Open(ClientHandle client, JournalOptions options)
        {
            using (var config = Native.mpay_journal_config_new())
            {
                options.Write(new SettingWriter((byte[] name, byte[] text, out ErrorHandle error) => Native.mpay_journal_config_set(config, name, text, out error)));
                var code = Native.mpay_journal_open(client, config, out JournalHandle made, out ErrorHandle failure);
                Failure.Check(code, failure);
                made.DependsOn(client);
                return made;
            }
        }

        private T Run<T>(Func<JournalHandle, T> call, CancellationToken token) { return NewCall(call, token).Run(); }

        private Task<T> RunAsync<T>(Func<JournalHandle, T> call, CancellationToken token) { return NewCall(call, token).RunAsync(); }

        private Call<T> NewCall<T>(Func<JournalHandle, T> call, CancellationToken token)
        {
            if (handle.IsClosed) throw new ObjectDisposedException("Journal");
            var derived = handle.Derived((out JournalHandle made, out ErrorHandle error) => Native.mpay_journal_derive(handle, out made, out error));
            return new Call<T>(derived, () => call(derived), token);
        }
    }
}
