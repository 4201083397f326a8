//go:build !merchantpay_dynamic

package waist

// The module of each platform contains the library. The files link_*.go in this folder select the module of the
// platform.

// #cgo CFLAGS: -I${SRCDIR}/include
import "C"

import _ "github.com/merchantpay/merchantpay-go/internal/waist/include"
