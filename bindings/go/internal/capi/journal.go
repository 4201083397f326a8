package capi

// #include "journal.h"
import "C"

import (
	"runtime"
	"runtime/cgo"
)

// The possible decisions of an operator about an entry; see Journal.Resolve.
const (
	ResolutionOrderID   int32 = C.MPAY_RESOLUTION_ORDER_ID
	ResolutionNoPayment int32 = C.MPAY_RESOLUTION_NO_PAYMENT
	ResolutionSeen      int32 = C.MPAY_RESOLUTION_SEEN
)

// JournalConfig is the settings of a journal. Run is nil for a journal in a file.
type JournalConfig struct {
	Settings []Setting
	Dialect  int32
	Run      RunStatement
}

// Journal is a C journal. Goroutines may share it.
type Journal struct {
	guard       guard
	handle      *C.mpay_journal
	hasDatabase bool // true if the journal is in the merchant's own database.
}

// OpenJournal opens a journal with a client. The client's callbacks stay usable as long as the journal exists.
func OpenJournal(client *Client, settings *JournalConfig) (*Journal, *Error) {
	call, err := client.Begin()
	if err != nil {
		return nil, err
	}
	defer call.End()
	config := C.mpay_journal_config_new()
	defer C.mpay_journal_config_free(config)
	err = give(settings.Settings, func(name, text *C.char) *C.mpay_error { return C.bridge_journal_config_set(config, name, text) })
	if err != nil {
		return nil, err
	}
	journal := &Journal{hasDatabase: settings.Run != nil}
	if journal.hasDatabase {
		handle := cgo.NewHandle(settings.Run)
		if C.bridge_journal_config_set_database(config, C.int32_t(settings.Dialect), C.uintptr_t(handle)) != C.MPAY_OK {
			return nil, Invalid("Dialect is not valid")
		}
	}
	if failure := C.bridge_journal_open(call.handle, config, &journal.handle); failure != nil {
		return nil, takeError(failure)
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
	of      cgo.Handle      // The value that the call's statements get; 0 for none.
}

// Begin starts a call; the call's method End finishes it. Each statement of the call gets the value of the
// argument "of", unless that value is nil.
func (j *Journal) Begin(interruptible bool, of any) (JournalCall, *Error) {
	if !j.guard.enter() {
		return JournalCall{}, Invalid("the journal is closed")
	}
	call := JournalCall{journal: j, handle: j.handle}
	if interruptible {
		if failure := C.bridge_journal_derive(j.handle, &call.handle); failure != nil {
			call.handle = j.handle
			call.End()
			return JournalCall{}, takeError(failure)
		}
	}
	if of != nil && j.hasDatabase {
		call.of = cgo.NewHandle(of)
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
	if c.of != 0 {
		c.of.Delete()
	}
	if c.journal.guard.leave() {
		C.mpay_journal_free(c.journal.handle)
	}
}

func (c JournalCall) data() C.uintptr_t { return C.uintptr_t(c.of) }

// Pay calls mpay_journal_pay, or mpay_journal_pay_async.
func (c JournalCall) Pay(async bool, reference string, request *Request, replace uint32) (*Entry, *Error) {
	to, err := newText("reference", reference)
	if err != nil {
		return nil, err
	}
	packed, err := request.pack()
	if err != nil {
		return nil, err
	}
	what := C.int32_t(C.BRIDGE_PAY)
	if async {
		what = C.BRIDGE_PAY_ASYNC
	}
	base, at := packed.pointers()
	var entry *C.mpay_entry
	failure := C.bridge_journal_pay(c.handle, c.data(), what, to.pointer(), base, at, C.uint32_t(replace), &entry)
	return entryOr(entry, failure)
}

// Confirm calls mpay_journal_confirm.
func (c JournalCall) Confirm(entry *Entry) (*Entry, *Error) {
	return c.instruct(C.BRIDGE_CONFIRM_ENTRY, entry)
}

// Cancel calls mpay_journal_cancel.
func (c JournalCall) Cancel(entry *Entry) (*Entry, *Error) {
	return c.instruct(C.BRIDGE_CANCEL_ENTRY, entry)
}

func (c JournalCall) instruct(what C.int32_t, entry *Entry) (*Entry, *Error) {
	defer runtime.KeepAlive(entry.owner)
	var instructed *C.mpay_entry
	failure := C.bridge_journal_instruct(c.handle, c.data(), what, entry.handle, &instructed)
	return entryOr(instructed, failure)
}

// ConfirmBy calls mpay_journal_confirm_by.
func (c JournalCall) ConfirmBy(reference string, attempt uint32) (*Entry, *Error) {
	return c.instructBy(C.BRIDGE_CONFIRM_ENTRY, reference, attempt)
}

// CancelBy calls mpay_journal_cancel_by.
func (c JournalCall) CancelBy(reference string, attempt uint32) (*Entry, *Error) {
	return c.instructBy(C.BRIDGE_CANCEL_ENTRY, reference, attempt)
}

func (c JournalCall) instructBy(what C.int32_t, reference string, attempt uint32) (*Entry, *Error) {
	of, err := newText("reference", reference)
	if err != nil {
		return nil, err
	}
	var instructed *C.mpay_entry
	failure := C.bridge_journal_instruct_by(c.handle, c.data(), what, of.pointer(), C.uint32_t(attempt), &instructed)
	return entryOr(instructed, failure)
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
	received := C.bridge_journal_receive(c.handle, c.data(), texts[0].pointer(), bytesPointer(body), C.size_t(len(body)),
		texts[1].pointer(), texts[2].pointer())
	if received.failure != nil {
		err = takeError(received.failure)
	}
	return int32(received.http_status), newEntry(received.entry), err
}

// Settle calls mpay_journal_settle.
func (c JournalCall) Settle(limit uint32) (done uint32, nextDueMS int64, err *Error) {
	settled := C.bridge_journal_settle(c.handle, c.data(), C.uint32_t(limit))
	if settled.failure != nil {
		return 0, -1, takeError(settled.failure)
	}
	return uint32(settled.done), int64(settled.next_due_ms), nil
}

// Wait calls mpay_journal_wait.
func (c JournalCall) Wait(reference string, timeoutMS uint32, until int32) (*Entry, *Error) {
	of, err := newText("reference", reference)
	if err != nil {
		return nil, err
	}
	var entry *C.mpay_entry
	failure := C.bridge_journal_wait(c.handle, c.data(), of.pointer(), C.uint32_t(timeoutMS), C.int32_t(until), &entry)
	return entryOr(entry, failure)
}

// Find calls mpay_journal_find. The entry is nil if there is no such reference.
func (c JournalCall) Find(reference string) (*Entry, *Error) {
	of, err := newText("reference", reference)
	if err != nil {
		return nil, err
	}
	var entry *C.mpay_entry
	failure := C.bridge_journal_find(c.handle, c.data(), of.pointer(), &entry)
	return entryOr(entry, failure)
}

// List calls mpay_journal_list. The argument before may be nil.
func (c JournalCall) List(standing int32, limit uint32, before *Entry) ([]*Entry, *Error) {
	var behind *C.mpay_entry
	if before != nil {
		defer runtime.KeepAlive(before.owner)
		behind = before.handle
	}
	var entries *C.mpay_entries
	failure := C.bridge_journal_list(c.handle, c.data(), C.int32_t(standing), C.uint32_t(limit), behind, &entries)
	return entriesOr(entries, failure)
}

// News calls mpay_journal_news.
func (c JournalCall) News(limit, claimMS uint32) ([]*Entry, *Error) {
	var entries *C.mpay_entries
	failure := C.bridge_journal_news(c.handle, c.data(), C.uint32_t(limit), C.uint32_t(claimMS), &entries)
	return entriesOr(entries, failure)
}

// Attention calls mpay_journal_attention.
func (c JournalCall) Attention(limit uint32) ([]*Entry, *Error) {
	var entries *C.mpay_entries
	failure := C.bridge_journal_attention(c.handle, c.data(), C.uint32_t(limit), &entries)
	return entriesOr(entries, failure)
}

// Acknowledge calls mpay_journal_acknowledge. If run is not nil, it calls mpay_journal_acknowledge_with, and run
// runs the statements in the caller's transaction.
func (c JournalCall) Acknowledge(entry *Entry, run RunStatement) (changed bool, err *Error) {
	defer runtime.KeepAlive(entry.owner)
	return acknowledge(run, func(transaction C.uintptr_t, changed *C.int32_t) *C.mpay_error {
		return C.bridge_journal_acknowledge(c.handle, c.data(), entry.handle, transaction, changed)
	})
}

// AcknowledgeBy calls mpay_journal_acknowledge_by, or mpay_journal_acknowledge_by_with if run is not nil.
func (c JournalCall) AcknowledgeBy(reference string, attempt uint32, level int32, run RunStatement) (changed bool, err *Error) {
	of, err := newText("reference", reference)
	if err != nil {
		return false, err
	}
	return acknowledge(run, func(transaction C.uintptr_t, changed *C.int32_t) *C.mpay_error {
		return C.bridge_journal_acknowledge_by(c.handle, c.data(), of.pointer(), C.uint32_t(attempt), C.int32_t(level), transaction, changed)
	})
}

func acknowledge(run RunStatement, say func(transaction C.uintptr_t, changed *C.int32_t) *C.mpay_error) (bool, *Error) {
	var transaction cgo.Handle
	if run != nil {
		transaction = cgo.NewHandle(run)
		defer transaction.Delete()
	}
	var changed C.int32_t
	if failure := say(C.uintptr_t(transaction), &changed); failure != nil {
		return false, takeError(failure)
	}
	return changed != 0, nil
}

// Resolve calls mpay_journal_resolve.
func (c JournalCall) Resolve(entry *Entry, resolution int32, orderID, note string) *Error {
	defer runtime.KeepAlive(entry.owner)
	order, err := newText("order id", orderID)
	if err != nil {
		return err
	}
	why, err := newText("note", note)
	if err != nil {
		return err
	}
	return errorOr(C.bridge_journal_resolve(c.handle, c.data(), entry.handle, C.int32_t(resolution), order.pointer(), why.pointer()))
}

func entryOr(entry *C.mpay_entry, failure *C.mpay_error) (*Entry, *Error) {
	if failure != nil {
		return nil, takeError(failure)
	}
	return newEntry(entry), nil
}

func entriesOr(entries *C.mpay_entries, failure *C.mpay_error) ([]*Entry, *Error) {
	if failure != nil {
		return nil, takeError(failure)
	}
	return newEntries(entries), nil
}
