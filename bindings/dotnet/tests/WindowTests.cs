using System;
using System.Collections.Concurrent;
using System.Collections.Generic;
using System.IO;
using System.Threading;
using System.Threading.Tasks;
using MerchantPay;

/// <summary>Tests the sale of examples/dotnet/window, on a thread with a message loop like that of a window.</summary>
internal static class WindowTests
{
    private sealed class Loop : SynchronizationContext
    {
        private readonly BlockingCollection<Action> messages = new BlockingCollection<Action>();

        public override void Post(SendOrPostCallback call, object state) { messages.Add(() => call(state)); }

        /// <summary>Handles messages on this thread until the work has ended.</summary>
        internal T Run<T>(Func<Task<T>> work)
        {
            SetSynchronizationContext(this);
            var task = work();
            while (!task.IsCompleted)
            {
                Action message;
                Check.True(messages.TryTake(out message, Check.Patience), "there is a message");
                message();
            }
            SetSynchronizationContext(null);
            return task.GetAwaiter().GetResult();
        }
    }

    private static void With(MerchantPayOptions options, Action<Journal> run)
    {
        var file = Path.Combine(Path.GetTempPath(), "till-" + Guid.NewGuid().ToString("N") + ".db");
        try
        {
            using (var client = new MerchantPayClient(options))
            using (var journal = new Journal(client, new JournalOptions { Place = file, Create = true })) run(journal);
        }
        finally
        {
            foreach (var end in new[] { "", "-wal", "-shm" }) File.Delete(file + end);
        }
    }

    public static void ASaleIsPaidAndItsEventsComeOnTheThreadOfTheWindow()
    {
        With(MerchantPayOptions.FromEnvironment(), journal =>
        {
            var lines = new List<string>();
            var window = Thread.CurrentThread;
            var sale = new Sale(journal);
            sale.Shown += line =>
            {
                Check.Equal(window, Thread.CurrentThread);
                lines.Add(line);
            };
            Check.Equal(true, new Loop().Run(() => sale.Sell("order-1", Make.Request())));
            Check.Equal("paid", lines[lines.Count - 1]);
        });
    }

    public static void AWindowTakesItsButtonWhileAPaymentWaits()
    {
        using (var server = new SilentServer())
        {
            With(Make.OptionsOf(server), journal =>
            {
                var lines = new List<string>();
                var loop = new Loop();
                var sale = new Sale(journal);
                sale.Shown += lines.Add;
                // The service has received the request and does not answer. The click on the button is a message of the loop.
                new Thread(() =>
                {
                    Check.Happens(server.Asked);
                    loop.Post(state => sale.GiveUp(), null);
                }) { IsBackground = true }.Start();
                Check.Equal(false, loop.Run(() => sale.Sell("order-1", Make.Request())));
                Check.True(lines[lines.Count - 1].StartsWith("nobody knows", StringComparison.Ordinal), "the window shows how the sale stands");
            });
        }
    }
}
