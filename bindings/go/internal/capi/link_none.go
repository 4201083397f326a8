//go:build cgo && !merchantpay_dynamic && !((linux && (amd64 || arm64 || (arm && !merchantpay_musl))) || (windows && (amd64 || 386) && !merchantpay_musl))

package capi

// The undefined name is what the compiler then says.
var _ = merchantpay_has_no_library_for_this_platform__install_it_and_build_with_the_tag_merchantpay_dynamic
