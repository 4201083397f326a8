package databases_test

import (
	"context"
	"errors"
	"strings"
	"testing"

	"github.com/merchantpay/merchantpay-go"
)

func (s *sandbox) open(config merchantpay.JournalConfig) *merchantpay.Journal {
	s.t.Helper()
	if config.CallbackURL == "" {
		config.CallbackURL = "http://127.0.0.1:9/callback"
	}
	journal, err := merchantpay.OpenJournal(s.client, config)
	if err != nil {
		s.t.Fatal(err)
	}
	s.t.Cleanup(journal.Close)
	return journal
}

// wantRequests fails unless exactly this many requests have arrived.
func (s *sandbox) wantRequests(operation string, wanted int) {
	s.t.Helper()
	if count, err := s.Requests(operation); err != nil || count != wanted {
		s.t.Errorf("%d %s in place of %d: %v", count, operation, wanted, err)
	}
}

func pay(t testing.TB, journal *merchantpay.Journal, reference string) *merchantpay.Entry {
	t.Helper()
	entry, err := journal.Pay(background, reference, good())
	if err != nil {
		t.Fatal(err)
	}
	return entry
}

// succeeded creates and confirms a payment, waits until it has succeeded, and returns its entry.
func (s *sandbox) succeeded(journal *merchantpay.Journal, reference string) *merchantpay.Entry {
	s.t.Helper()
	if _, err := journal.Confirm(background, pay(s.t, journal, reference)); err != nil {
		s.t.Fatal(err)
	}
	entry, err := journal.Wait(background, reference, patience, merchantpay.UntilFinal)
	if err != nil || !entry.Succeeded {
		s.t.Fatal(entry, err)
	}
	return entry
}

func wantFailure(t testing.TB, err error, code merchantpay.Code, outcome merchantpay.Outcome, text string) *merchantpay.Error {
	t.Helper()
	var failure *merchantpay.Error
	if !errors.As(err, &failure) || failure.Code != code || failure.Outcome != outcome || !strings.Contains(failure.Message, text) {
		t.Fatalf("%v in place of %s %s with %q", err, code, outcome, text)
	}
	return failure
}

// cancelled is a context that ends when an event has happened.
func cancelled(happened <-chan struct{}) context.Context {
	ctx, cancel := context.WithCancel(background)
	go func() {
		<-happened
		cancel()
	}()
	return ctx
}
