//go:build !merchantpay_dynamic

// Package include contains the header of the C library. bindings/go/tools/package puts the header into this
// folder.
package include

// #cgo CFLAGS: -I${SRCDIR}
// #if !__has_include(<merchantpay.h>)
// #error "the sources come without the C library: install it and build with -tags merchantpay_dynamic"
// #endif
import "C"
