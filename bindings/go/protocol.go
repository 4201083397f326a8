package merchantpay

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
	"net/http"
	"runtime"
	"strconv"

	"github.com/merchantpay/merchantpay-go/internal/capi"
)

// Protocol prepares requests and opens replies, for a program that sends the requests with its own HTTP client.
// Any number of goroutines may share it.
type Protocol struct{ c *capi.Protocol }

// HTTPRequest is a signed request. Send exactly this body with these headers, once, by POST.
type HTTPRequest struct {
	// URL is the URL to which the request must be sent.
	URL string
	// Header has the headers to send. They contain the signature, which is like a password for its order.
	Header http.Header
	// Body is the signed bytes.
	Body []byte

	c *capi.HTTPRequest
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
	settings, err := config.toC()
	if err != nil {
		return nil, err
	}
	handle, failure := capi.NewProtocol(settings)
	if failure != nil {
		return nil, fromC(failure)
	}
	protocol := &Protocol{c: handle}
	runtime.AddCleanup(protocol, (*capi.Protocol).Close, handle)
	return protocol, nil
}

// Close prevents further preparation; prepared requests stay valid. It can be called more than once. Calling it
// is optional, because the garbage collector also closes the protocol.
func (p *Protocol) Close() {
	defer runtime.KeepAlive(p)
	if p != nil && p.c != nil {
		p.c.Close()
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

// Format writes the text of String for every verb.
func (r HTTPRequest) Format(state fmt.State, _ rune) { _, _ = state.Write([]byte(r.String())) }

// LogValue leaves out the values that String leaves out.
func (r HTTPRequest) LogValue() slog.Value { return slog.StringValue(r.String()) }

// MarshalJSON writes the text of String: this JSON is for logs, not for storing requests.
func (r HTTPRequest) MarshalJSON() ([]byte, error) { return json.Marshal(r.String()) }

// String leaves out headers and body, which contain the signature and personal data.
func (r HTTPResponse) String() string { return "reply " + strconv.Itoa(r.Status) }

// Format writes the text of String for every verb.
func (r HTTPResponse) Format(state fmt.State, _ rune) { _, _ = state.Write([]byte(r.String())) }

// LogValue leaves out the values that String leaves out.
func (r HTTPResponse) LogValue() slog.Value { return slog.StringValue(r.String()) }

// MarshalJSON writes the text of String: this JSON is for logs, not for storing responses.
func (r HTTPResponse) MarshalJSON() ([]byte, error) { return json.Marshal(r.String()) }

// prepared is a request and its C handle in one piece of memory. The memory stays as long as the request or the
// handle is used.
type prepared struct {
	HTTPRequest
	handle capi.HTTPRequest
}

// read copies the prepared request.
func (p *prepared) read() *HTTPRequest {
	headers, values := make(http.Header, headerCapacity), make([]string, 0, headerCapacity)
	url, body := p.handle.Read(func(name, value string) {
		values = append(values, value) // No header name is repeated.
		headers[canonical(name)] = values[len(values)-1 : len(values) : len(values)]
	})
	p.HTTPRequest = HTTPRequest{URL: url, Header: headers, Body: body, c: &p.handle}
	return &p.HTTPRequest
}

// headerCapacity is enough for the headers of any request: a request has three headers.
const headerCapacity = 4

// canonical has the same result as http.CanonicalHeaderKey, but does not allocate a new text for each request.
func canonical(name string) string {
	if name == KeyIDHeader {
		return "X-Keyid"
	}
	return http.CanonicalHeaderKey(name)
}

func (p *Protocol) prepareRequest(operation int32, request capi.Request, err error) (*HTTPRequest, error) {
	defer runtime.KeepAlive(p)
	if p == nil || p.c == nil {
		return nil, invalid("the protocol is nil")
	}
	if err != nil {
		return nil, err
	}
	made := &prepared{}
	if failure := p.c.PrepareRequest(operation, &request, &made.handle); failure != nil {
		return nil, fromC(failure)
	}
	return made.read(), nil
}

func (p *Protocol) prepareOrder(operation int32, orderID string) (*HTTPRequest, error) {
	defer runtime.KeepAlive(p)
	if p == nil || p.c == nil {
		return nil, invalid("the protocol is nil")
	}
	made := &prepared{}
	if failure := p.c.PrepareOrder(operation, orderID, &made.handle); failure != nil {
		return nil, fromC(failure)
	}
	return made.read(), nil
}

// PrepareGetAvailableAmounts checks and signs POST /available (contract, section 4.1). Nothing is sent.
func (p *Protocol) PrepareGetAvailableAmounts(request AmountsRequest) (*HTTPRequest, error) {
	fields, err := request.toC()
	return p.prepareRequest(capi.OperationGetAvailableAmounts, fields, err)
}

// PrepareNewPayment checks and signs POST /new (contract, section 4.2). Nothing is sent.
func (p *Protocol) PrepareNewPayment(request PaymentRequest) (*HTTPRequest, error) {
	fields, err := request.toC()
	return p.prepareRequest(capi.OperationNewPayment, fields, err)
}

// PrepareNewPaymentAsync checks and signs POST /new-async (contract, section 4.3). Nothing is sent.
func (p *Protocol) PrepareNewPaymentAsync(request PaymentRequest) (*HTTPRequest, error) {
	fields, err := request.toC()
	return p.prepareRequest(capi.OperationNewPaymentAsync, fields, err)
}

// PrepareConfirm checks and signs POST /confirm (contract, section 4.4). Nothing is sent.
func (p *Protocol) PrepareConfirm(orderID string) (*HTTPRequest, error) {
	return p.prepareOrder(capi.OperationConfirm, orderID)
}

// PrepareCancel checks and signs POST /cancel (contract, section 4.5). Nothing is sent.
func (p *Protocol) PrepareCancel(orderID string) (*HTTPRequest, error) {
	return p.prepareOrder(capi.OperationCancel, orderID)
}

// PrepareGetStatus checks and signs POST /status (contract, section 4.6). Nothing is sent.
func (p *Protocol) PrepareGetStatus(orderID string) (*HTTPRequest, error) {
	return p.prepareOrder(capi.OperationGetStatus, orderID)
}

// PrepareAttachReceipt checks and signs POST /receipt/attach (contract, section 4.7). Nothing is sent.
func (p *Protocol) PrepareAttachReceipt(receipt Receipt) (*HTTPRequest, error) {
	defer runtime.KeepAlive(p)
	if p == nil || p.c == nil {
		return nil, invalid("the protocol is nil")
	}
	made := &prepared{}
	if failure := p.c.PrepareReceipt(receipt.toC(), &made.handle); failure != nil {
		return nil, fromC(failure)
	}
	return made.read(), nil
}
