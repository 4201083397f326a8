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

	// The merchant's order number. Since 0.2.0.
	Reference string
	// The number of the attempt, from 1. Since 0.2.0.
	Attempt int
	// The state of the attempt. It does not say that the attempt is paid: "succeeded" does. Since 0.2.0.
	Standing Standing
	// The service's order id, once it is known. Since 0.2.0.
	OrderID string
	// The last status that the service reported. Since 0.4.0.
	Status string
	// The requested sum. Since 0.2.0.
	SumAsked decimal.Decimal
	// The paid sum, once the service has reported a success with its sum. Since 0.4.0.
	SumPaid decimal.Decimal
	// Ship: paid with the requested sum, and the reference's only success. Since 0.2.0.
	Succeeded bool
	// What the customer needs to pay, only while the customer may pay. Since 0.2.0.
	Credentials *Payment
	// The number of the newest news. It only grows; 0 if there were none. Since 0.4.0.
	News int64
	// The newest news are acknowledged, or there were none. Since 0.2.0.
	Acknowledged bool
	// The newest instruction: confirm or cancel. Since 0.4.0.
	Intent Intent
	// What became of the instruction. Since 0.4.0.
	IntentState IntentState
	// Why a person must look at the attempt. Since 0.2.0.
	Attention []Attention
	// The error of the last call about the attempt: code, outcome and the service's description. Since 0.2.0.
	Error *Error
	// When the attempt was stored, in milliseconds since 1970 by the database's clock. Since 0.2.0.
	CreatedAt time.Time
	// When it was last written, likewise. Since 0.2.0.
	UpdatedAt time.Time

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
		Status:       fields.Next(),
		SumAsked:     fields.amount(),
		SumPaid:      fields.amount(),
		Succeeded:    fields.flag(),
		Credentials:  fields.payment(from.Credentials),
		News:         fields.Number(),
		Acknowledged: fields.flag(),
		Intent:       named[Intent](fields.Next()),
		IntentState:  named[IntentState](fields.Next()),
		Attention:    fields.reasons(),
		Error:        fields.problem(),
		CreatedAt:    fields.time(),
		UpdatedAt:    fields.time(),
		// generated: end
	}
	return fields.fault()
}
