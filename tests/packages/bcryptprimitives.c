/* Go's runtime imports this function of Windows 10, which wine 8 lacks: random bytes, from wine's own
 * function. */
#include <windows.h>
/* This header needs the types of the previous header. */
#include <ntsecapi.h>

__declspec(dllexport) BOOL WINAPI ProcessPrng(PBYTE bytes, SIZE_T size) {
    return RtlGenRandom(bytes, (ULONG)size);
}
