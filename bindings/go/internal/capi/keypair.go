package capi

// #include "bridge.h"
import "C"

// GenerateKeypair calls mpay_keypair_generate.
func GenerateKeypair() (private, public string, err *Error) {
	var pair C.struct_bridge_keypair
	if failure := C.bridge_keypair(&pair); failure != nil {
		return "", "", takeError(failure)
	}
	defer C.mpay_keypair_free(pair.owner)
	return C.GoString(pair.private_key), C.GoString(pair.public_key), nil
}
