using System;
using System.Reflection;
using System.Runtime.CompilerServices;
using System.Runtime.InteropServices;

[assembly: AssemblyTitle("MerchantPay")]
[assembly: AssemblyProduct("MerchantPay")]
[assembly: AssemblyDescription("Merchant Payment Acceptance API: signed requests, verified responses, exact money")]
[assembly: AssemblyVersion("0.0.0.0")]
[assembly: ComVisible(false)]
