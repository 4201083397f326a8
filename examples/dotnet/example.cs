using System;
using System.Globalization;
using System.IO;
using System.Text;
using System.Threading;
using MerchantPay;

/// <summary>The common code of the examples.</summary>
internal static class Example
{
    private static readonly StreamWriter Output = new StreamWriter(Console.OpenStandardOutput(), new UTF8Encoding(false)) { AutoFlush = true, NewLine = "\n" };

    /// <summary>Reads the settings of an example from the environment.</summary>
    internal static MerchantPayOptions Options()
    {
        Func<string, string> given = name =>
        {
            var text = Environment.GetEnvironmentVariable("MERCHANTPAY_" + name);
            return string.IsNullOrEmpty(text) ? null : text;
        };
        var options = new MerchantPayOptions { BaseUrl = given("BASE_URL"), KeyId = given("KEY_ID"), PrivateKey = given("PRIVATE_KEY") };
        if (given("SERVER_PUBLIC_KEY") != null) options.ServerPublicKeys.Add(given("SERVER_PUBLIC_KEY"));
        if (given("SERVER_KEY_ID") != null) options.ServerKeyIds.Add(given("SERVER_KEY_ID"));
        return options;
    }

    /// <summary>Makes a request for a payment of 1500.55 RUB.</summary>
    internal static PaymentRequest Request(string method, string customerAccount)
    {
        // Money is a decimal, never a double.
        return new PaymentRequest { Sum = 1500.55m, PaymentMethod = method, CustomerAccount = customerAccount };
    }

    /// <summary>Runs a program, prints the error that it ends with, and returns its exit status.</summary>
    internal static int Run(Func<int> program)
    {
        try
        {
            return program();
        }
        catch (PaymentCancelledException e)
        {
            return Failed((MerchantPayException)e.InnerException);
        }
        catch (MerchantPayException e)
        {
            return Failed(e);
        }
    }

    private static int Failed(MerchantPayException error)
    {
        Console.Error.WriteLine("error " + error.CodeName + " " + error.OutcomeName + ": " + error.Message);
        if (error.Description != null) Console.Error.WriteLine("the service says: " + error.Description);
        return 1;
    }

    internal static int Usage(string text)
    {
        Console.Error.WriteLine("usage: " + text);
        return 2;
    }

    /// <summary>Prints a line immediately, so that a reader of a pipe sees it.</summary>
    internal static void Print(string line)
    {
        lock (Output) Output.WriteLine(line);
    }

    /// <summary>Prints a field, unless it is absent.</summary>
    internal static void PrintField(string name, string value)
    {
        if (!string.IsNullOrEmpty(value)) Print(name + " " + value);
    }

    internal static string Shown(decimal? sum) { return sum == null ? "-" : sum.Value.ToString(CultureInfo.InvariantCulture); }

    internal static string Shown(string text) { return string.IsNullOrEmpty(text) ? "-" : text; }

    /// <summary>
    /// Asks for the status until it is final or equal to the argument wanted, and prints the status. A shop uses webhooks instead. A shop
    /// without webhooks asks every few seconds.
    /// </summary>
    internal static Payment WaitFor(MerchantPayClient client, string orderId, PaymentStatus? wanted = null)
    {
        for (;;)
        {
            var payment = client.GetStatus(orderId);
            if (payment.IsFinal || (wanted != null && payment.Status == wanted))
            {
                PrintField("status", payment.StatusName);
                return payment;
            }
            Thread.Sleep(200);
        }
    }
}
