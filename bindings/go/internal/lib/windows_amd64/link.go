// Package windows_amd64 has the C library for Windows on x86_64, for programs of 64 bits. bindings/go/tools/package adds the library's file.
package windows_amd64

// #cgo LDFLAGS: -L${SRCDIR} -l:libmerchantpay_windows_amd64.a -lbcrypt -ladvapi32 -lntdll -luserenv -lws2_32 -ldbghelp -lkernel32
// #ifndef __MINGW32__
// #error "this C compiler is not mingw, which Go needs on Windows"
// #endif
import "C"
