// Package linux_arm64_musl has the C library for Linux on 64-bit ARM with musl. bindings/go/tools/package adds the library's file.
package linux_arm64_musl

// #cgo LDFLAGS: -L${SRCDIR} -l:libmerchantpay_linux_arm64_musl.a
// #include <stdlib.h>
// #ifdef __GLIBC__
// #error "this C compiler is for glibc: build without the tag merchantpay_musl"
// #endif
import "C"
