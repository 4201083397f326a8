package merchantpay_test

import (
	"crypto"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"math"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/shopspring/decimal"

	"github.com/merchantpay/merchantpay-go"
)

// badTexts are invalid for every text argument.
var badTexts = map[string]string{"a NUL": "a\x00b", "a NUL at the end": "ab\x00", "no UTF-8": "a\xffb", "half a rune": "\xe2\x82"}

// namesOfC matches names and words of the C library, which no error text of Go may contain.
var namesOfC = regexp.MustCompile(`mpay_|[a-z]_[a-z]|NULL`)

func TestAWrongSettingIsRefused(t *testing.T) {
	type change = func(*merchantpay.Config)
	other, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	key, argument := merchantpay.CodeInvalidKey, merchantpay.CodeInvalidArgument
	pair, err := merchantpay.GenerateKeypair()
	if err != nil {
		t.Fatal(err)
	}
	for _, row := range []struct {
		name   string
		code   merchantpay.Code
		change change
	}{
		{"no base URL", argument, func(c *merchantpay.Config) { c.BaseURL = "" }},
		{"no URL", argument, func(c *merchantpay.Config) { c.BaseURL = "shop" }},
		{"a file's URL", argument, func(c *merchantpay.Config) { c.BaseURL = "file:///etc" }},
		{"no key id", argument, func(c *merchantpay.Config) { c.KeyID = "" }},
		{"a key id with a line end", argument, func(c *merchantpay.Config) { c.KeyID = "a\r\nX: y" }},
		{"no private key", argument, func(c *merchantpay.Config) { c.PrivateKey = "" }},
		{"a private key that is not base64", key, func(c *merchantpay.Config) { c.PrivateKey = "%%%" }},
		{"half a private key", key, func(c *merchantpay.Config) { c.PrivateKey = c.ServerPublicKey }},
		{"somebody else's public key", key, func(c *merchantpay.Config) { c.PublicKey = pair.PublicKey }},
		{"no server key", argument, func(c *merchantpay.Config) { c.ServerPublicKey = "" }},
		{"a server key of another length", key, func(c *merchantpay.Config) { c.ServerPublicKey = "AAAA" }},
		{"another server key of another length", key, func(c *merchantpay.Config) { c.OtherServerPublicKeys = []string{"AAAA"} }},
		{"the merchant's id as the server's", argument, func(c *merchantpay.Config) { c.ServerKeyID = c.KeyID }},
		{"a CA file that is not there", argument, func(c *merchantpay.Config) { c.CAFile = "/nowhere" }},
		{"a CA that is not PEM", argument, func(c *merchantpay.Config) { c.CAPEM = "PEM" }},
		{"a proxy that is none", argument, func(c *merchantpay.Config) { c.Proxy = "socks" }},
		{"a user agent with a line end", argument, func(c *merchantpay.Config) { c.UserAgent = "a\nb" }},
		{"a negative timeout", argument, func(c *merchantpay.Config) { c.Timeout = -1 }},
		{"an endless timeout", argument, func(c *merchantpay.Config) { c.Timeout = math.MaxInt64 }},
		{"a negative connect timeout", argument, func(c *merchantpay.Config) { c.ConnectTimeout = -time.Second }},
		{"negative retries", argument, func(c *merchantpay.Config) { c.MaxRetries = -2 }},
		{"endless retries", argument, func(c *merchantpay.Config) { c.MaxRetries = math.MaxInt64 }},
		{"a negative reply", argument, func(c *merchantpay.Config) { c.MaxReplyBytes = -1 }},
		{"plain http to another machine", argument, func(c *merchantpay.Config) { c.BaseURL = "http://pay.example" }},
		{"an authority that is exclusive and not given", argument, func(c *merchantpay.Config) { c.ExclusiveCA = true }},
		{"a pin that is none", argument, func(c *merchantpay.Config) { c.PinSPKI = []string{"sha1/AAAA"} }},
		{"a client certificate without its key", argument, func(c *merchantpay.Config) { c.ClientCertFile = "/nowhere" }},
		{"a client certificate that is not there", argument, func(c *merchantpay.Config) { c.ClientCertFile, c.ClientKeyFile = "/nowhere", "/nowhere" }},
		{"no time", argument, func(c *merchantpay.Config) { c.Timeout = merchantpay.Never }},
		{"no time to connect", argument, func(c *merchantpay.Config) { c.ConnectTimeout = merchantpay.Never }},
		{"a negative time to idle", argument, func(c *merchantpay.Config) { c.ReuseIdle = -time.Second }},
		{"two who sign", argument, func(c *merchantpay.Config) { c.Signer = signer{public: ed25519Key.Public()} }},
		{"a signer of another kind", key, func(c *merchantpay.Config) { c.PrivateKey, c.Signer = "", other }},
		{"a signer without a key", key, func(c *merchantpay.Config) { c.PrivateKey, c.Signer = "", signer{} }},
		{"a signer that panics", argument, func(c *merchantpay.Config) { c.PrivateKey, c.Signer = "", crypto.Signer((*signer)(nil)) }},
	} {
		t.Run(row.name, func(t *testing.T) {
			config := sandbox.config
			row.change(&config)
			_, err := merchantpay.NewClient(config)
			failure := wantError(t, err, row.code, merchantpay.OutcomeNotSent)
			if namesOfC.MatchString(failure.Message) || failure.IsTransient() {
				t.Errorf("transient %v: %s", failure.IsTransient(), failure.Message)
			}
		})
	}
	for name, bad := range badTexts {
		for i, change := range []change{
			func(c *merchantpay.Config) { c.BaseURL = "http://127.0.0.1:1/" + bad },
			func(c *merchantpay.Config) { c.KeyID = bad },
			func(c *merchantpay.Config) { c.PrivateKey += bad },
			func(c *merchantpay.Config) { c.PublicKey = bad },
			func(c *merchantpay.Config) { c.ServerPublicKey += bad },
			func(c *merchantpay.Config) { c.OtherServerPublicKeys = []string{bad} },
			func(c *merchantpay.Config) { c.ServerKeyID = bad },
			func(c *merchantpay.Config) { c.OtherServerKeyIDs = []string{bad} },
			func(c *merchantpay.Config) { c.CAFile = bad },
			func(c *merchantpay.Config) { c.CAPEM = bad },
			func(c *merchantpay.Config) { c.Proxy = "http://127.0.0.1:1/" + bad },
			func(c *merchantpay.Config) { c.UserAgent = bad },
			func(c *merchantpay.Config) { c.PinSPKI = []string{bad} },
			func(c *merchantpay.Config) { c.ClientCertFile, c.ClientKeyFile = bad, "/nowhere" },
			func(c *merchantpay.Config) { c.ClientCertFile, c.ClientKeyFile = "/nowhere", bad },
		} {
			config := sandbox.config
			change(&config)
			for _, err := range []error{second(merchantpay.NewClient(config)), second(merchantpay.NewProtocol(config))} {
				if failure := failed(t, err); failure.Outcome != merchantpay.OutcomeNotSent ||
					(failure.Code != merchantpay.CodeInvalidArgument && failure.Code != merchantpay.CodeInvalidKey) {
					t.Errorf("%s in setting %d: %v", name, i, failure)
				} else if namesOfC.MatchString(failure.Message) {
					t.Errorf("%s in setting %d: %s", name, i, failure.Message)
				}
			}
		}
	}
}

func TestAnErrorAboutAnArgumentHasTheNamesOfGo(t *testing.T) {
	client, protocol := newClient(t), must(merchantpay.NewProtocol(sandbox.config))
	defer protocol.Close()
	of := func(change func(*merchantpay.Config)) error {
		config := sandbox.config
		change(&config)
		return second(merchantpay.NewClient(config))
	}
	with := func(change func(*merchantpay.PaymentRequest)) error {
		asked := request("79001234567")
		change(&asked)
		return second(protocol.PrepareNewPayment(asked))
	}
	for wanted, err := range map[string]error{
		"BaseURL is missing":                                    of(func(c *merchantpay.Config) { c.BaseURL = "" }),
		"KeyID is missing":                                      of(func(c *merchantpay.Config) { c.KeyID = "" }),
		"PrivateKey is missing":                                 of(func(c *merchantpay.Config) { c.PrivateKey = "" }),
		"PrivateKey: ":                                          of(func(c *merchantpay.Config) { c.PrivateKey = "AAAA" }),
		"ServerPublicKey is missing":                            of(func(c *merchantpay.Config) { c.ServerPublicKey = "" }),
		"ServerKeyID has a NUL byte":                            of(func(c *merchantpay.Config) { c.OtherServerKeyIDs = []string{"a\x00"} }),
		"Proxy has a NUL byte":                                  of(func(c *merchantpay.Config) { c.Proxy = "http://127.0.0.1:1/\x00" }),
		"UserAgent":                                             of(func(c *merchantpay.Config) { c.UserAgent = "\xff" }),
		"MaxRetries must be a whole number":                     of(func(c *merchantpay.Config) { c.MaxRetries = -2 }),
		"MaxReplyBytes must be a whole number":                  of(func(c *merchantpay.Config) { c.MaxReplyBytes = -1 }),
		"ExclusiveCA needs a CA: set CAPEM or CAFile":           of(func(c *merchantpay.Config) { c.ExclusiveCA = true }),
		"or set AllowHTTP":                                      of(func(c *merchantpay.Config) { c.BaseURL = "http://pay.example" }),
		"PublicKey is not the public half of PrivateKey":        of(func(c *merchantpay.Config) { c.PublicKey = c.ServerPublicKey }),
		"ClientCertFile and ClientKeyFile must be set together": of(func(c *merchantpay.Config) { c.ClientKeyFile = "/nowhere" }),
		"ReuseIdle must be a whole number of milliseconds":      of(func(c *merchantpay.Config) { c.ReuseIdle = -2 }),
		"OrderID":                     client.Confirm(background, ""),
		"Sum has more than 28 digits": with(func(r *merchantpay.PaymentRequest) { r.Sum = decimal.New(1, 40) }),
		"CustomerAccount is missing":  with(func(r *merchantpay.PaymentRequest) { r.CustomerAccount = "" }),
		"PayerBank has a NUL byte":    with(func(r *merchantpay.PaymentRequest) { r.PayerBank = "a\x00" }),
		"StatusWebhookURL must be an": with(func(r *merchantpay.PaymentRequest) { r.StatusWebhookURL = "shop" }),
		"CredentialsWebhookURL is a field of NewPaymentAsync only, not of NewPayment": with(func(r *merchantpay.PaymentRequest) {
			r.CredentialsWebhookURL = "https://shop.example/hook"
		}),
	} {
		if failure := failed(t, err); !strings.Contains(failure.Message, wanted) || namesOfC.MatchString(failure.Message) {
			t.Errorf("%q in place of %q", failure.Message, wanted)
		}
	}
}

func second[T any](_ T, err error) error { return err }

func TestAWrongRequestIsRefusedAndNothingSent(t *testing.T) {
	s := newService(t, nil)
	client := s.client(t)
	protocol, err := merchantpay.NewProtocol(s.config(t))
	if err != nil {
		t.Fatal(err)
	}
	defer protocol.Close()
	type change = func(*merchantpay.PaymentRequest)
	changes := map[string]change{
		"no sum":           func(r *merchantpay.PaymentRequest) { r.Sum = decimal.Decimal{} },
		"29 digits":        func(r *merchantpay.PaymentRequest) { r.Sum = amount("12345678901234567890123456789.1") },
		"a million digits": func(r *merchantpay.PaymentRequest) { r.Sum = amount(strings.Repeat("9", 1_000_000)) },
		"a huge exponent":  func(r *merchantpay.PaymentRequest) { r.Sum = decimal.New(1, math.MaxInt32) },
		"a tiny exponent":  func(r *merchantpay.PaymentRequest) { r.Sum = decimal.New(1, math.MinInt32) },
		"no account":       func(r *merchantpay.PaymentRequest) { r.CustomerAccount = "" },
	}
	for name, bad := range badTexts {
		changes["currency with "+name] = func(r *merchantpay.PaymentRequest) { r.Currency = bad }
		changes["method with "+name] = func(r *merchantpay.PaymentRequest) { r.PaymentMethod = merchantpay.PaymentMethod(bad) }
		changes["account with "+name] = func(r *merchantpay.PaymentRequest) { r.CustomerAccount = bad }
		changes["bank with "+name] = func(r *merchantpay.PaymentRequest) { r.PayerBank = bad }
		changes["merchant id with "+name] = func(r *merchantpay.PaymentRequest) { r.MerchantID = bad }
		changes["status URL with "+name] = func(r *merchantpay.PaymentRequest) { r.StatusWebhookURL = "https://a/" + bad }
	}
	for name, change := range changes {
		t.Run(name, func(t *testing.T) {
			request := request("79001234567")
			change(&request)
			async := request
			async.CredentialsWebhookURL = "https://shop.example/hook"
			for _, err := range []error{
				second(client.NewPayment(background, request)), second(client.NewPaymentAsync(background, async)),
				second(protocol.PrepareNewPayment(request)), second(protocol.PrepareNewPaymentAsync(async)),
			} {
				wantError(t, err, merchantpay.CodeInvalidArgument, merchantpay.OutcomeNotSent)
			}
		})
	}
	withURL := request("79001234567")
	withURL.CredentialsWebhookURL = "https://shop.example/hook"
	for name, err := range map[string]error{
		"credentials URL for new":          second(client.NewPayment(background, withURL)),
		"no credentials URL for new-async": second(client.NewPaymentAsync(background, request("79001234567"))),
		"no sum for available":             second(client.GetAvailableAmounts(background, merchantpay.AmountsRequest{PaymentMethod: "card"})),
		"a drift without end": second(client.GetAvailableAmounts(background, merchantpay.AmountsRequest{
			Sum: amount("1"), PaymentMethod: "card", SumDriftUp: decimal.New(1, 1_000_000_000),
		})),
	} {
		t.Run(name, func(t *testing.T) { wantError(t, err, merchantpay.CodeInvalidArgument, merchantpay.OutcomeNotSent) })
	}
	for _, id := range []string{"", "a\x00b", "\xff"} {
		for name, err := range map[string]error{
			"confirm":         client.Confirm(background, id),
			"cancel":          client.Cancel(background, id),
			"status":          second(client.GetStatus(background, id)),
			"prepare confirm": second(protocol.PrepareConfirm(id)),
			"prepare cancel":  second(protocol.PrepareCancel(id)),
			"prepare status":  second(protocol.PrepareGetStatus(id)),
			"attach": client.AttachReceipt(background, merchantpay.Receipt{
				OrderID: id, Files: []merchantpay.File{{Name: "r.pdf", ContentType: "application/pdf", Data: []byte("%PDF-")}},
			}),
		} {
			t.Run(name, func(t *testing.T) { wantError(t, err, merchantpay.CodeInvalidArgument, merchantpay.OutcomeNotSent) })
		}
	}
	if sent := s.calls.Load(); sent != 0 {
		t.Errorf("%d requests were sent", sent)
	}
}

func TestAWrongFileIsRefusedAndNothingSent(t *testing.T) {
	s := newService(t, nil)
	client := s.client(t)
	text := filepath.Join(t.TempDir(), "receipt.txt")
	if err := os.WriteFile(text, []byte("text"), 0o600); err != nil {
		t.Fatal(err)
	}
	pdf := []byte("%PDF-1.4")
	for name, files := range map[string][]merchantpay.File{
		"none":                      nil,
		"an empty one":              {{}},
		"a path that is not there":  {{Path: "/nowhere/receipt.pdf"}},
		"a folder":                  {{Path: t.TempDir()}},
		"a text":                    {{Path: text}},
		"a path with a NUL":         {{Path: "receipt.pdf\x00.txt"}},
		"a path that is not UTF-8":  {{Path: "\xff.pdf"}},
		"both a path and bytes":     {{Path: text, Data: pdf}},
		"both a path and a name":    {{Path: text, Name: "r.pdf"}},
		"no name":                   {{ContentType: "application/pdf", Data: pdf}},
		"no type":                   {{Name: "r.pdf", Data: pdf}},
		"another type":              {{Name: "r.gif", ContentType: "image/gif", Data: pdf}},
		"no bytes":                  {{Name: "r.pdf", ContentType: "application/pdf"}},
		"a name with a line end":    {{Name: "r\r\nX: y", ContentType: "application/pdf", Data: pdf}},
		"a name with a NUL":         {{Name: "r\x00.pdf", ContentType: "application/pdf", Data: pdf}},
		"a type with a NUL":         {{Name: "r.pdf", ContentType: "application/pdf\x00", Data: pdf}},
		"a wrong one after a right": {{Name: "r.pdf", ContentType: "application/pdf", Data: pdf}, {}},
	} {
		t.Run(name, func(t *testing.T) {
			err := client.AttachReceipt(background, merchantpay.Receipt{OrderID: "o-1", Files: files})
			wantError(t, err, merchantpay.CodeInvalidArgument, merchantpay.OutcomeNotSent)
		})
	}
	if sent := s.calls.Load(); sent != 0 {
		t.Errorf("%d requests were sent", sent)
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
