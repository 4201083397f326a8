package merchantpay_test

import (
	"context"
	"log/slog"
	"runtime"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/merchantpay/merchantpay-go"
)

// kept counts the callbacks that the library has not released yet.
type kept struct{ atomic.Int32 }

// logger makes one more callback. When the library has released the callback, the garbage collector can free
// it. A second release of the same callback would panic.
func (k *kept) logger(call func()) *slog.Logger {
	k.Add(1)
	handler := &struct{ calling }{calling{call}}
	runtime.AddCleanup(handler, func(k *kept) { k.Add(-1) }, k)
	return slog.New(handler)
}

func (k *kept) want(t *testing.T, wanted int32) {
	t.Helper()
	for end := time.Now().Add(patience); ; {
		runtime.GC()
		if is := k.Load(); is == wanted {
			return
		} else if time.Now().After(end) {
			t.Fatalf("%d callbacks are kept in place of %d", is, wanted)
		}
		time.Sleep(time.Millisecond)
	}
}

func TestACallbackIsReleasedOnceWhateverWasMadeOfIt(t *testing.T) {
	s := newService(t, nil)
	var kept kept
	config := func(change func(*merchantpay.Config)) merchantpay.Config {
		config := s.config(t)
		config.Logger = kept.logger(func() {})
		config.PrivateKey, config.Signer = "", ed25519Key
		change(&config)
		return config
	}
	asIs := func(*merchantpay.Config) {}
	for name, make := range map[string]func(t *testing.T){
		"a client": func(*testing.T) { must(merchantpay.NewClient(config(asIs))).Close() },
		"a client that nobody closes": func(*testing.T) {
			_ = must(merchantpay.NewClient(config(asIs)))
		},
		"a protocol": func(*testing.T) { must(merchantpay.NewProtocol(config(asIs))).Close() },
		"a verifier": func(*testing.T) { must(merchantpay.NewWebhookVerifier(config(asIs))).Close() },
		"a setting that is refused": func(t *testing.T) {
			failed(t, second(merchantpay.NewClient(config(func(c *merchantpay.Config) { c.Timeout = -2 }))))
		},
		"a client that is refused": func(t *testing.T) {
			failed(t, second(merchantpay.NewClient(config(func(c *merchantpay.Config) { c.BaseURL = "" }))))
		},
		"a journal that is refused": func(t *testing.T) {
			client := must(merchantpay.NewClient(config(asIs)))
			failed(t, second(merchantpay.OpenJournal(client, merchantpay.JournalConfig{Place: "payments.db"})))
			client.Close()
		},
		"a journal before its client": func(t *testing.T) {
			client := must(merchantpay.NewClient(config(asIs)))
			openJournal(t, client).Close()
			client.Close()
		},
	} {
		t.Run(name, func(t *testing.T) {
			make(t)
			kept.want(t, 0)
		})
	}
}

func TestACallbackIsReleasedAfterTheLastThatUsesIt(t *testing.T) {
	s := newService(t, nil)
	var kept kept
	var logged atomic.Int32
	client := s.client(t, func(c *merchantpay.Config) { c.Logger = kept.logger(func() { logged.Add(1) }) })
	journal := openJournal(t, client)
	client.Close()
	kept.want(t, 1)
	if _, err := journal.Pay(background, "order", request("79001234567")); err != nil || logged.Load() != 1 {
		t.Fatal(err, logged.Load())
	}
	journal.Close()
	kept.want(t, 0)
}

func TestCallbacksOfCallsThatRunAreReleasedOnceByAnyThread(t *testing.T) {
	s := newService(t, nil)
	var kept kept
	var workers sync.WaitGroup
	for range 16 {
		client := s.client(t, func(c *merchantpay.Config) { c.Logger = kept.logger(func() {}) })
		for range 4 {
			workers.Add(1)
			go func() {
				defer workers.Done()
				ctx, cancel := context.WithTimeout(background, time.Minute) // Because of the deadline, the call has its own handle.
				defer cancel()
				if _, err := client.GetStatus(ctx, "o-1"); err != nil {
					wantError(t, err, merchantpay.CodeInvalidArgument, merchantpay.OutcomeNotSent) // The client was closed before this call.
				}
			}()
		}
		workers.Add(1)
		go func() {
			defer workers.Done()
			client.Close()
			client.Close()
		}()
	}
	workers.Wait()
	kept.want(t, 0)
}
