using System;
using System.Collections.Generic;
using System.Text;

/// <summary>Executes the driver's commands. A command is a line with a task and a number; the program answers with one line.</summary>
internal static class Commands
{
    internal const string KeyId = "merchant-1";
    internal static readonly string Url = Setting("URL");
    internal static readonly string PrivateKey = Setting("PRIVATE_KEY");
    internal static readonly string ServerPublicKey = Setting("SERVER_PUBLIC_KEY");
    internal static readonly string OrderId = Setting("ORDER_ID");
    internal static readonly string Signature = Setting("SIGNATURE");
    internal static readonly byte[] Webhook = Encoding.UTF8.GetBytes(Setting("WEBHOOK"));

    internal static void Expect(bool isRight)
    {
        if (!isRight) throw new InvalidOperationException("this is not what the server has sent");
    }

    internal static void Serve(IReadOnlyDictionary<string, Action> tasks)
    {
        for (var line = Console.ReadLine(); line != null; line = Console.ReadLine())
        {
            var words = line.Split(' ');
            var work = tasks[words[0]];
            for (var left = int.Parse(words[1]); left > 0; left--) work();
            Console.WriteLine("ok");
        }
    }

    private static string Setting(string name) { return Environment.GetEnvironmentVariable("BENCH_" + name); }
}
