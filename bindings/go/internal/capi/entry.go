package capi

// #include "bridge.h"
import "C"

import "encoding/json"

// Entry is a copy of an entry. An absent value is empty or nil.
type Entry struct {
	Fields                                           // The fields are in the order of the definition.
	JSON, ErrorOutcome, ErrorDescription, Unreadable string
	IsOrphan                                         bool
	Details                                          []string
	Credentials                                      *Payment
}

// takeEntry copies an entry and frees it; nil for NULL.
func takeEntry(entry *C.mpay_entry) *Entry {
	if entry == nil {
		return nil
	}
	defer C.mpay_entry_free(entry)
	return copyEntry(entry)
}

func copyEntry(entry *C.mpay_entry) *Entry {
	var length C.size_t
	texts := C.mpay_entry_fields(entry, &length) // A separate statement, so that length is set before it is read.
	from := fieldsOf(texts, length)
	copied := &Entry{
		JSON:             from.Next(),
		ErrorOutcome:     from.Next(),
		ErrorDescription: from.Next(),
		IsOrphan:         from.Next() == "1",
		Unreadable:       from.Next(),
	}
	if details := from.Next(); details != "[]" {
		_ = json.Unmarshal([]byte(details), &copied.Details)
	}
	if payment := C.mpay_entry_credentials(entry); payment != nil {
		fields := C.mpay_payment_fields(payment, &length)
		credentials := newPayment(bytesAt(fields, length))
		copied.Credentials = &credentials
	}
	copied.Fields = from
	return copied
}

func takeEntries(list *C.mpay_entries) []*Entry {
	defer C.mpay_entries_free(list)
	entries := make([]*Entry, C.mpay_entries_count(list))
	for place := range entries {
		entries[place] = copyEntry(C.mpay_entries_get(list, C.size_t(place)))
	}
	return entries
}
