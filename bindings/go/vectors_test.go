package merchantpay_test

import (
	"bytes"
	"crypto/ed25519"
	"encoding/base64"
	"errors"
	"fmt"
	"net/http"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/shopspring/decimal"

	"github.com/merchantpay/merchantpay-go"
)

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

// differ lists what is not as expected.
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
		Sum: sum, Currency: a.Currency.value(), PaymentMethod: merchantpay.PaymentMethod(a.PaymentMethod), CustomerAccount: a.CustomerAccount,
		PayerBank: a.PayerBank.value(), MerchantID: a.MerchantID.value(), StatusWebhookURL: a.StatusWebhookURL.value(),
		CredentialsWebhookURL: a.CredentialsWebhookURL,
	}
	switch operation {
	case "getAvailableAmounts":
		return protocol.PrepareGetAvailableAmounts(merchantpay.AmountsRequest{
			Sum: sum, Currency: a.Currency.value(), PaymentMethod: merchantpay.PaymentMethod(a.PaymentMethod), CustomerAccount: a.CustomerAccount,
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
	if v.Expected.Error != nil && v.Arguments.hasEmptyOption() {
		return err // In Go it is absent, and the request as good as without it.
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
