package merchantpay

import (
	"encoding/json"
	"time"

	"github.com/shopspring/decimal"

	"github.com/merchantpay/merchantpay-go/internal/capi"
)

// Entry is one attempt of a payment at the time of reading, or an orphan, a verified message that matches no
// attempt (see IsOrphan). An absent value is the field's zero value. Only a [Journal] makes entries, and its
// calls take them.
//
// As JSON it is an object with the names of the program `merchantpay journal`.
type Entry struct {
	// generated: begin fields

	// The merchant's own order number. Since 0.2.0.
	Reference string
	// Which attempt this is, from 1. Since 0.2.0.
	Attempt int
	// What is known of it. Since 0.2.0.
	Standing Standing
	// The service's order id, where it is known. Since 0.2.0.
	OrderID string
	// The sum that was asked for. Since 0.2.0.
	SumAsked decimal.Decimal
	// What was paid compared with what was asked: exactly, less or more; absent until known. Since 0.2.0.
	Paid Paid
	// Whether the payment is done and exactly what was asked was paid. Since 0.2.0.
	Succeeded bool
	// Where the customer pays; only where the customer may. Since 0.2.0.
	Credentials *Payment
	// What the service has reported of the payment, merged. Since 0.2.0.
	Payment *Payment
	// How the confirm stands; absent where there is none. Since 0.2.0.
	Confirm Intent
	// How the cancel stands; absent where there is none. Since 0.2.0.
	Cancel Intent
	// What there is to report. Since 0.2.0.
	Reported Level
	// What of it the merchant has acknowledged. Since 0.2.0.
	Acknowledged Level
	// Why the last call about it failed: code, outcome and description. Since 0.2.0.
	Error *Error
	// Why an operator must decide about it. Since 0.2.0.
	Attention []Attention
	// When it was stored, in milliseconds since 1970 by the database's clock. Since 0.2.0.
	CreatedAt time.Time
	// When it was last written. Since 0.2.0.
	UpdatedAt time.Time
	// When the service is asked about it next; absent where it is not. Since 0.2.0.
	DueAt time.Time

	// generated: end
	// Whether it is an orphan, a verified message that matches no attempt; Journal.Attention returns orphans. An
	// orphan has an order id, the attempt to whose URL it came if there is one, and no standing. Since 0.2.0.
	IsOrphan bool
	// The earlier attempts, the newest first; empty if the call returned only one attempt. Since 0.2.0.
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
