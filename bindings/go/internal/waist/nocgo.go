//go:build !cgo

package waist

// The compiler reports this undefined name as the error text, instead of every name that cgo would define.
var _ = merchantpay_needs_cgo__set_CGO_ENABLED_1_and_install_a_C_compiler
