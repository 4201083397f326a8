//go:build !merchantpay_dynamic

package waist

// The package capi has the header and selects the module with the library.

// #cgo CFLAGS: -I${SRCDIR}/../capi/include
import "C"
