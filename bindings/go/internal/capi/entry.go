package capi

// #include "journal.h"
import "C"

import "runtime"

// Entry is an entry of the C library. The entry is freed after its last use. Its memory can be part of the
// memory of another entry.
type Entry struct {
	handle *C.mpay_entry
	owner  *entryOwner
}

// entryOwner is the C object that Go frees: a single entry or a list. The other field is NULL.
type entryOwner struct {
	entry   *C.mpay_entry
	entries *C.mpay_entries
}

// EntryFields are the copied fields of an entry. An absent value is empty or nil.
type EntryFields struct {
	Fields                               // The fields are in the order of the definition.
	JSON, ErrorOutcome, ErrorDescription string
	Credentials, Payment                 *Payment
	IsOrphan                             bool
}

func newEntry(handle *C.mpay_entry) *Entry {
	if handle == nil {
		return nil
	}
	owner := &entryOwner{entry: handle}
	runtime.AddCleanup(owner, func(handle *C.mpay_entry) { C.mpay_entry_free(handle) }, handle)
	return &Entry{handle, owner}
}

func newEntries(handle *C.mpay_entries) []*Entry {
	owner := &entryOwner{entries: handle}
	runtime.AddCleanup(owner, func(handle *C.mpay_entries) { C.mpay_entries_free(handle) }, handle)
	entries := make([]*Entry, C.mpay_entries_count(handle))
	for place := range entries {
		entries[place] = &Entry{C.mpay_entries_get(handle, C.size_t(place)), owner}
	}
	return entries
}

// Earlier are the earlier attempts, the newest first.
func (e *Entry) Earlier() []*Entry {
	defer runtime.KeepAlive(e.owner)
	var earlier []*Entry
	for {
		entry := C.mpay_entry_earlier(e.handle, C.size_t(len(earlier)))
		if entry == nil {
			return earlier
		}
		earlier = append(earlier, &Entry{entry, e.owner})
	}
}

// Fields reads the entry's fields.
func (e *Entry) Fields() *EntryFields {
	defer runtime.KeepAlive(e.owner)
	var length C.size_t
	texts := C.mpay_entry_fields(e.handle, &length) // A separate statement, so that length is set before it is read.
	from := fieldsOf(texts, length)
	fields := &EntryFields{
		JSON:             from.Next(),
		IsOrphan:         from.Next() == "1",
		ErrorOutcome:     from.Next(),
		ErrorDescription: from.Next(),
		Credentials:      paymentOf(C.mpay_entry_credentials(e.handle)),
		Payment:          paymentOf(C.mpay_entry_payment(e.handle)),
	}
	fields.Fields = from
	return fields
}

// paymentOf copies an entry's payment; nil without one.
func paymentOf(payment *C.mpay_payment) *Payment {
	if payment == nil {
		return nil
	}
	var length C.size_t
	fields := C.mpay_payment_fields(payment, &length)
	copied := newPayment(bytesAt(fields, length))
	return &copied
}
