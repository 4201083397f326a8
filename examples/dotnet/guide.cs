using System;
using System.Collections.Generic;
using System.Text;
using System.Threading;
using MerchantPay;

/// <summary>
/// The code of the package's README, which shows the lines between two marks. tests/docs runs it with a sandbox: guide RECEIPT
/// </summary>
internal static class Guide
{
    // [client]
    private static readonly MerchantPayClient Client = MerchantPayClient.FromEnvironment();
    // [/client]

    // [pay]
    private static Payment Pay()
    {
        var request = new PaymentRequest { Sum = 1500.50m, PaymentMethod = PaymentMethod.Sbp, CustomerAccount = "79001234567", MerchantId = "order-1017" };
        try
        {
            var payment = Client.CreatePayment(request);
            Console.WriteLine(payment.OrderId + ": pay at " + payment.Deeplink);
            return payment;
        }
        catch (MerchantPayException e)
        {
            switch (e.Outcome)
            {
                case Outcome.NotSent: Console.WriteLine("nothing was sent: " + e.Message); break;
                case Outcome.Rejected: Console.WriteLine("refused: " + e.Description); break;
                default: Console.WriteLine("a payment may exist, do not send again: " + e.Message); break; // Outcome.Unknown
            }
            throw;
        }
    }
    // [/pay]

    // [confirm]
    private static bool Confirm(string orderId)
    {
        Client.Confirm(orderId); // the customer says that the money was sent
        var payment = Client.Wait(orderId, TimeSpan.FromMinutes(1)); // calls GetStatus until the status is final
        return payment.Status == PaymentStatus.DoneSuccess && payment.Paid(1500.50m) == Paid.Exactly;
    }
    // [/confirm]

    // [cancel]
    private static void Cancel(string orderId)
    {
        try
        {
            Client.Cancel(orderId);
            Console.WriteLine(orderId + ": cancelled");
        }
        catch (RejectedException)
        {
            Console.WriteLine(orderId + ": " + Client.GetStatus(orderId).StatusName); // too late to cancel: the status shows why
        }
    }
    // [/cancel]

    // [receipt]
    private static void Attach(string orderId, string file)
    {
        // a PDF, JPEG or PNG by its content; or new ReceiptFile(name, contentType, data).
        Client.AttachReceipt(new Receipt(orderId, ReceiptFile.FromPath(file)));
    }
    // [/receipt]

    // [money]
    private static void Money(Payment payment)
    {
        var converted = Conversion.ToBalance(1500.50m, 92.45m, Balance.Usdt, 6, Rounding.HalfEven);
        Need(converted == 16.230395m);
        // The payment's DealCurrency names the merchant's balance:
        Console.WriteLine("paid " + payment.Paid(1500.50m) + ", balance " + payment.DealCurrency);
    }
    // [/money]

    // [webhook]
    /// <summary>Takes the unchanged body and two headers. Returns the HTTP status of the answer.</summary>
    private static int Receive(WebhookVerifier verifier, byte[] body, string signature, string keyId)
    {
        WebhookEvent verified;
        try
        {
            verified = verifier.Verify(body, signature, keyId);
        }
        catch (MerchantPayException e)
        {
            var why = verifier.Explain(body, signature, keyId);
            Console.Error.WriteLine("webhook refused: " + (why == null ? e.Message : why.Hint)); // for your log, not for the sender
            return 400;
        }
        var payment = verified.Payment;
        switch (verified.Kind)
        {
            case EventKind.Credentials: Console.WriteLine("show the customer " + payment.Deeplink); break;
            case EventKind.CredentialsFailed: Console.WriteLine(payment.OrderId + " has no payee"); break;
            case EventKind.Status: Console.WriteLine(payment.OrderId + " is now " + payment.StatusName); break;
        }
        return 200; // only when the event is stored
    }
    // [/webhook]

    // [journal]
    private static readonly Journal TheJournal =
        new Journal(Client, Environment.GetEnvironmentVariable("MERCHANTPAY_JOURNAL"), "https://shop.example/pay/callback");

    private static void Sell(Action<Payment> show)
    {
        var request = new PaymentRequest { Sum = 1500.50m, PaymentMethod = PaymentMethod.Sbp, CustomerAccount = "79001234567" };
        var entry = TheJournal.Pay("order-1017", request); // a repeated call returns the same payment
        if (entry.Credentials != null) show(entry.Credentials); // present only if the customer can pay now
    }

    private static void CustomerHasPaid() { TheJournal.Confirm(TheJournal.Find("order-1017")); }

    private static int Callback(string path, byte[] body, string signature, string keyId)
    {
        return TheJournal.Receive(path, body, signature, keyId).HttpStatus; // the HTTP status of the answer
    }

    private static void EveryFewSeconds(Action<Entry> ship)
    {
        TheJournal.Settle(); // asks the service about open attempts that are due
        foreach (var entry in TheJournal.News()) // unacknowledged changes, also from before a crash
        {
            if (entry.Succeeded) ship(entry); // doneSuccess, and exactly the requested sum was paid
            TheJournal.Acknowledge(entry);
        }
    }
    // [/journal]

    private static void Main(string[] arguments)
    {
        Client.Connect();
        var first = Pay();
        Money(first);
        Need(Confirm(first.OrderId));
        Cancel(first.OrderId);
        Cancel(Pay().OrderId);

        var disputed = Client.CreatePayment(new PaymentRequest { Sum = 1500.50m, PaymentMethod = PaymentMethod.Card, CustomerAccount = "arbitration" });
        Client.Confirm(disputed.OrderId);
        while (Client.GetStatus(disputed.OrderId).Status != PaymentStatus.ReceiptRequired) Thread.Sleep(50);
        Attach(disputed.OrderId, arguments[0]);

        var body = Encoding.UTF8.GetBytes(Environment.GetEnvironmentVariable("WEBHOOK_BODY"));
        var signature = Environment.GetEnvironmentVariable("WEBHOOK_SIGNATURE");
        using (var verifier = WebhookVerifier.FromEnvironment())
        {
            Need(Receive(verifier, body, signature, null) == 200);
            Need(Receive(verifier, Encoding.UTF8.GetBytes("{}"), signature, null) == 400);
        }

        var shown = new List<string>();
        var shipped = new List<string>();
        Sell(payment => shown.Add(payment.PayeeAccount));
        Sell(payment => shown.Add(payment.PayeeAccount));
        Need(shown.Count == 2 && shown[0] == shown[1]);
        CustomerHasPaid();
        Need(Callback("/pay/callback/0", body, signature, null) == 404);
        while (shipped.Count == 0)
        {
            EveryFewSeconds(entry => shipped.Add(entry.Reference));
            Thread.Sleep(100);
        }
        Need(shipped.Count == 1 && shipped[0] == "order-1017");
        TheJournal.Dispose();
        Client.Dispose();
        Console.WriteLine("the end");
    }

    private static void Need(bool holds)
    {
        if (!holds) throw new InvalidOperationException("the guide is wrong");
    }
}
