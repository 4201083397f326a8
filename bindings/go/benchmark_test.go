package merchantpay_test

import (
	"testing"

	"github.com/shopspring/decimal"

	"github.com/merchantpay/merchantpay-go"
	"github.com/merchantpay/merchantpay-go/internal/capi"
)

// Most of it is the signature's; BenchmarkRefuse is what is left without one.
func BenchmarkVerify(b *testing.B) {
	s := newService(b, nil)
	verifier := newVerifier(b, s.config(b))
	body, signature := []byte(credentials), s.sign(credentials)
	b.ReportAllocs()
	for b.Loop() {
		if _, err := verifier.Verify(body, signature, serviceKeyID); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkRefuse(b *testing.B) {
	verifier := newVerifier(b, newService(b, nil).config(b))
	body := []byte(credentials)
	b.ReportAllocs()
	for b.Loop() {
		if _, err := verifier.Verify(body, "AAAA", serviceKeyID); err == nil {
			b.Fatal("accepted")
		}
	}
}

func BenchmarkPrepareStatus(b *testing.B) {
	protocol, err := merchantpay.NewProtocol(sandbox.config)
	if err != nil {
		b.Fatal(err)
	}
	defer protocol.Close()
	b.ReportAllocs()
	for b.Loop() {
		if _, err := protocol.PrepareGetStatus("o-1"); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkPreparePayment(b *testing.B) {
	protocol, err := merchantpay.NewProtocol(sandbox.config)
	if err != nil {
		b.Fatal(err)
	}
	defer protocol.Close()
	asked := request("79001234567")
	b.ReportAllocs()
	for b.Loop() {
		if _, err := protocol.PrepareNewPayment(asked); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkVersion(b *testing.B) {
	for b.Loop() {
		capi.Version()
	}
}

func BenchmarkAmountText(b *testing.B) {
	sum := decimal.RequireFromString("1500.50")
	for b.Loop() {
		merchantpay.AmountText(sum)
	}
}
