using MerchantPay;

/// <summary>Takes a payment through arbitration: arbitrate FILE, where FILE is a receipt (PDF, JPEG or PNG).</summary>
internal static class Arbitrate
{
    private static int Main(string[] arguments)
    {
        if (arguments.Length != 1) return Example.Usage("arbitrate FILE");
        return Example.Run(() => Run(arguments[0]));
    }

    private static int Run(string file)
    {
        using (var client = new MerchantPayClient(Example.Options()))
        {
            // This is a test account of the sandbox: its payments go to arbitration.
            var orderId = client.CreatePayment(Example.Request(PaymentMethod.Card, "arbitration")).OrderId;
            Example.Print("order " + orderId);
            client.Confirm(orderId);
            Example.Print("confirmed");
            if (Example.WaitFor(client, orderId, PaymentStatus.ReceiptRequired).IsFinal) return 0;
            client.AttachReceipt(new Receipt(orderId, ReceiptFile.FromPath(file)));
            Example.Print("receipt attached");
            Example.WaitFor(client, orderId);
            return 0;
        }
    }
}
