/* What Go's runtime takes of Windows 10, and wine 8 does not have: random bytes, by what wine has for them. */
#include <ntsecapi.h>
#include <windows.h>

__declspec(dllexport) BOOL WINAPI ProcessPrng(PBYTE bytes, SIZE_T size) {
    return RtlGenRandom(bytes, (ULONG)size);
}
