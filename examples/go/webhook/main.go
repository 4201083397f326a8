// Receives webhooks: webhook [COUNT]. The program ends after COUNT webhooks, or never if COUNT is not given. It listens on
// loopback, without TLS: a proxy in front of the program must do TLS.
package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"strconv"
	"sync"
	"time"

	"github.com/merchantpay/merchantpay-go"
	"github.com/merchantpay/merchantpay-go/examples/internal/example"
)

func main() {
	count := 0 // 0 means that the program does not end.
	if len(os.Args) > 1 {
		var err error
		if count, err = strconv.Atoi(os.Args[1]); err != nil || count < 0 {
			fmt.Fprintln(os.Stderr, "usage: webhook [COUNT]")
			os.Exit(2)
		}
	}
	example.End(serve(count))
}

func serve(count int) error {
	config, err := merchantpay.ConfigFromEnv()
	if err != nil {
		return err
	}
	// The verifier needs only the service's public key. The other settings make the verifier stricter.
	verifier, err := merchantpay.NewWebhookVerifier(config)
	if err != nil {
		return err
	}
	defer verifier.Close()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return err
	}
	fmt.Println("listening", listener.Addr().(*net.TCPAddr).Port)

	receiver := &receiver{verifier: verifier, left: count, done: make(chan struct{})}
	server := &http.Server{Handler: receiver, ReadTimeout: 10 * time.Second}
	ended := make(chan error, 1)
	go func() { ended <- server.Serve(listener) }()
	select {
	case err := <-ended:
		return err
	case <-receiver.done:
		// The last answer is written before the connections close.
		ctx, cancel := context.WithTimeout(context.Background(), 5*time.Second)
		defer cancel()
		return server.Shutdown(ctx)
	}
}

// receiver verifies webhooks and prints their events, one at a time.
type receiver struct {
	verifier *merchantpay.WebhookVerifier
	mutex    sync.Mutex
	left     int
	done     chan struct{}
}

// ServeHTTP verifies one webhook. The same event may come again: a shop handles it once.
func (r *receiver) ServeHTTP(answer http.ResponseWriter, request *http.Request) {
	if request.Method != http.MethodPost {
		answer.Header().Set("Allow", http.MethodPost)
		answer.WriteHeader(http.StatusMethodNotAllowed)
		return
	}
	event, err := r.verifier.VerifyRequest(request)
	r.mutex.Lock()
	defer r.mutex.Unlock()
	if err != nil {
		fmt.Println("refused", why(err))
		if errors.Is(err, merchantpay.ErrUnverified) {
			body, _ := io.ReadAll(io.LimitReader(request.Body, merchantpay.MaxWebhookBytes)) // the same bytes again
			if why, _ := r.verifier.Explain(body, request.Header.Get("X-Signature"), request.Header.Get("X-KeyId")); why != nil {
				fmt.Fprintf(os.Stderr, "webhook refused: %s: %s\n", why.Cause, why.Hint) // for your log, not for the sender
			}
		}
		answer.WriteHeader(http.StatusBadRequest)
		return
	}
	printEvent(event)
	if r.left--; r.left == 0 {
		close(r.done)
	}
}

func why(err error) string {
	var tooLarge *http.MaxBytesError
	var failure *merchantpay.Error
	switch {
	case errors.As(err, &tooLarge):
		return "too_large"
	case errors.As(err, &failure):
		return string(failure.Code)
	default:
		return "unread"
	}
}

func printEvent(event *merchantpay.Event) {
	payment := event.Payment
	switch event.Kind {
	case merchantpay.EventCredentials:
		fmt.Println("credentials", payment.OrderID, "pay", or(merchantpay.AmountText(payment.Sum)), "RUB to", or(payment.PayeeAccount))
	case merchantpay.EventCredentialsFailed:
		fmt.Println("credentials_failed", payment.OrderID)
	case merchantpay.EventStatus:
		fmt.Println("status", payment.OrderID, payment.Status)
	default: // A later version of the library may know more kinds.
		fmt.Println("event", payment.OrderID)
	}
}

// or returns the field's value, or a dash if the value is empty.
func or(value string) string {
	if value == "" {
		return "-"
	}
	return value
}
