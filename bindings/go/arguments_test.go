package merchantpay_test

import (
	"crypto"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"math"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/merchantpay/merchantpay-go"
)

func second[T any](_ T, err error) error { return err }

func must[T any](value T, err error) T {
	if err != nil {
		panic(err)
	}
	return value
}

// What settings of texts have wrong is tested by the vectors in tests/contract. These are values that only Go has.
func TestUnusableSettingsAreRefused(t *testing.T) {
	other, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	key, argument := merchantpay.CodeInvalidKey, merchantpay.CodeInvalidArgument
	for _, row := range []struct {
		begins string
		code   merchantpay.Code
		change func(*merchantpay.Config)
	}{
		{"Timeout must be", argument, func(c *merchantpay.Config) { c.Timeout = -2 }},
		{"Timeout must be", argument, func(c *merchantpay.Config) { c.Timeout = math.MaxInt64 }},
		{"Timeout must be", argument, func(c *merchantpay.Config) { c.Timeout = merchantpay.Never }},
		{"ConnectTimeout must be", argument, func(c *merchantpay.Config) { c.ConnectTimeout = merchantpay.Never }},
		{"ReuseIdle must be", argument, func(c *merchantpay.Config) { c.ReuseIdle = -time.Second }},
		{"MaxRetries must be", argument, func(c *merchantpay.Config) { c.MaxRetries = -2 }},
		{"MaxRetries must be", argument, func(c *merchantpay.Config) { c.MaxRetries = math.MaxInt64 }},
		{"MaxReplyBytes must be", argument, func(c *merchantpay.Config) { c.MaxReplyBytes = -1 }},
		{"PrivateKey and a signer", argument, func(c *merchantpay.Config) { c.Signer = signer{public: ed25519Key.Public()} }},
		{"the Signer's", key, func(c *merchantpay.Config) { c.PrivateKey, c.Signer = "", other }},
		{"the Signer's", key, func(c *merchantpay.Config) { c.PrivateKey, c.Signer = "", signer{} }},
		{"the Signer panics", argument, func(c *merchantpay.Config) { c.PrivateKey, c.Signer = "", crypto.Signer((*signer)(nil)) }},
		{"BaseURL, KeyID, PrivateKey and ServerPublicKey are missing", argument, func(c *merchantpay.Config) { *c = merchantpay.Config{} }},
	} {
		config := sandbox.config
		row.change(&config)
		_, err := merchantpay.NewClient(config)
		failure := wantError(t, err, row.code, merchantpay.OutcomeNotSent)
		if !strings.HasPrefix(failure.Message, row.begins) || failure.IsTransient() {
			t.Errorf("%q in place of %q", failure.Message, row.begins)
		}
	}
}

// setEnv clears the library's environment variables, and sets the given variables.
func setEnv(t *testing.T, variables map[string]string) {
	t.Helper()
	for _, variable := range os.Environ() {
		if name, _, _ := strings.Cut(variable, "="); strings.HasPrefix(name, "MERCHANTPAY_") && name != "MERCHANTPAY_PROGRAM" {
			t.Setenv(name, "")
		}
	}
	for name, value := range variables {
		t.Setenv(name, value)
	}
}

func TestConfigFromEnvReadsEverySetting(t *testing.T) {
	pair := must(merchantpay.GenerateKeypair())
	file := filepath.Join(t.TempDir(), "key")
	if err := os.WriteFile(file, []byte("\n"+pair.PrivateKey+"\r\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	pin := "sha256/" + strings.Repeat("A", 43) + "="
	setEnv(t, map[string]string{
		"MERCHANTPAY_BASE_URL": "https://pay.example", "MERCHANTPAY_KEY_ID": "key-1", "MERCHANTPAY_PRIVATE_KEY_FILE": file,
		"MERCHANTPAY_PUBLIC_KEY": pair.PublicKey, "MERCHANTPAY_SERVER_PUBLIC_KEY": sandbox.config.ServerPublicKey + "," + pair.PublicKey,
		"MERCHANTPAY_SERVER_KEY_ID": "a, b", "MERCHANTPAY_CA_FILE": "/ca", "MERCHANTPAY_CA_PEM": "PEM", "MERCHANTPAY_EXCLUSIVE_CA": "1",
		"MERCHANTPAY_PIN_SPKI": pin, "MERCHANTPAY_CLIENT_CERT_FILE": "/cert", "MERCHANTPAY_CLIENT_KEY_FILE": "/key",
		"MERCHANTPAY_PROXY": "http://proxy:1", "MERCHANTPAY_ALLOW_HTTP": "0", "MERCHANTPAY_USER_AGENT": "shop", "MERCHANTPAY_TIMEOUT_MS": "1500",
		"MERCHANTPAY_CONNECT_TIMEOUT_MS": "4294967295", "MERCHANTPAY_REUSE_IDLE_MS": "0", "MERCHANTPAY_CONNECT_IDLE_MS": "7",
		"MERCHANTPAY_MAX_RETRIES": "0", "MERCHANTPAY_MAX_REPLY_BYTES": "18446744073709551615", "MERCHANTPAY_OTHER": "ignored",
	})
	config, err := merchantpay.ConfigFromEnv()
	if err != nil {
		t.Fatal(err)
	}
	wanted := merchantpay.Config{
		BaseURL: "https://pay.example", KeyID: "key-1", PrivateKey: pair.PrivateKey, PublicKey: pair.PublicKey,
		ServerPublicKey: sandbox.config.ServerPublicKey, OtherServerPublicKeys: []string{pair.PublicKey},
		ServerKeyID: "a", OtherServerKeyIDs: []string{"b"}, CAFile: "/ca", CAPEM: "PEM", ExclusiveCA: true,
		PinSPKI: []string{pin}, ClientCertFile: "/cert", ClientKeyFile: "/key", Proxy: "http://proxy:1", UserAgent: "shop",
		Timeout: 1500 * time.Millisecond, ConnectTimeout: 4294967295 * time.Millisecond, ReuseIdle: merchantpay.Never,
		ConnectIdle: 7 * time.Millisecond, MaxRetries: merchantpay.NoRetries, MaxReplyBytes: math.MaxInt64,
	}
	fields, expected := reflect.ValueOf(config), reflect.ValueOf(wanted)
	for i := range fields.NumField() {
		if field := fields.Type().Field(i); field.IsExported() && !reflect.DeepEqual(fields.Field(i).Interface(), expected.Field(i).Interface()) {
			t.Errorf("%s differs", field.Name)
		}
	}
}

func TestNilReceiversAndClosedObjectsGiveErrors(t *testing.T) {
	closedClient := newClient(t)
	closedClient.Close()
	closedClient.Close()
	for _, client := range []*merchantpay.Client{nil, {}, closedClient} {
		for name, call := range calls(client) {
			if err := call(background); err == nil {
				t.Errorf("%s succeeds", name)
			} else {
				wantError(t, err, merchantpay.CodeInvalidArgument, merchantpay.OutcomeNotSent)
			}
		}
		for _, err := range []error{client.Connect(background), second(client.Wait(background, "o-1"))} {
			wantError(t, err, merchantpay.CodeInvalidArgument, merchantpay.OutcomeNotSent)
		}
		client.Close()
	}
	closedProtocol, err := merchantpay.NewProtocol(sandbox.config)
	if err != nil {
		t.Fatal(err)
	}
	closedProtocol.Close()
	for _, protocol := range []*merchantpay.Protocol{nil, {}, closedProtocol} {
		for _, err := range []error{
			second(protocol.PrepareNewPayment(request("79"))), second(protocol.PrepareConfirm("o-1")),
			second(protocol.PrepareAttachReceipt(merchantpay.Receipt{
				OrderID: "o-1", Files: []merchantpay.File{{Name: "r.pdf", ContentType: "application/pdf", Data: []byte("%PDF-")}},
			})),
		} {
			wantError(t, err, merchantpay.CodeInvalidArgument, merchantpay.OutcomeNotSent)
		}
		protocol.Close()
	}
	// A program opens a reply only after it has sent the request, so the outcome is unknown.
	for _, prepared := range []*merchantpay.HTTPRequest{nil, {}} {
		for _, err := range []error{
			prepared.OpenConfirm(merchantpay.HTTPResponse{}), second(prepared.OpenNewPayment(merchantpay.HTTPResponse{})),
			second(prepared.OpenGetAvailableAmounts(merchantpay.HTTPResponse{})), prepared.OpenAttachReceipt(merchantpay.HTTPResponse{}),
			second(prepared.OpenNewPaymentAsync(merchantpay.HTTPResponse{})), second(prepared.OpenGetStatus(merchantpay.HTTPResponse{})),
			prepared.OpenCancel(merchantpay.HTTPResponse{}),
		} {
			wantError(t, err, merchantpay.CodeInvalidArgument, merchantpay.OutcomeUnknown)
		}
	}
	if (*merchantpay.Payment)(nil).IsFinal() {
		t.Error("no payment is final")
	}
}

func TestAHugeTextIsTakenWhole(t *testing.T) {
	s := newService(t, nil)
	id := strings.Repeat("x", 1<<20)
	payment, err := s.client(t, func(c *merchantpay.Config) { c.MaxReplyBytes = 4 << 20 }).GetStatus(background, id)
	if err != nil {
		t.Fatal(err)
	}
	if payment.OrderID != id {
		t.Errorf("%d bytes came back", len(payment.OrderID))
	}
}
