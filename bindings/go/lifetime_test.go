package merchantpay_test

import (
	"context"
	"errors"
	"log/slog"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/merchantpay/merchantpay-go"
)

func TestManyGoroutinesShareOneClient(t *testing.T) {
	s := newService(t)
	var lines atomic.Int64
	client := s.client(t, func(c *merchantpay.Config) { c.Logger = slog.New(calling{func() { lines.Add(1) }}) })
	verifier, signature := newVerifier(t, s.config), s.sign(status)
	var all sync.WaitGroup
	for i := range 64 {
		all.Add(1)
		go func() {
			defer all.Done()
			for j := range 5 {
				id := "o-" + strconv.Itoa(i*100+j)
				payment, err := client.GetStatus(background, id)
				if err != nil || payment.OrderID != id {
					t.Error(payment, err)
				}
				if _, err := verifier.Verify([]byte(status), signature, serviceKeyID); err != nil {
					t.Error(err)
				}
			}
		}()
	}
	all.Wait()
	if got := lines.Load(); got != 64*5 {
		t.Errorf("%d lines", got)
	}
}

func TestCloseLetsRunningCallsEnd(t *testing.T) {
	s := newService(t)
	signature := s.sign(status)
	for range 20 {
		client, verifier, protocol := s.client(t), newVerifier(t, s.config), must(merchantpay.NewProtocol(s.config))
		journal := openJournal(t, client)
		var all sync.WaitGroup
		begun := make(chan struct{}, 16)
		for range 16 {
			all.Add(1)
			go func() {
				defer all.Done()
				for round, closed := 0, 0; closed < 4; round++ {
					closed = 0
					for _, err := range []error{
						errorOf(client.GetStatus(background, "o-1")),
						errorOf(verifier.Verify([]byte(status), signature, serviceKeyID)),
						errorOf(protocol.PrepareConfirm("o-1")),
						errorOf(journal.Find(background, "order")),
					} {
						if errors.Is(err, merchantpay.ErrInvalidArgument) {
							closed++
						} else if err != nil {
							t.Error(err)
						}
					}
					if round == 0 {
						begun <- struct{}{}
					}
				}
			}()
		}
		<-begun
		for range 2 {
			for _, object := range []interface{ Close() }{client, verifier, protocol, journal} {
				all.Add(1)
				go func() { defer all.Done(); object.Close() }()
			}
		}
		all.Wait()
	}
}

// The first tenth of the runs is a warm-up.
func wantFlatMemory(t *testing.T, times, mostMiB int, once func()) {
	t.Helper()
	resident := func() int {
		runtime.GC()
		_, rest, _ := strings.Cut(string(must(os.ReadFile("/proc/self/status"))), "VmRSS:")
		return must(strconv.Atoi(strings.Fields(rest)[0]))
	}
	for range times / 10 {
		once()
	}
	before := resident()
	for range times - times/10 {
		once()
	}
	if grown := resident() - before; grown > mostMiB*1024 {
		t.Errorf("%d KiB more after %d times", grown, times)
	}
}

func TestMemoryStaysFlat(t *testing.T) {
	s := newService(t)
	verifier, signature, body := newVerifier(t, s.config), s.sign(status), []byte(status)
	wantFlatMemory(t, 50_000, 8, func() {
		must(verifier.Verify(body, signature, serviceKeyID))
		failed(t, errorOf(verifier.Verify(body, "AAAA", serviceKeyID)))
	})
	config, large := s.config, request(strings.Repeat("7", 10_000))
	config.Logger = slog.New(slog.DiscardHandler)
	// The garbage collector closes these objects. A leak would take more than 100 MiB; what is not collected yet takes
	// only some MiB.
	wantFlatMemory(t, 10_000, 40, func() {
		must(must(merchantpay.NewProtocol(config)).PrepareNewPayment(large))
		must(merchantpay.NewWebhookVerifier(config))
	})
}

func TestCollectorSparesAnObjectInUse(t *testing.T) {
	path := filepath.Join(t.TempDir(), "r.png")
	if err := os.WriteFile(path, []byte("\x89PNG\r\n\x1a\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	config := newService(t).config
	// The files take a while to read.
	receipt := merchantpay.Receipt{OrderID: "o-1", Files: slices.Repeat([]merchantpay.File{{Path: path}}, 20_000)}
	var over atomic.Bool
	defer over.Store(true)
	go func() {
		for !over.Load() {
			runtime.GC()
		}
	}()
	for _, once := range []func() error{
		func() error { return must(merchantpay.NewClient(config)).AttachReceipt(background, receipt) },
		func() error { return errorOf(must(merchantpay.NewProtocol(config)).PrepareAttachReceipt(receipt)) },
	} {
		if err := once(); err != nil {
			t.Error(err)
		}
	}
}

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
	for end := time.Now().Add(patience); k.Load() != wanted; time.Sleep(time.Millisecond) {
		if runtime.GC(); time.Now().After(end) {
			t.Fatalf("%d callbacks are kept in place of %d", k.Load(), wanted)
		}
	}
}

func TestCallbackIsReleasedOnce(t *testing.T) {
	s := newService(t)
	var kept kept
	config := func() merchantpay.Config {
		config := s.config
		config.PrivateKey, config.Signer, config.Logger = "", ed25519Key, kept.logger(func() {})
		return config
	}
	for name, make := range map[string]func(t *testing.T){
		"a client":                    func(*testing.T) { must(merchantpay.NewClient(config())).Close() },
		"a client that nobody closes": func(*testing.T) { must(merchantpay.NewClient(config())) },
		"a protocol":                  func(*testing.T) { must(merchantpay.NewProtocol(config())).Close() },
		"a verifier":                  func(*testing.T) { must(merchantpay.NewWebhookVerifier(config())).Close() },
		"a setting that is refused": func(t *testing.T) {
			refused := config()
			refused.Timeout = -2
			wantInvalid(t, errorOf(merchantpay.NewClient(refused)))
		},
		"a client that is refused": func(t *testing.T) {
			refused := config()
			refused.BaseURL = ""
			wantInvalid(t, errorOf(merchantpay.NewClient(refused)))
		},
		"a journal that is refused": func(t *testing.T) {
			client := must(merchantpay.NewClient(config()))
			failed(t, errorOf(merchantpay.OpenJournal(client, merchantpay.JournalConfig{Place: "payments.db"})))
			client.Close()
		},
		"a journal before its client": func(t *testing.T) {
			client := must(merchantpay.NewClient(config()))
			openJournal(t, client).Close()
			client.Close()
		},
		"calls that run while their client is closed": func(t *testing.T) {
			client := must(merchantpay.NewClient(config()))
			ctx, cancel := context.WithTimeout(background, time.Minute) // Because of the deadline, a call has its own handle.
			defer cancel()
			var workers sync.WaitGroup
			for range 64 {
				workers.Add(1)
				go func() {
					defer workers.Done()
					if _, err := client.GetStatus(ctx, "o-1"); err != nil {
						wantInvalid(t, err) // The client was closed before this call.
					}
					client.Close()
				}()
			}
			workers.Wait()
		},
	} {
		t.Run(name, func(t *testing.T) {
			make(t)
			kept.want(t, 0)
		})
	}
}

func TestCallbackLivesUntilItsLastUser(t *testing.T) {
	s := newService(t)
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
