using System;
using System.Collections.Generic;
using System.IO;
using System.Reflection;
using System.Threading;
using MerchantPay;

/// <summary>A test: a public method of a class whose name ends with Tests. Its name is the rule that it checks.</summary>
internal static class Tests
{
    internal static int Run(string[] arguments)
    {
        int failed = 0, passed = 0;
        foreach (var type in Assembly.GetExecutingAssembly().GetTypes())
        {
            if (!type.Name.EndsWith("Tests", StringComparison.Ordinal)) continue;
            if (type.Name.StartsWith("Framework", StringComparison.Ordinal) && !Runtime.IsFramework) continue; // .NET has neither abort nor domains.
            foreach (var method in type.GetMethods(BindingFlags.Public | BindingFlags.Static | BindingFlags.DeclaredOnly))
            {
                if (arguments.Length > 0 && method.Name.IndexOf(arguments[0], StringComparison.Ordinal) < 0) continue;
                try
                {
                    method.Invoke(null, null);
                    passed++;
                }
                catch (TargetInvocationException e)
                {
                    failed++;
                    Console.WriteLine("FAILED " + type.Name + "." + method.Name + "\n" + e.InnerException);
                }
            }
        }
        Console.WriteLine(passed + " passed, " + failed + " failed on " + (Runtime.IsMono ? "Mono" : Runtime.IsFramework ? ".NET Framework" : ".NET " + Environment.Version));
        return failed == 0 && passed > 0 ? 0 : 1;
    }
}

internal static class Runtime
{
    internal static readonly bool IsMono = Type.GetType("Mono.Runtime") != null;

    /// <summary>.NET Framework and Mono are version 4; .NET Core is 3, and .NET is 5 or later.</summary>
    internal static readonly bool IsFramework = Environment.Version.Major == 4;
}

internal static class Check
{
    internal static readonly TimeSpan Patience = TimeSpan.FromSeconds(60);

    internal static void Equal<T>(T expected, T actual)
    {
        if (!EqualityComparer<T>.Default.Equals(expected, actual)) throw new InvalidOperationException("expected " + expected + ", got " + actual);
    }

    internal static void True(bool condition, string rule)
    {
        if (!condition) throw new InvalidOperationException("not so: " + rule);
    }

    internal static T Throws<T>(Action run) where T : Exception
    {
        try
        {
            run();
        }
        catch (T e)
        {
            return e;
        }
        throw new InvalidOperationException("no " + typeof(T).Name);
    }

    internal static void Happens(WaitHandle wanted) { True(wanted.WaitOne(Patience), "an event happens"); }

    internal static void Becomes(Func<bool> condition, string rule) { True(SpinWait.SpinUntil(condition, Patience), rule); }

    internal static void Ends(Thread thread) { True(thread.Join(Patience), "a thread ends"); }
}

internal static class Make
{
    internal static PaymentRequest Request() { return new PaymentRequest { Sum = 1500.50m, PaymentMethod = PaymentMethod.Sbp, CustomerAccount = "79001234567" }; }

    /// <summary>A client of the sandbox that has started this program.</summary>
    internal static MerchantPayClient Client() { return MerchantPayClient.FromEnvironment(); }

    /// <summary>Runs with a journal in a new file, over the sandbox that has started this program or over another one.</summary>
    internal static void WithJournal(Action<Journal> run, MerchantPayOptions options = null)
    {
        WithFile(place =>
        {
            using (var client = new MerchantPayClient(options ?? MerchantPayOptions.FromEnvironment()))
            using (var journal = new Journal(client, new JournalOptions { Place = place, Create = true })) run(journal);
        });
    }

    /// <summary>Runs with the path of a file that does not exist yet, and deletes the file.</summary>
    internal static void WithFile(Action<string> run)
    {
        var place = Path.Combine(Path.GetTempPath(), "журнал-" + Guid.NewGuid().ToString("N") + ".db");
        try
        {
            run(place);
        }
        finally
        {
            foreach (var end in new[] { "", "-wal", "-shm" }) File.Delete(place + end);
        }
    }

    internal static MerchantPayOptions Signing(MerchantPayOptions options, Func<byte[], byte[]> signer)
    {
        var pair = Convert.FromBase64String(options.PrivateKey);
        var half = new byte[32];
        Array.Copy(pair, 32, half, 0, 32);
        options.PublicKey = Convert.ToBase64String(half);
        options.PrivateKey = null;
        options.Signer = signer;
        return options;
    }
}
