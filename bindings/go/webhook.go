package merchantpay

import (
	"fmt"
	"log/slog"
	"runtime"

	"github.com/merchantpay/merchantpay-go/internal/capi"
)

// EventKind is what a webhook is about. Kinds are append-only.
type EventKind int32

// Event is what a verified webhook says. The same one may come again.
type Event struct {
	// Kind is what it is about.
	Kind EventKind
	// Payment is the payment that it is about. Never nil.
	Payment *Payment
}

// String leaves out what the payment's String leaves out.
func (e Event) String() string {
	if e.Payment == nil {
		return e.Kind.String()
	}
	return e.Kind.String() + " " + e.Payment.String()
}

// Format writes String for every verb.
func (e Event) Format(state fmt.State, _ rune) { _, _ = state.Write([]byte(e.String())) }

// LogValue leaves out what String leaves out.
func (e Event) LogValue() slog.Value { return slog.StringValue(e.String()) }

// WebhookVerifier verifies the signatures of webhooks. It is shared by any number of goroutines.
type WebhookVerifier struct{ c *capi.Verifier }

// NewWebhookVerifier makes a verifier. Of the settings it needs ServerPublicKey alone; ServerKeyID, KeyID and the merchant's own
// key make it stricter.
func NewWebhookVerifier(config Config) (*WebhookVerifier, error) {
	settings, err := config.toC()
	if err != nil {
		return nil, err
	}
	handle, failure := capi.NewVerifier(settings)
	if failure != nil {
		return nil, fromC(failure)
	}
	verifier := &WebhookVerifier{c: handle}
	runtime.AddCleanup(verifier, (*capi.Verifier).Close, handle)
	return verifier, nil
}

// Verify takes a webhook's body as it came, the text of the header that carries the signature, and of the one that carries the
// key id, or "" (the contract names neither header; see VerifyRequest). A failure says nothing of any payment.
func (v *WebhookVerifier) Verify(body []byte, signature, keyID string) (*Event, error) {
	defer runtime.KeepAlive(v)
	if v == nil || v.c == nil {
		return nil, invalid("the verifier is nil")
	}
	from, failure := v.c.Verify(body, signature, keyID)
	if failure != nil {
		return nil, fromC(failure)
	}
	var made struct { // In one piece of memory.
		event   Event
		payment Payment
	}
	if err := made.payment.read(&from); err != nil {
		return nil, err
	}
	made.event = Event{Kind: EventKind(from.EventKind), Payment: &made.payment}
	return &made.event, nil
}

// Cause is why a webhook does not verify. Causes are append-only. Since 0.3.0.
type Cause int32

// Explanation is why a webhook does not verify. Write it to the log, and do not return it to the sender. Since 0.3.0.
type Explanation struct {
	// Cause is the cause, whose name is stable.
	Cause Cause
	// Hint is what exactly is wrong and what to do. It contains nothing of the webhook.
	Hint string
}

// Explain says why a webhook does not verify; nil if its signature and its key id are accepted. It takes what Verify takes.
//
// A cause that the headers do not show is named only if undoing it makes the signature valid. Use nothing of the webhook. Since
// 0.3.0.
func (v *WebhookVerifier) Explain(body []byte, signature, keyID string) (*Explanation, error) {
	defer runtime.KeepAlive(v)
	if v == nil || v.c == nil {
		return nil, invalid("the verifier is nil")
	}
	cause, hint, failure := v.c.Explain(body, signature, keyID)
	if failure != nil {
		return nil, fromC(failure)
	}
	if cause == 0 {
		return nil, nil
	}
	return &Explanation{Cause: Cause(cause), Hint: hint}, nil
}

// Close lets no further verification begin. It may be called more than once, and need not be called: the garbage collector
// does.
func (v *WebhookVerifier) Close() {
	defer runtime.KeepAlive(v)
	if v != nil && v.c != nil {
		v.c.Close()
	}
}
