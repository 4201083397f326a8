using System;
using System.Collections.Generic;
using System.IO;
using System.Net;
using System.Net.Sockets;
using System.Text;
using System.Threading;

/// <summary>A received webhook.</summary>
internal sealed class Webhook
{
    internal string Path;
    internal string Signature;
    internal string KeyId;
    internal byte[] Body;
    internal bool IsTooLarge;
}

/// <summary>Receives webhooks by HTTP on loopback, one at a time. A proxy in front of it does TLS.</summary>
internal sealed class Receiver
{
    private const int LargestHead = 16384;
    // Every webhook of the contract is far smaller.
    private const int LargestBody = 65536;

    private readonly TcpListener listener;
    private readonly Func<Webhook, int> receive;

    /// <summary>Listens on a port; 0 is any free port. The argument receive is a function that returns the HTTP status of the answer.</summary>
    internal Receiver(int port, Func<Webhook, int> receive)
    {
        this.receive = receive;
        listener = new TcpListener(IPAddress.Loopback, port);
        listener.Server.SetSocketOption(SocketOptionLevel.Socket, SocketOptionName.ReuseAddress, true);
        listener.Start(100);
        Example.Print("listening " + Port);
    }

    internal int Port { get { return ((IPEndPoint)listener.LocalEndpoint).Port; } }

    /// <summary>Serves on a separate thread as long as the program runs.</summary>
    internal void Begin()
    {
        new Thread(() =>
        {
            for (;;) Serve();
        }) { IsBackground = true }.Start();
    }

    /// <summary>Serves one connection. Returns true if a webhook was answered with 200.</summary>
    internal bool Serve()
    {
        try
        {
            using (var connection = listener.AcceptTcpClient())
            {
                connection.ReceiveTimeout = 10000;
                return Answer(connection.GetStream()) == 200;
            }
        }
        catch (IOException)
        {
            return false; // The sender has closed the connection.
        }
    }

    private int Answer(NetworkStream stream)
    {
        var head = Head(stream);
        if (head == null) return 0;
        var lines = head.Split(new[] { "\r\n" }, StringSplitOptions.None);
        var first = lines[0].Split(' ');
        int length, status;
        int.TryParse(Header(lines, "Content-Length"), out length);
        if (first[0] != "POST" || first.Length < 3)
        {
            status = 405;
        }
        else
        {
            var webhook = new Webhook { Path = first[1], Signature = Header(lines, "X-Signature"), KeyId = Header(lines, "X-KeyId"), IsTooLarge = length > LargestBody };
            webhook.Body = Body(stream, Math.Max(length, 0), webhook.IsTooLarge);
            status = receive(webhook);
        }
        var answer = Encoding.ASCII.GetBytes("HTTP/1.1 " + status + " -\r\nContent-Length: 0\r\nConnection: close\r\n\r\n");
        stream.Write(answer, 0, answer.Length);
        return status;
    }

    private static string Head(Stream stream)
    {
        var head = new StringBuilder();
        while (head.Length < LargestHead)
        {
            var next = stream.ReadByte();
            if (next < 0) return null;
            head.Append((char)next);
            if (head.Length >= 4 && head.ToString(head.Length - 4, 4) == "\r\n\r\n") return head.ToString();
        }
        return null;
    }

    /// <summary>
    /// Reads the unchanged bytes of a body. A body that is too large is read and dropped, so that its sender sees the answer.
    /// </summary>
    private static byte[] Body(Stream stream, int length, bool isDropped)
    {
        var body = new byte[isDropped ? LargestBody : length];
        for (int left = length, at = 0; left > 0;)
        {
            var read = stream.Read(body, isDropped ? 0 : at, Math.Min(left, isDropped ? body.Length : left));
            if (read <= 0) throw new IOException("the body ends early");
            left -= read;
            at += read;
        }
        return isDropped ? new byte[0] : body;
    }

    /// <summary>Returns the value of a header. A repeated header is invalid, because it is ambiguous.</summary>
    private static string Header(IEnumerable<string> lines, string name)
    {
        string value = null;
        foreach (var line in lines)
        {
            if (!line.StartsWith(name + ":", StringComparison.OrdinalIgnoreCase)) continue;
            value = value == null ? line.Substring(name.Length + 1).Trim() : "repeated";
        }
        return value;
    }
}
