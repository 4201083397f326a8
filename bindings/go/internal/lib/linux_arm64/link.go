// Package linux_arm64 has the C library for Linux on 64-bit ARM with glibc. bindings/go/tools/package adds the library's file.
package linux_arm64

// #cgo LDFLAGS: -L${SRCDIR} -l:libmerchantpay_linux_arm64.a -lutil -lrt -lpthread -lm -ldl
// #include <stdlib.h>
// #ifndef __GLIBC__
// #error "this C compiler is not for glibc: build with -tags merchantpay_musl"
// #endif
import "C"
