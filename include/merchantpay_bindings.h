/**
 * @file merchantpay_bindings.h For bindings of other languages, not for programs: each read returns several
 * values, which saves foreign calls. merchantpay.h returns the same values one by one. Written by `make
 * generate`: do not edit.
 *
 * Each function returns bytes that are borrowed from the handle, and writes their length to len, which may be
 * NULL.
 */

#ifndef MERCHANTPAY_BINDINGS_H
#define MERCHANTPAY_BINDINGS_H

#include "merchantpay.h"

#ifdef __cplusplus
extern "C" {
#endif

/**
 * Returns all values of a payment at once: "1" if its status is final, else "0"; the JSON; the contract's
 * fields in the order of their getters in merchantpay.h, from mpay_payment_order_id on. A NUL separates two
 * fields; an absent field is the byte 0xFF, which no text contains. A later version may append fields.
 * Borrowed from the payment. Any thread. Since 0.1.0.
 */
MPAY_NODISCARD MPAY_API const void *MPAY_CALL mpay_payment_fields(const mpay_payment *payment, size_t *len);

/**
 * Returns all values of an event at once: the result of mpay_event_kind in digits, a NUL, and the result of
 * mpay_payment_fields for its payment. Borrowed from the event. Any thread. Since 0.1.0.
 */
MPAY_NODISCARD MPAY_API const void *MPAY_CALL mpay_event_fields(const mpay_event *event, size_t *len);

/**
 * Returns all values of an error at once, in the format of mpay_payment_fields: the names of code and
 * outcome; "1" if the error is transient, else "0"; the HTTP status in digits; message, description, reason,
 * order id, content type, excerpt, and the milliseconds to wait in digits. The body is not included. Borrowed
 * from the error. Any thread. Since 0.3.0.
 */
MPAY_NODISCARD MPAY_API const void *MPAY_CALL mpay_error_fields(const mpay_error *error, size_t *len);

/**
 * Returns all values of an HTTP attempt at once, in the format of mpay_payment_fields: the line of
 * mpay_attempt_line; operation and order id; number, HTTP status and elapsed milliseconds in digits; the
 * names of code and outcome, absent for a success. Borrowed from the attempt. The callback's thread only.
 * Since 0.3.0.
 */
MPAY_NODISCARD MPAY_API const void *MPAY_CALL mpay_attempt_fields(const mpay_attempt *attempt, size_t *len);

/**
 * Returns all values of an entry at once, in the format of mpay_payment_fields: the JSON; outcome and
 * description of its error; "1" for an orphan, else "0"; the column that cannot be read; the details as a
 * JSON array; then its fields in the order of the definition, from the reference to the time of the last
 * write. Numbers and times are digits, flags are "1" or "0", lists are names. The error is its code. Commas
 * separate the reasons for attention. Credentials are "1" if present: see mpay_entry_credentials. Borrowed
 * from the entry. Any thread. Since 0.3.0.
 */
MPAY_NODISCARD MPAY_API const void *MPAY_CALL mpay_entry_fields(const mpay_entry *entry, size_t *len);

/**
 * Returns the URL and all headers of a request at once: the URL, then the name and the value of each header
 * in turn. A NUL separates two texts. Borrowed from the request. Any thread. Since 0.1.0.
 */
MPAY_NODISCARD MPAY_API const void *MPAY_CALL mpay_http_request_head(const mpay_http_request *request, size_t *len);

#ifdef __cplusplus
}
#endif

#endif /* MERCHANTPAY_BINDINGS_H */
