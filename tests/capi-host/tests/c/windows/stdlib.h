/* The functions of POSIX for environment variables, for Windows. */
#ifndef STDLIB_H
#define STDLIB_H
#pragma GCC system_header
#include_next <stdlib.h>

static inline int setenv(const char *name, const char *value, int replaces) {
    (void)replaces;
    return _putenv_s(name, value);
}

static inline int unsetenv(const char *name) {
    return _putenv_s(name, "");
}
#endif
