/* Functions that fail: they return a code, and make no error object. Tests of C++, PHP and Go load these
   functions before the library's own. */
#include <stdint.h>

/* The parameters are unspecified, because none is used. The code is MPAY_INTERNAL. */
#define FAILS(name)  \
    int32_t name() { \
        return 90;   \
    }

FAILS(mpay_get_available_amounts)
FAILS(mpay_new_payment)
FAILS(mpay_new_payment_async)
FAILS(mpay_confirm)
FAILS(mpay_cancel)
FAILS(mpay_get_status)
FAILS(mpay_attach_receipt)
FAILS(mpay_wait)
FAILS(mpay_client_connect)
FAILS(mpay_verify_webhook)
FAILS(mpay_prepare_new_payment)
FAILS(mpay_journal_pay)
FAILS(mpay_journal_find)
FAILS(mpay_journal_receive)
FAILS(mpay_journal_settle)
