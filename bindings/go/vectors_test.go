package merchantpay_test

import (
	"bytes"
	"crypto/ed25519"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/shopspring/decimal"

	"github.com/merchantpay/merchantpay-go"
)

// The vectors that every language is held against: tests/vectors of the project, whose README says what a case is.

const vectorFolder = "../../tests/vectors"

var vectorFiles = []string{"amounts", "headers", "keys", "receipts", "replies", "requests", "statuses", "webhooks"}

// vectorBytes is text, or base64 where the bytes are none.
type vectorBytes []byte

func (b *vectorBytes) UnmarshalJSON(text []byte) error {
	var encoded struct{ Base64 []byte }
	if err := json.Unmarshal(text, &encoded); err == nil {
		*b = encoded.Base64
		return nil
	}
	var plain string
	err := json.Unmarshal(text, &plain)
	*b = vectorBytes(plain)
	return err
}

type vectorArguments struct {
	OrderID               string `json:"orderId"`
	Sum                   string `json:"sum"`
	Currency              string `json:"currency"`
	PaymentMethod         string `json:"paymentMethod"`
	CustomerAccount       string `json:"customerAccount"`
	PayerBank             string `json:"payerBank"`
	MerchantID            string `json:"merchantId"`
	StatusWebhookURL      string `json:"statusWebhookUrl"`
	CredentialsWebhookURL string `json:"credentialsWebhookUrl"`
	SumDriftUp            string `json:"sumDriftUp"`
	SumDriftDown          string `json:"sumDriftDown"`
	Files                 []struct {
		Name        string      `json:"name"`
		ContentType string      `json:"content_type"`
		Data        vectorBytes `json:"data"`
	} `json:"files"`
}

type vectorSettings struct {
	BaseURL          string   `json:"base_url"`
	KeyID            *string  `json:"key_id"`
	PrivateKey       string   `json:"private_key"`
	PublicKey        string   `json:"public_key"`
	ServerPublicKeys []string `json:"server_public_keys"`
	ServerKeyIDs     []string `json:"server_key_ids"`
}

type vectorReply struct {
	Status  int         `json:"status"`
	Headers [][2]string `json:"headers"`
	Body    vectorBytes `json:"body"`
}

type vector struct {
	Kind      string          `json:"kind"`
	Name      string          `json:"name"`
	Settings  json.RawMessage `json:"settings"`
	Operation string          `json:"operation"`
	Arguments vectorArguments `json:"arguments"`
	Makes     []string        `json:"makes"`
	Text      string          `json:"text"`
	Known     bool            `json:"known"`
	Final     bool            `json:"final"`
	Reply     vectorReply     `json:"reply"`
	Webhook   struct {
		Body      vectorBytes `json:"body"`
		Signature string      `json:"signature"`
		KeyID     string      `json:"key_id"`
	} `json:"webhook"`
	Expected struct {
		Error *struct {
			Code        merchantpay.Code    `json:"code"`
			Outcome     merchantpay.Outcome `json:"outcome"`
			Description string              `json:"description"`
			Reason      merchantpay.Reason  `json:"reason"`
			HTTPStatus  int                 `json:"http_status"`
			OrderID     string              `json:"order_id"`
		} `json:"error"`
		Arguments            vectorArguments   `json:"arguments"`
		Signature            string            `json:"signature"`
		URL                  string            `json:"url"`
		Headers              [][2]string       `json:"headers"`
		Body                 vectorBytes       `json:"body"`
		Event                string            `json:"event"`
		Payment              map[string]string `json:"payment"`
		Final                bool              `json:"final"`
		SumMinor             *int64            `json:"sum_minor"`
		Amounts              []string          `json:"amounts"`
		OtherAmountsPossible bool              `json:"other_amounts_possible"`
	} `json:"expected"`

	settings vectorSettings
}

// strictly reads JSON in which every field is known, so that no part of a case goes by unseen.
func strictly(text []byte, into any) error {
	decoder := json.NewDecoder(bytes.NewReader(text))
	decoder.DisallowUnknownFields()
	return decoder.Decode(into)
}

func vectorsOf(t *testing.T, file string) []vector {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(vectorFolder, file+".json"))
	if err != nil {
		t.Fatal(err)
	}
	var document struct {
		About    string          `json:"about"`
		Settings json.RawMessage `json:"settings"`
		Count    int             `json:"count"`
		Cases    []vector        `json:"cases"`
	}
	if err := strictly(text, &document); err != nil {
		t.Fatal(file, err)
	}
	if document.Count != len(document.Cases) || document.Count < 30 {
		t.Fatal(file, document.Count, len(document.Cases))
	}
	for i := range document.Cases {
		v := &document.Cases[i]
		for _, settings := range []json.RawMessage{document.Settings, v.Settings} {
			if settings == nil {
				continue
			}
			if err := strictly(settings, &v.settings); err != nil {
				t.Fatal(file, v.Name, err)
			}
		}
	}
	return document.Cases
}

func TestEveryLanguageReadsTheseFilesOfVectors(t *testing.T) {
	paths, err := filepath.Glob(filepath.Join(vectorFolder, "*.json"))
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, path := range paths {
		names = append(names, strings.TrimSuffix(filepath.Base(path), ".json"))
	}
	if !slices.Equal(names, vectorFiles) {
		t.Fatal(names)
	}
}

func TestWhatEveryVectorSaysHolds(t *testing.T) {
	kinds := map[string]int{}
	checks := map[string]func(*vector) error{
		"settings":    (*vector).checkSettings,
		"request":     (*vector).checkRequest,
		"receipt":     (*vector).checkReceipt,
		"amount_text": (*vector).checkAmountText,
		"reply":       (*vector).checkReply,
		"status":      (*vector).checkStatus,
		"webhook":     (*vector).checkWebhook,
	}
	for _, file := range vectorFiles {
		for _, v := range vectorsOf(t, file) {
			check := checks[v.Kind]
			if check == nil {
				t.Fatalf("%s: %s: a kind that this test does not know: %s", file, v.Name, v.Kind)
			}
			kinds[v.Kind]++
			if err := check(&v); err != nil {
				t.Errorf("%s: %s: %v", file, v.Name, err)
			}
		}
	}
	for kind := range checks {
		if kinds[kind] < 20 {
			t.Errorf("%d cases of %s", kinds[kind], kind)
		}
	}
}

// differ tells what is not as it was wanted.
func differ(what string, got, wanted any) error {
	g, w := fmt.Sprintf("%q", got), fmt.Sprintf("%q", wanted)
	if g == w {
		return nil
	}
	return fmt.Errorf("%s: %.600s, wanted %.600s", what, g, w)
}

// verdict compares a failure with the one that is expected; ok is false where there was to be none, and was none.
func (v *vector) verdict(err error) (failure *merchantpay.Error, verdict error) {
	wanted := v.Expected.Error
	switch {
	case wanted == nil && err == nil:
		return nil, nil
	case wanted == nil:
		return nil, err
	case err == nil:
		return nil, errors.New("it had to fail")
	case !errors.As(err, &failure):
		return nil, fmt.Errorf("an error of another kind: %w", err)
	}
	return failure, errors.Join(differ("code", failure.Code, wanted.Code), differ("outcome", failure.Outcome, wanted.Outcome))
}

// failure compares all of an error that a reply or a webhook ended in.
func (v *vector) failure(err error, body []byte) error {
	failure, verdict := v.verdict(err)
	if failure == nil {
		return verdict
	}
	wanted := v.Expected.Error
	kept := []byte(nil)
	if wanted.Code == merchantpay.CodeRejected || wanted.Code == merchantpay.CodeMalformed {
		kept = body
	}
	return errors.Join(
		verdict,
		differ("description", failure.Description, wanted.Description),
		differ("reason", failure.Reason, wanted.Reason),
		differ("http_status", failure.HTTPStatus, wanted.HTTPStatus),
		differ("order_id", failure.OrderID, wanted.OrderID),
		differ("body", failure.Body, kept),
	)
}

func (v *vector) config() merchantpay.Config {
	s := v.settings
	config := merchantpay.Config{
		BaseURL: s.BaseURL, PrivateKey: s.PrivateKey, ServerPublicKey: s.ServerPublicKeys[0], OtherServerPublicKeys: s.ServerPublicKeys[1:],
	}
	if s.KeyID != nil {
		config.KeyID = *s.KeyID
	}
	if len(s.ServerKeyIDs) > 0 {
		config.ServerKeyID, config.OtherServerKeyIDs = s.ServerKeyIDs[0], s.ServerKeyIDs[1:]
	}
	return config
}

func (v *vector) verifier() (*merchantpay.WebhookVerifier, error) {
	config := v.config()
	config.PrivateKey, config.BaseURL = "", ""
	return merchantpay.NewWebhookVerifier(config)
}

func (v *vector) checkSettings() error {
	for _, made := range v.Makes {
		var err error
		switch made {
		case "protocol":
			_, err = merchantpay.NewProtocol(v.config())
		case "verifier":
			_, err = v.verifier()
		default:
			return errors.New(made)
		}
		if _, verdict := v.verdict(err); verdict != nil {
			return fmt.Errorf("%s: %w", made, verdict)
		}
	}
	if v.Expected.Signature == "" {
		return nil
	}
	prepared, err := v.prepare("confirm", v.Expected.Arguments)
	if err != nil {
		return err
	}
	return errors.Join(
		differ("body", prepared.Body, []byte(v.Expected.Body)), differ("signature", prepared.Header.Get("X-Signature"), v.Expected.Signature),
	)
}

// errNoDecimal is what Go cannot say: an amount here is a number, not a text.
var errNoDecimal = errors.New("no decimal")

func (v *vector) prepare(operation string, a vectorArguments) (*merchantpay.HTTPRequest, error) {
	protocol, err := merchantpay.NewProtocol(v.config())
	if err != nil {
		return nil, err
	}
	defer protocol.Close()
	var sum, up, down decimal.Decimal
	for text, to := range map[*string]*decimal.Decimal{&a.Sum: &sum, &a.SumDriftUp: &up, &a.SumDriftDown: &down} {
		if *text == "" {
			continue
		}
		if *to, err = decimal.NewFromString(*text); err != nil {
			return nil, errNoDecimal
		}
	}
	payment := merchantpay.PaymentRequest{
		Sum: sum, Currency: a.Currency, PaymentMethod: merchantpay.PaymentMethod(a.PaymentMethod), CustomerAccount: a.CustomerAccount,
		PayerBank: a.PayerBank, MerchantID: a.MerchantID, StatusWebhookURL: a.StatusWebhookURL, CredentialsWebhookURL: a.CredentialsWebhookURL,
	}
	switch operation {
	case "getAvailableAmounts":
		return protocol.PrepareGetAvailableAmounts(merchantpay.AmountsRequest{
			Sum: sum, Currency: a.Currency, PaymentMethod: merchantpay.PaymentMethod(a.PaymentMethod), CustomerAccount: a.CustomerAccount,
			SumDriftUp: up, SumDriftDown: down,
		})
	case "newPayment":
		return protocol.PrepareNewPayment(payment)
	case "newPaymentAsync":
		return protocol.PrepareNewPaymentAsync(payment)
	case "confirm":
		return protocol.PrepareConfirm(a.OrderID)
	case "cancel":
		return protocol.PrepareCancel(a.OrderID)
	case "getStatus":
		return protocol.PrepareGetStatus(a.OrderID)
	case "attachReceipt":
		receipt := merchantpay.Receipt{OrderID: a.OrderID}
		for _, file := range a.Files {
			receipt.Files = append(receipt.Files, merchantpay.File{Name: file.Name, ContentType: file.ContentType, Data: file.Data})
		}
		return protocol.PrepareAttachReceipt(receipt)
	default:
		return nil, errors.New(operation)
	}
}

func (v *vector) checkRequest() error {
	prepared, err := v.prepare(v.Operation, v.Arguments)
	if errors.Is(err, errNoDecimal) && v.Expected.Error != nil {
		return nil
	}
	if failure, verdict := v.verdict(err); failure != nil || verdict != nil {
		return verdict
	}
	return errors.Join(
		differ("url", prepared.URL, v.Expected.URL),
		differ("headers", prepared.Header, headerOf(v.Expected.Headers, true)),
		differ("body", prepared.Body, []byte(v.Expected.Body)),
	)
}

// headerOf is the pairs as net/http gives them, or with their names as they are written.
func headerOf(pairs [][2]string, canonical bool) http.Header {
	header := http.Header{}
	for _, pair := range pairs {
		if canonical {
			header.Add(pair[0], pair[1])
		} else {
			header[pair[0]] = append(header[pair[0]], pair[1])
		}
	}
	return header
}

func (v *vector) checkReceipt() error {
	prepared, err := v.prepare("attachReceipt", v.Arguments)
	if failure, verdict := v.verdict(err); failure != nil || verdict != nil {
		return verdict
	}
	_, boundary, _ := strings.Cut(prepared.Header.Get("Content-Type"), "boundary=")
	wanted := headerOf(v.Expected.Headers, true)
	wanted.Set("Content-Type", strings.ReplaceAll(wanted.Get("Content-Type"), "@boundary@", boundary))
	signature, err := base64.StdEncoding.DecodeString(prepared.Header.Get("X-Signature"))
	if err != nil {
		return err
	}
	key, err := base64.StdEncoding.DecodeString(v.settings.PublicKey)
	if err != nil {
		return err
	}
	if !ed25519.Verify(key, prepared.Body, signature) {
		return errors.New("the signature does not verify")
	}
	prepared.Header.Del("X-Signature")
	return errors.Join(
		differ("url", prepared.URL, v.Expected.URL),
		differ("headers", prepared.Header, wanted),
		differ("body", prepared.Body, bytes.ReplaceAll(v.Expected.Body, []byte("@boundary@"), []byte(boundary))),
	)
}

var sentSum = regexp.MustCompile(`"sum":(-?(?:0|[1-9]\d*)(?:\.\d+)?),`)

func (v *vector) checkAmountText() error {
	given, err := decimal.NewFromString(v.Text)
	if err != nil {
		return nil // What shopspring does not read is no decimal in Go.
	}
	prepared, err := v.prepare("getAvailableAmounts", vectorArguments{Sum: v.Text, PaymentMethod: "card"})
	if err != nil {
		_, verdict := v.verdict(err)
		return verdict
	}
	found := sentSum.FindSubmatch(prepared.Body)
	if found == nil || !decimal.RequireFromString(string(found[1])).Equal(given) {
		return fmt.Errorf("%s", prepared.Body)
	}
	return nil
}

func (v *vector) checkReply() error {
	prepared, err := v.prepare(v.Operation, v.Arguments)
	if err != nil {
		return err
	}
	response := merchantpay.HTTPResponse{Status: v.Reply.Status, Header: headerOf(v.Reply.Headers, false), Body: v.Reply.Body}
	switch v.Operation {
	case "getAvailableAmounts":
		amounts, err := prepared.OpenGetAvailableAmounts(response)
		if err != nil || v.Expected.Error != nil {
			return v.failure(err, v.Reply.Body)
		}
		texts := make([]string, len(amounts.AvailableAmounts))
		for i, amount := range amounts.AvailableAmounts {
			texts[i] = merchantpay.AmountText(amount)
		}
		return errors.Join(
			differ("amounts", texts, v.Expected.Amounts),
			differ("others", fmt.Sprint(amounts.OtherAmountsPossible), fmt.Sprint(v.Expected.OtherAmountsPossible)),
			differ("json", []byte(amounts.JSON), []byte(v.Reply.Body)),
		)
	case "newPayment":
		payment, err := prepared.OpenNewPayment(response)
		return v.payment(payment, err, v.Reply.Body)
	case "getStatus":
		payment, err := prepared.OpenGetStatus(response)
		return v.payment(payment, err, v.Reply.Body)
	case "newPaymentAsync":
		orderID, err := prepared.OpenNewPaymentAsync(response)
		if err != nil || v.Expected.Error != nil {
			return v.failure(err, v.Reply.Body)
		}
		return differ("orderId", orderID, v.Expected.Payment["orderId"])
	case "confirm":
		return v.failure(prepared.OpenConfirm(response), v.Reply.Body)
	case "cancel":
		return v.failure(prepared.OpenCancel(response), v.Reply.Body)
	case "attachReceipt":
		return v.failure(prepared.OpenAttachReceipt(response), v.Reply.Body)
	default:
		return errors.New(v.Operation)
	}
}

func (v *vector) payment(payment *merchantpay.Payment, err error, body []byte) error {
	if err != nil || v.Expected.Error != nil {
		return v.failure(err, body)
	}
	got := map[string]string{
		"orderId":          payment.OrderID,
		"sum":              merchantpay.AmountText(payment.Sum),
		"currency":         payment.Currency,
		"payeeAccount":     payment.PayeeAccount,
		"payeeAccountBank": payment.PayeeAccountBank,
		"payeeName":        payment.PayeeName,
		"dealSum":          merchantpay.AmountText(payment.DealSum),
		"dealCurrency":     payment.DealCurrency,
		"dealRate":         merchantpay.AmountText(payment.DealRate),
		"deeplink":         payment.Deeplink,
		"status":           string(payment.Status),
	}
	for name, text := range got {
		if text == "" {
			delete(got, name)
		}
	}
	return errors.Join(
		differ("payment", got, v.Expected.Payment),
		differ("final", fmt.Sprint(payment.IsFinal()), fmt.Sprint(v.Expected.Final)),
		differ("json", []byte(payment.JSON), body),
	)
}

func (v *vector) checkStatus() error {
	prepared, err := v.prepare("getStatus", vectorArguments{OrderID: "o-1"})
	if err != nil {
		return err
	}
	payment, err := prepared.OpenGetStatus(merchantpay.HTTPResponse{
		Status: v.Reply.Status, Header: headerOf(v.Reply.Headers, false), Body: v.Reply.Body,
	})
	if err != nil {
		return err
	}
	known := []merchantpay.Status{
		merchantpay.StatusFree, merchantpay.StatusPending, merchantpay.StatusReceiptRequired, merchantpay.StatusDoneSuccess,
		merchantpay.StatusDoneFail, merchantpay.StatusArbitrageCancelledByMerchant,
	}
	return errors.Join(
		differ("status", string(payment.Status), v.Text),
		differ("final", fmt.Sprint(payment.Status.IsFinal(), payment.IsFinal()), fmt.Sprint(v.Final, v.Final)),
		differ("known", fmt.Sprint(slices.Contains(known, payment.Status)), fmt.Sprint(v.Known)),
	)
}

func (v *vector) checkWebhook() error {
	verifier, err := v.verifier()
	if err != nil {
		return err
	}
	defer verifier.Close()
	event, err := verifier.Verify(v.Webhook.Body, v.Webhook.Signature, v.Webhook.KeyID)
	if err != nil || v.Expected.Error != nil {
		return v.failure(err, v.Webhook.Body)
	}
	return errors.Join(differ("event", event.Kind.String(), v.Expected.Event), v.payment(event.Payment, nil, v.Webhook.Body))
}
