package merchantpay

import (
	"bytes"
	"errors"
	"io"
	"net/http"
	"strconv"
)

// MaxWebhookBytes is the largest body that VerifyRequest reads. Webhooks of the contract are far smaller.
const MaxWebhookBytes = 64 * 1024

// The headers that VerifyRequest reads. The contract shows them for requests and replies (section 5), and names
// no headers for webhooks. If the service uses other headers, read the body and call Verify.
const (
	// SignatureHeader is the name of the header with the signature of the body.
	SignatureHeader = "X-Signature"
	// KeyIDHeader is the name of the header with the key id of the signer.
	KeyIDHeader = "X-KeyId"
)

// VerifyRequest reads a webhook's body once, up to MaxWebhookBytes, and verifies the webhook. The request stays
// usable: its Body is replaced by a reader of the same bytes, also after a failure. For a body that is too
// large, the error is CodeTransport with the cause *http.MaxBytesError. For a repeated or empty header the error
// is CodeUnverified.
func (v *WebhookVerifier) VerifyRequest(request *http.Request) (*Event, error) {
	if request == nil {
		return nil, invalid("the request is nil")
	}
	body, signature, keyID, err := incoming(request)
	if err != nil {
		return nil, err
	}
	return v.Verify(body, signature, keyID)
}

// A header that is absent is "".
func incoming(request *http.Request) (body []byte, signature, keyID string, err error) {
	if signature, err = onlyHeader(request, SignatureHeader); err != nil {
		return nil, "", "", err
	}
	if keyID, err = onlyHeader(request, KeyIDHeader); err != nil {
		return nil, "", "", err
	}
	body, err = readBody(request)
	return body, signature, keyID, err
}

func onlyHeader(request *http.Request, name string) (string, error) {
	values := request.Header.Values(name)
	switch {
	case len(values) == 0:
		return "", nil
	case len(values) > 1:
		return "", &Error{Code: CodeUnverified, Outcome: OutcomeUnknown, Message: "the webhook has more than one " + name + " header"}
	case values[0] == "":
		// Verify would treat an empty header as absent.
		return "", &Error{Code: CodeUnverified, Outcome: OutcomeUnknown, Message: "the webhook has an empty " + name + " header"}
	default:
		return values[0], nil
	}
}

// restored is a body of which a part was already read; it returns that part first.
type restored struct {
	io.Reader
	io.Closer
}

func readBody(request *http.Request) ([]byte, error) {
	if request.Body == nil {
		return nil, nil
	}
	body, err := io.ReadAll(io.LimitReader(request.Body, MaxWebhookBytes+1))
	switch {
	case err != nil:
		// A later reader gets the same bytes and the same error.
		request.Body = restored{io.MultiReader(bytes.NewReader(body), failing{err}), request.Body}
	case len(body) > MaxWebhookBytes:
		request.Body = restored{io.MultiReader(bytes.NewReader(body), request.Body), request.Body}
		err = &http.MaxBytesError{Limit: MaxWebhookBytes}
	default:
		request.Body = restored{bytes.NewReader(body), request.Body}
		return body, nil
	}
	message := "the webhook's body could not be read"
	var tooLarge *http.MaxBytesError
	isTooLarge := errors.As(err, &tooLarge)
	if isTooLarge {
		message = "the webhook's body is larger than " + strconv.FormatInt(tooLarge.Limit, 10) + " bytes"
	}
	return nil, &Error{Code: CodeTransport, Outcome: OutcomeUnknown, Message: message, transient: !isTooLarge, cause: err}
}

type failing struct{ err error }

func (f failing) Read([]byte) (int, error) { return 0, f.err }
