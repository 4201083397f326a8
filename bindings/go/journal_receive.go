package merchantpay

import (
	"context"
	"errors"
	"log/slog"
	"net/http"

	"github.com/merchantpay/merchantpay-go/internal/waist"
)

// Received is the result of [Journal.Receive] for one webhook.
type Received struct {
	// HTTPStatus is the answer to send: 200 if the webhook was applied, now or earlier; 400 if it does not
	// verify; 404 for an unknown token; 409 for a different order; 503 if the journal failed, so that the
	// service retries.
	HTTPStatus int
	// Entry is the attempt after the webhook was applied; nil if the webhook belongs to no attempt.
	Entry *Entry
	// Err is the reason why the webhook was not applied. It is nil if the webhook was applied, or if it is an
	// orphan, which Journal.Attention lists.
	Err error
}

// LogValue leaves out the values that LogValue of the entry and of the error leave out.
func (r Received) LogValue() slog.Value {
	values := []slog.Attr{slog.Int("http_status", r.HTTPStatus)}
	if r.Entry != nil {
		values = append(values, slog.Any("entry", r.Entry))
	}
	if r.Err != nil {
		values = append(values, slog.Any("error", r.Err))
	}
	return slog.GroupValue(values...)
}

// Receive handles a webhook. The arguments are the webhook's path or URL, its unchanged body, and the values of
// its signature and key id headers ("" for an absent header). Receive verifies it like WebhookVerifier.Verify.
func (j *Journal) Receive(ctx context.Context, path string, body []byte, signature, keyID string) Received {
	from, err := callJournal(ctx, j, func(handle waist.Handle) (waist.Received, *waist.Error) {
		return handle.JournalReceive(path, body, signature, keyID)
	})
	if err != nil {
		return Received{HTTPStatus: http.StatusServiceUnavailable, Err: err}
	}
	received := Received{HTTPStatus: int(from.HTTPStatus), Err: failed(from.Error)}
	if from.Entry != nil {
		received.Entry = entryOf(from.Entry)
	}
	return received
}

// ReceiveRequest is Receive for a request of net/http. It reads the headers SignatureHeader and KeyIDHeader;
// see WebhookVerifier.VerifyRequest. A complete webhook is applied even if the service closes the connection
// meanwhile.
func (j *Journal) ReceiveRequest(request *http.Request) Received {
	refused := func(status int, err error) Received { return Received{HTTPStatus: status, Err: err} }
	if request == nil {
		return refused(http.StatusServiceUnavailable, invalid("the request is nil"))
	}
	body, signature, keyID, err := incoming(request)
	var tooLarge *http.MaxBytesError
	switch {
	case errors.As(err, &tooLarge):
		return refused(http.StatusRequestEntityTooLarge, err)
	case err != nil:
		return refused(http.StatusBadRequest, err)
	}
	return j.Receive(context.WithoutCancel(request.Context()), request.URL.Path, body, signature, keyID)
}

// Handler returns a handler that answers the service's webhooks by ReceiveRequest. The function report gets
// each result before the answer is sent; it may be nil. Register the handler for the path of
// JournalConfig.CallbackURL and for all paths below that path.
func (j *Journal) Handler(report func(*http.Request, Received)) http.Handler {
	return http.HandlerFunc(func(answer http.ResponseWriter, request *http.Request) {
		if request.Method != http.MethodPost {
			answer.Header().Set("Allow", http.MethodPost)
			answer.WriteHeader(http.StatusMethodNotAllowed)
			return
		}
		received := j.ReceiveRequest(request)
		if report != nil {
			report(request, received)
		}
		answer.WriteHeader(received.HTTPStatus)
	})
}
