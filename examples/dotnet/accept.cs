using MerchantPay;

/// <summary>Accepts a payment: accept [customer-account].</summary>
internal static class Accept
{
    private static int Main(string[] arguments) { return Example.Run(() => Run(arguments.Length > 0 ? arguments[0] : "79001234567")); }

    private static int Run(string account)
    {
        using (var client = new MerchantPayClient(Example.Options()))
        {
            var available = client.GetAvailableAmounts(new AmountsRequest { Sum = 1500.55m, PaymentMethod = PaymentMethod.Sbp, CustomerAccount = account });
            foreach (var amount in available.Amounts) Example.Print("available " + Example.Shown(amount) + " RUB");
            Example.Print("others possible " + (available.OtherAmountsPossible ? "yes" : "no"));

            var payment = client.CreatePayment(Example.Request(PaymentMethod.Sbp, account));
            // A shop stores the order id before it does anything else.
            Example.Print("order " + payment.OrderId);
            Example.Print("pay " + Example.Shown(payment.Sum) + " " + Example.Shown(payment.Currency) + " to " + Example.Shown(payment.PayeeAccount));
            Example.PrintField("bank", payment.PayeeAccountBank);
            Example.PrintField("holder", payment.PayeeName);
            Example.PrintField("link", payment.Deeplink);

            // The customer has reported the transfer.
            client.Confirm(payment.OrderId);
            Example.Print("confirmed");

            var paid = Example.WaitFor(client, payment.OrderId);
            // Sum alone does not show success: a failed payment has a Sum too. After a success it is the paid sum, which can differ
            // from the requested sum.
            if (paid.Status == PaymentStatus.DoneSuccess && paid.Sum != null) Example.Print("paid " + Example.Shown(paid.Sum));
            return 0;
        }
    }
}
