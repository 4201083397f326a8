using System;
using System.Collections.Concurrent;
using System.Collections.Generic;
using System.Threading;
using System.Threading.Tasks;
using MerchantPay;

internal static class ClientTests
{
    public static void AnAsyncMethodDoesTheSame()
    {
        using (var client = Make.Client())
        {
            var payment = client.CreatePaymentAsync(Make.Request()).Result;
            client.ConfirmAsync(payment.OrderId).Wait();
            Check.Equal(true, client.WaitAsync(payment.OrderId, Check.Patience).Result.IsFinal);
        }
    }

    public static void FourHundredCallsOnEightThreadsUnderAForcedCollector()
    {
        var lines = 0;
        var options = MerchantPayOptions.FromEnvironment();
        options.Log = attempt => Interlocked.Increment(ref lines);
        using (var client = new MerchantPayClient(options))
        {
            var id = client.CreatePayment(Make.Request()).OrderId;
            var failures = new ConcurrentQueue<Exception>();
            var threads = new Thread[8];
            for (var index = 0; index < threads.Length; index++)
            {
                threads[index] = new Thread(() =>
                {
                    try
                    {
                        for (var call = 0; call < 50; call++)
                        {
                            Check.Equal(id, client.GetStatus(id).OrderId);
                            if (call % 10 == 0) GC.Collect();
                        }
                    }
                    catch (Exception e)
                    {
                        failures.Enqueue(e);
                    }
                });
                threads[index].Start();
            }
            foreach (var thread in threads) Check.Ends(thread);
            Exception first;
            Check.True(!failures.TryDequeue(out first), "every call succeeds: " + first);
            Check.Equal(401, lines);
        }
    }

    public static void WaitingTasksOccupyNoThreadOfThePool()
    {
        using (var server = new SilentServer())
        using (var client = new MerchantPayClient(Make.OptionsOf(server)))
        using (var source = new CancellationTokenSource())
        {
            int workers, ports, free, freePorts;
            ThreadPool.GetMaxThreads(out workers, out ports);
            var before = workers;
            ThreadPool.SetMaxThreads(Environment.ProcessorCount, ports);
            ThreadPool.GetMaxThreads(out workers, out ports);
            try
            {
                var tasks = new Task[workers + 4];
                for (var index = 0; index < tasks.Length; index++)
                {
                    tasks[index] = client.GetStatusAsync("o-1", source.Token);
                    Check.Happens(server.Asked);
                }
                // All these tasks wait for the server. The thread pool can still run other work.
                var ran = new ManualResetEvent(false);
                ThreadPool.QueueUserWorkItem(state => ran.Set());
                Check.Happens(ran);
                ThreadPool.GetAvailableThreads(out free, out freePorts);
                source.Cancel();
                foreach (var task in tasks)
                {
                    Check.Throws<AggregateException>(() => task.Wait(Check.Patience));
                    Check.Equal(TaskStatus.Canceled, task.Status);
                }
            }
            finally
            {
                ThreadPool.SetMaxThreads(before, ports);
            }
        }
    }

    public static void CallsRunOnThreadsOfTheLibrary()
    {
        Thread called = null;
        var options = MerchantPayOptions.FromEnvironment();
        options.Log = attempt => called = Thread.CurrentThread;
        using (var client = new MerchantPayClient(options)) client.GetAvailableAmounts(new AmountsRequest { Sum = 100m, PaymentMethod = PaymentMethod.Sbp });
        Check.True(called != null && called != Thread.CurrentThread && called.IsBackground && !called.IsThreadPoolThread, "a thread of its own");
    }

    public static void WhatASignerThrowsIsTheInnerException()
    {
        foreach (var signer in new Func<byte[], byte[]>[] { m => { throw new TimeoutException("the HSM is off"); }, m => null })
        {
            using (var client = new MerchantPayClient(Make.Signing(MerchantPayOptions.FromEnvironment(), signer)))
                Check.True(Check.Throws<SignerException>(() => client.GetStatus("o-1")).InnerException != null, "the cause is kept");
        }
    }

    public static void ADisposedObjectRefusesCallsAndRunningOnesGoOn()
    {
        using (var server = new SilentServer())
        {
            var options = Make.OptionsOf(server);
            options.Timeout = TimeSpan.FromSeconds(1);
            options.MaxRetries = 0;
            var client = new MerchantPayClient(options);
            var running = client.GetStatusAsync("o-1");
            Check.Happens(server.Asked);
            client.Dispose();
            client.Dispose();
            Check.True(Check.Throws<AggregateException>(() => running.Wait(Check.Patience)).InnerException is RequestTimeoutException, "the call ends by its deadline");
            Check.Throws<ObjectDisposedException>(() => client.GetStatus("o-1"));
            Check.Throws<ObjectDisposedException>(() => client.GetStatusAsync("o-1"));
            Check.Throws<ObjectDisposedException>(() => client.Derive());
            client.Interrupt();
        }
        var verifier = WebhookVerifier.FromEnvironment();
        verifier.Dispose();
        Check.Throws<ObjectDisposedException>(() => verifier.Verify(new byte[0], "x"));
        Check.Throws<ObjectDisposedException>(() => verifier.Explain(new byte[0], "x"));
        var protocol = new Protocol(MerchantPayOptions.FromEnvironment());
        var request = protocol.PrepareGetStatus("o-1");
        protocol.Dispose();
        Check.Throws<ObjectDisposedException>(() => protocol.PrepareConfirm("o-1"));
        request.Dispose();
        Check.Throws<ObjectDisposedException>(() => request.Open(200, new KeyValuePair<string, string>[0], new byte[0]));
    }

    public static void ClientsThatNobodyDisposesAreFreedByTheFinalizer()
    {
        var freed = new WeakReference[50];
        Abandon(freed);
        Check.Becomes(
            () =>
            {
                GC.Collect();
                GC.WaitForPendingFinalizers();
                var alive = 0;
                foreach (var each in freed) alive += each.IsAlive ? 1 : 0;
                return alive <= 2; // Mono's collector scans stacks conservatively, and can keep some of these objects.
            },
            "the delegates are collected with their clients");
    }

    private static void Abandon(WeakReference[] freed)
    {
        var thread = new Thread(() =>
        {
            for (var index = 0; index < freed.Length; index++)
            {
                var options = MerchantPayOptions.FromEnvironment();
                var target = new object();
                options.Log = attempt => target.ToString();
                freed[index] = new WeakReference(target);
                GC.KeepAlive(new MerchantPayClient(options));
            }
        });
        thread.Start();
        Check.Ends(thread);
    }

    /// <summary>Makes calls in its finalizer, and keeps the exception of each call.</summary>
    private sealed class Caller
    {
        private readonly List<Exception> errors;
        private readonly Action[] calls;
        private readonly EventWaitHandle called;

        internal Caller(List<Exception> errors, EventWaitHandle called, params Action[] calls)
        {
            this.errors = errors;
            this.called = called;
            this.calls = calls;
        }

        ~Caller()
        {
            foreach (var call in calls)
            {
                try
                {
                    call();
                    errors.Add(null);
                }
                catch (Exception e)
                {
                    errors.Add(e);
                }
            }
            called.Set();
        }
    }

    public static void ACallFromAFinalizerHasTheRightException()
    {
        var errors = new List<Exception>();
        using (var client = Make.Client())
        using (var disposed = Make.Client())
        using (var called = new ManualResetEvent(false))
        {
            var id = client.CreatePayment(Make.Request()).OrderId;
            disposed.Dispose();
            var thread = new Thread(() => new Caller(
                errors, called, () => client.GetStatus(id), () => client.GetStatus("no such order"), () => client.GetStatus("a\0b"), () => client.GetStatus(null), () => disposed.GetStatus(id)));
            thread.Start();
            Check.Ends(thread);
            Check.Becomes(
                () =>
                {
                    GC.Collect();
                    GC.WaitForPendingFinalizers();
                    return called.WaitOne(0);
                },
                "the finalizer runs");
        }
        Check.True(errors[0] == null, "a call succeeds: " + errors[0]);
        Check.True(errors[1] is RejectedException, "a refusal: " + errors[1]);
        Check.True(errors[2] is InvalidArgumentException && errors[3] is InvalidArgumentException, "an invalid argument: " + errors[2] + errors[3]);
        Check.True(errors[4] is ObjectDisposedException, "a disposed client: " + errors[4]);
    }
}
