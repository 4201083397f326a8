//go:build cgo && !merchantpay_dynamic && !merchantpay_musl

package capi

import _ "github.com/merchantpay/merchantpay-go/internal/lib/windows_386"
