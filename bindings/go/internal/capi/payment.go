package capi

// #cgo noescape bridge_take_payment
// #cgo nocallback bridge_take_payment
// #include "bridge.h"
import "C"

import (
	"bytes"
	"strconv"
	"unsafe"
)

// Kinds of an event.
const (
	EventCredentials       = C.MPAY_EVENT_CREDENTIALS
	EventCredentialsFailed = C.MPAY_EVENT_CREDENTIALS_FAILED
	EventStatus            = C.MPAY_EVENT_STATUS
)

// Payment is a payment of a verified reply or webhook, copied. What is absent is empty.
type Payment struct {
	OrderID, Sum, Currency, PayeeAccount, PayeeAccountBank, PayeeName string
	DealSum, DealCurrency, DealRate, Deeplink, Status                 string
	JSON                                                              []byte
	Final                                                             bool
	EventKind                                                         int32
}

// Amounts are the amounts of a verified reply, copied.
type Amounts struct {
	Amounts       []string
	OtherPossible bool
	JSON          string
}

// takePayment copies a payment and frees it.
func takePayment(payment *C.mpay_payment) *Payment {
	var own [roomSize]byte
	room := own[:]
	to, size := roomPointer(room)
	from := C.bridge_take_payment(payment, to, size)
	if from.left != nil {
		room = make([]byte, int(from.total))
		to, size = roomPointer(room)
		from = C.bridge_take_payment(payment, to, size)
	}
	taken := newPayment(room[:from.total])
	return &taken
}

// newPayment copies the fields of a payment, in the library's order: its texts into one piece of memory, and the JSON, which is
// larger, into another.
func newPayment(from []byte) Payment {
	body := 0
	for range textFields {
		body += bytes.IndexByte(from[body:], 0) + 1
	}
	texts := fields{string(from[:body])}
	json, _, _ := bytes.Cut(from[body:], separator)
	return Payment{
		OrderID:          texts.next(),
		Sum:              texts.next(),
		Currency:         texts.next(),
		PayeeAccount:     texts.next(),
		PayeeAccountBank: texts.next(),
		PayeeName:        texts.next(),
		DealSum:          texts.next(),
		DealCurrency:     texts.next(),
		DealRate:         texts.next(),
		Deeplink:         texts.next(),
		Status:           texts.next(),
		Final:            texts.next() == "1",
		JSON:             copied(json),
	}
}

// textFields is how many fields of a payment stand before its JSON.
const textFields = 12

// newEvent copies the payment of an event, and its kind.
func newEvent(from []byte) Payment {
	kind, rest, _ := bytes.Cut(from, separator)
	payment := newPayment(rest)
	payment.EventKind = eventKind(string(kind))
	return payment
}

// eventKind is 0 for what is no number: no event.
func eventKind(digits string) int32 {
	kind, err := strconv.ParseInt(digits, 10, 32)
	if err != nil {
		return 0
	}
	return int32(kind)
}

// takeAmounts copies amounts and frees them.
func takeAmounts(from *C.struct_bridge_amounts) *Amounts {
	amounts := &Amounts{
		Amounts:       make([]string, int(from.count)),
		OtherPossible: from.other_possible == 1,
		JSON:          C.GoString(from.json),
	}
	for i := range amounts.Amounts {
		amounts.Amounts[i] = C.GoString(C.mpay_amounts_get(from.owner, C.size_t(i)))
	}
	C.mpay_amounts_free(from.owner)
	return amounts
}

// Request is the fields of a payment request. An empty text is absent.
type Request struct {
	Sum, Currency, PaymentMethod, CustomerAccount, PayerBank, MerchantID string
	StatusWebhookURL, CredentialsWebhookURL, SumDriftUp, SumDriftDown    string
}

// requestTexts are a request's texts as C reads them: each NUL-terminated at its place in one piece of Go's memory.
type requestTexts struct {
	base []byte
	at   [C.BRIDGE_REQUEST_TEXTS]C.int64_t
}

func (r *Request) texts() (*requestTexts, *Error) {
	fields := [C.BRIDGE_REQUEST_TEXTS]struct{ name, value string }{
		C.BRIDGE_SUM:                     {"sum", r.Sum},
		C.BRIDGE_CURRENCY:                {"currency", r.Currency},
		C.BRIDGE_PAYMENT_METHOD:          {"payment_method", r.PaymentMethod},
		C.BRIDGE_CUSTOMER_ACCOUNT:        {"customer_account", r.CustomerAccount},
		C.BRIDGE_PAYER_BANK:              {"payer_bank", r.PayerBank},
		C.BRIDGE_MERCHANT_ID:             {"merchant_id", r.MerchantID},
		C.BRIDGE_STATUS_WEBHOOK_URL:      {"status_webhook_url", r.StatusWebhookURL},
		C.BRIDGE_CREDENTIALS_WEBHOOK_URL: {"credentials_webhook_url", r.CredentialsWebhookURL},
		C.BRIDGE_SUM_DRIFT_UP:            {"sum_drift_up", r.SumDriftUp},
		C.BRIDGE_SUM_DRIFT_DOWN:          {"sum_drift_down", r.SumDriftDown},
	}
	size := 1
	for _, field := range fields {
		size += len(field.value) + 1
	}
	texts := &requestTexts{base: make([]byte, 0, size)}
	for i, field := range fields {
		if field.value == "" {
			texts.at[i] = -1
			continue
		}
		if hasNUL(field.value) {
			return nil, Invalid(field.name + " has a NUL byte in it")
		}
		texts.at[i] = C.int64_t(len(texts.base))
		texts.base = append(append(texts.base, field.value...), 0)
	}
	texts.base = append(texts.base, 0)
	return texts, nil
}

func (t *requestTexts) pointers() (*C.char, *C.int64_t) {
	return (*C.char)(unsafe.Pointer(&t.base[0])), &t.at[0]
}
