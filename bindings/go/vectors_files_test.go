package merchantpay_test

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"testing"

	"github.com/merchantpay/merchantpay-go"
)

// The vectors that every language is held against: tests/contract/vectors of the project, whose README says what a case is.

const vectorFolder = "../../tests/contract/vectors"

var vectorFiles = []string{"amounts", "headers", "keys", "misdirected", "receipts", "replies", "requests", "statuses", "webhooks"}

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

// optionalText is an argument that need not be given; nil where it is not.
type optionalText struct{ text *string }

func (o *optionalText) UnmarshalJSON(text []byte) error { return json.Unmarshal(text, &o.text) }

// value is what Go has for it: "" is an absent text.
func (o optionalText) value() string {
	if o.text == nil {
		return ""
	}
	return *o.text
}

type vectorArguments struct {
	OrderID               string       `json:"orderId"`
	Sum                   string       `json:"sum"`
	Currency              optionalText `json:"currency"`
	PaymentMethod         string       `json:"paymentMethod"`
	CustomerAccount       string       `json:"customerAccount"`
	PayerBank             optionalText `json:"payerBank"`
	MerchantID            optionalText `json:"merchantId"`
	StatusWebhookURL      optionalText `json:"statusWebhookUrl"`
	CredentialsWebhookURL string       `json:"credentialsWebhookUrl"`
	SumDriftUp            string       `json:"sumDriftUp"`
	SumDriftDown          string       `json:"sumDriftDown"`
	Files                 []struct {
		Name        string      `json:"name"`
		ContentType string      `json:"content_type"`
		Data        vectorBytes `json:"data"`
	} `json:"files"`
}

// hasEmptyOption says whether an optional text is given and empty.
func (a *vectorArguments) hasEmptyOption() bool {
	for _, option := range []optionalText{a.Currency, a.PayerBank, a.MerchantID, a.StatusWebhookURL} {
		if option.text != nil && *option.text == "" {
			return true
		}
	}
	return false
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
