/**
 * @file merchantpay_bindings.h
 * For bindings of other languages, not for programs: reads that save foreign calls, where each of them has a cost. What they give,
 * merchantpay.h gives too, one by one. Written by `make generate`: do not edit.
 *
 * Each gives the start of bytes that are borrowed from the handle, and their length through len, which may be NULL.
 */

#ifndef MERCHANTPAY_BINDINGS_H
#define MERCHANTPAY_BINDINGS_H

#include "merchantpay.h"

#ifdef __cplusplus
extern "C" {
#endif

/**
 * All of a payment at once: the contract's fields in the order of their getters in merchantpay.h, from
 * mpay_payment_order_id on; "1" if it is final, else "0"; the JSON. A NUL stands between two; an absent one
 * is the byte 0xFF, which is in no text. Borrowed from the payment. Any thread. Since 0.1.0.
 */
MPAY_API const void *MPAY_CALL mpay_payment_fields(const mpay_payment *payment, size_t *len);

/**
 * All of an event at once: what mpay_event_kind gives, in digits, a NUL, and what mpay_payment_fields gives
 * of its payment. Borrowed from the event. Any thread. Since 0.1.0.
 */
MPAY_API const void *MPAY_CALL mpay_event_fields(const mpay_event *event, size_t *len);

/**
 * The URL and all headers of a request at once: the URL, then the name and the value of each header in turn.
 * A NUL stands between two. Borrowed from the request. Any thread. Since 0.1.0.
 */
MPAY_API const void *MPAY_CALL mpay_http_request_head(const mpay_http_request *request, size_t *len);

/**
 * Sets whether a database is asked along with the first attempt that is read (1), or when the journal is
 * opened (0, as unless set), what it must give: so a journal that is opened for one request costs no statement
 * of its own. What is wrong is then the error of that operation, before anything is sent. Returns MPAY_OK or
 * MPAY_INVALID_ARGUMENT. One thread at a time. Since 0.2.0.
 */
MPAY_API int32_t MPAY_CALL mpay_journal_config_set_check_later(mpay_journal_config *config, int32_t later);

#ifdef __cplusplus
}
#endif

#endif /* MERCHANTPAY_BINDINGS_H */
