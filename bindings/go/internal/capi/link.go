//go:build !merchantpay_static

package capi

// #cgo pkg-config: merchantpay
import "C"
