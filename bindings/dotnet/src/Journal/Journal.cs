using System;
using System.Collections.Generic;
using System.Data.Common;
using System.Runtime.InteropServices;
using System.Threading;
using System.Threading.Tasks;
using MerchantPay.Interop;

namespace MerchantPay
{
    /// <summary>
    /// Records the payments of the merchant's orders. Each order has at most one payment that a customer can pay, even if a program crashes
    /// or a message is lost. The journal stores each order before anything is sent. It keeps its rows in its own file, or in the merchant's
    /// database. Any number of threads may share a journal. A cancelled token, Thread.Abort and AppDomain.Unload interrupt the calls of a
    /// journal like the calls of a client. The result of an interrupted call is still stored.
    /// </summary>
    public sealed partial class Journal : IDisposable
    {
        private readonly JournalHandle handle;

        /// <summary>Opens a journal in a file. The path must be absolute, and the file must exist: the command merchantpay journal init creates it.</summary>
        public Journal(MerchantPayClient client, string path, string callbackUrl = null)
            : this(client, new JournalOptions { File = path, CallbackUrl = callbackUrl }) { }

        /// <summary>Opens a journal in the merchant's database. The command merchantpay journal schema prints the tables that the database must have.</summary>
        public Journal(MerchantPayClient client, Func<DbConnection> database, string callbackUrl = null)
            : this(client, new JournalOptions { Database = database, CallbackUrl = callbackUrl }) { }

        /// <summary>Opens a journal with options.</summary>
        public Journal(MerchantPayClient client, JournalOptions options)
        {
            if (client == null) throw new ArgumentNullException("client");
            if (options == null) throw new ArgumentNullException("options");
            if (client.Handle.IsClosed) throw new ObjectDisposedException("MerchantPayClient");
            // Opening runs statements, which must not run on a thread that can be aborted.
            handle = new Call<JournalHandle>(null, () => Open(client.Handle, options), CancellationToken.None).Run(true);
        }

        /// <summary>
        /// Creates a payment, or returns the existing payment of the reference, so this call can be repeated safely. The reference is the
        /// merchant's own order number. <paramref name="replace"/> is the number of the attempt to replace, or 0. Only a person may decide to
        /// replace an attempt.
        /// </summary>
        public Entry Pay(string reference, PaymentRequest request, int replace = 0, CancellationToken token = default(CancellationToken)) { return Run(JournalCalls.Pay(reference, request, replace), token); }

        /// <summary>Runs Pay as a task. The task occupies no thread of the .NET pool while it waits.</summary>
        public Task<Entry> PayAsync(string reference, PaymentRequest request, int replace = 0, CancellationToken token = default(CancellationToken)) { return RunAsync(JournalCalls.Pay(reference, request, replace), token); }

        /// <summary>Like Pay, but the payment details that the customer needs (credentials) come by webhook. This method needs a callback URL.</summary>
        public Entry RequestPayment(string reference, PaymentRequest request, int replace = 0, CancellationToken token = default(CancellationToken)) { return Run(JournalCalls.RequestPayment(reference, request, replace), token); }

        /// <summary>Runs RequestPayment as a task. The task occupies no thread of the .NET pool while it waits.</summary>
        public Task<Entry> RequestPaymentAsync(string reference, PaymentRequest request, int replace = 0, CancellationToken token = default(CancellationToken)) { return RunAsync(JournalCalls.RequestPayment(reference, request, replace), token); }

        /// <summary>
        /// Reports to the service that the customer has paid this attempt. The journal stores the report before it sends the report. Settle
        /// retries the report while its outcome is unknown.
        /// </summary>
        public Entry Confirm(Entry entry, CancellationToken token = default(CancellationToken)) { return Run(JournalCalls.Confirm(entry), token); }

        /// <summary>Confirms the attempt with this reference and number.</summary>
        public Entry Confirm(string reference, int attempt, CancellationToken token = default(CancellationToken)) { return Run(JournalCalls.Confirm(reference, attempt), token); }

        /// <summary>Runs Confirm as a task. The task occupies no thread of the .NET pool while it waits.</summary>
        public Task<Entry> ConfirmAsync(Entry entry, CancellationToken token = default(CancellationToken)) { return RunAsync(JournalCalls.Confirm(entry), token); }

        /// <summary>Cancels this attempt. Do not show the attempt's credentials any more.</summary>
        public Entry Cancel(Entry entry, CancellationToken token = default(CancellationToken)) { return Run(JournalCalls.Cancel(entry), token); }

        /// <summary>Cancels the attempt with this reference and number.</summary>
        public Entry Cancel(string reference, int attempt, CancellationToken token = default(CancellationToken)) { return Run(JournalCalls.Cancel(reference, attempt), token); }

        /// <summary>Runs Cancel as a task. The task occupies no thread of the .NET pool while it waits.</summary>
        public Task<Entry> CancelAsync(Entry entry, CancellationToken token = default(CancellationToken)) { return RunAsync(JournalCalls.Cancel(entry), token); }

        /// <summary>Finds the last attempt of a reference, together with the earlier attempts; null if there is no such reference.</summary>
        public Entry Find(string reference, CancellationToken token = default(CancellationToken)) { return Run(JournalCalls.Find(reference), token); }

        /// <summary>Runs Find as a task. The task occupies no thread of the .NET pool while it waits.</summary>
        public Task<Entry> FindAsync(string reference, CancellationToken token = default(CancellationToken)) { return RunAsync(JournalCalls.Find(reference), token); }

        /// <summary>
        /// Lists entries of one standing, or of all standings, the newest first. If <paramref name="before"/> is not null, the list has only
        /// entries that are older than that entry.
        /// </summary>
        public IReadOnlyList<Entry> List(Standing? standing = null, int limit = 100, Entry before = null, CancellationToken token = default(CancellationToken)) { return Run(JournalCalls.List(standing, limit, before), token); }

        /// <summary>Runs List as a task. The task occupies no thread of the .NET pool while it waits.</summary>
        public Task<IReadOnlyList<Entry>> ListAsync(Standing? standing = null, int limit = 100, Entry before = null, CancellationToken token = default(CancellationToken)) { return RunAsync(JournalCalls.List(standing, limit, before), token); }

        /// <summary>
        /// Returns entries with changes that are not acknowledged, the oldest first. Act on a payment only when this method returns its entry.
        /// The method claims each entry for a minute, or for <paramref name="claim"/>, so that concurrent workers get different entries.
        /// </summary>
        public IReadOnlyList<Entry> News(int limit = 100, TimeSpan claim = default(TimeSpan), CancellationToken token = default(CancellationToken)) { return Run(JournalCalls.News(limit, claim), token); }

        /// <summary>Runs News as a task. The task occupies no thread of the .NET pool while it waits.</summary>
        public Task<IReadOnlyList<Entry>> NewsAsync(int limit = 100, TimeSpan claim = default(TimeSpan), CancellationToken token = default(CancellationToken)) { return RunAsync(JournalCalls.News(limit, claim), token); }

        /// <summary>Lists the attempts and orphans about which an operator must decide.</summary>
        public IReadOnlyList<Entry> Attention(int limit = 100, CancellationToken token = default(CancellationToken)) { return Run(JournalCalls.Attention(limit), token); }

        /// <summary>Runs Attention as a task. The task occupies no thread of the .NET pool while it waits.</summary>
        public Task<IReadOnlyList<Entry>> AttentionAsync(int limit = 100, CancellationToken token = default(CancellationToken)) { return RunAsync(JournalCalls.Attention(limit), token); }

        /// <summary>
        /// Records that the merchant has acted on the level that the entry reports. If two workers acknowledge the same entry, only one of them
        /// gets true.
        /// </summary>
        public bool Acknowledge(Entry entry, CancellationToken token = default(CancellationToken)) { return Acknowledge(JournalCalls.Of(entry), entry.Attempt, entry.Reported, token); }

        /// <summary>Acknowledges the attempt with this reference and number. <paramref name="level"/> is the value of Reported when the entry was read.</summary>
        public bool Acknowledge(string reference, int attempt, Level level, CancellationToken token = default(CancellationToken)) { return Run(JournalCalls.Acknowledge(reference, attempt, level, null), token); }

        /// <summary>Runs Acknowledge as a task. The task occupies no thread of the .NET pool while it waits.</summary>
        public Task<bool> AcknowledgeAsync(Entry entry, CancellationToken token = default(CancellationToken)) { return RunAsync(JournalCalls.Acknowledge(JournalCalls.Of(entry), entry.Attempt, entry.Reported, null), token); }

        /// <summary>
        /// Acknowledges within the merchant's own transaction on the journal's database. Call it first in the transaction; the
        /// transaction's other work is then done exactly once. It throws a <see cref="ConflictException"/> if another worker has
        /// acknowledged the entry: roll back. Keep the transaction short, and use the isolation level READ COMMITTED.
        /// </summary>
        public bool Acknowledge(Entry entry, DbTransaction transaction) { return Acknowledge(JournalCalls.Of(entry), entry.Attempt, entry.Reported, transaction); }

        /// <summary>Acknowledges the attempt with this reference and number, within the merchant's own transaction.</summary>
        public bool Acknowledge(string reference, int attempt, Level level, DbTransaction transaction)
        {
            if (transaction == null) throw new ArgumentNullException("transaction");
            // The call runs to its end. Otherwise an aborted caller could roll back while a statement runs in the transaction.
            return NewCall(JournalCalls.Acknowledge(reference, attempt, level, transaction), CancellationToken.None).Run(true);
        }

        /// <summary>Waits until the last attempt of a reference has credentials or is final, or until the timeout. Returns the attempt in each case.</summary>
        public Entry Wait(string reference, TimeSpan timeout, Until until = Until.Final, CancellationToken token = default(CancellationToken)) { return Run(JournalCalls.Wait(reference, timeout, until), token); }

        /// <summary>Runs Wait as a task. The task occupies no thread of the .NET pool while it waits.</summary>
        public Task<Entry> WaitAsync(string reference, TimeSpan timeout, Until until = Until.Final, CancellationToken token = default(CancellationToken)) { return RunAsync(JournalCalls.Wait(reference, timeout, until), token); }

        /// <summary>
        /// Asks the service about attempts whose time DueAt has come, and retries unanswered confirms and cancels. Call this method in a loop;
        /// several processes may share the work.
        /// </summary>
        public Settled Settle(int limit = 100, CancellationToken token = default(CancellationToken)) { return Run(JournalCalls.Settle(limit), token); }

        /// <summary>Runs Settle as a task. The task occupies no thread of the .NET pool while it waits.</summary>
        public Task<Settled> SettleAsync(int limit = 100, CancellationToken token = default(CancellationToken)) { return RunAsync(JournalCalls.Settle(limit), token); }

        /// <summary>
        /// Handles a webhook. The arguments are its path or URL, the unchanged bytes of its body, and the texts of its headers X-Signature and
        /// X-KeyId.
        /// </summary>
        public Received Receive(string path, byte[] body, string signature, string keyId = null, CancellationToken token = default(CancellationToken)) { return Run(JournalCalls.Receive(path, body, signature, keyId), token); }

        /// <summary>Runs Receive as a task. The task occupies no thread of the .NET pool while it waits.</summary>
        public Task<Received> ReceiveAsync(string path, byte[] body, string signature, string keyId = null, CancellationToken token = default(CancellationToken)) { return RunAsync(JournalCalls.Receive(path, body, signature, keyId), token); }

        /// <summary>Stores an operator's decision: the attempt with the standing unknown belongs to this order. The note names who decided, and why.</summary>
        public void ResolveAsOrder(Entry entry, string orderId, string note, CancellationToken token = default(CancellationToken)) { Run(JournalCalls.Resolve(entry, Native.MPAY_RESOLUTION_ORDER_ID, orderId, note), token); }

        /// <summary>Stores an operator's decision: the service made no payment for the attempt with the standing unknown. The note names who decided, and why.</summary>
        public void ResolveAsNoPayment(Entry entry, string note, CancellationToken token = default(CancellationToken)) { Run(JournalCalls.Resolve(entry, Native.MPAY_RESOLUTION_NO_PAYMENT, null, note), token); }

        /// <summary>
        /// Stores that an operator has seen the reasons for attention. The item leaves the list until it has a new reason. The note names
        /// who has seen it.
        /// </summary>
        public void ResolveAsSeen(Entry entry, string note, CancellationToken token = default(CancellationToken)) { Run(JournalCalls.Resolve(entry, Native.MPAY_RESOLUTION_SEEN, null, note), token); }

        /// <summary>Frees the journal. Running calls continue to their end, and entries stay valid.</summary>
        public void Dispose() { handle.Dispose(); }

        private static JournalHandle Open(ClientHandle client, JournalOptions options)
        {
            using (var config = Native.mpay_journal_config_new())
            {
                options.Write(new SettingWriter((byte[] name, byte[] text, out ErrorHandle error) => Native.mpay_journal_config_set(config, name, text, out error)));
                if (options.CheckLater) Native.mpay_journal_config_set_check_later(config, 1);
                var statements = default(GCHandle);
                try
                {
                    if (options.Database != null)
                    {
                        var database = new DatabaseStatements(options.Database, options.Dialect);
                        statements = GCHandle.Alloc(database);
                        Native.mpay_journal_config_set_database(
                            config, (int)database.Dialect, database.Placeholders, DatabaseEntry.Run, GCHandle.ToIntPtr(statements), null);
                    }
                    JournalHandle made;
                    ErrorHandle failure;
                    var code = Native.mpay_journal_open(client, config, out made, out failure);
                    Failure.Check(code, failure);
                    made.DependsOn(client);
                    made.Keep(statements);
                    statements = default(GCHandle);
                    return made;
                }
                finally
                {
                    if (statements.IsAllocated) statements.Free();
                }
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
