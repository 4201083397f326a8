package merchantpay_test

import (
	"crypto/ed25519"
	"encoding/base64"
	"net/http"
	"strings"
	"testing"

	"github.com/shopspring/decimal"

	"github.com/merchantpay/merchantpay-go"
)

func TestZerosBeyondWhatTheLibraryHoldsAreLeftOut(t *testing.T) {
	protocol, err := merchantpay.NewProtocol(sandbox.config)
	if err != nil {
		t.Fatal(err)
	}
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
			wantError(t, err, merchantpay.CodeInvalidArgument, merchantpay.OutcomeNotSent)
			continue
		}
		if err != nil {
			t.Error(row.wanted, err)
			continue
		}
		if sent := string(arrival{body: prepared.Body}.fields(t)["sum"]); sent != row.wanted {
			t.Errorf("%s in place of %s", sent, row.wanted)
		}
	}
}

func TestAnAbsentAmountIsNoZero(t *testing.T) {
	s := newService(t, func(s *service, _ string, _ []byte, w http.ResponseWriter) {
		s.reply(w, 200, `{"success":true,"availableAmounts":[],"otherAmountsPossible":true}`)
	})
	client := s.client(t)
	_, err := client.GetAvailableAmounts(background, merchantpay.AmountsRequest{Sum: amount("1"), PaymentMethod: "card", SumDriftUp: decimal.NewFromInt(0)})
	if err != nil {
		t.Fatal(err)
	}
	fields := (<-s.arrived).fields(t)
	if string(fields["sumDriftUp"]) != "0" || fields["sumDriftDown"] != nil {
		t.Errorf("%s", fields)
	}
	if text := merchantpay.AmountText(decimal.Decimal{}) + merchantpay.AmountText(amount("0.00")); text != "0.00" {
		t.Error(text)
	}
}

func TestABalanceIsConvertedExactly(t *testing.T) {
	for _, row := range []struct {
		sum, rate string
		balance   merchantpay.Balance
		scale     int
		rounding  merchantpay.Rounding
		result    string
	}{
		{"1500.50", "0.97", merchantpay.BalanceRUB, 2, merchantpay.RoundingHalfUp, "1455.49"},
		{"1500.50", "92.45", merchantpay.BalanceUSDT, 6, merchantpay.RoundingDown, "16.230394"},
	} {
		result, err := merchantpay.ToBalance(amount(row.sum), amount(row.rate), row.balance, row.scale, row.rounding)
		if err != nil || merchantpay.AmountText(result) != row.result {
			t.Errorf("%v: %s %v", row, result, err)
		}
	}
	one := amount("1")
	for name, err := range map[string]error{
		"another balance":  second(merchantpay.ToBalance(one, one, 0, 2, merchantpay.RoundingUp)),
		"another rounding": second(merchantpay.ToBalance(one, one, merchantpay.BalanceRUB, 2, 9)),
		"a negative scale": second(merchantpay.ToBalance(one, one, merchantpay.BalanceRUB, -1, merchantpay.RoundingUp)),
		"a huge sum":       second(merchantpay.ToBalance(decimal.New(1, 1<<30), one, merchantpay.BalanceRUB, 2, merchantpay.RoundingUp)),
	} {
		t.Run(name, func(t *testing.T) { wantError(t, err, merchantpay.CodeInvalidArgument, merchantpay.OutcomeNotSent) })
	}
}

func TestAKeypairIsOneOfEd25519(t *testing.T) {
	pair, err := merchantpay.GenerateKeypair()
	if err != nil {
		t.Fatal(err)
	}
	other, err := merchantpay.GenerateKeypair()
	if err != nil || other.PrivateKey == pair.PrivateKey {
		t.Fatal("two pairs are one", err)
	}
	private, err := base64.StdEncoding.DecodeString(pair.PrivateKey)
	if err != nil || len(private) != ed25519.PrivateKeySize {
		t.Fatal(len(private), err)
	}
	public := ed25519.NewKeyFromSeed(private[:32]).Public().(ed25519.PublicKey)
	if base64.StdEncoding.EncodeToString(public) != pair.PublicKey || merchantpay.Version() == "" {
		t.Error("the halves differ")
	}
}
