//go:build merchantpay_dynamic

package capi

// #cgo pkg-config: merchantpay
import "C"
