package merchantpay

import (
	"context"
	"net/http"
	"time"
)

// JournalAPI has the methods of a [Journal] that a shop calls. Use it in code that is tested with a replacement
// for the Journal. A later version can add methods.
type JournalAPI interface {
	Pay(ctx context.Context, reference string, request PaymentRequest) (*Entry, error)
	PayAsync(ctx context.Context, reference string, request PaymentRequest) (*Entry, error)
	Replace(ctx context.Context, reference string, attempt int, request PaymentRequest) (*Entry, error)
	Confirm(ctx context.Context, entry *Entry) (*Entry, error)
	Cancel(ctx context.Context, entry *Entry) (*Entry, error)
	Receive(ctx context.Context, path string, body []byte, signature, keyID string) Received
	ReceiveRequest(request *http.Request) Received
	Settle(ctx context.Context, limit int) (Settled, error)
	Wait(ctx context.Context, reference string, timeout time.Duration, until Until) (*Entry, error)
	Find(ctx context.Context, reference string) (*Entry, error)
	List(ctx context.Context, standing Standing, limit int, before *Entry) ([]*Entry, error)
	News(ctx context.Context, limit int) ([]*Entry, error)
	Attention(ctx context.Context, limit int) ([]*Entry, error)
	Acknowledge(ctx context.Context, entry *Entry) (bool, error)
	Resolve(ctx context.Context, entry *Entry, resolution Resolution, note string) (*Entry, error)
	Stats(ctx context.Context) (*Stats, error)
}

var (
	_ ClientAPI  = (*Client)(nil)
	_ JournalAPI = (*Journal)(nil)
)
