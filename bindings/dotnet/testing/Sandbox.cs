using System;
using System.Collections.Generic;
using System.Diagnostics;
using System.IO;
using System.Reflection;
using System.Text.RegularExpressions;
using System.Threading;
using MerchantPay;

[assembly: AssemblyTitle("MerchantPay.Testing")]
[assembly: AssemblyVersion("0.0.0.0")]

namespace MerchantPay.Testing
{
    /// <summary>The options of a sandbox. The defaults are right for most tests.</summary>
    public sealed class SandboxOptions
    {
        /// <summary>The path of the program merchantpay. If it is null, the variable MERCHANTPAY_PROGRAM names the program. If the variable is
        /// not set either, the program is searched on the PATH.</summary>
        public string Program { get; set; }

        /// <summary>Stops the sandbox's clock: only Advance moves the clock.</summary>
        public bool ManualClock { get; set; }

        /// <summary>Makes every payment wait until Operate decides about the payment.</summary>
        public bool Hold { get; set; }
    }

    /// <summary>
    /// Simulates the whole service on this machine, for tests. It starts in milliseconds and moves no money. It ends when the test run ends
    /// or is killed. Any number of threads may use it.
    /// </summary>
    public sealed partial class Sandbox : IDisposable
    {
        private readonly Process process;
        private readonly Dictionary<string, string> variables = new Dictionary<string, string>();

        private Sandbox(Process process) { this.process = process; }

        /// <summary>The base URL of the sandbox. In a browser this URL shows the console, which is the sandbox's own pages.</summary>
        public string Url { get { return variables["MERCHANTPAY_BASE_URL"]; } }

        /// <summary>The variables MERCHANTPAY_… of the sandbox's merchant, for a process that a test
        /// starts.</summary>
        public IReadOnlyDictionary<string, string> Variables { get { return variables; } }

        /// <summary>Starts a sandbox on a free port.</summary>
        public static Sandbox Start(SandboxOptions options = null)
        {
            options = options ?? new SandboxOptions();
            // The sandbox ends when its standard input closes. The input also closes when this process is killed.
            var arguments = "sandbox --port 0 --format json --exit-with-stdin --pace 20ms" + (options.ManualClock ? " --clock manual" : "") + (options.Hold ? " --hold" : "");
            var start = new ProcessStartInfo(ProgramOf(options), arguments)
            {
                UseShellExecute = false, RedirectStandardInput = true, RedirectStandardOutput = true, RedirectStandardError = true, CreateNoWindow = true,
            };
            Process process;
            try
            {
                process = Process.Start(start);
            }
            catch (System.ComponentModel.Win32Exception e)
            {
                throw new InvalidOperationException("The program " + start.FileName + " does not start: set SandboxOptions.Program or MERCHANTPAY_PROGRAM.", e);
            }
            var line = process.StandardOutput.ReadLine();
            if (line == null) throw new InvalidOperationException("The sandbox ended: " + process.StandardError.ReadToEnd().Trim());
            var sandbox = new Sandbox(process);
            sandbox.Read(line);
            Drain(process.StandardOutput);
            Drain(process.StandardError);
            return sandbox;
        }

        /// <summary>The settings of the sandbox's merchant.</summary>
        public MerchantPayOptions Options()
        {
            return new MerchantPayOptions
            {
                BaseUrl = Url,
                KeyId = variables["MERCHANTPAY_KEY_ID"],
                PrivateKey = variables["MERCHANTPAY_PRIVATE_KEY"],
                ServerPublicKeys = { variables["MERCHANTPAY_SERVER_PUBLIC_KEY"] },
                ServerKeyIds = { variables["MERCHANTPAY_SERVER_KEY_ID"] },
            };
        }

        /// <summary>A client of the sandbox's merchant.</summary>
        public MerchantPayClient Client() { return new MerchantPayClient(Options()); }

        /// <summary>A verifier of the sandbox's webhooks.</summary>
        public WebhookVerifier Verifier() { return new WebhookVerifier(Options()); }

        /// <summary>Sets this sandbox's variables MERCHANTPAY_… in the environment of this process, and removes all other settings, so that
        /// FromEnvironment returns this sandbox's settings.</summary>
        public void SetEnvironment()
        {
            foreach (string name in Environment.GetEnvironmentVariables().Keys)
            {
                var isOfTheInstallation = name == "MERCHANTPAY_LIBRARY" || name == "MERCHANTPAY_PROGRAM";
                if (name.StartsWith("MERCHANTPAY_", StringComparison.Ordinal) && !isOfTheInstallation) Environment.SetEnvironmentVariable(name, null);
            }
            foreach (var variable in variables) Environment.SetEnvironmentVariable(variable.Key, variable.Value);
        }

        /// <summary>Ends the sandbox.</summary>
        public void Dispose()
        {
            lock (variables)
            {
                if (isEnded) return;
                isEnded = true;
            }
            process.StandardInput.Close();
            process.WaitForExit();
            process.Dispose();
        }

        private bool isEnded;

        private static string ProgramOf(SandboxOptions options)
        {
            var given = options.Program ?? Environment.GetEnvironmentVariable("MERCHANTPAY_PROGRAM");
            return string.IsNullOrEmpty(given) ? "merchantpay" : given;
        }

        private void Read(string line)
        {
            foreach (Match variable in Regex.Matches(line, @"""(MERCHANTPAY_\w+)"":""([^""\\]*)""")) variables[variable.Groups[1].Value] = variable.Groups[2].Value;
        }

        private static void Drain(TextReader from)
        {
            new Thread(() =>
            {
                while (from.ReadLine() != null) { }
            }) { IsBackground = true }.Start();
        }
    }
}
