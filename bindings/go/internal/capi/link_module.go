//go:build !merchantpay_dynamic

package capi

// The module of the platform has the library; which one it is, the files beside this one say.

// #cgo CFLAGS: -I${SRCDIR}/include
import "C"

import _ "github.com/merchantpay/merchantpay-go/internal/capi/include"
