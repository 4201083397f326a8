/* Functions that fail: they return a code, and make no error object. cpp/without_error.cpp is
   linked with them before the library's own. */
#include <stdint.h>

/* The parameters are unspecified, because none is used. The code is MPAY_INTERNAL. */
#define FAILS(name)  \
    int32_t name() { \
        return 90;   \
    }

FAILS(mpay_confirm)
FAILS(mpay_get_status)
FAILS(mpay_verify_webhook)
FAILS(mpay_explain_webhook)
