//go:build !cgo

package capi

// The undefined name is what the compiler then says, in place of every name that cgo would have defined.
var _ = merchantpay_needs_cgo__set_CGO_ENABLED_1_and_install_a_C_compiler
