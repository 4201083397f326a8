package merchantpay_test

import (
	"encoding/json"
	"reflect"
	"testing"

	"github.com/shopspring/decimal"

	"github.com/merchantpay/merchantpay-go"
)

var whole = merchantpay.Payment{
	OrderID: "o-1", Sum: amount("1500.50"), Currency: "RUB", PayeeAccount: "2200", PayeeAccountBank: "Bank & Co", PayeeName: "Иван",
	DealSum: amount("16.230395"), DealCurrency: "USDT", DealRate: amount("92.450"), Deeplink: "https://pay.example/?a=1", Status: "doneSuccess",
}

func TestPaymentJSONHasTheContractsNames(t *testing.T) {
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
	for i := range reflect.TypeFor[merchantpay.Payment]().NumField() {
		if field := reflect.TypeFor[merchantpay.Payment]().Field(i); field.Name != "JSON" && reflect.ValueOf(whole).Field(i).IsZero() {
			t.Errorf("the field %s is not in this test", field.Name)
		}
	}
}

func TestVerifiedBodyIsNotInThePaymentsJSON(t *testing.T) {
	payment := merchantpay.Payment{OrderID: "o-1", JSON: []byte(`{"orderId":"o-1","more":1}`)}
	if text := string(must(json.Marshal(payment))); text != `{"orderId":"o-1"}` {
		t.Error(text)
	}
	if err := json.Unmarshal([]byte(`{"orderId":"o-1"}`), &payment); err != nil || payment.JSON != nil {
		t.Errorf("%s, which nobody verified, %v", payment.JSON, err)
	}
}

func TestUnusableJSONChangesNothing(t *testing.T) {
	for _, text := range []string{`{"sum":"x"}`, `{"orderId":1}`, `[]`, `{"orderId":"o-2","sum":true}`, "null"} {
		payment := merchantpay.Payment{OrderID: "o-1"}
		if err := json.Unmarshal([]byte(text), &payment); (err == nil) != (text == "null") || payment.OrderID != "o-1" {
			t.Errorf("%s became %v, %v", text, payment, err)
		}
	}
}
