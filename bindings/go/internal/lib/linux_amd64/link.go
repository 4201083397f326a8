// Package linux_amd64 has the C library for Linux on x86_64 with glibc. bindings/go/tools/package adds the library's file.
package linux_amd64

// #cgo LDFLAGS: -L${SRCDIR} -l:libmerchantpay_linux_amd64.a -lutil -lrt -lpthread -lm -ldl
// #include <stdlib.h>
// #ifndef __GLIBC__
// #error "this C compiler is not for glibc: build with -tags merchantpay_musl"
// #endif
import "C"
