package merchantpay

import (
	"context"
	"errors"
	"net/http"
	"runtime"
)

// Received is what a webhook came to.
type Received struct {
	// HTTPStatus is what to answer: 200 applied or seen before, 400 not verified, 404 no such token, 409 another order, 503 the
	// journal failed, so that the service sends it again.
	HTTPStatus int
	// Entry is the attempt that it was for, as it is now, if there is one.
	Entry *Entry
	// Err is why it was not applied; nil if it was applied, or is an orphan, which Journal.Attention lists.
	Err error
}

// Receive takes a webhook: its path or URL, its body as it came, and the texts of the headers that carry signature and key id, or "".
// It verifies it, as WebhookVerifier.Verify does.
func (j *Journal) Receive(ctx context.Context, path string, body []byte, signature, keyID string) Received {
	defer runtime.KeepAlive(j)
	call, err := j.begin(ctx)
	if err != nil {
		return Received{HTTPStatus: http.StatusServiceUnavailable, Err: err}
	}
	defer call.end()
	status, from, failure := call.Receive(path, body, signature, keyID)
	received := Received{HTTPStatus: int(status), Err: call.failure(failure)}
	if from != nil {
		if received.Entry, err = newEntry(from); err != nil && received.Err == nil {
			received.Err = err
		}
	}
	return received
}

// ReceiveRequest is Receive for a request of net/http, whose headers are SignatureHeader and KeyIDHeader; see
// WebhookVerifier.VerifyRequest. What has come is applied also if the service hangs up meanwhile.
func (j *Journal) ReceiveRequest(request *http.Request) Received {
	refused := func(status int, err error) Received { return Received{HTTPStatus: status, Err: err} }
	if request == nil {
		return refused(http.StatusServiceUnavailable, invalid("the request is nil"))
	}
	signature, err := onlyHeader(request, SignatureHeader)
	if err != nil {
		return refused(http.StatusBadRequest, err)
	}
	keyID, err := onlyHeader(request, KeyIDHeader)
	if err != nil {
		return refused(http.StatusBadRequest, err)
	}
	body, err := readBody(request)
	var tooLarge *http.MaxBytesError
	switch {
	case errors.As(err, &tooLarge):
		return refused(http.StatusRequestEntityTooLarge, err)
	case err != nil:
		return refused(http.StatusBadRequest, err)
	}
	return j.Receive(context.WithoutCancel(request.Context()), request.URL.Path, body, signature, keyID)
}

// Handler answers the service's webhooks by ReceiveRequest; report, which may be nil, gets what each came to before it is answered.
// Put it at the path of JournalConfig.CallbackURL and below.
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
