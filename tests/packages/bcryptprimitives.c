/* What Go's runtime takes of Windows 10, and wine 8 does not have: random bytes, by what wine has for them. */
#include <windows.h>
/* Needs the types of the one before. */
#include <ntsecapi.h>

__declspec(dllexport) BOOL WINAPI ProcessPrng(PBYTE bytes, SIZE_T size) {
    return RtlGenRandom(bytes, (ULONG)size);
}
