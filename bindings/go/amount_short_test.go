package merchantpay

import (
	"math"
	"math/big"
	"reflect"
	"strings"
	"testing"

	"github.com/shopspring/decimal"
)

// shortTexts are texts of amounts around what is read and written as an int64, and some that are no amounts.
func shortTexts() []string {
	texts := []string{
		"", "-", ".", "-.", "1.", ".1", "-.1", "1.-1", "+1", "--1", "1..2", "1.2.3", "1e3", "1E-3", " 1", "1 ", "1_000", "0x1", "\u22121", "\u0661", "1\x00",
		"0", "00", "-0", "0.0", "-0.00", "007.10", "1500.50", "92.450", "9223372036854775807", "-9223372036854775808", "9223372036854775808",
	}
	for length := 1; length <= 2*shortDigits; length++ {
		for _, digit := range []string{"1", "9", "0"} {
			digits := strings.Repeat(digit, length-1) + "7"
			for point := 0; point <= length; point++ {
				texts = append(texts, digits[:point]+"."+digits[point:], "-"+digits[:point]+"."+digits[point:])
			}
			texts = append(texts, digits, "-"+digits)
		}
	}
	return texts
}

func TestAShortAmountIsReadAsTheDecimalPackageReadsIt(t *testing.T) {
	short := 0
	for _, text := range shortTexts() {
		amount, ok := readShort(text)
		if !ok {
			continue
		}
		short++
		wanted, err := decimal.NewFromString(text)
		if err != nil || !reflect.DeepEqual(amount, wanted) {
			t.Errorf("%q: %v %d in place of %v %d, %v", text, amount, amount.Exponent(), wanted, wanted.Exponent(), err)
		}
	}
	for _, text := range []string{"0", "1500.50", "-1500.50", "1", "99999999999999999", "0.000000000000001"} {
		if _, ok := readShort(text); !ok {
			t.Errorf("%s is not short", text)
		}
	}
	if short < 100 {
		t.Errorf("only %d of the texts are short", short)
	}
}

func TestAShortAmountIsWrittenAsTheDecimalPackageWritesIt(t *testing.T) {
	amounts := []decimal.Decimal{}
	for _, text := range shortTexts() {
		if amount, err := decimal.NewFromString(text); err == nil {
			amounts = append(amounts, amount)
		}
	}
	for _, value := range []int64{0, 1, -1, 10, 150050, 1e15, 1e16 - 1, 1e16, 1e17 - 1, 1e17, -1e17, 1e18, math.MaxInt64, math.MinInt64} {
		for exponent := int32(-40); exponent <= 3; exponent++ {
			amounts = append(amounts, decimal.New(value, exponent))
		}
	}
	amounts = append(amounts, decimal.NewFromBigInt(new(big.Int).Lsh(big.NewInt(1), 64), 0), decimal.NewFromBigInt(new(big.Int).Lsh(big.NewInt(1), 64), -2))
	short := 0
	for _, amount := range amounts {
		text, ok := shortText(amount)
		if !ok {
			continue
		}
		short++
		if wanted := amount.StringFixed(-amount.Exponent()); text != wanted {
			t.Errorf("%s in place of %s", text, wanted)
		}
	}
	if text, ok := shortText(decimal.New(150050, -2)); !ok || text != "1500.50" {
		t.Errorf("1500.50 is not short: %s", text)
	}
	if short < 100 {
		t.Errorf("only %d of the amounts are short", short)
	}
}
