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
 * All of a payment at once: "1" if it is final, else "0"; the JSON; the contract's fields in the order of their
 * getters in merchantpay.h, from mpay_payment_order_id on. A NUL stands between two; an absent one is the byte 0xFF,
 * which is in no text. A later version may add fields behind the last. Borrowed from the payment. Any thread. Since
 * 0.1.0.
 */
MPAY_NODISCARD MPAY_API const void *MPAY_CALL mpay_payment_fields(const mpay_payment *payment, size_t *len);

/**
 * All of an event at once: what mpay_event_kind gives, in digits, a NUL, and what mpay_payment_fields gives
 * of its payment. Borrowed from the event. Any thread. Since 0.1.0.
 */
MPAY_NODISCARD MPAY_API const void *MPAY_CALL mpay_event_fields(const mpay_event *event, size_t *len);

/**
 * All of an error at once, as mpay_payment_fields gives a payment: the names of code and outcome; "1" if it is
 * transient, else "0"; the HTTP status in digits; message, description, reason, order id, content type and excerpt.
 * Its body is not among them. Borrowed from the error. Any thread. Since 0.3.0.
 */
MPAY_NODISCARD MPAY_API const void *MPAY_CALL mpay_error_fields(const mpay_error *error, size_t *len);

/**
 * All of an attempt at once, as mpay_payment_fields gives a payment: the line of mpay_attempt_line; operation and
 * order id; number, HTTP status and elapsed milliseconds in digits; the names of code and outcome, absent for a
 * success. Borrowed from the attempt. The callback's thread. Since 0.3.0.
 */
MPAY_NODISCARD MPAY_API const void *MPAY_CALL mpay_attempt_fields(const mpay_attempt *attempt, size_t *len);

/**
 * All of an entry at once, as mpay_payment_fields gives a payment: the JSON; "1" for an orphan,
 * else "0"; outcome and description of its error; then its fields in the order of the definition, from the reference
 * to the time when it is due. Numbers and times are in digits, levels and the like by their names, the error by its
 * code's name, reasons for attention with commas between. For credentials and payment it is "1" if there is one: see
 * mpay_entry_credentials and mpay_entry_payment. Borrowed from the entry. Any thread. Since
 * 0.3.0.
 */
MPAY_NODISCARD MPAY_API const void *MPAY_CALL mpay_entry_fields(const mpay_entry *entry, size_t *len);

/**
 * The URL and all headers of a request at once: the URL, then the name and the value of each header in turn.
 * A NUL stands between two. Borrowed from the request. Any thread. Since 0.1.0.
 */
MPAY_NODISCARD MPAY_API const void *MPAY_CALL mpay_http_request_head(const mpay_http_request *request, size_t *len);

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
