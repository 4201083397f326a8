package merchantpay_test

import (
	"context"
	"testing"

	"github.com/merchantpay/merchantpay-go"
)

var background = context.Background()

func TestAPaymentGoesFromItsAmountsToItsEnd(t *testing.T) {
	client := newClient(t)
	amounts, err := client.GetAvailableAmounts(background, merchantpay.AmountsRequest{
		Sum: amount("1500.50"), PaymentMethod: merchantpay.PaymentMethodSBP,
		SumDriftUp: amount("100"), SumDriftDown: amount("0.50"),
	})
	if err != nil {
		t.Fatal(err)
	}
	var texts []string
	for _, available := range amounts.AvailableAmounts {
		texts = append(texts, merchantpay.AmountText(available))
	}
	if len(texts) != 3 || texts[1] != "1500.50" || !amounts.OtherAmountsPossible || len(amounts.JSON) == 0 {
		t.Errorf("%v %v %s", texts, amounts.OtherAmountsPossible, amounts.JSON)
	}

	payment, err := client.NewPayment(background, request("79001234567"))
	if err != nil {
		t.Fatal(err)
	}
	if payment.OrderID == "" || merchantpay.AmountText(payment.Sum) != "1500.50" || payment.Currency != merchantpay.CurrencyRUB ||
		payment.PayeeAccount == "" || payment.PayeeAccountBank == "" || payment.PayeeName == "" || !payment.DealSum.IsPositive() ||
		payment.DealCurrency != "RUB" || !payment.DealRate.IsPositive() || payment.Deeplink == "" || payment.Status != "" {
		t.Errorf("%s", payment.JSON)
	}
	if err := client.Confirm(background, payment.OrderID); err != nil {
		t.Fatal(err)
	}
	paid := waitFor(t, client, payment.OrderID, merchantpay.StatusDoneSuccess)
	if !paid.IsFinal() || !paid.Sum.Equal(payment.Sum) || paid.Currency != "" {
		t.Errorf("%s", paid.JSON)
	}
}
