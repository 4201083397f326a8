// Package capi is the only one that calls C: it turns values of Go into those of merchantpay.h and copies what comes back, so
// that no pointer of C leaves it.
package capi

// #include "bridge.h"
import "C"

// HeaderVersion is the version that this package was built with.
const HeaderVersion = C.MPAY_HEADER_VERSION

// Version is the version of the library that runs, as text and as a number that grows.
func Version() (string, uint32) {
	return C.GoString(C.mpay_version()), uint32(C.mpay_version_number())
}

// Check refuses a library of another ABI, or an older one than this package was built with.
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
