// Package capi is the only package that calls C. It converts Go values to the types of merchantpay.h and copies
// the results, so that no C pointer leaves the package.
package capi

// #include "bridge.h"
import "C"

// HeaderVersion is the version of the header with which this package was built.
const HeaderVersion = C.MPAY_HEADER_VERSION

// Version returns the version of the loaded library, as a text and as a number. A later version has a larger
// number.
func Version() (string, uint32) {
	return C.GoString(C.mpay_version()), uint32(C.mpay_version_number())
}

// Check refuses a library with a different ABI, or a library that is older than the header of this package.
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
