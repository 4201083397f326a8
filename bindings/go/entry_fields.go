package merchantpay

import (
	"encoding/json"
	"time"

	"github.com/shopspring/decimal"

	"github.com/merchantpay/merchantpay-go/internal/capi"
)

// Entry is one attempt of a payment at the time of reading, or an orphan, a verified message that matches no
// attempt (see IsOrphan). An absent value is the field's zero value. Only a [Journal] makes entries. Its
// methods accept no other entries.
//
// As JSON an entry is an object with the same names as in the output of `merchantpay journal`.
type Entry struct {
	// generated: begin fields

	// The merchant's own order number. Since 0.2.0.
	Reference string
	// The number of the attempt, from 1. Since 0.2.0.
	Attempt int
	// What is known about the attempt. Since 0.2.0.
	Standing Standing
	// The service's order id; absent until known. Since 0.2.0.
	OrderID string
	// The sum that was asked for. Since 0.2.0.
	SumAsked decimal.Decimal
	// The paid sum compared with the requested one: exactly, less or more; absent until known. Since 0.2.0.
	Paid Paid
	// Whether the payment has succeeded with exactly the requested sum. Since 0.2.0.
	Succeeded bool
	// Where the customer pays; absent if the customer must not pay. Since 0.2.0.
	Credentials *Payment
	// Everything that the service has reported about the payment, merged. Since 0.2.0.
	Payment *Payment
	// The state of the confirm; absent if there is none. Since 0.2.0.
	Confirm Intent
	// The state of the cancel; absent if there is none. Since 0.2.0.
	Cancel Intent
	// The latest change that news reports. Since 0.2.0.
	Reported Level
	// The latest change that the merchant has acknowledged. Since 0.2.0.
	Acknowledged Level
	// Why the last call about the attempt failed: code, outcome and description. Since 0.2.0.
	Error *Error
	// Why an operator must decide about the attempt. Since 0.2.0.
	Attention []Attention
	// When the attempt was stored, in milliseconds since 1970 by the database's clock. Since 0.2.0.
	CreatedAt time.Time
	// When the attempt was last written. Since 0.2.0.
	UpdatedAt time.Time
	// When the service is asked about the attempt next; absent if it is not. Since 0.2.0.
	DueAt time.Time

	// generated: end
	// Whether the entry is an orphan, a verified message that matches no attempt; Journal.Attention returns
	// orphans. An orphan has an order id and no standing. It has the reference and the number of an attempt
	// only if it came to the URL of that attempt. Since 0.2.0.
	IsOrphan bool
	// The earlier attempts, the newest first; empty if the call returned the entry without its earlier
	// attempts. Since 0.2.0.
	Earlier []*Entry
	// The whole entry as one line of JSON. Since 0.2.0.
	JSON json.RawMessage

	c *capi.Entry
}

// read copies the library's result.
func (e *Entry) read(from *capi.EntryFields) error {
	fields := entryReader{EntryFields: from}
	*e = Entry{
		// generated: begin read
		Reference:    fields.Next(),
		Attempt:      int(fields.Number()),
		Standing:     named[Standing](fields.Next()),
		OrderID:      fields.Next(),
		SumAsked:     fields.amount(),
		Paid:         named[Paid](fields.Next()),
		Succeeded:    fields.flag(),
		Credentials:  fields.payment(from.Credentials),
		Payment:      fields.payment(from.Payment),
		Confirm:      named[Intent](fields.Next()),
		Cancel:       named[Intent](fields.Next()),
		Reported:     named[Level](fields.Next()),
		Acknowledged: named[Level](fields.Next()),
		Error:        fields.problem(),
		Attention:    fields.reasons(),
		CreatedAt:    fields.time(),
		UpdatedAt:    fields.time(),
		DueAt:        fields.time(),
		// generated: end
	}
	return fields.fault()
}
