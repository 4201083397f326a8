package capi

// #include "bridge.h"
import "C"

// Journal is a C journal. Goroutines may share it.
type Journal struct {
	guard  guard
	handle *C.mpay_journal
}

// OpenJournal opens a journal with a client. The client's callbacks stay usable as long as the journal exists.
func OpenJournal(client *Client, settings []Setting) (*Journal, *Error) {
	call, err := client.Begin()
	if err != nil {
		return nil, err
	}
	defer call.End()
	config := C.mpay_journal_config_new()
	defer C.mpay_journal_config_free(config)
	err = give(settings, func(name, text *C.char) *C.mpay_error {
		var failure *C.mpay_error
		code := C.mpay_journal_config_set(config, name, text, &failure)
		return C.bridge_failure(code, failure)
	})
	if err != nil {
		return nil, err
	}
	journal := &Journal{}
	var failure *C.mpay_error
	if code := C.mpay_journal_open(call.handle, config, &journal.handle, &failure); code != C.MPAY_OK {
		return nil, failed(code, failure)
	}
	return journal, nil
}

// Close prevents further calls; the journal is freed after the last running call has ended.
func (j *Journal) Close() {
	if j.guard.close() {
		C.mpay_journal_free(j.handle)
	}
}

// JournalCall is a running call of a journal.
type JournalCall struct {
	journal *Journal
	handle  *C.mpay_journal // The handle of the journal, or a handle of this call.
}

// Begin starts a call; the call's method End finishes it.
func (j *Journal) Begin(interruptible bool) (JournalCall, *Error) {
	if !j.guard.enter() {
		return JournalCall{}, Invalid("the journal is closed")
	}
	call := JournalCall{j, j.handle}
	if interruptible {
		var failure *C.mpay_error
		if code := C.mpay_journal_derive(j.handle, &call.handle, &failure); code != C.MPAY_OK {
			call.handle = j.handle
			call.End()
			return JournalCall{}, failed(code, failure)
		}
	}
	return call, nil
}

// Interrupt calls mpay_journal_interrupt. It is only for an interruptible call that has not ended.
func (c JournalCall) Interrupt() { C.mpay_journal_interrupt(c.handle) }

// End frees the call's own handle. After Close, the call that ends last frees the journal.
func (c JournalCall) End() {
	if c.handle != c.journal.handle {
		C.mpay_journal_free(c.handle)
	}
	if c.journal.guard.leave() {
		C.mpay_journal_free(c.journal.handle)
	}
}

// A Kind of payment is the function that makes it.
type Kind int

// The kinds of payments.
const (
	Pay Kind = iota
	PayAsync
	Replace
)

// Pay calls mpay_journal_pay, mpay_journal_pay_async or mpay_journal_replace.
func (c JournalCall) Pay(kind Kind, reference string, attempt uint32, request *Request) (*Entry, *Error) {
	packed, err := request.pack()
	if err != nil {
		return nil, err
	}
	return withEntry(reference, func(reference *C.char, out **C.mpay_entry, failure **C.mpay_error) C.int32_t {
		base, at := packed.pointers()
		given := C.mpay_payment_request_new()
		defer C.mpay_payment_request_free(given)
		C.bridge_set_request(given, base, at)
		switch kind {
		case Pay:
			return C.mpay_journal_pay(c.handle, reference, given, out, failure)
		case PayAsync:
			return C.mpay_journal_pay_async(c.handle, reference, given, out, failure)
		default:
			return C.mpay_journal_replace(c.handle, reference, C.uint32_t(attempt), given, out, failure)
		}
	})
}

// Confirm calls mpay_journal_confirm.
func (c JournalCall) Confirm(reference string, attempt uint32) (*Entry, *Error) {
	return withEntry(reference, func(reference *C.char, out **C.mpay_entry, failure **C.mpay_error) C.int32_t {
		return C.mpay_journal_confirm(c.handle, reference, C.uint32_t(attempt), out, failure)
	})
}

// Cancel calls mpay_journal_cancel.
func (c JournalCall) Cancel(reference string, attempt uint32) (*Entry, *Error) {
	return withEntry(reference, func(reference *C.char, out **C.mpay_entry, failure **C.mpay_error) C.int32_t {
		return C.mpay_journal_cancel(c.handle, reference, C.uint32_t(attempt), out, failure)
	})
}

// Wait calls mpay_journal_wait.
func (c JournalCall) Wait(reference string, timeoutMS uint32, until int32) (*Entry, *Error) {
	return withEntry(reference, func(reference *C.char, out **C.mpay_entry, failure **C.mpay_error) C.int32_t {
		return C.mpay_journal_wait(c.handle, reference, C.uint32_t(timeoutMS), C.int32_t(until), out, failure)
	})
}

// Find calls mpay_journal_find. The entry is nil if there is no such reference.
func (c JournalCall) Find(reference string) (*Entry, *Error) {
	return withEntry(reference, func(reference *C.char, out **C.mpay_entry, failure **C.mpay_error) C.int32_t {
		return C.mpay_journal_find(c.handle, reference, out, failure)
	})
}

// Receive calls mpay_journal_receive. The entry is nil if the webhook belongs to no attempt.
func (c JournalCall) Receive(path string, body []byte, signature, keyID string) (httpStatus int32, entry *Entry, err *Error) {
	texts := [3]text{}
	for i, of := range []struct{ name, text string }{{"path", path}, {"signature", signature}, {"key id", keyID}} {
		if hasNUL(of.text) {
			return 400, nil, unverified("the webhook's " + of.name + " has a NUL byte in it")
		}
		texts[i], _ = newText(of.name, of.text)
	}
	var status C.int32_t
	var out *C.mpay_entry
	var failure *C.mpay_error
	code := C.mpay_journal_receive(c.handle, texts[0].pointer(), bytesPointer(body), C.size_t(len(body)),
		texts[1].pointer(), texts[2].pointer(), &status, &out, &failure)
	if code != C.MPAY_OK {
		err = failed(code, failure)
	}
	return int32(status), takeEntry(out), err
}

// Settle calls mpay_journal_settle.
func (c JournalCall) Settle(limit uint32) (done uint32, nextDueMS int64, err *Error) {
	var count C.uint32_t
	var next C.int64_t
	var failure *C.mpay_error
	if code := C.mpay_journal_settle(c.handle, C.uint32_t(limit), &count, &next, &failure); code != C.MPAY_OK {
		return 0, -1, failed(code, failure)
	}
	return uint32(count), int64(next), nil
}

// List calls mpay_journal_list. An empty reference means the first page.
func (c JournalCall) List(standing int32, limit uint32, beforeReference string, beforeCreatedAtMS int64) ([]*Entry, *Error) {
	before, err := newText("reference", beforeReference)
	if err != nil {
		return nil, err
	}
	return withEntries(func(out **C.mpay_entries, failure **C.mpay_error) C.int32_t {
		return C.mpay_journal_list(
			c.handle, C.int32_t(standing), C.uint32_t(limit), before.pointer(), C.int64_t(beforeCreatedAtMS), out, failure)
	})
}

// News calls mpay_journal_news.
func (c JournalCall) News(limit uint32) ([]*Entry, *Error) {
	return withEntries(func(out **C.mpay_entries, failure **C.mpay_error) C.int32_t {
		return C.mpay_journal_news(c.handle, C.uint32_t(limit), out, failure)
	})
}

// Attention calls mpay_journal_attention.
func (c JournalCall) Attention(limit uint32) ([]*Entry, *Error) {
	return withEntries(func(out **C.mpay_entries, failure **C.mpay_error) C.int32_t {
		return C.mpay_journal_attention(c.handle, C.uint32_t(limit), out, failure)
	})
}

// Acknowledge calls mpay_journal_acknowledge.
func (c JournalCall) Acknowledge(reference string, attempt uint32, news int64) (acknowledged bool, err *Error) {
	of, err := newText("reference", reference)
	if err != nil {
		return false, err
	}
	var changed C.int32_t
	var failure *C.mpay_error
	code := C.mpay_journal_acknowledge(c.handle, of.pointer(), C.uint32_t(attempt), C.int64_t(news), &changed, &failure)
	if code != C.MPAY_OK {
		return false, failed(code, failure)
	}
	return changed != 0, nil
}

// Decision is a kind of a person's decision about an attempt.
type Decision int

// The decisions.
const (
	Order Decision = iota + 1 // 0 is none.
	NoPayment
	Seen
	Trusted
)

// Resolve calls the function of the decision, such as mpay_journal_resolve_order. The order id and the sum are for
// Order; an empty sum means the requested one. The reasons are for Seen: names with commas.
func (c JournalCall) Resolve(decision Decision, reference string, attempt uint32, orderID, sum, reasons, note string) (*Entry, *Error) {
	order, err := newText("order id", orderID)
	if err != nil {
		return nil, err
	}
	paid, _ := newText("sum", sum)
	seen, _ := newText("reasons", reasons)
	number := C.uint32_t(attempt)
	return c.resolve(reference, note, func(reference, note *C.char, out **C.mpay_entry, failure **C.mpay_error) C.int32_t {
		switch decision {
		case Order:
			return C.mpay_journal_resolve_order(c.handle, reference, number, order.pointer(), paid.pointer(), note, out, failure)
		case NoPayment:
			return C.mpay_journal_resolve_no_payment(c.handle, reference, number, note, out, failure)
		case Seen:
			return C.mpay_journal_resolve_seen(c.handle, reference, number, seen.pointer(), note, out, failure)
		default:
			return C.mpay_journal_resolve_trusted(c.handle, reference, number, note, out, failure)
		}
	})
}

// ResolveOrphan calls mpay_journal_resolve_orphan. An empty status means that the orphan has none.
func (c JournalCall) ResolveOrphan(orderID, status, note string) *Error {
	seen, err := newText("status", status)
	if err != nil {
		return err
	}
	_, err = c.resolve(orderID, note, func(orderID, note *C.char, _ **C.mpay_entry, failure **C.mpay_error) C.int32_t {
		return C.mpay_journal_resolve_orphan(c.handle, orderID, seen.pointer(), note, failure)
	})
	return err
}

func (c JournalCall) resolve(
	key, note string, ask func(key, note *C.char, out **C.mpay_entry, failure **C.mpay_error) C.int32_t,
) (*Entry, *Error) {
	why, err := newText("note", note)
	if err != nil {
		return nil, err
	}
	return withEntry(key, func(key *C.char, out **C.mpay_entry, failure **C.mpay_error) C.int32_t {
		return ask(key, why.pointer(), out, failure)
	})
}

// Stats calls mpay_journal_stats. It returns the JSON of mpay_stats_json.
func (c JournalCall) Stats() (string, *Error) {
	var stats *C.mpay_stats
	var failure *C.mpay_error
	if code := C.mpay_journal_stats(c.handle, &stats, &failure); code != C.MPAY_OK {
		return "", failed(code, failure)
	}
	defer C.mpay_stats_free(stats)
	return C.GoString(C.mpay_stats_json(stats)), nil
}

// withEntry makes a call about a reference that returns an entry, or none.
func withEntry(reference string, ask func(reference *C.char, out **C.mpay_entry, failure **C.mpay_error) C.int32_t) (*Entry, *Error) {
	of, err := newText("reference", reference)
	if err != nil {
		return nil, err
	}
	var entry *C.mpay_entry
	var failure *C.mpay_error
	if code := ask(of.pointer(), &entry, &failure); code != C.MPAY_OK {
		return nil, failed(code, failure)
	}
	return takeEntry(entry), nil
}

func withEntries(ask func(out **C.mpay_entries, failure **C.mpay_error) C.int32_t) ([]*Entry, *Error) {
	var entries *C.mpay_entries
	var failure *C.mpay_error
	if code := ask(&entries, &failure); code != C.MPAY_OK {
		return nil, failed(code, failure)
	}
	return takeEntries(entries), nil
}

// failed copies the error of a call that returned this code, which is not MPAY_OK, and frees it.
func failed(code C.int32_t, failure *C.mpay_error) *Error {
	return takeError(C.bridge_failure(code, failure))
}
