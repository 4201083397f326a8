//go:build !merchantpay_dynamic

// Package include has the headers of the C library. bindings/go/tools/package puts them here.
package include

// #cgo CFLAGS: -I${SRCDIR}
// #if !__has_include(<merchantpay_bindings.h>)
// #error "the sources come without the C library: install it and build with -tags merchantpay_dynamic"
// #endif
import "C"
