// Package linux_amd64_musl has the C library for Linux on x86_64 with musl. bindings/go/tools/package adds the library's file.
package linux_amd64_musl

// #cgo LDFLAGS: -L${SRCDIR} -l:libmerchantpay_linux_amd64_musl.a
// #include <stdlib.h>
// #ifdef __GLIBC__
// #error "this C compiler is for glibc: build without the tag merchantpay_musl"
// #endif
import "C"
