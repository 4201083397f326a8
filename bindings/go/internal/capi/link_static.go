//go:build merchantpay_static

package capi

// The archive comes first, so that nothing is left to take from the shared library beside it.

// #cgo pkg-config: --static merchantpay
// #cgo LDFLAGS: -Wl,--as-needed -l:libmerchantpay.a
import "C"
