//go:build merchantpay_dynamic

package waist

// #cgo pkg-config: merchantpay
import "C"
