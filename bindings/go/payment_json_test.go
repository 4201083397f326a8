package merchantpay_test

import (
	"encoding/json"
	"reflect"
	"testing"

	"github.com/shopspring/decimal"

	"github.com/merchantpay/merchantpay-go"
)

// whole is a payment with every field.
var whole = merchantpay.Payment{
	OrderID: "o-1", Sum: amount("1500.50"), Currency: "RUB", PayeeAccount: "2200", PayeeAccountBank: "Bank & Co", PayeeName: "Иван",
	DealSum: amount("16.230395"), DealCurrency: "USDT", DealRate: amount("92.450"), Deeplink: "https://pay.example/?a=1", Status: "doneSuccess",
}

func TestAPaymentIsJSONInTheContractsNamesAndReadAgainEqual(t *testing.T) {
	for _, row := range []struct {
		payment merchantpay.Payment
		wanted  string
	}{
		{whole, `{"orderId":"o-1","sum":1500.50,"currency":"RUB","payeeAccount":"2200","payeeAccountBank":"Bank \u0026 Co","payeeName":"Иван",` +
			`"dealSum":16.230395,"dealCurrency":"USDT","dealRate":92.450,"deeplink":"https://pay.example/?a=1","status":"doneSuccess"}`},
		{merchantpay.Payment{OrderID: "o-1"}, `{"orderId":"o-1"}`},
		{merchantpay.Payment{OrderID: "o-1", Sum: decimal.NewFromInt(0)}, `{"orderId":"o-1","sum":0}`},
		{merchantpay.Payment{OrderID: "o-1", Sum: amount("0.00"), Status: "later"}, `{"orderId":"o-1","sum":0.00,"status":"later"}`},
		{merchantpay.Payment{Sum: amount("9999999999999999999999999999"), DealRate: amount("0.1234567890123456789012345678")},
			`{"sum":9999999999999999999999999999,"dealRate":0.1234567890123456789012345678}`},
		{merchantpay.Payment{Sum: amount("-1.50")}, `{"sum":-1.50}`},
	} {
		for _, value := range []any{row.payment, &row.payment} {
			text, err := json.Marshal(value)
			if err != nil || string(text) != row.wanted {
				t.Errorf("%s in place of %s, %v", text, row.wanted, err)
			}
		}
		var again merchantpay.Payment
		if err := json.Unmarshal([]byte(row.wanted), &again); err != nil || !reflect.DeepEqual(again, row.payment) {
			t.Errorf("%s was read as %#v, %v", row.wanted, again, err)
		}
	}
	if hasAbsent(whole) {
		t.Error("a field is not in this test")
	}
}

// hasAbsent reports whether a field of the payment is absent. It does not check the field JSON.
func hasAbsent(payment merchantpay.Payment) bool {
	fields := reflect.ValueOf(payment)
	for i := range fields.NumField() {
		if fields.Type().Field(i).Name != "JSON" && fields.Field(i).IsZero() {
			return true
		}
	}
	return false
}

func TestTheBodyOfAPaymentIsNotInItsJSON(t *testing.T) {
	payment := merchantpay.Payment{OrderID: "o-1", JSON: []byte(`{"orderId":"o-1","more":1}`)}
	text, err := json.Marshal(payment)
	if err != nil || string(text) != `{"orderId":"o-1"}` {
		t.Errorf("%s %v", text, err)
	}
	again := merchantpay.Payment{JSON: payment.JSON}
	if err := json.Unmarshal(text, &again); err != nil || again.JSON != nil {
		t.Errorf("%s, which nobody verified, %v", again.JSON, err)
	}
}

func TestAPaymentThatIsNoJSONIsAnErrorAndChangesNothing(t *testing.T) {
	for _, text := range []string{`{"sum":"x"}`, `{"orderId":1}`, `[]`, `{"orderId":"o-2","sum":true}`} {
		payment := merchantpay.Payment{OrderID: "o-1"}
		if err := json.Unmarshal([]byte(text), &payment); err == nil || payment.OrderID != "o-1" {
			t.Errorf("%s became %v, %v", text, payment, err)
		}
	}
	kept := merchantpay.Payment{OrderID: "o-1"}
	if err := json.Unmarshal([]byte("null"), &kept); err != nil || kept.OrderID != "o-1" {
		t.Errorf("%v %v", kept, err)
	}
}

func TestWhatWasPaidIsComparedAsNumbers(t *testing.T) {
	for _, row := range []struct {
		sum, asked decimal.Decimal
		wanted     merchantpay.Paid
		name       string
	}{
		{amount("1500.50"), amount("1500.5"), merchantpay.PaidExactly, "exactly"},
		{amount("1500.49"), amount("1500.50"), merchantpay.PaidLess, "less"},
		{amount("1500.51"), amount("1500.50"), merchantpay.PaidMore, "more"},
		{decimal.NewFromInt(0), amount("1"), merchantpay.PaidLess, "less"},
		{decimal.Decimal{}, amount("1"), 0, "not known"},
		{amount("1"), decimal.Decimal{}, 0, "not known"},
		{amount("1"), decimal.New(1, 1_000_000_000), 0, "not known"},
	} {
		payment := merchantpay.Payment{OrderID: "o-1", Sum: row.sum}
		if got := payment.Paid(row.asked); got != row.wanted || got.String() != row.name {
			t.Errorf("%v: %v", row, got)
		}
	}
	if (*merchantpay.Payment)(nil).Paid(amount("1")) != 0 {
		t.Error("nothing was paid")
	}
}
