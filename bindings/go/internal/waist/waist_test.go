package waist

import (
	"errors"
	"slices"
	"testing"
)

var library Handle // The calls that need no object.

func ok[T any](t *testing.T) func(T, *Error) T {
	return func(value T, err *Error) T {
		t.Helper()
		if err != nil {
			t.Fatalf("%+v", *err)
		}
		return value
	}
}

func TestFramesAreReadAsTheyAreWritten(t *testing.T) {
	w := begin(nil, 8).text("text").text("").value("").number(-7).handle(1 << 40).texts([]string{"a", "", "c"}).fields([]string{"x", ""})
	r := read(string(w.bytes))
	if text, empty, data := r.text(), r.text(), r.data(); text != "text" || empty != "" || data == nil || len(data) != 0 {
		t.Error(text, empty, data)
	}
	if number, handle, texts := r.number(), Handle(0).object(r.text()), r.texts(); number != -7 || handle != 1<<40 || !slices.Equal(texts, []string{"a", "", "c"}) {
		t.Error(number, handle, texts)
	}
	if fields := read(r.text()); fields.text() != "x" || fields.optional() != nil || fields.count() != 0 {
		t.Error("the record differs")
	}
	if r.count() != 1 || r.texts() != nil || r.text() != "" {
		t.Error("a value that was not written is not absent")
	}
}

func TestResultsAndErrorsCross(t *testing.T) {
	pair := ok[Keypair](t)(library.LibraryKeypair())
	if len(pair.PrivateKey) != 88 || len(pair.PublicKey) != 44 {
		t.Error(len(pair.PrivateKey), len(pair.PublicKey))
	}
	if sum := ok[string](t)(library.LibraryToBalance("1500.50", "2", "RUB", 2, "half_up")); sum != "3001.00" {
		t.Error(sum)
	}
	_, err := library.LibraryToBalance("1500,50", "2", "RUB", 2, "half_up")
	if err == nil || err.Code != "invalid_argument" || err.Outcome != "not_sent" || err.Argument != "sum" {
		t.Errorf("%+v", err)
	}
	if rows := ok[[]Setting](t)(library.LibrarySettings("client")); len(rows) < 20 || rows[0].Variable != "MERCHANTPAY_BASE_URL" {
		t.Errorf("%+v", rows)
	}
}

// settings are those of a merchant whose service nobody runs.
func settings(t *testing.T, other ...string) Settings {
	own, service := ok[Keypair](t)(library.LibraryKeypair()), ok[Keypair](t)(library.LibraryKeypair())
	texts := []string{"base_url", "http://127.0.0.1:9", "key_id", "key-1", "private_key", own.PrivateKey}
	var to Settings
	for pair := range slices.Chunk(append(texts, other...), 2) {
		to.Text(pair[0], pair[1])
	}
	to.List("server_public_key", []string{service.PublicKey})
	return to
}

func TestHostSigns(t *testing.T) {
	own := ok[Keypair](t)(library.LibraryKeypair())
	given := settings(t, "public_key", own.PublicKey)
	given.pairs = slices.DeleteFunc(given.pairs, func(pair setting) bool { return pair.name == "private_key" })
	signs := 0
	host := &Host{Sign: func([]byte) ([]byte, error) { signs++; return nil, errors.New("no key") }}
	protocol := ok[Handle](t)(Open(KindProtocol, 0, given, host))
	defer protocol.Close()
	_, err := protocol.PrepareConfirm("o-1")
	if err == nil || err.Code != "signer" || err.Outcome != "not_sent" || signs != 1 {
		t.Errorf("%+v after %d", err, signs)
	}
	host.Sign = func([]byte) ([]byte, error) { panic("a test") }
	if _, err := protocol.PrepareConfirm("o-1"); err == nil || err.Code != "signer" {
		t.Errorf("%+v", err)
	}
}
