package merchantpay

import (
	"encoding/json"
	"time"

	"github.com/shopspring/decimal"

	"github.com/merchantpay/merchantpay-go/internal/capi"
)

// Entry is one attempt of a payment at the time of reading. [Journal.Attention] also returns orphans and rows that
// cannot be read: see IsOrphan and Unreadable. An absent value is the field's zero value. An Entry is a value: a
// caller or a test can make one.
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
	Status Status
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
	// What each reason of Attention means here, in the same order. Only Journal.Attention sets it. Since 0.4.0.
	Details []string
	// True for an orphan: verified messages about an order that no attempt has. It has OrderID, Status and CreatedAt,
	// the time of the first message. It has Reference and Attempt only if a message came to the URL of that attempt.
	// Since 0.2.0.
	IsOrphan bool
	// The column that makes a row unreadable, because a newer version or another program has written it. Such an
	// entry has only Reference and Attempt. Since 0.4.0.
	Unreadable string
	// The whole entry as one line of JSON. Since 0.2.0.
	JSON json.RawMessage
}

// read copies the library's result.
func (e *Entry) read(from *capi.Entry) error {
	fields := entryReader{Entry: from}
	*e = Entry{
		// generated: begin read
		Reference:    fields.Next(),
		Attempt:      int(fields.Number()),
		Standing:     named[Standing](fields.Next()),
		OrderID:      fields.Next(),
		Status:       Status(fields.Next()),
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
