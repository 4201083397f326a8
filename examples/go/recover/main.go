// Makes exactly one payment, whatever fails: recover FILE [PORT]. FILE is the journal: a path, postgresql:// or
// mysql://. The program receives webhooks on PORT, or on any free port if PORT is not given. If the program was killed or its
// replies were lost, run it again with the same arguments: the program continues the same payment.
package main

import (
	"context"
	"fmt"
	"net"
	"net/http"
	"os"
	"strconv"
	"time"

	"github.com/shopspring/decimal"

	"github.com/merchantpay/merchantpay-go"
	"github.com/merchantpay/merchantpay-go/examples/internal/example"
)

func main() {
	port := 0 // 0 is any free port.
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
	client, err := example.Client()
	if err != nil {
		return err
	}
	defer client.Close()
	listener, err := net.Listen("tcp", fmt.Sprintf("127.0.0.1:%d", port))
	if err != nil {
		return err
	}
	fmt.Println("listening", listener.Addr().(*net.TCPAddr).Port)
	journal, err := merchantpay.OpenJournal(client, merchantpay.JournalConfig{
		Place: file, CallbackURL: fmt.Sprintf("http://%s/hooks", listener.Addr()),
	})
	if err != nil {
		return err
	}
	defer journal.Close()
	mux := http.NewServeMux()
	mux.Handle("/hooks/", journal.Handler(nil))
	server := &http.Server{Handler: mux, ReadTimeout: 10 * time.Second}
	go func() { _ = server.Serve(listener) }()
	defer server.Close()
	return sell(ctx, journal, "order-1017")
}

func sell(ctx context.Context, journal *merchantpay.Journal, reference string) error {
	// A repeated call returns the same payment. If the reply is lost, a webhook still brings the credentials.
	entry, err := journal.PayAsync(ctx, reference, merchantpay.PaymentRequest{
		Sum: decimal.RequireFromString("1500.55"), PaymentMethod: merchantpay.PaymentMethodSBP, CustomerAccount: "79001234567",
	})
	if err != nil {
		return err
	}
	fmt.Println(reference, entry.Standing)
	for {
		news, err := journal.News(ctx, 100)
		if err != nil {
			return err
		}
		for _, entry := range news {
			task := ""
			if entry.Succeeded {
				task = ": ship it"
			} else if entry.Credentials != nil {
				task = ": show the credentials"
			}
			fmt.Printf("%s %s%s\n", entry.Reference, entry.Standing, task)
			if _, err := journal.Acknowledge(ctx, entry); err != nil {
				return err
			}
		}
		if isOver(entry) {
			return nil
		}
		if _, err := journal.Settle(ctx, 100); err != nil {
			return err
		}
		time.Sleep(100 * time.Millisecond)
		if entry, err = journal.Find(ctx, reference); err != nil {
			return err
		}
	}
}

// isOver reports whether the payment has ended and its news are acknowledged.
func isOver(entry *merchantpay.Entry) bool {
	ended := entry.Standing == merchantpay.StandingFinal || entry.Standing == merchantpay.StandingRefused
	return ended && entry.Acknowledged
}
