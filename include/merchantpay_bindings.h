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
 * order id, content type and excerpt. The body is not included. Borrowed from the error. Any thread. Since
 * 0.3.0.
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
 * Returns all values of an entry at once, in the format of mpay_payment_fields: the JSON; "1" for an orphan,
 * else "0"; outcome and description of its error; then its fields in the order of the definition, from the
 * reference to the due time. Numbers and times are digits. Levels, standings and the error's code are names.
 * Commas separate the reasons for attention. Credentials and payment are "1" if present: see
 * mpay_entry_credentials and mpay_entry_payment. Borrowed from the entry. Any thread. Since 0.3.0.
 */
MPAY_NODISCARD MPAY_API const void *MPAY_CALL mpay_entry_fields(const mpay_entry *entry, size_t *len);

/**
 * Returns the URL and all headers of a request at once: the URL, then the name and the value of each header
 * in turn. A NUL separates two texts. Borrowed from the request. Any thread. Since 0.1.0.
 */
MPAY_NODISCARD MPAY_API const void *MPAY_CALL mpay_http_request_head(const mpay_http_request *request, size_t *len);

/**
 * Sets whether the database is checked together with the first attempt that is read (1) or when the journal
 * is opened (0, the default). With 1, a journal that is opened for one web request saves a statement. A
 * fault of the database is then the error of the journal's first operation, before anything is sent. Returns
 * MPAY_OK or MPAY_INVALID_ARGUMENT. One thread at a time. Since 0.2.0.
 */
MPAY_API int32_t MPAY_CALL mpay_journal_config_set_check_later(mpay_journal_config *config, int32_t later);

#ifdef __cplusplus
}
#endif

#endif /* MERCHANTPAY_BINDINGS_H */
