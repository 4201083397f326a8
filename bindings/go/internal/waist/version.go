package waist

// #include <merchantpay.h>
import "C"

func Version() string { return C.GoString(C.mpay_version()) }

// Check returns the fault of a library with another ABI, or of one that is older than the header of this package; "" if
// there is none.
func Check() string {
	if C.mpay_abi_version() == C.MPAY_HEADER_ABI && C.mpay_version_number() >= C.MPAY_HEADER_VERSION_NUMBER {
		return ""
	}
	return "libmerchantpay is " + Version() + ", but this program was built with " + C.MPAY_HEADER_VERSION
}
