package capi

// #cgo noescape bridge_read_entry
// #cgo nocallback bridge_read_entry
// #include "journal.h"
import "C"

import "runtime"

// Entry is an entry of C, which is freed when nobody uses it any more. What it is made of may be another one's.
type Entry struct {
	handle *C.mpay_entry
	owner  *entryOwner
}

// entryOwner is what C gave and Go frees: one of them is NULL.
type entryOwner struct {
	entry   *C.mpay_entry
	entries *C.mpay_entries
}

// EntryFields are the fields of an entry, copied. What is absent is empty, nil or 0.
type EntryFields struct {
	Reference, OrderID, SumAsked, JSON        string
	ErrorCode, ErrorOutcome, ErrorDescription string
	Credentials, Payment                      *Payment
	Attempt                                   uint32
	Standing, Paid, Confirm, Cancel           int32
	Reported, Acknowledged                    int32
	Succeeded, IsOrphan                       bool
	Attention                                 []int32
	CreatedAt, UpdatedAt, DueAt               uint64 // In milliseconds since 1970.
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

// Earlier are the attempts before it, the last first.
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

// Fields reads it.
func (e *Entry) Fields() *EntryFields {
	defer runtime.KeepAlive(e.owner)
	var own [2 * bufferSize]byte
	buffer := own[:]
	var from C.struct_bridge_entry
	to, size := bufferPointer(buffer)
	C.bridge_read_entry(e.handle, to, size, &from)
	if from.total > size {
		buffer = make([]byte, int(from.total))
		to, size = bufferPointer(buffer)
		C.bridge_read_entry(e.handle, to, size, &from)
	}
	var texts [C.BRIDGE_ENTRY_TEXTS]string
	split(buffer, from.lens[:], texts[:])
	fields := &EntryFields{
		Reference:        texts[C.BRIDGE_ENTRY_REFERENCE],
		OrderID:          texts[C.BRIDGE_ENTRY_ORDER_ID],
		SumAsked:         texts[C.BRIDGE_ENTRY_SUM_ASKED],
		JSON:             texts[C.BRIDGE_ENTRY_JSON],
		ErrorCode:        texts[C.BRIDGE_ENTRY_ERROR_CODE],
		ErrorOutcome:     texts[C.BRIDGE_ENTRY_ERROR_OUTCOME],
		ErrorDescription: texts[C.BRIDGE_ENTRY_ERROR_DESCRIPTION],
		Credentials:      paymentOf(texts[C.BRIDGE_ENTRY_CREDENTIALS]),
		Payment:          paymentOf(texts[C.BRIDGE_ENTRY_PAYMENT]),
		Attempt:          uint32(from.attempt),
		Standing:         int32(from.standing),
		Paid:             int32(from.paid),
		Confirm:          int32(from.confirm),
		Cancel:           int32(from.cancel),
		Reported:         int32(from.reported),
		Acknowledged:     int32(from.acknowledged),
		Succeeded:        from.succeeded != 0,
		IsOrphan:         from.is_orphan != 0,
		CreatedAt:        uint64(from.created_at_ms),
		UpdatedAt:        uint64(from.updated_at_ms),
		DueAt:            uint64(from.due_at_ms),
	}
	for _, reason := range from.reasons {
		if reason == 0 {
			break
		}
		fields.Attention = append(fields.Attention, int32(reason))
	}
	return fields
}

func paymentOf(fields string) *Payment {
	if fields == "" {
		return nil
	}
	payment := newPayment([]byte(fields))
	return &payment
}
