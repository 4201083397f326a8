using System;
using System.Diagnostics;
using System.IO;
using System.Runtime.Serialization.Formatters.Binary;
using System.Threading;
using MerchantPay;

/// <summary>Tests Thread.Abort, Thread.Interrupt and AppDomain.Unload, which only .NET Framework and Mono have.</summary>
internal static class FrameworkTests
{
    public static void AnAbortEndsTheWaitAndInterruptsTheCall()
    {
        using (var server = new SilentServer())
        using (var ended = new AutoResetEvent(false))
        {
            Attempt last = null;
            var options = Make.OptionsOf(server);
            options.Log = attempt =>
            {
                last = attempt;
                ended.Set();
            };
            using (var client = new MerchantPayClient(options))
            {
                Abort(() => client.GetStatus("o-1"), server, ended);
                int descriptors = Descriptors(), threads = Threads();
                for (var times = 0; times < 20; times++)
                {
                    Abort(() => client.CreatePayment(Make.Request()), server, ended);
                    Check.Equal(Code.Cancelled, last.Code.Value);
                    Check.Equal(Outcome.Unknown, last.Outcome.Value);
                }
                // The server closes its end of a connection only after the client has closed the other end, so the test waits for it.
                Check.Becomes(() => Descriptors() <= descriptors, "no connection is left open");
                Check.True(Threads() <= threads + 1, "threads are used again");
            }
        }
    }

    public static void AnAbortWhileADelegateRunsLeavesNativeFramesAlone()
    {
        using (var server = new SilentServer())
        using (var signs = new AutoResetEvent(false))
        using (var goOn = new AutoResetEvent(false))
        using (var signed = new AutoResetEvent(false))
        {
            var options = Make.Signing(Make.OptionsOf(server), message =>
            {
                signs.Set();
                goOn.WaitOne();
                signed.Set();
                return Make.Signature("o-1");
            });
            using (var client = new MerchantPayClient(options))
            {
                for (var times = 0; times < 5; times++)
                {
                    Abort(() => client.Confirm("o-1"), signs, null);
                    goOn.Set();
                    Check.Happens(signed); // Waits, because the next call could otherwise take the event of this call.
                }
                Check.Throws<PaymentCancelledException>(() => client.GetStatus("o-1", new CancellationToken(true)));
                Check.Equal(false, server.Asked.WaitOne(0));
            }
        }
    }

    public static void ADelegateThatAbortsItsThreadFailsTheCallAlone()
    {
        var options = Make.Signing(MerchantPayOptions.FromEnvironment(), message =>
        {
            Thread.CurrentThread.Abort();
            return null;
        });
        using (var client = new MerchantPayClient(options))
        {
            Check.True(Check.Throws<SignerException>(() => client.GetStatus("o-1")).InnerException is ThreadAbortException, "the abort is the cause");
            Check.Throws<SignerException>(() => client.GetStatus("o-1"));
        }
    }

    public static void AThreadInterruptionEndsTheWaitAndInterruptsTheCall()
    {
        using (var server = new SilentServer())
        using (var ended = new ManualResetEvent(false))
        {
            var options = Make.OptionsOf(server);
            options.Log = attempt => ended.Set();
            using (var client = new MerchantPayClient(options))
            {
                Exception caught = null;
                var thread = new Thread(() =>
                {
                    try
                    {
                        client.GetStatus("o-1");
                    }
                    catch (ThreadInterruptedException e)
                    {
                        caught = e;
                    }
                });
                thread.Start();
                Check.Happens(server.Asked);
                thread.Interrupt();
                Check.Ends(thread);
                Check.True(caught != null, "the caller is interrupted");
                Check.Happens(ended);
            }
        }
    }

    public static void AnUnloadedDomainInterruptsItsCalls()
    {
        for (var times = 0; times < 3; times++)
        {
            using (var server = new SilentServer())
            {
                var domain = AppDomain.CreateDomain("till");
                var till = (Till)domain.CreateInstanceAndUnwrap(typeof(Till).Assembly.FullName, typeof(Till).FullName);
                till.Call(server.Url);
                Check.Happens(server.Asked);
                Check.Happens(server.Asked);
                AppDomain.Unload(domain);
            }
        }
    }

    public static void AnUnloadWaitsForADelegateThatRuns()
    {
        using (var server = new SilentServer())
        {
            var domain = AppDomain.CreateDomain("till");
            var till = (Till)domain.CreateInstanceAndUnwrap(typeof(Till).Assembly.FullName, typeof(Till).FullName);
            till.Sign(server.Url);
            Exception failure = null;
            var unload = new Thread(() =>
            {
                try
                {
                    AppDomain.Unload(domain);
                }
                catch (Exception e)
                {
                    failure = e;
                }
            });
            unload.Start();
            till.GoOn();
            Check.Ends(unload);
            Check.True(failure == null, "it unloads: " + failure);
        }
    }

    public static void ACallFromAFinalizerAtTheEndOfTheProcessIsRefused()
    {
        var program = System.Reflection.Assembly.GetExecutingAssembly().Location;
        var start = new ProcessStartInfo(Runtime.IsMono ? "mono" : program, (Runtime.IsMono ? "\"" + program + "\" " : "") + LateCaller.Word) { UseShellExecute = false, RedirectStandardOutput = true };
        using (var process = Process.Start(start))
        {
            Check.Equal(typeof(ObjectDisposedException).Name, process.StandardOutput.ReadToEnd().Trim());
            Check.True(process.WaitForExit((int)Check.Patience.TotalMilliseconds) && process.ExitCode == 0, "the process ends");
        }
    }

    public static void AnExceptionCrossesAppDomains()
    {
        MerchantPayException error;
        using (var client = Make.Client()) error = Check.Throws<RejectedException>(() => client.GetStatus("нет такого"));
        Check.Equal(Reason.InvalidOrderId, error.Reason.Value);
        Check.Equal("нет такого", error.OrderId);
        var stream = new MemoryStream();
        var formatter = new BinaryFormatter();
        formatter.Serialize(stream, error);
        stream.Position = 0;
        var read = (RejectedException)formatter.Deserialize(stream);
        Check.Equal(error.Outcome, read.Outcome);
        Check.Equal(error.Reason, read.Reason);
        Check.Equal(error.HttpStatus, read.HttpStatus);
        Check.Equal(error.Message, read.Message);
    }

    private static void Abort(Action call, SilentServer server, WaitHandle ended) { Abort(call, server.Asked, ended); }

    private static void Abort(Action call, WaitHandle begun, WaitHandle ended)
    {
        var aborted = false;
        var thread = new Thread(() =>
        {
            try
            {
                call();
            }
            catch (ThreadAbortException)
            {
                aborted = true;
                Thread.ResetAbort();
            }
        });
        thread.Start();
        Check.Happens(begun);
        thread.Abort();
        Check.Ends(thread);
        Check.True(aborted, "the caller is aborted");
        if (ended != null) Check.Happens(ended);
    }

    /// <summary>The number of open files and connections of this process; 0 on Windows, which does not show them as files.</summary>
    private static int Descriptors() { return Directory.Exists("/proc/self/fd") ? Directory.GetFiles("/proc/self/fd").Length : 0; }

    private static int Threads()
    {
        var count = 0;
        if (!Directory.Exists("/proc/self/task")) return count;
        foreach (var task in Directory.GetDirectories("/proc/self/task"))
        {
            try
            {
                if (File.ReadAllText(Path.Combine(task, "comm")).StartsWith("merchantpay", StringComparison.Ordinal)) count++;
            }
            catch (IOException)
            {
                // The thread has ended between the check and this call.
            }
        }
        return count;
    }
}

/// <summary>An object that lives until its process ends, and then makes a call.</summary>
internal sealed class LateCaller
{
    internal const string Word = "call-at-the-end";
    private static LateCaller last;
    private readonly MerchantPayClient client = Make.Client();

    ~LateCaller()
    {
        try
        {
            client.GetStatus("o-1");
        }
        catch (Exception e)
        {
            Console.WriteLine(e.GetType().Name);
        }
    }

    internal static int Keep()
    {
        last = new LateCaller();
        return last.client == null ? 1 : 0;
    }
}

/// <summary>A till that runs in its own AppDomain.</summary>
public sealed class Till : MarshalByRefObject
{
    private readonly ManualResetEvent signs = new ManualResetEvent(false);
    private readonly ManualResetEvent goOn = new ManualResetEvent(false);
    private MerchantPayClient client;

    /// <summary>Begins a call on a thread, and another as a task.</summary>
    public void Call(string url)
    {
        var options = MerchantPayOptions.FromEnvironment();
        options.BaseUrl = url;
        options.Log = attempt => { };
        client = new MerchantPayClient(options);
        new Thread(Wait) { IsBackground = true }.Start();
        client.GetStatusAsync("o-2");
    }

    /// <summary>Begins a call, and returns when the call's signer waits.</summary>
    public void Sign(string url)
    {
        var options = MerchantPayOptions.FromEnvironment();
        options.BaseUrl = url;
        options = Make.Signing(options, message =>
        {
            signs.Set();
            goOn.WaitOne();
            return Make.Signature("o-1");
        });
        client = new MerchantPayClient(options);
        client.GetStatusAsync("o-1");
        signs.WaitOne();
    }

    /// <summary>Lets the signer return.</summary>
    public void GoOn() { goOn.Set(); }

    private void Wait()
    {
        try
        {
            client.GetStatus("o-1");
        }
        catch (PaymentCancelledException)
        {
            // The domain is being unloaded.
        }
        catch (ThreadAbortException)
        {
            // The unload of the domain aborts this thread.
        }
    }
}
