using System;
using System.Collections.Generic;
using System.IO;
using System.Net;
using System.Net.Sockets;
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

    internal static MerchantPayOptions OptionsOf(SilentServer server)
    {
        var options = MerchantPayOptions.FromEnvironment();
        options.BaseUrl = server.Url;
        return options;
    }

    /// <summary>Settings with a delegate that signs.</summary>
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

    /// <summary>The signature of a body that has only an order id. Confirm and GetStatus send such a body.</summary>
    internal static byte[] Signature(string orderId)
    {
        using (var protocol = new Protocol(MerchantPayOptions.FromEnvironment()))
        using (var request = protocol.PrepareConfirm(orderId))
        {
            foreach (var header in request.Headers)
            {
                if (string.Equals(header.Key, "X-Signature", StringComparison.OrdinalIgnoreCase)) return Convert.FromBase64String(header.Value);
            }
        }
        throw new InvalidOperationException("there is no signature");
    }
}

/// <summary>A server that reads and never answers. It reports a request as soon as the request's first bytes have arrived.</summary>
internal sealed class SilentServer : IDisposable
{
    internal readonly Semaphore Asked = new Semaphore(0, int.MaxValue);

    private readonly TcpListener listener = new TcpListener(IPAddress.Loopback, 0);
    private readonly List<TcpClient> connections = new List<TcpClient>();
    private readonly Thread accepting;
    private volatile bool isClosed;

    internal SilentServer()
    {
        listener.Start();
        accepting = new Thread(Accept) { IsBackground = true };
        accepting.Start();
    }

    internal string Url { get { return "http://127.0.0.1:" + ((IPEndPoint)listener.LocalEndpoint).Port; } }

    private void Accept()
    {
        for (;;)
        {
            var connection = listener.AcceptTcpClient();
            if (isClosed)
            {
                connection.Close();
                return;
            }
            lock (connections) connections.Add(connection);
            new Thread(() => Read(connection)) { IsBackground = true }.Start();
        }
    }

    private void Read(TcpClient connection)
    {
        try
        {
            var buffer = new byte[4096];
            var stream = connection.GetStream();
            if (stream.Read(buffer, 0, buffer.Length) > 0) Asked.Release();
            while (stream.Read(buffer, 0, buffer.Length) > 0) { }
        }
        catch (IOException)
        {
            // The client has closed the connection, so there is nothing more to read.
        }
        catch (InvalidOperationException)
        {
            // The connection was closed before this thread could read it.
        }
        finally
        {
            connection.Close();
        }
    }

    /// <summary>Ends the accepting thread by one more connection, because CoreCLR does not stop a listener that is accepting.</summary>
    public void Dispose()
    {
        isClosed = true;
        using (new TcpClient("127.0.0.1", ((IPEndPoint)listener.LocalEndpoint).Port)) Check.Ends(accepting);
        listener.Stop();
        lock (connections)
        {
            foreach (var connection in connections) Shut(connection);
        }
    }

    private static void Shut(TcpClient connection)
    {
        try
        {
            if (connection.Client != null) connection.Client.Shutdown(SocketShutdown.Both);
        }
        catch (SocketException)
        {
            // The client has already closed the connection.
        }
        catch (ObjectDisposedException)
        {
            // The thread that reads the connection has already closed it.
        }
    }
}
