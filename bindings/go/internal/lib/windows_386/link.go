// Package windows_386 has the C library for Windows on x86, for programs of 32 bits. bindings/go/tools/package adds the library's file.
package windows_386

// #cgo LDFLAGS: -L${SRCDIR} -l:libmerchantpay_windows_386.a -lbcrypt -ladvapi32 -lntdll -luserenv -lws2_32 -ldbghelp -lkernel32
// #ifndef __MINGW32__
// #error "this C compiler is not mingw, which Go needs on Windows"
// #endif
import "C"
