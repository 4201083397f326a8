// Finds a payment again whose reply was lost: recover FILE [PORT], where FILE keeps the orders and PORT is where webhooks come,
// any free one unless given. Run it again with both after a crash: it goes on with the order that is open.
//
// It listens on loopback: TLS is the business of the proxy in front of it.
package main

import (
	"context"
	"crypto/rand"
	"encoding/hex"
	"errors"
	"fmt"
	"net"
	"net/http"
	"os"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/shopspring/decimal"

	"github.com/merchantpay/merchantpay-go"
	"github.com/merchantpay/merchantpay-go/examples/internal/example"
)

func main() {
	port := 0 // Any free one.
	var err error
	if len(os.Args) == 3 {
		port, err = strconv.Atoi(os.Args[2])
	}
	if len(os.Args) < 2 || len(os.Args) > 3 || err != nil {
		fmt.Fprintln(os.Stderr, "usage: recover FILE [PORT]")
		os.Exit(2)
	}
	example.End(recoverOrder(context.Background(), os.Args[1], port))
}

func recoverOrder(ctx context.Context, file string, port int) error {
	orders, err := load(file)
	if err != nil {
		return err
	}
	config, err := merchantpay.ConfigFromEnv()
	if err != nil {
		return err
	}
	client, err := merchantpay.NewClient(config)
	if err != nil {
		return err
	}
	defer client.Close()
	verifier, err := merchantpay.NewWebhookVerifier(config)
	if err != nil {
		return err
	}
	defer verifier.Close()
	listener, err := net.Listen("tcp", fmt.Sprintf("127.0.0.1:%d", port))
	if err != nil {
		return err
	}
	port = listener.Addr().(*net.TCPAddr).Port
	fmt.Println("listening", port)

	if open := orders.open(); open != nil {
		// The program ended while its call was under way, or before the webhook came: nobody knows whether it took effect.
		fmt.Println("open", open.sum, "RUB")
	} else if wait, err := pay(ctx, client, orders, port); err != nil || !wait {
		return err
	}

	// What came while the call was under way has waited in the listener's queue.
	receiver := &receiver{verifier: verifier, orders: orders, found: make(chan string, 1)}
	server := &http.Server{Handler: receiver, ReadTimeout: 10 * time.Second}
	ended := make(chan error, 1)
	go func() { ended <- server.Serve(listener) }()
	select {
	case err := <-ended:
		return err
	case orderID := <-receiver.found:
		fmt.Println("found", orderID)
		payment, err := client.GetStatus(ctx, orderID)
		if err != nil {
			return err
		}
		fmt.Println("status", payment.Status)
	}
	// The last answer is written before the connections close.
	ctx, cancel := context.WithTimeout(ctx, 5*time.Second)
	defer cancel()
	return server.Shutdown(ctx)
}

// pay makes an order and calls for its payment. It says whether the order's webhook has to be waited for.
func pay(ctx context.Context, client *merchantpay.Client, orders *orders, port int) (bool, error) {
	random := make([]byte, 32)
	if _, err := rand.Read(random); err != nil {
		return false, err
	}
	sum := decimal.RequireFromString("1500.55")
	order := &order{token: hex.EncodeToString(random), sum: merchantpay.AmountText(sum)}
	// Before the call: what is lost in it has to be found by this.
	orders.all = append(orders.all, order)
	if err := orders.save(); err != nil {
		return false, err
	}
	fmt.Println("stored", order.sum, "RUB")
	payment, err := client.NewPayment(ctx, merchantpay.PaymentRequest{
		Sum: sum, PaymentMethod: merchantpay.PaymentMethodSBP, CustomerAccount: "79001234567",
		StatusWebhookURL: fmt.Sprintf("http://127.0.0.1:%d/hooks/%s", port, order.token),
	})
	var failure *merchantpay.Error
	if errors.As(err, &failure) {
		if failure.Outcome == merchantpay.OutcomeNotSent || failure.Outcome == merchantpay.OutcomeRejected {
			// There is no such payment.
			orders.all = orders.all[:len(orders.all)-1]
			return false, errors.Join(err, orders.save())
		}
		fmt.Printf("unknown %s: wait for the webhook\n", failure.Code)
		return true, nil
	}
	if err != nil {
		return false, err
	}
	if named, err := orders.name(order, payment.OrderID); err != nil || !named {
		return false, errors.Join(errors.New("this reply is about another order"), err)
	}
	fmt.Println("order", payment.OrderID)
	return false, nil
}

// receiver verifies webhooks, one at a time.
type receiver struct {
	verifier *merchantpay.WebhookVerifier
	mutex    sync.Mutex
	orders   *orders
	found    chan string
}

func (r *receiver) ServeHTTP(answer http.ResponseWriter, request *http.Request) {
	r.mutex.Lock()
	defer r.mutex.Unlock()
	// The token says which order is meant. It proves nothing: it stands in logs, and the signature is the proof.
	order := r.orders.of(strings.TrimPrefix(request.URL.Path, "/hooks/"))
	if request.Method != http.MethodPost || order == nil {
		answer.WriteHeader(http.StatusNotFound)
		return
	}
	event, err := r.verifier.VerifyRequest(request)
	if err != nil {
		code := merchantpay.Code("unread")
		var failure *merchantpay.Error
		if errors.As(err, &failure) {
			code = failure.Code
		}
		fmt.Println("refused", code)
		answer.WriteHeader(http.StatusBadRequest)
		return
	}
	// Written before it is answered: a webhook that was taken does not come again.
	named, err := r.orders.name(order, event.Payment.OrderID)
	switch {
	case err != nil:
		answer.WriteHeader(http.StatusInternalServerError)
	case !named:
		fmt.Println("refused other_order")
		answer.WriteHeader(http.StatusConflict)
	default:
		select {
		case r.found <- order.orderID:
		default: // It came twice.
		}
	}
}

// orders are the shop's, a line each: token, sum and order id, which is - while it is not known.
type orders struct {
	file string
	all  []*order
}

type order struct{ token, sum, orderID string }

func load(file string) (*orders, error) {
	text, err := os.ReadFile(file)
	if err != nil && !errors.Is(err, os.ErrNotExist) {
		return nil, err
	}
	orders := &orders{file: file}
	for _, line := range strings.Split(string(text), "\n") {
		if words := strings.Fields(line); len(words) == 3 {
			orders.all = append(orders.all, &order{words[0], words[1], strings.TrimPrefix(words[2], "-")})
		}
	}
	return orders, nil
}

// save writes all of it or nothing, also if the machine stops here.
func (o *orders) save() error {
	file, err := os.Create(o.file + ".new")
	if err != nil {
		return err
	}
	for _, order := range o.all {
		orderID := order.orderID
		if orderID == "" {
			orderID = "-"
		}
		if _, err := fmt.Fprintln(file, order.token, order.sum, orderID); err != nil {
			return errors.Join(err, file.Close())
		}
	}
	if err := errors.Join(file.Sync(), file.Close()); err != nil {
		return err
	}
	return os.Rename(o.file+".new", o.file)
}

func (o *orders) open() *order {
	for _, order := range o.all {
		if order.orderID == "" {
			return order
		}
	}
	return nil
}

func (o *orders) of(token string) *order {
	for _, order := range o.all {
		if order.token == token {
			return order
		}
	}
	return nil
}

// name gives an order its id, unless it has another one or that one is another order's: an old message that is replayed has a
// good signature too.
func (o *orders) name(named *order, orderID string) (bool, error) {
	if named.orderID != "" && named.orderID != orderID {
		return false, nil
	}
	for _, other := range o.all {
		if other != named && other.orderID == orderID {
			return false, nil
		}
	}
	named.orderID = orderID
	return true, o.save()
}
