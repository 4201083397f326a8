//go:build cgo && !merchantpay_dynamic && merchantpay_musl

package waist

import _ "github.com/merchantpay/merchantpay-go/internal/lib/linux_arm64_musl"
