package capi

// #include "bridge.h"
import "C"

// GenerateKeypair is mpay_keypair_generate.
func GenerateKeypair() (private, public string, err *Error) {
	var pair C.struct_bridge_keypair
	var failure C.struct_bridge_error
	if C.bridge_keypair(&pair, &failure) != C.MPAY_OK {
		return "", "", takeError(&failure)
	}
	defer C.mpay_keypair_free(pair.owner)
	return C.GoString(pair.private_key), C.GoString(pair.public_key), nil
}
