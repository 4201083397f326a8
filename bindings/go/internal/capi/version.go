// Package capi is the only one that calls C: it converts Go values to those of merchantpay.h and copies the
// results, so that no C pointer leaves it.
package capi

// #include "bridge.h"
import "C"

// HeaderVersion is the version of the header with which this package was built.
const HeaderVersion = C.MPAY_HEADER_VERSION

// Version is the version of the loaded library, as text and as a number that grows.
func Version() (string, uint32) {
	return C.GoString(C.mpay_version()), uint32(C.mpay_version_number())
}

// Check refuses a library with another ABI, or one that is older than this package's header.
func Check() *Error {
	if C.mpay_abi_version() == C.MPAY_HEADER_ABI && C.mpay_version_number() >= C.MPAY_HEADER_VERSION_NUMBER {
		return nil
	}
	version, _ := Version()
	return &Error{
		CodeName: "internal", OutcomeName: "not_sent",
		Message: "libmerchantpay is " + version + ", but this program was built with " + HeaderVersion,
	}
}
