// Command consumer calls the library through cgo, which must parse the header.
package main

/*
#cgo pkg-config: merchantpay
#include <merchantpay.h>
*/
import "C"

import "fmt"

func main() {
	var keys *C.mpay_keypair
	var failure *C.mpay_error
	code := C.mpay_keypair_generate(&keys, &failure)
	defer C.mpay_keypair_free(keys)
	refused := C.mpay_config_add_server_key_id(nil, nil)
	fmt.Println(C.GoString(C.mpay_version()), C.MPAY_HEADER_VERSION, code, refused == C.MPAY_INVALID_ARGUMENT, C.MPAY_NO_MINOR < 0)
}
