/* The functions of dlfcn.h that the tests use, for Windows. */
#ifndef DLFCN_H
#define DLFCN_H
#pragma GCC system_header
#include <stdio.h>
#include <string.h>
/* NOGDI leaves out wingdi.h, which defines ERROR. */
#define NOGDI
#include <winsock2.h>

#define RTLD_NOW 0
#define RTLD_LOCAL 0
#define RTLD_NOLOAD 1

static inline void *dlopen(const char *file, int flags) {
    HMODULE module = NULL;
    if (flags & RTLD_NOLOAD) return GetModuleHandleExA(0, file, &module) ? (void *)module : NULL;
    return (void *)LoadLibraryA(file);
}

static inline void *dlsym(void *library, const char *name) {
    FARPROC function = GetProcAddress((HMODULE)library, name);
    void *symbol;
    memcpy(&symbol, &function, sizeof symbol);
    return symbol;
}

static inline int dlclose(void *library) {
    return FreeLibrary((HMODULE)library) ? 0 : -1;
}

static inline const char *dlerror(void) {
    static char text[32];
    snprintf(text, sizeof text, "error %lu", GetLastError());
    return text;
}
#endif
