/* Go's runtime imports the function ProcessPrng of Windows 10, which wine 8 lacks. This library provides it: it returns
 * random bytes from a function of wine. */
#include <windows.h>
/* ntsecapi.h needs the types of windows.h. */
#include <ntsecapi.h>

__declspec(dllexport) BOOL WINAPI ProcessPrng(PBYTE bytes, SIZE_T size) {
    return RtlGenRandom(bytes, (ULONG)size);
}
