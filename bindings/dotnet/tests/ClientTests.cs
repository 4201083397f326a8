using System;
using System.Collections.Concurrent;
using System.Collections.Generic;
using System.Threading;
using System.Threading.Tasks;
using MerchantPay;

/// <summary>Tests threads, tasks, tokens, delegates and the garbage collector.</summary>
internal static class ClientTests
{
    public static void ThreadsShareAClientUnderAForcedCollector()
    {
        var lines = 0;
        var options = MerchantPayOptions.FromEnvironment();
        options.Log = attempt => Interlocked.Increment(ref lines);
        using (var client = new MerchantPayClient(options))
        {
            var id = client.CreatePayment(Make.Request()).OrderId;
            var orders = new ConcurrentBag<string>();
            var threads = new Thread[8];
            for (var index = 0; index < threads.Length; index++)
            {
                threads[index] = new Thread(() =>
                {
                    for (var call = 0; call < 50; call++)
                    {
                        orders.Add(client.GetStatus(id).OrderId);
                        if (call % 10 == 0) GC.Collect();
                    }
                });
                threads[index].Start();
            }
            foreach (var thread in threads) Check.Ends(thread);
            Check.Equal(400, orders.Count);
            Check.Equal(401, lines);
        }
    }

    public static void WaitingTasksOccupyNoThreadOfThePool()
    {
        using (var service = new SilentService())
        using (var client = service.Sandbox.Client())
        using (var source = new CancellationTokenSource())
        {
            int workers, ports;
            ThreadPool.GetMaxThreads(out workers, out ports);
            var before = workers;
            ThreadPool.SetMaxThreads(Environment.ProcessorCount, ports);
            ThreadPool.GetMaxThreads(out workers, out ports);
            try
            {
                var tasks = new Task[workers + 4];
                for (var index = 0; index < tasks.Length; index++) tasks[index] = client.GetStatusAsync("o-1", source.Token);
                service.Await(tasks.Length);
                // All these tasks wait for the service. The thread pool can still run other work.
                var ran = new ManualResetEvent(false);
                ThreadPool.QueueUserWorkItem(state => ran.Set());
                Check.Happens(ran);
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

    public static void AwaitThrowsTheOutcome()
    {
        using (var service = new SilentService("confirm"))
        using (var client = service.Sandbox.Client())
        using (var source = new CancellationTokenSource())
        {
            var call = client.ConfirmAsync("o-1", source.Token);
            service.Await(1);
            source.Cancel();
            var error = Check.Throws<PaymentCancelledException>(() => call.GetAwaiter().GetResult());
            Check.Equal(Outcome.Unknown, error.Outcome);
            Check.Equal(source.Token, error.CancellationToken);
            Check.Equal(true, call.IsCanceled);
            Check.Equal(Outcome.Unknown, MerchantPayException.OutcomeOf(Check.Throws<AggregateException>(() => call.Wait())).Value);
        }
    }

    public static void DerivedClientHasItsOwnDeadlineAndInterruption()
    {
        using (var service = new SilentService())
        using (var client = service.Sandbox.Client())
        using (var derived = client.Derive(TimeSpan.FromMilliseconds(50)))
        {
            Check.Equal(true, Check.Throws<RequestTimeoutException>(() => derived.GetStatus("o-1")).IsTransient);
            derived.Interrupt();
            Check.Equal(Outcome.NotSent, Check.Throws<PaymentCancelledException>(() => derived.GetStatus("o-1")).Outcome);
            var asked = service.Asked;
            var call = client.GetStatusAsync("o-2");
            service.Await(asked + 1);
            client.Interrupt();
            Check.Throws<PaymentCancelledException>(() => call.GetAwaiter().GetResult());
        }
    }

    public static void SignerExceptionIsTheInnerException()
    {
        foreach (var signer in new Func<byte[], byte[]>[] { m => { throw new TimeoutException("the HSM is off"); }, m => null })
        {
            using (var client = new MerchantPayClient(Make.Signing(MerchantPayOptions.FromEnvironment(), signer)))
                Check.True(Check.Throws<SignerException>(() => client.GetStatus("o-1")).InnerException != null, "the cause is kept");
        }
    }

    public static void DisposedObjectRefusesCalls()
    {
        using (var service = new SilentService())
        {
            var options = service.Sandbox.Options();
            options.Timeout = TimeSpan.FromSeconds(1);
            options.MaxRetries = 0;
            var client = new MerchantPayClient(options);
            var running = client.GetStatusAsync("o-1");
            service.Await(1);
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

    public static void FinalizerFreesClients()
    {
        var freed = new WeakReference[50];
        OnAThread(() =>
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
        // Mono's collector scans stacks conservatively, and can keep some of these objects.
        Collected(() => Array.FindAll(freed, each => each.IsAlive).Length <= 2);
    }

    /// <summary>Makes calls in its finalizer, and keeps the exception of each call.</summary>
    private sealed class Caller
    {
        private readonly List<Exception> errors;
        private readonly Action[] calls;

        internal Caller(List<Exception> errors, params Action[] calls)
        {
            this.errors = errors;
            this.calls = calls;
        }

        ~Caller()
        {
            foreach (var call in calls)
            {
                Exception error = null;
                try
                {
                    call();
                }
                catch (Exception e)
                {
                    error = e;
                }
                lock (errors) errors.Add(error);
            }
        }
    }

    public static void FinalizerMayCall()
    {
        var errors = new List<Exception>();
        using (var client = Make.Client())
        using (var disposed = Make.Client())
        {
            var id = client.CreatePayment(Make.Request()).OrderId;
            disposed.Dispose();
            OnAThread(() => new Caller(errors, () => client.GetStatus(id), () => client.GetStatus("no such order"), () => client.GetStatus(null), () => disposed.GetStatus(id)));
            Collected(() => { lock (errors) return errors.Count == 4; });
        }
        Check.True(errors[0] == null, "a call succeeds: " + errors[0]);
        Check.True(errors[1] is RejectedException && errors[2] is InvalidArgumentException && errors[3] is ObjectDisposedException, string.Join(", ", errors));
    }

    /// <summary>Runs on a thread that ends, so that no stack keeps what it has made.</summary>
    private static void OnAThread(ThreadStart run)
    {
        var thread = new Thread(run);
        thread.Start();
        Check.Ends(thread);
    }

    private static void Collected(Func<bool> condition)
    {
        Check.Becomes(
            () =>
            {
                GC.Collect();
                GC.WaitForPendingFinalizers();
                return condition();
            },
            "the finalizers run");
    }
}
