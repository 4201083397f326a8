package capi

// #include "journal.h"
import "C"

import (
	"runtime"
	"runtime/cgo"
)

// What may be said of an entry; see Journal.Resolve.
const (
	ResolutionOrderID   int32 = C.MPAY_RESOLUTION_ORDER_ID
	ResolutionNoPayment int32 = C.MPAY_RESOLUTION_NO_PAYMENT
	ResolutionSeen      int32 = C.MPAY_RESOLUTION_SEEN
)

// JournalConfig is the settings of a journal. Run is nil for one in a file.
type JournalConfig struct {
	JournalSettings
	Dialect int32
	Run     RunStatement
}

// Journal is a journal of C. It is shared by goroutines.
type Journal struct {
	guard    guard
	handle   *C.mpay_journal
	client   Call // Under way until the journal is freed, so that the client's callbacks stay.
	database callbacks
}

// OpenJournal opens a journal with a client, which is freed after it.
func OpenJournal(client *Client, settings *JournalConfig) (*Journal, *Error) {
	call, err := client.Begin()
	if err != nil {
		return nil, err
	}
	journal := &Journal{client: call}
	if err := journal.open(settings); err != nil {
		journal.release()
		return nil, err
	}
	return journal, nil
}

func (j *Journal) open(settings *JournalConfig) *Error {
	config := C.mpay_journal_config_new()
	defer C.mpay_journal_config_free(config)
	if err := settings.set(config); err != nil {
		return err
	}
	if settings.Run != nil {
		handle := cgo.NewHandle(settings.Run)
		j.database = append(j.database, handle)
		code := C.bridge_journal_config_set_database(config, C.int32_t(settings.Dialect), C.uintptr_t(handle))
		if err := setterError(code, "Dialect"); err != nil {
			return err
		}
	}
	if failure := C.bridge_journal_open(j.client.handle, config, &j.handle); failure != nil {
		return takeError(failure)
	}
	return nil
}

// Close lets no further call in; the journal is freed when the last one that is under way has ended.
func (j *Journal) Close() {
	if j.guard.close() {
		j.free()
	}
}

func (j *Journal) free() {
	C.mpay_journal_free(j.handle)
	j.release()
}

func (j *Journal) release() {
	j.database.free()
	j.client.End()
}

// JournalCall is a call that is under way on a journal.
type JournalCall struct {
	journal *Journal
	handle  *C.mpay_journal // The journal's, or one of the call's own.
	of      cgo.Handle      // What its statements get; 0 for nothing.
}

// Begin lets a call in, which End ends. Its statements get of, unless it is nil.
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
	if of != nil && len(j.database) > 0 {
		call.of = cgo.NewHandle(of)
	}
	return call, nil
}

// Interrupt is mpay_journal_interrupt, for an interruptible call that has not been ended.
func (c JournalCall) Interrupt() { C.mpay_journal_interrupt(c.handle) }

// End frees what the call has of its own. The last one after Close frees the journal.
func (c JournalCall) End() {
	if c.handle != c.journal.handle {
		C.mpay_journal_free(c.handle)
	}
	if c.of != 0 {
		c.of.Delete()
	}
	if c.journal.guard.leave() {
		c.journal.free()
	}
}

func (c JournalCall) data() C.uintptr_t { return C.uintptr_t(c.of) }

// Pay is mpay_journal_pay, or mpay_journal_pay_async.
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

// Confirm is mpay_journal_confirm.
func (c JournalCall) Confirm(entry *Entry) (*Entry, *Error) {
	return c.instruct(C.BRIDGE_CONFIRM_ENTRY, entry)
}

// Cancel is mpay_journal_cancel.
func (c JournalCall) Cancel(entry *Entry) (*Entry, *Error) {
	return c.instruct(C.BRIDGE_CANCEL_ENTRY, entry)
}

func (c JournalCall) instruct(what C.int32_t, entry *Entry) (*Entry, *Error) {
	defer runtime.KeepAlive(entry.owner)
	var instructed *C.mpay_entry
	failure := C.bridge_journal_instruct(c.handle, c.data(), what, entry.handle, &instructed)
	return entryOr(instructed, failure)
}

// Receive is mpay_journal_receive. The entry is nil where there is none.
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

// Settle is mpay_journal_settle.
func (c JournalCall) Settle(limit uint32) (done uint32, nextDueMS int64, err *Error) {
	settled := C.bridge_journal_settle(c.handle, c.data(), C.uint32_t(limit))
	if settled.failure != nil {
		return 0, -1, takeError(settled.failure)
	}
	return uint32(settled.done), int64(settled.next_due_ms), nil
}

// Wait is mpay_journal_wait.
func (c JournalCall) Wait(reference string, timeoutMS uint32, until int32) (*Entry, *Error) {
	of, err := newText("reference", reference)
	if err != nil {
		return nil, err
	}
	var entry *C.mpay_entry
	failure := C.bridge_journal_wait(c.handle, c.data(), of.pointer(), C.uint32_t(timeoutMS), C.int32_t(until), &entry)
	return entryOr(entry, failure)
}

// Find is mpay_journal_find. The entry is nil where there is none.
func (c JournalCall) Find(reference string) (*Entry, *Error) {
	of, err := newText("reference", reference)
	if err != nil {
		return nil, err
	}
	var entry *C.mpay_entry
	failure := C.bridge_journal_find(c.handle, c.data(), of.pointer(), &entry)
	return entryOr(entry, failure)
}

// List is mpay_journal_list. before may be nil.
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

// News is mpay_journal_news.
func (c JournalCall) News(limit, claimMS uint32) ([]*Entry, *Error) {
	var entries *C.mpay_entries
	failure := C.bridge_journal_news(c.handle, c.data(), C.uint32_t(limit), C.uint32_t(claimMS), &entries)
	return entriesOr(entries, failure)
}

// Attention is mpay_journal_attention.
func (c JournalCall) Attention(limit uint32) ([]*Entry, *Error) {
	var entries *C.mpay_entries
	failure := C.bridge_journal_attention(c.handle, c.data(), C.uint32_t(limit), &entries)
	return entriesOr(entries, failure)
}

// Acknowledge is mpay_journal_acknowledge.
func (c JournalCall) Acknowledge(entry *Entry) (changed bool, err *Error) {
	defer runtime.KeepAlive(entry.owner)
	var was C.int32_t
	if failure := C.bridge_journal_acknowledge(c.handle, c.data(), entry.handle, &was); failure != nil {
		return false, takeError(failure)
	}
	return was != 0, nil
}

// AcknowledgeWith is mpay_journal_acknowledge_with.
func (c JournalCall) AcknowledgeWith(entry *Entry, run RunStatement) *Error {
	defer runtime.KeepAlive(entry.owner)
	transaction := cgo.NewHandle(run)
	defer transaction.Delete()
	return errorOr(C.bridge_journal_acknowledge_with(c.handle, c.data(), entry.handle, C.uintptr_t(transaction)))
}

// Resolve is mpay_journal_resolve.
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

func errorOr(failure *C.mpay_error) *Error {
	if failure != nil {
		return takeError(failure)
	}
	return nil
}
