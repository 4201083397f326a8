// Package linux_arm has the C library for Linux on ARMv7 with floating point registers with glibc. bindings/go/tools/package adds the library's file.
package linux_arm

// #cgo LDFLAGS: -L${SRCDIR} -l:libmerchantpay_linux_arm.a -lutil -lrt -lpthread -lm -ldl
// #include <stdlib.h>
// #ifndef __GLIBC__
// #error "this C compiler is not for glibc: build with -tags merchantpay_musl"
// #endif
import "C"
