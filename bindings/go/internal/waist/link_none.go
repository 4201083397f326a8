//go:build cgo && !merchantpay_dynamic && !((linux && (amd64 || arm64 || (arm && !merchantpay_musl))) || (windows && (amd64 || 386) && !merchantpay_musl))

package waist

// The compiler reports this undefined name as the error text.
var _ = merchantpay_has_no_library_for_this_platform__install_it_and_build_with_the_tag_merchantpay_dynamic
