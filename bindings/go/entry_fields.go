package merchantpay

import (
	"encoding/json"
	"time"

	"github.com/shopspring/decimal"

	"github.com/merchantpay/merchantpay-go/internal/capi"
)

// Entry is one attempt of a payment at the time of reading, or an orphan, a verified message that matches no
// attempt (see IsOrphan). An absent value is the field's zero value. Only a [Journal] makes entries. The
// journal's methods accept no other entries.
//
// The JSON form of an entry is an object with the same names as in the output of `merchantpay journal`.
type Entry struct {
	// generated: begin fields

	// The merchant's own order number. Since 0.2.0.
	Reference string
	// The number of the attempt, from 1. Since 0.2.0.
	Attempt int
	// The state of the attempt in the journal. Since 0.2.0.
	Standing Standing
	// The service's order id; absent until it is known. Since 0.2.0.
	OrderID string
	// The requested sum. Since 0.2.0.
	SumAsked decimal.Decimal
	// The paid sum compared with the requested sum: exactly, less or more; absent until it is known. Since 0.2.0.
	Paid Paid
	// True if the payment has succeeded with exactly the requested sum. Since 0.2.0.
	Succeeded bool
	// The payment details that the customer needs (credentials); present only while the customer may pay. Since 0.2.0.
	Credentials *Payment
	// The payment, merged from all messages of the service. Since 0.2.0.
	Payment *Payment
	// The state of the confirm; absent if there is no confirm. Since 0.2.0.
	Confirm Intent
	// The state of the cancel; absent if there is no cancel. Since 0.2.0.
	Cancel Intent
	// The level that the attempt has reached, for example credentials or final. Since 0.2.0.
	Reported Level
	// The level that the merchant has acknowledged. Since 0.2.0.
	Acknowledged Level
	// The error of the last call for the attempt: code, outcome and description. Since 0.2.0.
	Error *Error
	// The reasons for which an operator must decide about the attempt. Since 0.2.0.
	Attention []Attention
	// The time at which the attempt was stored, in milliseconds since 1970 by the database's clock. Since 0.2.0.
	CreatedAt time.Time
	// The time of the last write. Since 0.2.0.
	UpdatedAt time.Time
	// The time at which the journal queries the service next; absent if no query is planned. Since 0.2.0.
	DueAt time.Time

	// generated: end
	// True if the entry is an orphan, a verified message that matches no attempt; Journal.Attention returns
	// orphans. An orphan has an order id and no standing. It has the reference and the number of an attempt
	// only if the message came to the URL of that attempt. Since 0.2.0.
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
