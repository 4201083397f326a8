using System;
using System.Diagnostics;
using System.IO;
using System.Runtime.Serialization.Formatters.Binary;
using System.Threading;
using MerchantPay;

/// <summary>Tests Thread.Abort, Thread.Interrupt, finalizers at the end of the process and AppDomains, which only .NET Framework and Mono have.</summary>
internal static class FrameworkTests
{
    public static void AbortInterruptsTheCall()
    {
        using (var service = new SilentService("newPayment"))
        using (var ended = new AutoResetEvent(false))
        {
            Attempt last = null;
            var options = service.Sandbox.Options();
            options.Log = attempt =>
            {
                last = attempt;
                ended.Set();
            };
            using (var client = new MerchantPayClient(options))
            {
                int descriptors = int.MaxValue, threads = int.MaxValue;
                for (var times = 1; times <= 20; times++)
                {
                    Ended<ThreadAbortException>(() => client.CreatePayment(Make.Request()), thread =>
                    {
                        service.Await(times);
                        thread.Abort();
                    });
                    Check.Happens(ended);
                    Check.Equal(Code.Cancelled, last.Code.Value);
                    Check.Equal(Outcome.Unknown, last.Outcome.Value);
                    if (times != 5) continue;
                    descriptors = Entries("/proc/self/fd", null);
                    threads = Entries("/proc/self/task", "merchantpay");
                }
                // The sandbox closes its end of a connection only after the client has closed the other end, so the test waits for it.
                Check.Becomes(() => Entries("/proc/self/fd", null) <= descriptors, "no connection is left open");
                // A call can begin before the thread of the one before is free again.
                Check.True(Entries("/proc/self/task", "merchantpay") <= threads + 2, "threads are used again");
            }
        }
    }

    public static void ThreadInterruptionInterruptsTheCall()
    {
        using (var service = new SilentService())
        using (var ended = new ManualResetEvent(false))
        {
            var options = service.Sandbox.Options();
            options.Log = attempt => ended.Set();
            using (var client = new MerchantPayClient(options))
            {
                Ended<ThreadInterruptedException>(() => client.GetStatus("o-1"), thread =>
                {
                    service.Await(1);
                    thread.Interrupt();
                });
                Check.Happens(ended);
            }
        }
    }

    public static void AbortInADelegateFailsOnlyTheCall()
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

    public static void LateFinalizerCallIsRefused()
    {
        var program = System.Reflection.Assembly.GetExecutingAssembly().Location;
        var start = new ProcessStartInfo(Runtime.IsMono ? "mono" : program, (Runtime.IsMono ? "\"" + program + "\" " : "") + LateCaller.Word) { UseShellExecute = false, RedirectStandardOutput = true };
        using (var process = Process.Start(start))
        {
            Check.Equal(typeof(ObjectDisposedException).Name, process.StandardOutput.ReadToEnd().Trim());
            Check.True(process.WaitForExit((int)Check.Patience.TotalMilliseconds) && process.ExitCode == 0, "the process ends");
        }
    }

    public static void ExceptionCrossesAppDomains()
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
        foreach (var property in typeof(MerchantPayException).GetProperties())
            if (property.DeclaringType == typeof(MerchantPayException) && property.Name != "Body") Check.Equal(property.GetValue(error, null), property.GetValue(read, null));
        Check.Equal(BitConverter.ToString(error.Body), BitConverter.ToString(read.Body));
        Check.Equal(error.Message, read.Message);
    }

    /// <summary>Makes a call on a thread, and ends the thread with an exception.</summary>
    private static void Ended<T>(Action call, Action<Thread> end) where T : Exception
    {
        var isEnded = false;
        var thread = new Thread(() =>
        {
            try
            {
                call();
            }
            catch (T e)
            {
                isEnded = true;
                if (e is ThreadAbortException) Thread.ResetAbort();
            }
        });
        thread.Start();
        end(thread);
        Check.Ends(thread);
        Check.True(isEnded, "the caller is ended");
    }

    /// <summary>The number of this process's files, or of its threads with this name; 0 on Windows, which does not show them.</summary>
    private static int Entries(string folder, string name)
    {
        if (!Directory.Exists(folder)) return 0;
        return Array.FindAll(Directory.GetFileSystemEntries(folder), entry => name == null || Comm(entry).StartsWith(name, StringComparison.Ordinal)).Length;
    }

    private static string Comm(string thread)
    {
        try
        {
            return File.ReadAllText(Path.Combine(thread, "comm"));
        }
        catch (IOException)
        {
            return ""; // The thread has ended between the check and this call.
        }
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
