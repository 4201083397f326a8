package capi

// #cgo noescape bridge_take_payment
// #cgo nocallback bridge_take_payment
// #include "bridge.h"
import "C"

import (
	"bytes"
	"strconv"
)

// Payment is a copied payment of a verified reply or webhook. An absent value is empty.
type Payment struct {
	Fields    [PaymentFields]string // The fields are in the order of the library's definition.
	Final     bool
	JSON      []byte
	EventKind int32
}

// OrderID is the field with the order's id.
func (p *Payment) OrderID() string { return p.Fields[PaymentOrderID] }

// Amounts are the copied amounts of a verified reply.
type Amounts struct {
	Amounts       []string
	OtherPossible bool
	JSON          string
}

// takePayment copies a payment and frees it.
func takePayment(payment *C.mpay_payment) *Payment {
	var own [bufferSize]byte
	buffer := own[:]
	to, size := bufferPointer(buffer)
	from := C.bridge_take_payment(payment, to, size)
	if from.left != nil {
		buffer = make([]byte, int(from.total))
		to, size = bufferPointer(buffer)
		from = C.bridge_take_payment(payment, to, size)
	}
	taken := newPayment(buffer[:from.total])
	return &taken
}

// newPayment copies the fields of a payment, in the library's order. The texts of the fields share one piece of
// memory. The JSON is larger, and has its own piece of memory.
func newPayment(from []byte) Payment {
	final, rest, _ := bytes.Cut(from, separator)
	json, rest, _ := bytes.Cut(rest, separator)
	texts := Fields{string(rest)}
	payment := Payment{Final: string(final) == "1", JSON: copied(json)}
	for i := range payment.Fields {
		payment.Fields[i] = texts.Next()
	}
	return payment
}

// newEvent copies the payment and the kind of an event.
func newEvent(from []byte) Payment {
	kind, rest, _ := bytes.Cut(from, separator)
	payment := newPayment(rest)
	payment.EventKind = eventKind(string(kind))
	return payment
}

// eventKind reads the number of an event's kind. If the text is not a number, it returns 0, which no kind has.
func eventKind(digits string) int32 {
	kind, err := strconv.ParseInt(digits, 10, 32)
	if err != nil {
		return 0
	}
	return int32(kind)
}

// takeAmounts copies amounts and frees them.
func takeAmounts(from *C.struct_bridge_amounts) *Amounts {
	amounts := &Amounts{
		Amounts:       make([]string, int(from.count)),
		OtherPossible: from.other_possible == 1,
		JSON:          C.GoString(from.json),
	}
	for i := range amounts.Amounts {
		amounts.Amounts[i] = C.GoString(C.mpay_amounts_get(from.owner, C.size_t(i)))
	}
	C.mpay_amounts_free(from.owner)
	return amounts
}
