//go:build !merchantpay_dynamic

package capi

// The platform's module contains the library; the neighbouring files select the module.

// #cgo CFLAGS: -I${SRCDIR}/include
import "C"

import _ "github.com/merchantpay/merchantpay-go/internal/capi/include"
