using System;
using System.Collections.Concurrent;
using System.Collections.Generic;
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

    public static void SaleRaisesItsEventsOnTheWindowsThread()
    {
        Make.WithJournal(journal =>
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

    public static void WindowHandlesItsButtonDuringAPayment()
    {
        using (var service = new SilentService("newPayment"))
        {
            Make.WithJournal(journal =>
            {
                var lines = new List<string>();
                var loop = new Loop();
                var sale = new Sale(journal);
                var isHandled = false;
                sale.Shown += lines.Add;
                // The service has received the request and does not answer. The click on the button is a message of the loop.
                new Thread(() =>
                {
                    service.Await(1);
                    loop.Post(state => { isHandled = true; sale.GiveUp(); }, null);
                }) { IsBackground = true }.Start();
                Check.Equal(false, loop.Run(() => sale.Sell("order-1", Make.Request())));
                Check.True(isHandled, "the button was handled while the payment waited");
                Check.True(lines[lines.Count - 1].StartsWith("nobody knows", StringComparison.Ordinal), "the window shows how the sale stands");
            }, service.Sandbox.Options());
        }
    }
}
