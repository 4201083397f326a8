package merchantpay_test

import (
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

	"github.com/merchantpay/merchantpay-go"
)

func TestManyGoroutinesShareOneClient(t *testing.T) {
	s := newService(t, nil)
	var lines atomic.Int64
	client := s.client(t, func(c *merchantpay.Config) { c.Logger = slog.New(calling{func() { lines.Add(1) }}) })
	verifier := newVerifier(t, s.config(t))
	signature := s.sign(status)
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
				if err := client.Confirm(background, id); err != nil {
					t.Error(err)
				}
				if _, err := verifier.Verify([]byte(status), signature, serviceKeyID); err != nil {
					t.Error(err)
				}
			}
		}()
	}
	all.Wait()
	if got := lines.Load(); got != 64*5*2 {
		t.Errorf("%d lines", got)
	}
}

func TestClosingLetsCallsEndAndNoneBegin(t *testing.T) {
	s := newService(t, nil)
	signature := s.sign(status)
	for range 20 {
		client, verifier := s.client(t), newVerifier(t, s.config(t))
		protocol, err := merchantpay.NewProtocol(s.config(t))
		if err != nil {
			t.Fatal(err)
		}
		var all sync.WaitGroup
		begun := make(chan struct{}, 100)
		for range 16 {
			all.Add(1)
			go func() {
				defer all.Done()
				for i := 0; ; i++ {
					failures := []error{
						second(client.GetStatus(background, "o-1")),
						second(verifier.Verify([]byte(status), signature, serviceKeyID)),
						second(protocol.PrepareConfirm("o-1")),
					}
					if i == 0 {
						begun <- struct{}{}
					}
					closed := 0
					for _, err := range failures {
						if err != nil {
							if !errors.Is(err, merchantpay.ErrInvalidArgument) {
								t.Error(err)
							}
							closed++
						}
					}
					if closed == len(failures) {
						return
					}
				}
			}()
		}
		<-begun
		for range 2 {
			all.Add(3)
			go func() { defer all.Done(); client.Close() }()
			go func() { defer all.Done(); verifier.Close() }()
			go func() { defer all.Done(); protocol.Close() }()
		}
		all.Wait()
	}
}

// resident returns the size of the process's memory in KiB.
func resident(t testing.TB) int {
	t.Helper()
	text, err := os.ReadFile("/proc/self/status")
	if err != nil {
		t.Fatal(err)
	}
	_, rest, _ := strings.Cut(string(text), "VmRSS:")
	kib, err := strconv.Atoi(strings.Fields(rest)[0])
	if err != nil {
		t.Fatal(err)
	}
	return kib
}

// flat runs a function many times. The first tenth of the runs is a warm-up. During the other runs the process
// may grow by at most the given number of MiB.
func flat(t *testing.T, times, most int, once func()) {
	t.Helper()
	for range times / 10 {
		once()
	}
	runtime.GC()
	before := resident(t)
	for range times - times/10 {
		once()
	}
	runtime.GC()
	if grown := resident(t) - before; grown > most*1024 {
		t.Errorf("%d KiB more after %d times", grown, times)
	}
}

func TestVerifyingLosesNoMemory(t *testing.T) {
	s := newService(t, nil)
	verifier := newVerifier(t, s.config(t))
	signature, body := s.sign(status), []byte(status)
	flat(t, 100_000, 8, func() {
		if _, err := verifier.Verify(body, signature, serviceKeyID); err != nil {
			t.Fatal(err)
		}
	})
	flat(t, 50_000, 8, func() {
		if _, err := verifier.Verify(body, "AAAA", serviceKeyID); err == nil {
			t.Fatal("accepted")
		}
	})
}

func TestWhatIsDroppedIsFreed(t *testing.T) {
	s := newService(t, nil)
	config := s.config(t)
	config.Logger = slog.New(slog.DiscardHandler)
	large := request(strings.Repeat("7", 10_000))
	// A leak would take more than 100 MiB. Memory that the garbage collector has not freed yet is only some
	// MiB.
	flat(t, 10_000, 40, func() {
		// The test closes no object, because the garbage collector closes all of them.
		protocol, err := merchantpay.NewProtocol(config)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := protocol.PrepareNewPayment(large); err != nil {
			t.Fatal(err)
		}
		if _, err := merchantpay.NewWebhookVerifier(config); err != nil {
			t.Fatal(err)
		}
	})
}

// slowReceipt returns a receipt with files that take a while to read.
func slowReceipt(t *testing.T) merchantpay.Receipt {
	t.Helper()
	path := filepath.Join(t.TempDir(), "r.png")
	if err := os.WriteFile(path, []byte("\x89PNG\r\n\x1a\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	return merchantpay.Receipt{OrderID: "o-1", Files: slices.Repeat([]merchantpay.File{{Path: path}}, 20_000)}
}

//go:noinline
func attachOnce(t *testing.T, config merchantpay.Config, receipt merchantpay.Receipt) error {
	client, err := merchantpay.NewClient(config)
	if err != nil {
		t.Fatal(err)
	}
	return client.AttachReceipt(background, receipt)
}

//go:noinline
func prepareOnce(t *testing.T, config merchantpay.Config, receipt merchantpay.Receipt) error {
	protocol, err := merchantpay.NewProtocol(config)
	if err != nil {
		t.Fatal(err)
	}
	return second(protocol.PrepareAttachReceipt(receipt))
}

func TestTheCollectorClosesNothingDuringItsLastCall(t *testing.T) {
	config, receipt := newService(t, nil).config(t), slowReceipt(t)
	over := make(chan struct{})
	defer close(over)
	go func() {
		for {
			select {
			case <-over:
				return
			default:
				runtime.GC()
			}
		}
	}()
	if err := attachOnce(t, config, receipt); err != nil {
		t.Error(err)
	}
	if err := prepareOnce(t, config, receipt); err != nil {
		t.Error(err)
	}
}
