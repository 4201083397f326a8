using System;
using MerchantPay;

internal static class First
{
    private static void Main()
    {
        using (var client = MerchantPayClient.FromEnvironment())
        {
            var payment = client.CreatePayment(new PaymentRequest { Sum = 1500.50m, PaymentMethod = PaymentMethod.Sbp, CustomerAccount = "79001234567" });
            Console.WriteLine("{0}: pay 1500.50 RUB at {1}", payment.OrderId, payment.Deeplink);
        }
    }
}
