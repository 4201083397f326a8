package capi

// #include "bridge.h"
import "C"

// ToBalance calls mpay_to_balance.
func ToBalance(sum, rate string, balance int32, scale uint32, rounding int32) (string, *Error) {
	sumText, err := newText("sum", sum)
	if err != nil {
		return "", err
	}
	rateText, err := newText("rate", rate)
	if err != nil {
		return "", err
	}
	var amount *C.mpay_amount
	var text *C.char
	failure := C.bridge_to_balance(sumText.pointer(), rateText.pointer(), C.int32_t(balance), C.uint32_t(scale), C.int32_t(rounding), &amount, &text)
	if failure != nil {
		return "", takeError(failure)
	}
	defer C.mpay_amount_free(amount)
	return C.GoString(text), nil
}
