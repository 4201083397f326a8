package merchantpay

import (
	"runtime"

	"github.com/merchantpay/merchantpay-go/internal/waist"
)

// EventKind is the kind of a webhook. Kinds are append-only.
type EventKind int32

// Event is the content of a verified webhook. The service may send the same event again.
type Event struct {
	// Kind is the kind of the webhook.
	Kind EventKind
	// Payment is the payment that the webhook is about. It is never nil.
	Payment *Payment
}

// String leaves out the values that the payment's String leaves out.
func (e Event) String() string {
	if e.Payment == nil {
		return e.Kind.String()
	}
	return e.Kind.String() + " " + e.Payment.String()
}

// WebhookVerifier verifies the signatures of webhooks. Any number of goroutines may share it.
type WebhookVerifier struct{ handle waist.Handle }

// NewWebhookVerifier makes a verifier. It needs only the setting ServerPublicKey. The settings ServerKeyID, KeyID
// and the merchant's own key make the verifier stricter.
func NewWebhookVerifier(config Config) (*WebhookVerifier, error) {
	handle, err := config.open(waist.KindVerifier)
	if err != nil {
		return nil, err
	}
	verifier := &WebhookVerifier{handle}
	runtime.AddCleanup(verifier, waist.Handle.Close, handle)
	return verifier, nil
}

// Verify verifies a webhook: its unchanged body, the value of its signature header, and the value of its key id
// header ("" if it is absent). The contract does not name these headers; see VerifyRequest. A failure proves
// nothing about a payment.
func (v *WebhookVerifier) Verify(body []byte, signature, keyID string) (*Event, error) {
	defer runtime.KeepAlive(v)
	if v == nil || v.handle == 0 {
		return nil, invalid("the verifier is nil")
	}
	from, failure := v.handle.Verify(body, signature, keyID)
	if failure != nil {
		return nil, failed(failure)
	}
	var made struct { // The event and its payment need only one allocation.
		event   Event
		payment Payment
	}
	made.payment = paymentOf(&from.Payment)
	made.event = Event{named[EventKind](from.Kind), &made.payment}
	return &made.event, nil
}

// Cause is the reason why a webhook does not verify. Causes are append-only. Since 0.3.0.
type Cause int32

// Explanation explains why a webhook does not verify. Write it to the log, and do not return it to the
// sender. Since 0.3.0.
type Explanation struct {
	// Cause is the cause. The names of causes do not change.
	Cause Cause
	// Hint describes the exact fault and its remedy. It contains nothing of the webhook.
	Hint string
}

// Explain explains why a webhook does not verify; it returns nil if the signature and the key id are accepted.
// It takes the arguments of Verify.
//
// The headers show some causes, and the form of the body shows others, such as an empty one. Any other cause is
// reported only with a proof: the library undoes it in a copy of the message, and the copy verifies. Write the
// cause to the log, and do not return it to the sender. Do not use the webhook. Since 0.3.0.
func (v *WebhookVerifier) Explain(body []byte, signature, keyID string) (*Explanation, error) {
	defer runtime.KeepAlive(v)
	if v == nil || v.handle == 0 {
		return nil, invalid("the verifier is nil")
	}
	from, failure := v.handle.Explain(body, signature, keyID)
	if from == nil {
		return nil, failed(failure)
	}
	return &Explanation{named[Cause](from.Cause), from.Hint}, nil
}

// Close prevents further verification. It can be called more than once. Calling it is optional, because the
// garbage collector also closes the verifier.
func (v *WebhookVerifier) Close() {
	if v != nil {
		v.handle.Close()
	}
}
