package merchantpay_test

import (
	"encoding/json"
	"net/http"
	"strings"
	"testing"

	"github.com/shopspring/decimal"

	"github.com/merchantpay/merchantpay-go"
)

func TestZerosBeyondTheLibrarysDigitsAreDropped(t *testing.T) {
	protocol := must(merchantpay.NewProtocol(sandbox.Config))
	zeros := strings.Repeat("0", 40)
	for _, row := range []struct {
		sum    decimal.Decimal
		wanted string
	}{
		{amount("1500.5" + zeros), "1500.5"},
		{amount("1500." + zeros), "1500"},
		{amount("100." + strings.Repeat("0", 1000)), "100"},
		{amount("0.1234567890123456789012345678" + zeros), "0.1234567890123456789012345678"},
		{amount("0.1234567890123456789012345678" + "1" + zeros), ""},
		{amount("1." + strings.Repeat("0", 1001)), ""},
		{decimal.New(15, 2), "1500"},
		{amount("1.5e3"), "1500"},
		{decimal.NewFromInt(1500), "1500"},
		{decimal.New(1, 1<<30), ""},
		{amount(strings.Repeat("9", 1_000_000)), ""},
		{amount("0." + zeros), ""},
		{amount("-1." + zeros), ""},
		{amount(strings.Repeat("9", 100_000) + "." + zeros), ""},
		{decimal.New(1, -1<<30), ""},
	} {
		asked := request("1")
		asked.Sum = row.sum
		prepared, err := protocol.PrepareNewPayment(asked)
		if row.wanted == "" {
			wantInvalid(t, err)
			continue
		}
		if err != nil {
			t.Error(row.wanted, err)
			continue
		}
		var sent map[string]json.RawMessage
		if err := json.Unmarshal(prepared.Body, &sent); err != nil || string(sent["sum"]) != row.wanted {
			t.Errorf("%s in place of %s", prepared.Body, row.wanted)
		}
	}
}

func TestAbsentAmountIsNoZero(t *testing.T) {
	s := newService(t, func(s *service, _ arrival, w http.ResponseWriter) {
		s.reply(w, 200, `{"success":true,"availableAmounts":[],"otherAmountsPossible":true}`)
	})
	asked := merchantpay.AmountsRequest{Sum: amount("1"), PaymentMethod: "card", SumDriftUp: decimal.NewFromInt(0)}
	if _, err := s.client(t).GetAvailableAmounts(background, asked); err != nil {
		t.Fatal(err)
	}
	if body := string((<-s.arrived).body); !strings.Contains(body, `"sumDriftUp":0`) || strings.Contains(body, "sumDriftDown") {
		t.Error(body)
	}
	for _, exponent := range []int32{1 << 20, -1 << 20} {
		if text := merchantpay.AmountText(decimal.New(1, exponent)); len(text) > 20 {
			t.Errorf("%d bytes", len(text))
		}
	}
	if text := merchantpay.AmountText(decimal.Decimal{}) + merchantpay.AmountText(amount("0.00")); text != "0.00" {
		t.Error(text)
	}
}

func TestConversionAndComparisonTakeGosTypes(t *testing.T) {
	one, huge := amount("1"), decimal.New(1, 1<<30)
	result, err := merchantpay.ToBalance(amount("1500.50"), amount("0.97"), merchantpay.BalanceRUB, 2, merchantpay.RoundingHalfUp)
	if err != nil || merchantpay.AmountText(result) != "1455.49" {
		t.Error(result, err)
	}
	for _, err := range []error{
		errorOf(merchantpay.ToBalance(one, one, 0, 2, merchantpay.RoundingUp)),
		errorOf(merchantpay.ToBalance(one, one, merchantpay.BalanceRUB, 2, 9)),
		errorOf(merchantpay.ToBalance(one, one, merchantpay.BalanceRUB, -1, merchantpay.RoundingUp)),
		errorOf(merchantpay.ToBalance(huge, one, merchantpay.BalanceRUB, 2, merchantpay.RoundingUp)),
	} {
		wantInvalid(t, err)
	}
	for _, row := range []struct {
		sum, asked decimal.Decimal
		wanted     merchantpay.Paid
		name       string
	}{
		{amount("1500.50"), amount("1500.5"), merchantpay.PaidExactly, "exactly"},
		{amount("1500.49"), amount("1500.50"), merchantpay.PaidLess, "less"},
		{amount("1500.51"), amount("1500.50"), merchantpay.PaidMore, "more"},
		{decimal.NewFromInt(0), one, merchantpay.PaidLess, "less"},
		{decimal.Decimal{}, one, 0, "not known"},
		{one, decimal.Decimal{}, 0, "not known"},
		{one, huge, 0, "not known"},
	} {
		payment := &merchantpay.Payment{OrderID: "o-1", Sum: row.sum}
		if got := payment.Paid(row.asked); got != row.wanted || got.String() != row.name {
			t.Errorf("%v: %v", row, got)
		}
	}
	if (*merchantpay.Payment)(nil).Paid(one) != 0 || (*merchantpay.Payment)(nil).IsFinal() {
		t.Error("no payment is something")
	}
}
