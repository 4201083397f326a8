using System;
using MerchantPay;

internal static class First
{
    private static void Main()
    {
        using (var client = MerchantPayClient.FromEnvironment())
        {
            var payment = client.CreatePayment(new PaymentRequest { Sum = 1500.50m, PaymentMethod = PaymentMethod.Sbp, CustomerAccount = "79001234567" });
            Console.WriteLine("pay " + payment.Sum + " to " + payment.PayeeAccount);
            client.Confirm(payment.OrderId); // the customer says that the money was sent
            payment = client.Wait(payment.OrderId, TimeSpan.FromMinutes(1)); // asks for the status until it is final
            Console.WriteLine(payment.StatusName + " " + payment.Sum);
        }
    }
}
