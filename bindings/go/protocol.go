package merchantpay

import (
	"bytes"
	"context"
	"net/http"
	"runtime"
	"strconv"

	"github.com/merchantpay/merchantpay-go/internal/waist"
)

// Protocol prepares requests and opens replies, for a program that sends the requests with its own HTTP client.
// Any number of goroutines may share it.
type Protocol struct{ handle waist.Handle }

// HTTPRequest is a signed request. Send exactly this body with these headers, once, by POST.
type HTTPRequest struct {
	// URL is the URL to which the request must be sent.
	URL string
	// Header has the headers to send. They contain the signature, which is like a password for its order.
	Header http.Header
	// Body is the signed bytes.
	Body []byte

	prepared *waist.Handle
}

// HTTPResponse is a response exactly as the program received it.
type HTTPResponse struct {
	// Status is the HTTP status, such as 200.
	Status int
	// Header has all headers, including repeated ones.
	Header http.Header
	// Body has the unchanged bytes.
	Body []byte
}

// NewProtocol makes a protocol. It needs the same settings as a client. Settings about connections have no
// effect.
func NewProtocol(config Config) (*Protocol, error) {
	handle, err := config.open(waist.KindProtocol)
	if err != nil {
		return nil, err
	}
	protocol := &Protocol{handle}
	runtime.AddCleanup(protocol, waist.Handle.Close, handle)
	return protocol, nil
}

// Close prevents further preparation; prepared requests stay valid. It can be called more than once. Calling it
// is optional, because the garbage collector also closes the protocol.
func (p *Protocol) Close() {
	if p != nil {
		p.handle.Close()
	}
}

// NewRequest returns the signed request as a request of net/http. Send the signed request only once. The
// http.Client must not follow redirects: its CheckRedirect must return http.ErrUseLastResponse.
func (r *HTTPRequest) NewRequest(ctx context.Context) (*http.Request, error) {
	if r == nil || ctx == nil {
		return nil, invalid("the request or the context is nil")
	}
	request, err := http.NewRequestWithContext(ctx, http.MethodPost, r.URL, bytes.NewReader(r.Body))
	if err != nil {
		return nil, &Error{Code: CodeInvalidArgument, Outcome: OutcomeNotSent, Message: "net/http refuses the request", cause: err}
	}
	request.Header = r.Header.Clone()
	if request.Header == nil {
		request.Header = http.Header{}
	}
	// Without this header net/http would request a response that is compressed with gzip.
	request.Header.Set("Accept-Encoding", "identity")
	// Without GetBody, net/http cannot send the body again to the target of a 307 or 308 redirect.
	request.GetBody = nil
	return request, nil
}

// String leaves out headers and body, which contain the signature and personal data.
func (r HTTPRequest) String() string { return "POST " + r.URL }

// String leaves out headers and body, which contain the signature and personal data.
func (r HTTPResponse) String() string { return "reply " + strconv.Itoa(r.Status) }

// prepared is a request and its handle in one piece of memory. The memory stays as long as the request or the
// handle is used. To find a cleanup, the runtime searches all cleanups of a page, and small objects share pages.
type prepared struct {
	HTTPRequest
	handle waist.Handle
}

func prepare[Argument any](p *Protocol, method func(waist.Handle, Argument) (waist.Prepared, *waist.Error), argument Argument) (*HTTPRequest, error) {
	defer runtime.KeepAlive(p)
	if p == nil || p.handle == 0 {
		return nil, invalid("the protocol is nil")
	}
	from, failure := method(p.handle, argument)
	if failure != nil {
		return nil, failed(failure)
	}
	made := &prepared{handle: from.Request}
	runtime.AddCleanup(&made.handle, waist.Handle.Close, from.Request)
	body, failure := from.Request.PreparedBody(from.BodyLength)
	headers, values := make(http.Header, len(from.Headers)/2), make([]string, 0, len(from.Headers)/2)
	for i := 0; i+1 < len(from.Headers); i += 2 {
		values = append(values, from.Headers[i+1]) // No header name is repeated.
		headers[canonical(from.Headers[i])] = values[len(values)-1 : len(values) : len(values)]
	}
	made.HTTPRequest = HTTPRequest{from.URL, headers, body, &made.handle}
	return &made.HTTPRequest, failed(failure)
}

// canonical has the same result as http.CanonicalHeaderKey, but does not allocate a new text for each request.
func canonical(name string) string {
	if name == KeyIDHeader {
		return "X-Keyid"
	}
	return http.CanonicalHeaderKey(name)
}

// PrepareAttachReceipt checks and signs POST /receipt/attach (contract, section 4.7). Nothing is sent.
func (p *Protocol) PrepareAttachReceipt(receipt Receipt) (*HTTPRequest, error) {
	if p == nil || p.handle == 0 {
		return nil, invalid("the protocol is nil")
	}
	read, err := receipt.open()
	if err != nil {
		return nil, err
	}
	defer read.Close()
	return prepare(p, waist.Handle.PrepareAttachReceipt, read)
}

// open verifies the bytes of a reply, parses them, and checks that the reply belongs to the request. The request was
// sent, so every error has OutcomeUnknown, except a proven refusal.
func open[Result any](r *HTTPRequest, response HTTPResponse, operation string, read func(string) Result) (Result, error) {
	defer runtime.KeepAlive(r)
	var none Result
	if r == nil || r.prepared == nil {
		return none, &Error{
			Code: CodeInvalidArgument, Outcome: OutcomeUnknown, Message: "the request was not returned by a Prepare method",
		}
	}
	var headers []string
	for name, values := range response.Header {
		for _, value := range values {
			headers = append(headers, name, value)
		}
	}
	answer, failure := r.prepared.Open(int64(response.Status), headers, response.Body, operation)
	if failure != nil {
		return none, failed(failure)
	}
	return read(answer), nil
}
