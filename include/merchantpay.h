/**
 * @file merchantpay.h
 * The client of the Merchant Payment Acceptance API. "Contract" is that API's document. Written by `make generate`: do not edit.
 *
 * These rules hold for every function:
 *
 * - Every object is a handle, and x is the name of its type: mpay_x_new makes it, mpay_x_free frees it, once, and
 *   mpay_x_free(NULL) does nothing. A function borrows its handles and never consumes them. Using a handle after it was freed
 *   is undefined.
 * - A function that can fail returns int32_t: MPAY_OK or a code. The result is in an out-pointer, which is NULL after a failure.
 *   The last parameter receives the error, which is NULL after a success; pass NULL to ignore errors.
 * - The compiler warns if a result is ignored (MPAY_NODISCARD), except the result of a setter.
 * - A function that cannot fail returns its value; for a NULL handle it returns 0, NULL or MPAY_NO_MINOR.
 * - String arguments are NUL-terminated UTF-8 and are copied. Returned strings are borrowed from their handle until it is
 *   freed. NULL means absent, in arguments and in results. Amounts are decimal text.
 * - "" is not absent: no setting, request field, order id or file name may be empty. So a value that got lost in the host is an
 *   error (MPAY_INVALID_ARGUMENT; a key: MPAY_INVALID_KEY) and is not silently left out. Only data from the network is accepted
 *   unchanged: the body and the headers of a webhook or response.
 * - Bytes are a void * and a size_t. For returned bytes, mpay_x_len returns the size_t of mpay_x. (NULL, 0) means no bytes.
 * - NULL for a required value, and text that is not UTF-8, are MPAY_INVALID_ARGUMENT. A setter returns this code, and its
 *   handle remembers the error: every use of the handle then fails. So a program may ignore a setter's result. Other invalid
 *   values, except keys, are reported when they are used.
 * - Threads may share a handle only if its description says so; any other handle may be used by only one thread at a time.
 * - Only mpay_client_new and mpay_config_from_env read the environment: no other thread may change it while they run.
 * - user_data is passed to its callback unchanged. A function that stores a callback also takes a function that releases the
 *   user data: mpay_release_callback.
 * - No panic, signal or exception leaves a function. Only running out of memory ends the process.
 */

#ifndef MERCHANTPAY_H
#define MERCHANTPAY_H

#include <stddef.h>
#include <stdint.h>

/** The linkage of the functions. On Windows it is static, unless MPAY_DLL is defined. */
#if defined(_WIN32) && defined(MPAY_DLL)
#define MPAY_API __declspec(dllimport)
#else
#define MPAY_API
#endif

/**
 * The calling convention of functions and callbacks. On 32-bit Windows a compiler can have a different
 * default, so declare your callbacks with MPAY_CALL.
 */
#if defined(_WIN32) && !defined(_WIN64)
#define MPAY_CALL __cdecl
#else
#define MPAY_CALL
#endif

/**
 * Marks functions whose result must not be ignored: an ignored code hides a failure, and an ignored getter
 * does nothing. The compiler warns if a result is ignored. To disable the warning, define this macro as empty
 * before including the header.
 */
#ifndef MPAY_NODISCARD
#if defined(__cplusplus) && (__cplusplus >= 201703L || (defined(_MSVC_LANG) && _MSVC_LANG >= 201703L))
#define MPAY_NODISCARD [[nodiscard]]
#elif !defined(__cplusplus) && defined(__STDC_VERSION__) && __STDC_VERSION__ >= 202000L
#define MPAY_NODISCARD [[nodiscard]]
#elif defined(__GNUC__) || defined(__clang__)
#define MPAY_NODISCARD __attribute__((__warn_unused_result__))
#else
#define MPAY_NODISCARD
#endif
#endif

/**
 * Marks functions that a later version has replaced; the text names the better function. The marked functions
 * stay until the ABI changes.
 */
#if defined(_MSC_VER)
#define MPAY_DEPRECATED(text) __declspec(deprecated(text))
#elif defined(__GNUC__) || defined(__clang__)
#define MPAY_DEPRECATED(text) __attribute__((__deprecated__(text)))
#else
#define MPAY_DEPRECATED(text)
#endif

/** The version of this header, as text. */
#define MPAY_HEADER_VERSION "0.4.0"

/**
 * The version of this header as a number, which grows with each version: major * 10000 + minor * 100 +
 * patch.
 */
#define MPAY_HEADER_VERSION_NUMBER 400

/**
 * The ABI of this header. The library's SONAME contains it, and a program that was built with a different
 * ABI cannot use the library.
 */
#define MPAY_HEADER_ABI 0

/**
 * Success.
 */
#define MPAY_OK 0

/**
 * A value is wrong, for example a sum that is not greater than 0, or a file that cannot be read. Nothing was sent.
 */
#define MPAY_INVALID_ARGUMENT 10

/**
 * A key that is not base64, has a wrong length, has halves that do not match, or is not a point of the curve.
 */
#define MPAY_INVALID_KEY 11

/**
 * The host's own signer failed, for example an HSM that does not answer or a callback that failed. Nothing was sent.
 * Since 0.2.0.
 */
#define MPAY_SIGNER 12

/**
 * A failure of DNS, connecting or TLS, a broken connection, a redirect, or a reply that is too large.
 */
#define MPAY_TRANSPORT 20

/**
 * The deadline passed before the call ended.
 */
#define MPAY_TIMEOUT 21

/**
 * The caller interrupted the call. Since 0.2.0.
 */
#define MPAY_CANCELLED 22

/**
 * It is not proven that the reply or webhook comes from the service.
 */
#define MPAY_UNVERIFIED 30

/**
 * The service signed the reply or webhook, but the message violates the contract or is about another order.
 */
#define MPAY_MALFORMED 31

/**
 * The service refused the request in a verified reply.
 */
#define MPAY_REJECTED 40

/**
 * The journal could not be read or written. Since 0.2.0.
 */
#define MPAY_STORAGE 50

/**
 * Another worker was first. Version 0.3.0 returned this code; later versions do not. Since 0.3.0.
 */
#define MPAY_CONFLICT 51

/**
 * A bug of this library.
 */
#define MPAY_INTERNAL 90

/**
 * No byte of the request was written, so after a retry the request cannot take effect twice. A retry can succeed
 * only if the error is transient: a wrong argument stays wrong.
 */
#define MPAY_OUTCOME_NOT_SENT 1

/**
 * The service refused the request in a verified reply: the request did not take effect.
 */
#define MPAY_OUTCOME_REJECTED 2

/**
 * The request may have taken effect: call mpay_get_status, or ask support, before you send the request again.
 */
#define MPAY_OUTCOME_UNKNOWN 3

/**
 * "invalid currency"
 */
#define MPAY_REASON_INVALID_CURRENCY 1

/**
 * "invalid orderId"
 */
#define MPAY_REASON_INVALID_ORDER_ID 2

/**
 * "order not found"
 */
#define MPAY_REASON_ORDER_NOT_FOUND 3

/**
 * "invalid file format"
 */
#define MPAY_REASON_INVALID_FILE_FORMAT 4

/**
 * "payment could not be canceled"
 */
#define MPAY_REASON_PAYMENT_COULD_NOT_BE_CANCELED 5

/**
 * The payment was created, but no suitable payee has been found yet.
 */
#define MPAY_STATUS_FREE 1

/**
 * The service searches for credentials, or waits for the customer's payment.
 */
#define MPAY_STATUS_PENDING 2

/**
 * The payment is in arbitration, and a receipt must be attached.
 */
#define MPAY_STATUS_RECEIPT_REQUIRED 3

/**
 * The payment is completed. This status is final.
 */
#define MPAY_STATUS_DONE_SUCCESS 4

/**
 * The payment has failed. This status is final.
 */
#define MPAY_STATUS_DONE_FAIL 5

/**
 * The merchant cancelled the payment in arbitration. This status is final.
 */
#define MPAY_STATUS_ARBITRAGE_CANCELLED_BY_MERCHANT 6

/**
 * Exactly the requested sum was paid. Since 0.2.0.
 */
#define MPAY_PAID_EXACTLY 1

/**
 * Less than the requested sum was paid. Since 0.2.0.
 */
#define MPAY_PAID_LESS 2

/**
 * More than the requested sum was paid. Since 0.2.0.
 */
#define MPAY_PAID_MORE 3

/**
 * Credentials were found for a payment made by mpay_new_payment_async (contract, section 6.1).
 */
#define MPAY_EVENT_CREDENTIALS 1

/**
 * No credentials were found (contract, section 6.1): the payment has only its order id.
 */
#define MPAY_EVENT_CREDENTIALS_FAILED 2

/**
 * The payment has a new status (contract, section 6.2). The status is never "free" or "pending".
 */
#define MPAY_EVENT_STATUS 3

/**
 * The message carries no signature. Since 0.3.0.
 */
#define MPAY_CAUSE_MISSING_SIGNATURE 1

/**
 * The message carries more than one signature. Since 0.3.0.
 */
#define MPAY_CAUSE_REPEATED_SIGNATURE 2

/**
 * The signature is not the standard base64 of 64 bytes. Since 0.3.0.
 */
#define MPAY_CAUSE_SIGNATURE_ENCODING 3

/**
 * The body was changed after it was signed. Since 0.3.0.
 */
#define MPAY_CAUSE_BODY_CHANGED 4

/**
 * A digest of the body was signed instead of the body. Since 0.3.0.
 */
#define MPAY_CAUSE_DIGEST_SIGNED 5

/**
 * The merchant's own key signed the message. Since 0.3.0.
 */
#define MPAY_CAUSE_OWN_KEY 6

/**
 * Another known key signed the message. Since 0.3.0.
 */
#define MPAY_CAUSE_WRONG_KEY 7

/**
 * The key id is missing, the receiver's own, or unknown. Since 0.3.0.
 */
#define MPAY_CAUSE_KEY_ID 8

/**
 * No known mistake explains the message. Since 0.3.0.
 */
#define MPAY_CAUSE_NOT_EXPLAINED 9

/**
 * A balance in rubles: the sum is multiplied by the rate.
 */
#define MPAY_BALANCE_RUB 1

/**
 * A balance in USDT: the sum is divided by the rate.
 */
#define MPAY_BALANCE_USDT 2

/**
 * Round to the nearest value. A half is rounded away from zero, as in cash registers.
 */
#define MPAY_ROUNDING_HALF_UP 1

/**
 * Round to the nearest value. A half is rounded to the even neighbour.
 */
#define MPAY_ROUNDING_HALF_EVEN 2

/**
 * Round towards zero.
 */
#define MPAY_ROUNDING_DOWN 3

/**
 * Round away from zero.
 */
#define MPAY_ROUNDING_UP 4

/**
 * The call that makes the payment may still run. Since 0.2.0.
 */
#define MPAY_STANDING_SENDING 1

/**
 * The call is over, and nobody knows whether it made a payment. Since 0.2.0.
 */
#define MPAY_STANDING_UNKNOWN 2

/**
 * Nobody can pay. Since 0.2.0.
 */
#define MPAY_STANDING_REFUSED 3

/**
 * An order is bound, and its status is not final. Since 0.2.0.
 */
#define MPAY_STANDING_OPEN 4

/**
 * The status is final: a success or a failure. Since 0.2.0.
 */
#define MPAY_STANDING_FINAL 5

/**
 * A later attempt has replaced this one, whatever its state. Since 0.2.0.
 */
#define MPAY_STANDING_SUPERSEDED 6

/**
 * The customer has paid. Since 0.2.0.
 */
#define MPAY_INTENT_CONFIRM 1

/**
 * The payment is not wanted any more. Since 0.2.0.
 */
#define MPAY_INTENT_CANCEL 2

/**
 * Stored before its call. "settle" sends it again until there is an answer. Since 0.4.0.
 */
#define MPAY_INTENT_STATE_STORED 1

/**
 * The service accepted it. Since 0.4.0.
 */
#define MPAY_INTENT_STATE_ACCEPTED 2

/**
 * The service refused it. Since 0.4.0.
 */
#define MPAY_INTENT_STATE_REFUSED 3

/**
 * Nobody knows whether there is a payment; or a backup was restored, and later attempts may be missing. Since 0.2.0.
 */
#define MPAY_ATTENTION_UNKNOWN 1

/**
 * A message names an order that is not proven to be this attempt's. Since 0.2.0.
 */
#define MPAY_ATTENTION_ORDER_UNPROVEN 2

/**
 * An attempt was paid that nobody should have paid: refused, replaced, or beside another success. Since 0.2.0.
 */
#define MPAY_ATTENTION_PAID_UNASKED 3

/**
 * A success, or credentials, with another sum than the asked one. Since 0.2.0.
 */
#define MPAY_ATTENTION_SUM_DIFFERS 4

/**
 * A final status has changed. Since 0.2.0.
 */
#define MPAY_ATTENTION_STATUS_CHANGED 5

/**
 * The service does not know the order, does not end it, or does not follow an instruction. Since 0.2.0.
 */
#define MPAY_ATTENTION_STUCK 6

/**
 * There are credentials; or none can be expected soon, because the attempt is refused, unknown, replaced or final.
 * Since 0.2.0.
 */
#define MPAY_UNTIL_CREDENTIALS 1

/**
 * The status is final; or it cannot be expected soon, because the attempt is refused, unknown or replaced. Since
 * 0.2.0.
 */
#define MPAY_UNTIL_FINAL 2

/**
 * "?": PDO, JDBC, ODBC, Go's drivers of MySQL and SQLite. Since 0.4.0.
 */
#define MPAY_STYLE_QUESTION 1

/**
 * "$1": pgx, asyncpg, tokio-postgres. Since 0.4.0.
 */
#define MPAY_STYLE_DOLLAR 2

/**
 * "%s": psycopg, PyMySQL, Django. Since 0.4.0.
 */
#define MPAY_STYLE_PERCENT 3

/**
 * ":name": PDO, Doctrine, SQLAlchemy. Since 0.4.0.
 */
#define MPAY_STYLE_COLON 4

/**
 * "@name": ADO.NET. Since 0.4.0.
 */
#define MPAY_STYLE_AT 5

/**
 * The result of mpay_payment_sum_minor and mpay_amounts_get_minor if there is no sum, or if the sum is not
 * in whole kopecks.
 */
#define MPAY_NO_MINOR INT64_MIN

/**
 * An exact decimal. Any number of threads may read it at once.
 */
typedef struct mpay_amount mpay_amount;

/**
 * The amounts for which the service has a counter-offer right now (contract, section 4.1). The service reserves none
 * of them. Any number of threads may read them at once.
 */
typedef struct mpay_amounts mpay_amounts;

/**
 * Where a mpay_host puts its answer. It exists only during the callback.
 */
typedef struct mpay_answer_t mpay_answer_t;

/**
 * One HTTP attempt of a call, for a log: one request and its response. It contains no key, signature, body, account
 * or name. It belongs to the library and is valid until the callback returns.
 */
typedef struct mpay_attempt mpay_attempt;

/**
 * Makes calls to the service. Threads may share a client without a lock. After fork the child process may use the
 * client too: the child's calls open their own connections.
 */
typedef struct mpay_client mpay_client;

/**
 * Settings, which can be set in any order. A client, protocol or verifier checks and copies them when it is
 * made. One thread at a time may use them.
 */
typedef struct mpay_config mpay_config;

/**
 * A list of entries. Any number of threads may read it at once.
 */
typedef struct mpay_entries mpay_entries;

/**
 * An entry of the journal: one attempt of a payment. An entry of mpay_journal_attention can also be an
 * orphan (mpay_entry_is_orphan) or a row that cannot be read (mpay_entry_unreadable). An entry is a value:
 * it does not change, and needs no journal. Any number of threads may read an entry at once.
 */
typedef struct mpay_entry mpay_entry;

/**
 * The reason why a function failed. It belongs to the caller that passed the mpay_error **. Any thread may read it.
 */
typedef struct mpay_error mpay_error;

/**
 * The event that a verified webhook reports. Any number of threads may read an event at once.
 */
typedef struct mpay_event mpay_event;

/**
 * The reason why a webhook does not verify. Any number of threads may read it at once.
 */
typedef struct mpay_explanation mpay_explanation;

/**
 * A signed request. Send exactly this body with these headers, once, by POST. Any number of threads may read
 * it at once.
 */
typedef struct mpay_http_request mpay_http_request;

/**
 * A response exactly as the host received it, for mpay_open_*. One thread at a time may set it; any number
 * of threads may open it at once.
 */
typedef struct mpay_http_response mpay_http_response;

/**
 * A journal: each order number has at most one payment that a customer can pay. Threads may share it without a lock.
 */
typedef struct mpay_journal mpay_journal;

/**
 * The settings of a journal. They can be set in any order. A journal checks and copies the settings when it
 * is opened. One thread at a time may use them.
 */
typedef struct mpay_journal_config mpay_journal_config;

/**
 * A new pair of keys. The private key is wiped from memory when the pair is freed. Any number of threads may read
 * the pair at once.
 */
typedef struct mpay_keypair mpay_keypair;

/**
 * A payment as a verified reply or webhook reports it (contract, section 2). Every field except the order id may be
 * absent. Any number of threads may read it at once.
 */
typedef struct mpay_payment mpay_payment;

/**
 * The request of mpay_get_available_amounts, mpay_new_payment and mpay_new_payment_async. Its fields can be
 * set in any order, and are checked when the request is used. The request can be used several times. One
 * thread at a time may set its fields; any number of threads may use it at once.
 */
typedef struct mpay_payment_request mpay_payment_request;

/**
 * Signs requests for one service and verifies the service's replies. Threads may share a protocol without a lock.
 */
typedef struct mpay_protocol mpay_protocol;

/**
 * One or more receipts for a payment in arbitration (contract, section 4.7). One thread at a time may add
 * files; any number of threads may use the receipt at once.
 */
typedef struct mpay_receipt mpay_receipt;

/**
 * The counts of a journal. Any number of threads may read them at once.
 */
typedef struct mpay_stats mpay_stats;

/**
 * Verifies webhooks. Threads may share a verifier without a lock.
 */
typedef struct mpay_verifier mpay_verifier;

/**
 * A callback that gets every HTTP attempt after the attempt's end, on the thread that makes the call.
 * Several threads can call the callback at once. It must return normally: it must not throw or call longjmp.
 */
typedef void (MPAY_CALL *mpay_log_callback)(void *user_data, const mpay_attempt *attempt);

/**
 * Releases the user data of a callback, such as a reference count. It is called exactly once, on any thread,
 * when the callback cannot be called any more. It is also called if the setter fails, and if the callback is
 * NULL. If the release callback itself is NULL, nothing is released. It must return normally: it must not
 * throw or call longjmp, and must not use the library.
 */
typedef void (MPAY_CALL *mpay_release_callback)(void *user_data);

/**
 * A callback that signs the `len` bytes of `message` with the merchant's private key. It writes the 64 bytes
 * of the detached ed25519 signature, not base64, to `signature`, and returns 0. Any other number means that
 * signing failed; the call then fails with MPAY_SIGNER and MPAY_OUTCOME_NOT_SENT. Several threads can call
 * the callback at once. It must return normally: it must not throw or call longjmp.
 */
typedef int32_t (MPAY_CALL *mpay_signer_callback)(void *user_data, const void *message, size_t len, void *signature);

/**
 * An object of the library, for a binding of another language: a client, a journal and so on. A handle that
 * was closed, or never was one, is an error and does no harm. 0 is the object of the calls that need none.
 */
typedef uint64_t mpay_handle;

/**
 * Code of a host that opened an object. `what` is a callback of merchantpay.json: 0 releases the token, once,
 * on any thread, and has no answer; 1 logs; 2 signs. Others come on the thread that makes the call, possibly
 * on several threads at once. Put the answer by mpay_answer, and return 0; any other number is a failure. It
 * must return normally: it must not throw or call longjmp.
 */
typedef int32_t (MPAY_CALL *mpay_host)(size_t token, uint32_t what, const void *args, size_t len, mpay_answer_t *answer);

#ifdef __cplusplus
extern "C" {
#endif

/* ==== Versions ============================================================================================ */

/**
 * The version of the library at run time, as text such as "0.1.0". Static. Any thread. Since 0.1.0.
 */
MPAY_NODISCARD MPAY_API const char *MPAY_CALL mpay_version(void);

/**
 * The version of the library at run time, in the format of MPAY_HEADER_VERSION_NUMBER. Any thread. Since
 * 0.1.0.
 */
MPAY_NODISCARD MPAY_API uint32_t MPAY_CALL mpay_version_number(void);

/**
 * The ABI of the library at run time. Compare it with MPAY_HEADER_ABI if the program loads the library at
 * run time. Any thread. Since 0.1.0.
 */
MPAY_NODISCARD MPAY_API uint32_t MPAY_CALL mpay_abi_version(void);

/* ==== Errors ============================================================================================== */

/**
 * The code: MPAY_INVALID_ARGUMENT and so on; MPAY_OK for NULL. Any thread. Since 0.1.0.
 */
MPAY_NODISCARD MPAY_API int32_t MPAY_CALL mpay_error_code(const mpay_error *error);

/**
 * The code's name, such as "transport". Borrowed from the error. Any thread. Since 0.1.0.
 */
MPAY_NODISCARD MPAY_API const char *MPAY_CALL mpay_error_code_name(const mpay_error *error);

/**
 * Shows whether the request may have taken effect: MPAY_OUTCOME_NOT_SENT, MPAY_OUTCOME_REJECTED or
 * MPAY_OUTCOME_UNKNOWN; 0 for NULL. Any thread. Since 0.1.0.
 */
MPAY_NODISCARD MPAY_API int32_t MPAY_CALL mpay_error_outcome(const mpay_error *error);

/**
 * The outcome's name: "not_sent", "rejected" or "unknown". Borrowed from the error. Any thread. Since 0.1.0.
 */
MPAY_NODISCARD MPAY_API const char *MPAY_CALL mpay_error_outcome_name(const mpay_error *error);

/**
 * 1 if the error is transient: the same call may succeed later. These errors are transient: MPAY_TIMEOUT,
 * MPAY_CANCELLED, MPAY_SIGNER, MPAY_UNVERIFIED with HTTP status 429 or 5xx, and MPAY_TRANSPORT and MPAY_STORAGE
 * without a permanent cause (such as an untrusted certificate or a missing file). 0 for all other errors, and for
 * NULL. Only mpay_error_outcome shows whether the failed call may have taken effect. Any thread. Since 0.2.0.
 */
MPAY_NODISCARD MPAY_API int32_t MPAY_CALL mpay_error_is_transient(const mpay_error *error);

/**
 * A description of the error for people. It contains no key, signature, account or name. The wording may change.
 * Borrowed from the error. Any thread. Since 0.1.0.
 */
MPAY_NODISCARD MPAY_API const char *MPAY_CALL mpay_error_message(const mpay_error *error);

/**
 * The service's text about a refusal (contract, section 7), or NULL. It may contain personal data. Borrowed from the
 * error. Any thread. Since 0.1.0.
 */
MPAY_NODISCARD MPAY_API const char *MPAY_CALL mpay_error_description(const mpay_error *error);

/**
 * The name of the reason of a refusal, such as "order_not_found", if the contract lists the text of the refusal
 * (section 7); else NULL. It is one of the names of mpay_reason_name. Borrowed from the error. Any thread. Since
 * 0.1.0.
 */
MPAY_NODISCARD MPAY_API const char *MPAY_CALL mpay_error_reason(const mpay_error *error);

/**
 * The reason as a number, MPAY_REASON_INVALID_CURRENCY and so on; 0 if there is no reason, or if this version does
 * not know it. Any thread. Since 0.2.0.
 */
MPAY_NODISCARD MPAY_API int32_t MPAY_CALL mpay_error_reason_code(const mpay_error *error);

/**
 * The HTTP status if a reply came, else 0. It is not signed and says nothing about the payment. Any thread. Since
 * 0.1.0.
 */
MPAY_NODISCARD MPAY_API int32_t MPAY_CALL mpay_error_http_status(const mpay_error *error);

/**
 * How many milliseconds to wait before the next try, if a reply with the HTTP status 429 or 503 asked for it
 * (Retry-After), else 0. It is not signed, so a proxy may have asked. The calls that the library repeats have
 * waited, or had less time left. Any thread. Since 0.4.0.
 */
MPAY_NODISCARD MPAY_API uint64_t MPAY_CALL mpay_error_retry_after_ms(const mpay_error *error);

/**
 * The order id of the request or of a verified reply; else NULL. Borrowed from the error. Any thread. Since 0.1.0.
 */
MPAY_NODISCARD MPAY_API const char *MPAY_CALL mpay_error_order_id(const mpay_error *error);

/**
 * The content type of a reply that could not be verified, or NULL. Borrowed from the error. Any thread. Since 0.1.0.
 */
MPAY_NODISCARD MPAY_API const char *MPAY_CALL mpay_error_content_type(const mpay_error *error);

/**
 * The printable beginning of a reply that could not be verified and is not JSON, such as a proxy's page, or NULL.
 * Borrowed from the error. Any thread. Since 0.1.0.
 */
MPAY_NODISCARD MPAY_API const char *MPAY_CALL mpay_error_excerpt(const mpay_error *error);

/**
 * The unchanged, verified body of a reply or webhook, if the code is MPAY_REJECTED or MPAY_MALFORMED; else NULL. It
 * has mpay_error_body_len bytes and then a NUL. It may contain personal data. Borrowed from the error. Any thread.
 * Since 0.1.0.
 */
MPAY_NODISCARD MPAY_API const void *MPAY_CALL mpay_error_body(const mpay_error *error);

/**
 * The length of mpay_error_body in bytes, without the NUL. Any thread. Since 0.1.0.
 */
MPAY_NODISCARD MPAY_API size_t MPAY_CALL mpay_error_body_len(const mpay_error *error);

/**
 * Frees an error and all that was borrowed from it; NULL is allowed. Any thread, once. Since 0.1.0.
 */
MPAY_API void MPAY_CALL mpay_error_free(mpay_error *error);

/**
 * The name of the code with this number, such as "invalid_argument"; NULL for a number that this version does not
 * know. Static. Any thread. Since 0.2.0.
 */
MPAY_NODISCARD MPAY_API const char *MPAY_CALL mpay_code_name(int32_t code);

/**
 * The name of the outcome with this number, such as "not_sent"; NULL for a number that this version does not know.
 * Static. Any thread. Since 0.2.0.
 */
MPAY_NODISCARD MPAY_API const char *MPAY_CALL mpay_outcome_name(int32_t outcome);

/**
 * The name of the status with this number, such as "free"; NULL for a number that this version does not know.
 * Static. Any thread. Since 0.2.0.
 */
MPAY_NODISCARD MPAY_API const char *MPAY_CALL mpay_status_name(int32_t status);

/**
 * The name of the reason with this number, such as "invalid_currency"; NULL for a number that this version does not
 * know. Static. Any thread. Since 0.2.0.
 */
MPAY_NODISCARD MPAY_API const char *MPAY_CALL mpay_reason_name(int32_t reason);

/* ==== Settings ============================================================================================ */

/**
 * New settings, all of them unset. Never NULL. Any thread. Since 0.1.0.
 */
MPAY_NODISCARD MPAY_API mpay_config *MPAY_CALL mpay_config_new(void);

/**
 * The absolute https URL before /api/v1/merchant/pay. Plain http is allowed to loopback only. Needed by clients and
 * protocols. NULL unsets it. Returns MPAY_OK or MPAY_INVALID_ARGUMENT. One thread at a time. Since 0.1.0.
 */
MPAY_API int32_t MPAY_CALL mpay_config_set_base_url(mpay_config *config, const char *base_url);

/**
 * The merchant's key id, as the service issued it (contract, section 5). It consists of visible ASCII. Needed by
 * clients and protocols. NULL unsets it. Returns MPAY_OK or MPAY_INVALID_ARGUMENT. One thread at a time. Since
 * 0.1.0.
 */
MPAY_API int32_t MPAY_CALL mpay_config_set_key_id(mpay_config *config, const char *key_id);

/**
 * The merchant's private key: base64 of 64 bytes, which are the seed and the public key (contract, section 5).
 * Needed by clients and protocols, unless a callback signs. It is copied, and the copy is wiped after its last use.
 * NULL unsets it. Returns MPAY_OK, MPAY_INVALID_KEY or MPAY_INVALID_ARGUMENT. One thread at a time. Since 0.1.0.
 */
MPAY_API int32_t MPAY_CALL mpay_config_set_private_key(mpay_config *config, const char *private_key);

/**
 * The merchant's own public key, base64 of 32 bytes. It is required if a callback signs. Otherwise it is only
 * compared with the private key. NULL unsets it. Returns MPAY_OK, MPAY_INVALID_KEY or MPAY_INVALID_ARGUMENT. One
 * thread at a time. Since 0.1.0.
 */
MPAY_API int32_t MPAY_CALL mpay_config_set_public_key(mpay_config *config, const char *public_key);

/**
 * The service's public key, base64 of 32 bytes. Set several keys while the service rotates its keys. Each call adds
 * one; at least one is needed. NULL adds nothing. Returns MPAY_OK, MPAY_INVALID_KEY or MPAY_INVALID_ARGUMENT. One
 * thread at a time. Since 0.1.0.
 */
MPAY_API int32_t MPAY_CALL mpay_config_add_server_public_key(mpay_config *config, const char *server_public_key);

/**
 * The key ids of the service. If key ids are set, each reply must have one of these key ids. A webhook may have no
 * key id; otherwise it must also have one of these key ids. Each call adds one. NULL adds nothing. Returns MPAY_OK
 * or MPAY_INVALID_ARGUMENT. One thread at a time. Since 0.1.0.
 */
MPAY_API int32_t MPAY_CALL mpay_config_add_server_key_id(mpay_config *config, const char *server_key_id);

/**
 * A file with the PEM certificates of a CA to trust in addition to the operating system's CAs. The file is read when
 * the client is made. NULL unsets it. Returns MPAY_OK or MPAY_INVALID_ARGUMENT. One thread at a time. Since 0.1.0.
 */
MPAY_API int32_t MPAY_CALL mpay_config_set_ca_file(mpay_config *config, const char *ca_file);

/**
 * The text of the PEM certificates of a CA to trust in addition to the operating system's CAs. NULL unsets it.
 * Returns MPAY_OK or MPAY_INVALID_ARGUMENT. One thread at a time. Since 0.1.0.
 */
MPAY_API int32_t MPAY_CALL mpay_config_set_ca_pem(mpay_config *config, const char *ca_pem);

/**
 * Trusts only the configured CA, and not the operating system's CAs. At least one CA must be set. 1 or 0. Returns
 * MPAY_OK or MPAY_INVALID_ARGUMENT. One thread at a time. Since 0.2.0.
 */
MPAY_API int32_t MPAY_CALL mpay_config_set_exclusive_ca(mpay_config *config, int32_t exclusive_ca);

/**
 * A pin of the public key of the service's own certificate: "sha256/" and the base64 of the SHA-256 of the
 * certificate's SubjectPublicKeyInfo. Set several pins while the service changes its key. Each call adds one. A
 * connection to an https proxy needs no pin. NULL adds nothing. Returns MPAY_OK or MPAY_INVALID_ARGUMENT. One thread
 * at a time. Since 0.2.0.
 */
MPAY_API int32_t MPAY_CALL mpay_config_add_pin_spki(mpay_config *config, const char *pin);

/**
 * An HTTP proxy, as "http://host:port" or "http://user:password@host:port". Variables such as HTTP_PROXY are not
 * read. NULL unsets it. Returns MPAY_OK or MPAY_INVALID_ARGUMENT. One thread at a time. Since 0.1.0.
 */
MPAY_API int32_t MPAY_CALL mpay_config_set_proxy(mpay_config *config, const char *proxy);

/**
 * Allows plain http to another machine. Anyone on the network path can then read every account and signature. A
 * signature is like a password for its order. Loopback is the name localhost, 127.0.0.0/8 and IPv6 ::1, as they are
 * written. 1 or 0. Returns MPAY_OK or MPAY_INVALID_ARGUMENT. One thread at a time. Since 0.2.0.
 */
MPAY_API int32_t MPAY_CALL mpay_config_set_allow_http(mpay_config *config, int32_t allow_http);

/**
 * The "User-Agent" header. merchantpay and its version unless set. NULL unsets it. Returns MPAY_OK or
 * MPAY_INVALID_ARGUMENT. One thread at a time. Since 0.1.0.
 */
MPAY_API int32_t MPAY_CALL mpay_config_set_user_agent(mpay_config *config, const char *user_agent);

/**
 * The time limit of a whole call with its retries. The service itself can take 10 s for mpay_new_payment. 0 is
 * refused when the client is made. In milliseconds: 30000 unless set. Returns MPAY_OK or MPAY_INVALID_ARGUMENT. One
 * thread at a time. Since 0.1.0.
 */
MPAY_API int32_t MPAY_CALL mpay_config_set_timeout_ms(mpay_config *config, uint32_t timeout_ms);

/**
 * The time limit for opening one connection. 0 is refused when the client is made. In milliseconds: 10000 unless
 * set. Returns MPAY_OK or MPAY_INVALID_ARGUMENT. One thread at a time. Since 0.1.0.
 */
MPAY_API int32_t MPAY_CALL mpay_config_set_connect_timeout_ms(mpay_config *config, uint32_t connect_timeout_ms);

/**
 * The time after a response for which the response's connection can be reused for a call that is sent only once. 0
 * means never. The connection is checked just before its reuse. If the server closes it during the reuse, the
 * outcome is MPAY_OUTCOME_UNKNOWN; a longer time makes this more likely. mpay_get_status and
 * mpay_get_available_amounts may reuse a connection for 15 s, or for this time if it is longer. In milliseconds:
 * 1000 unless set. Returns MPAY_OK or MPAY_INVALID_ARGUMENT. One thread at a time. Since 0.2.0.
 */
MPAY_API int32_t MPAY_CALL mpay_config_set_reuse_idle_ms(mpay_config *config, uint32_t reuse_idle_ms);

/**
 * The time for which a connection that was opened early can wait for its first request. mpay_client_connect opens
 * it. 0 means no time. In milliseconds: 10000 unless set. Returns MPAY_OK or MPAY_INVALID_ARGUMENT. One thread at a
 * time. Since 0.2.0.
 */
MPAY_API int32_t MPAY_CALL mpay_config_set_connect_idle_ms(mpay_config *config, uint32_t connect_idle_ms);

/**
 * The largest number of retries; 0 means no retries. The library retries mpay_get_available_amounts and
 * mpay_get_status, and any other request only if no byte of that request was written. 2 unless set. Returns MPAY_OK
 * or MPAY_INVALID_ARGUMENT. One thread at a time. Since 0.1.0.
 */
MPAY_API int32_t MPAY_CALL mpay_config_set_max_retries(mpay_config *config, uint32_t max_retries);

/**
 * The size of the largest reply body that is read. 1048576 unless set. Returns MPAY_OK or MPAY_INVALID_ARGUMENT. One
 * thread at a time. Since 0.1.0.
 */
MPAY_API int32_t MPAY_CALL mpay_config_set_max_reply_bytes(mpay_config *config, uint64_t max_reply_bytes);

/**
 * Frees settings; NULL is allowed. Objects that were made from them stay valid. Any thread, once. Since 0.1.0.
 */
MPAY_API void MPAY_CALL mpay_config_free(mpay_config *config);

/**
 * Removes all added public keys and key ids of the service, including invalid ones. Existing clients,
 * protocols and verifiers do not change. Returns MPAY_OK or MPAY_INVALID_ARGUMENT. One thread at a time.
 * Since 0.2.0.
 */
MPAY_API int32_t MPAY_CALL mpay_config_clear_server_keys(mpay_config *config);

/**
 * The client's certificate with its chain, and its private key: two PEM files, or the same file twice. The
 * client shows the certificate to a service that asks for one (mTLS). The files are read when the client is
 * made. The library zeroizes its copies of the key after their last use; ring, which signs with the key,
 * keeps another copy that is not zeroized. A proxy never gets the certificate. NULL for both unsets it.
 * Returns MPAY_OK or MPAY_INVALID_ARGUMENT. One thread at a time. Since 0.2.0.
 */
MPAY_API int32_t MPAY_CALL mpay_config_set_client_certificate(
    mpay_config *config,
    const char *cert_file,
    const char *key_file);

/**
 * Sets a setting of the definition (docs/settings.md) by its name, such as "timeout_ms", and its text: a
 * number in digits, a flag as 1 or 0. If the setting is a list, each comma-separated text is added. NULL
 * unsets the setting. A key may be the JSON that "merchantpay keygen" prints. Returns MPAY_OK,
 * MPAY_INVALID_KEY, or MPAY_INVALID_ARGUMENT for an unknown name or a text that cannot be read; the error
 * names the setting. One thread at a time. Since 0.3.0.
 */
MPAY_NODISCARD MPAY_API int32_t MPAY_CALL mpay_config_set(
    mpay_config *config,
    const char *name,
    const char *text,
    mpay_error **error);

/**
 * Sets each setting whose environment variable is present, as mpay_config_set does: MERCHANTPAY_BASE_URL and
 * others (docs/settings.md). MERCHANTPAY_PRIVATE_KEY_FILE names a file with the private key. An empty
 * variable is treated as absent. Returns MPAY_OK, MPAY_INVALID_KEY, or MPAY_INVALID_ARGUMENT for a text or a
 * file that cannot be read; the error names the variable. No other thread may change the environment while
 * this function runs. One thread at a time. Since 0.3.0.
 */
MPAY_NODISCARD MPAY_API int32_t MPAY_CALL mpay_config_from_env(mpay_config *config, mpay_error **error);

/**
 * Sets the callback that gets every HTTP attempt of a client's calls; NULL for none. user_data is passed to
 * the callback unchanged. callback and user_data must stay usable by every calling thread until release is
 * called with user_data. That happens after these settings and all clients made from them are freed.
 * `release` may be NULL. Returns MPAY_OK or MPAY_INVALID_ARGUMENT. One thread at a time. Since 0.1.0.
 */
MPAY_API int32_t MPAY_CALL mpay_config_set_log_callback(
    mpay_config *config,
    mpay_log_callback callback,
    void *user_data,
    mpay_release_callback release);

/**
 * Sets a callback that signs in place of the private key, for example with an HSM; NULL for none. The public
 * key of this signer must be set by mpay_config_set_public_key. Each signature is checked with that key
 * before anything is sent; a wrong signature is MPAY_INVALID_KEY. user_data is passed to the callback
 * unchanged. callback and user_data must stay usable by every calling thread until release is called with
 * user_data. That happens after these settings and everything made from them are freed. `release` may be
 * NULL. Returns MPAY_OK or MPAY_INVALID_ARGUMENT. One thread at a time. Since 0.1.0.
 */
MPAY_API int32_t MPAY_CALL mpay_config_set_signer_callback(
    mpay_config *config,
    mpay_signer_callback callback,
    void *user_data,
    mpay_release_callback release);

/* ==== Log of attempts ===================================================================================== */

/**
 * The operation's name in the contract, such as "newPayment". Borrowed from the attempt. The callback's thread only.
 * Since 0.1.0.
 */
MPAY_NODISCARD MPAY_API const char *MPAY_CALL mpay_attempt_operation(const mpay_attempt *attempt);

/**
 * The order id of the request, or NULL. Borrowed from the attempt. The callback's thread only. Since 0.1.0.
 */
MPAY_NODISCARD MPAY_API const char *MPAY_CALL mpay_attempt_order_id(const mpay_attempt *attempt);

/**
 * The number of the attempt within the call, counted from 1. The callback's thread only. Since 0.1.0.
 */
MPAY_NODISCARD MPAY_API uint32_t MPAY_CALL mpay_attempt_number(const mpay_attempt *attempt);

/**
 * The HTTP status if a reply came, else 0. The callback's thread only. Since 0.1.0.
 */
MPAY_NODISCARD MPAY_API int32_t MPAY_CALL mpay_attempt_http_status(const mpay_attempt *attempt);

/**
 * The duration in whole milliseconds. The callback's thread only. Since 0.1.0.
 */
MPAY_NODISCARD MPAY_API uint64_t MPAY_CALL mpay_attempt_elapsed_ms(const mpay_attempt *attempt);

/**
 * The error code, as from mpay_error_code; MPAY_OK for a success. The callback's thread only. Since 0.1.0.
 */
MPAY_NODISCARD MPAY_API int32_t MPAY_CALL mpay_attempt_code(const mpay_attempt *attempt);

/**
 * Shows whether the request may have taken effect, as mpay_error_outcome does; 0 for a success. The callback's
 * thread only. Since 0.1.0.
 */
MPAY_NODISCARD MPAY_API int32_t MPAY_CALL mpay_attempt_outcome(const mpay_attempt *attempt);

/**
 * The whole attempt as one line of text without a line break, such as "getStatus o-1: attempt 1, HTTP 200, 12 ms,
 * ok". The wording may change. Borrowed from the attempt. The callback's thread only. Since 0.1.0.
 */
MPAY_NODISCARD MPAY_API const char *MPAY_CALL mpay_attempt_line(const mpay_attempt *attempt);

/* ==== Client ============================================================================================== */

/**
 * Makes a client. It copies the settings, so they may be freed afterwards. It sends nothing and opens no connection.
 * Returns MPAY_OK, MPAY_INVALID_ARGUMENT or MPAY_INVALID_KEY. *out is to be freed by mpay_client_free. Any thread.
 * Since 0.1.0.
 */
MPAY_NODISCARD MPAY_API int32_t MPAY_CALL mpay_client_new(
    const mpay_config *config,
    mpay_client **out,
    mpay_error **error);

/**
 * Makes a derived client: another handle with the same settings, keys and connections. timeout_ms is the deadline of
 * each call of the derived client in milliseconds; 0 keeps the original client's deadline. The derived client can be
 * interrupted separately; interrupting the original client also interrupts the derived client. This function is
 * cheap. Free both handles, in any order. Returns MPAY_OK or MPAY_INVALID_ARGUMENT. *out is to be freed by
 * mpay_client_free. Any thread. Since 0.2.0.
 */
MPAY_NODISCARD MPAY_API int32_t MPAY_CALL mpay_client_derive(
    const mpay_client *client,
    uint32_t timeout_ms,
    mpay_client **out,
    mpay_error **error);

/**
 * Ends the running calls of this client and of every client derived from it, in all threads. The interruption is
 * permanent: later calls of these clients do not start. The client from which this one was derived continues, and so
 * do the other clients derived from that client. After this function has returned, the interrupted calls write no
 * more bytes. Each of them ends immediately with MPAY_CANCELLED and the outcome MPAY_OUTCOME_NOT_SENT or
 * MPAY_OUTCOME_UNKNOWN; a complete response is still returned. Only a look-up of the service's name can continue in
 * the background; it writes nothing. NULL does nothing. Any thread, but not a signal handler. Do not free the handle
 * before this function has returned. Since 0.2.0.
 */
MPAY_API void MPAY_CALL mpay_client_interrupt(const mpay_client *client);

/**
 * Opens a connection for the next call, before the customer is ready, so that the call needs only one round trip.
 * mpay_config_set_connect_idle_ms limits how long the connection waits for its first request. Each call of this
 * function opens one connection. Returns MPAY_OK, MPAY_TRANSPORT, MPAY_TIMEOUT, MPAY_CANCELLED or
 * MPAY_INVALID_ARGUMENT, always with MPAY_OUTCOME_NOT_SENT. Any thread. Since 0.2.0.
 */
MPAY_API int32_t MPAY_CALL mpay_client_connect(const mpay_client *client, mpay_error **error);

/**
 * Frees a client; NULL is allowed. Do not free a client while one of its calls is running. Idle connections are
 * closed without waiting. Any thread, once. Since 0.1.0.
 */
MPAY_API void MPAY_CALL mpay_client_free(mpay_client *client);

/* ==== Requests ============================================================================================ */

/**
 * A new request, with the currency RUB and no other field. Never NULL. Any thread. Since 0.1.0.
 */
MPAY_NODISCARD MPAY_API mpay_payment_request *MPAY_CALL mpay_payment_request_new(void);

/**
 * The sum in rubles: greater than 0, exact, with at most 28 digits. As decimal text, such as "1500.50". Needed. NULL
 * unsets the field. Returns MPAY_OK or MPAY_INVALID_ARGUMENT. One thread at a time. Since 0.1.0.
 */
MPAY_API int32_t MPAY_CALL mpay_payment_request_set_sum(mpay_payment_request *request, const char *sum);

/**
 * The currency. It is "RUB", even if it is not set. NULL unsets the field. Returns MPAY_OK or MPAY_INVALID_ARGUMENT.
 * One thread at a time. Since 0.1.0.
 */
MPAY_API int32_t MPAY_CALL mpay_payment_request_set_currency(mpay_payment_request *request, const char *currency);

/**
 * The way in which the customer pays: "card" or "sbp". Needed. NULL unsets the field. Returns MPAY_OK or
 * MPAY_INVALID_ARGUMENT. One thread at a time. Since 0.1.0.
 */
MPAY_API int32_t MPAY_CALL mpay_payment_request_set_payment_method(
    mpay_payment_request *request,
    const char *payment_method);

/**
 * The customer's account. mpay_get_available_amounts does not require an account, and at present the service ignores
 * the account in that operation. Needed, except by mpay_get_available_amounts. NULL unsets the field. Returns
 * MPAY_OK or MPAY_INVALID_ARGUMENT. One thread at a time. Since 0.1.0.
 */
MPAY_API int32_t MPAY_CALL mpay_payment_request_set_customer_account(
    mpay_payment_request *request,
    const char *customer_account);

/**
 * An absolute http or https URL that receives status webhooks (contract, section 6.2). mpay_get_available_amounts
 * does not send this field. NULL unsets the field. Returns MPAY_OK or MPAY_INVALID_ARGUMENT. One thread at a time.
 * Since 0.1.0.
 */
MPAY_API int32_t MPAY_CALL mpay_payment_request_set_status_webhook_url(
    mpay_payment_request *request,
    const char *status_webhook_url);

/**
 * An absolute http or https URL that receives the credentials (contract, section 6.1). mpay_new_payment_async
 * requires it, and mpay_new_payment refuses it. mpay_get_available_amounts does not send this field. NULL unsets the
 * field. Returns MPAY_OK or MPAY_INVALID_ARGUMENT. One thread at a time. Since 0.1.0.
 */
MPAY_API int32_t MPAY_CALL mpay_payment_request_set_credentials_webhook_url(
    mpay_payment_request *request,
    const char *credentials_webhook_url);

/**
 * The code of the customer's bank. The merchant's agreement with the service may require it.
 * mpay_get_available_amounts does not send this field. NULL unsets the field. Returns MPAY_OK or
 * MPAY_INVALID_ARGUMENT. One thread at a time. Since 0.1.0.
 */
MPAY_API int32_t MPAY_CALL mpay_payment_request_set_payer_bank(mpay_payment_request *request, const char *payer_bank);

/**
 * The merchant's own identifier, for reconciliation and support. mpay_get_available_amounts does not send this
 * field. NULL unsets the field. Returns MPAY_OK or MPAY_INVALID_ARGUMENT. One thread at a time. Since 0.1.0.
 */
MPAY_API int32_t MPAY_CALL mpay_payment_request_set_merchant_id(mpay_payment_request *request, const char *merchant_id);

/**
 * The largest difference by which an amount may be above the sum; it must not be negative. As decimal text, such as
 * "1500.50". mpay_new_payment does not send this field. mpay_new_payment_async does not send this field. NULL unsets
 * the field. Returns MPAY_OK or MPAY_INVALID_ARGUMENT. One thread at a time. Since 0.1.0.
 */
MPAY_API int32_t MPAY_CALL mpay_payment_request_set_sum_drift_up(
    mpay_payment_request *request,
    const char *sum_drift_up);

/**
 * The largest difference by which an amount may be below the sum; it must not be negative. As decimal text, such as
 * "1500.50". mpay_new_payment does not send this field. mpay_new_payment_async does not send this field. NULL unsets
 * the field. Returns MPAY_OK or MPAY_INVALID_ARGUMENT. One thread at a time. Since 0.1.0.
 */
MPAY_API int32_t MPAY_CALL mpay_payment_request_set_sum_drift_down(
    mpay_payment_request *request,
    const char *sum_drift_down);

/**
 * Frees a request; NULL is allowed. Any thread, once. Since 0.1.0.
 */
MPAY_API void MPAY_CALL mpay_payment_request_free(mpay_payment_request *request);

/**
 * Adds a file from disk, which is read now: a PDF, JPEG or PNG by its first bytes, whatever its name is. Returns
 * MPAY_OK or MPAY_INVALID_ARGUMENT; an error leaves the receipt unchanged. One thread at a time. Since 0.1.0.
 */
MPAY_NODISCARD MPAY_API int32_t MPAY_CALL mpay_receipt_add_file(
    mpay_receipt *receipt,
    const char *path,
    mpay_error **error);

/**
 * Adds a file of `len` bytes from memory. The bytes are copied. content_type is "application/pdf", "image/jpeg",
 * "image/jpg" or "image/png" (contract, section 8), and the one of the data. Returns MPAY_OK or
 * MPAY_INVALID_ARGUMENT; an error leaves the receipt unchanged. One thread at a time. Since 0.1.0.
 */
MPAY_NODISCARD MPAY_API int32_t MPAY_CALL mpay_receipt_add_bytes(
    mpay_receipt *receipt,
    const char *file_name,
    const char *content_type,
    const void *data,
    size_t len,
    mpay_error **error);

/**
 * Frees a receipt; NULL is allowed. Any thread, once. Since 0.1.0.
 */
MPAY_API void MPAY_CALL mpay_receipt_free(mpay_receipt *receipt);

/**
 * Sets the sum in kopecks, such as 150050 for 1500.50. Returns MPAY_OK or MPAY_INVALID_ARGUMENT. One thread
 * at a time. Since 0.1.0.
 */
MPAY_API int32_t MPAY_CALL mpay_payment_request_set_sum_minor(mpay_payment_request *request, int64_t kopecks);

/**
 * Sets a field by its name in snake case, such as "customer_account", and its text; NULL unsets it. Returns
 * MPAY_OK, or MPAY_INVALID_ARGUMENT for an unknown name or an invalid text; the error names the field. One
 * thread at a time. Since 0.3.0.
 */
MPAY_NODISCARD MPAY_API int32_t MPAY_CALL mpay_payment_request_set(
    mpay_payment_request *request,
    const char *name,
    const char *text,
    mpay_error **error);

/**
 * A new receipt without files. If the order id is NULL or not UTF-8, the functions that use the receipt
 * report the error. Never NULL. Any thread. Since 0.1.0.
 */
MPAY_NODISCARD MPAY_API mpay_receipt *MPAY_CALL mpay_receipt_new(const char *order_id);

/* ==== Responses =========================================================================================== */

/**
 * The number of amounts. Any thread. Since 0.1.0.
 */
MPAY_NODISCARD MPAY_API size_t MPAY_CALL mpay_amounts_count(const mpay_amounts *amounts);

/**
 * The amount at this index, counted from 0, as decimal text; NULL after the last. Borrowed from the amounts. Any
 * thread. Since 0.1.0.
 */
MPAY_NODISCARD MPAY_API const char *MPAY_CALL mpay_amounts_get(const mpay_amounts *amounts, size_t index);

/**
 * The amount at this index in kopecks; MPAY_NO_MINOR after the last, or if the amount has a fraction of a kopeck or
 * does not fit in 64 bits. Any thread. Since 0.1.0.
 */
MPAY_NODISCARD MPAY_API int64_t MPAY_CALL mpay_amounts_get_minor(const mpay_amounts *amounts, size_t index);

/**
 * 1 if amounts outside the list can succeed too: an empty list is then not a refusal. 0 if the list is complete. Any
 * thread. Since 0.1.0.
 */
MPAY_NODISCARD MPAY_API int32_t MPAY_CALL mpay_amounts_other_possible(const mpay_amounts *amounts);

/**
 * The body of the verified reply, unchanged: JSON. Borrowed from the amounts. Any thread. Since 0.1.0.
 */
MPAY_NODISCARD MPAY_API const char *MPAY_CALL mpay_amounts_json(const mpay_amounts *amounts);

/**
 * Frees amounts and all that was borrowed from them; NULL is allowed. Any thread, once. Since 0.1.0.
 */
MPAY_API void MPAY_CALL mpay_amounts_free(mpay_amounts *amounts);

/**
 * orderId: the service's identifier of the payment. Never NULL. Borrowed from the payment. Any thread. Since 0.1.0.
 */
MPAY_NODISCARD MPAY_API const char *MPAY_CALL mpay_payment_order_id(const mpay_payment *payment);

/**
 * sum: the payment's sum in its currency. After the customer has paid, it is the amount that was actually paid,
 * which can be more or less than requested. A failed payment has a sum too. As decimal text. NULL if the field is
 * absent. Borrowed from the payment. Any thread. Since 0.1.0.
 */
MPAY_NODISCARD MPAY_API const char *MPAY_CALL mpay_payment_sum(const mpay_payment *payment);

/**
 * currency: the currency of the sum. The reply to mpay_new_payment and the credentials webhook have it. NULL if the
 * field is absent. Borrowed from the payment. Any thread. Since 0.1.0.
 */
MPAY_NODISCARD MPAY_API const char *MPAY_CALL mpay_payment_currency(const mpay_payment *payment);

/**
 * payeeAccount: the account to which the customer pays. NULL if the field is absent. Borrowed from the payment. Any
 * thread. Since 0.1.0.
 */
MPAY_NODISCARD MPAY_API const char *MPAY_CALL mpay_payment_payee_account(const mpay_payment *payment);

/**
 * payeeAccountBank: the bank of the payee's account. NULL if the field is absent. Borrowed from the payment. Any
 * thread. Since 0.1.0.
 */
MPAY_NODISCARD MPAY_API const char *MPAY_CALL mpay_payment_payee_account_bank(const mpay_payment *payment);

/**
 * payeeName: the holder of the payee's account. In the reply to mpay_get_status the name is in Latin letters. NULL
 * if the field is absent. Borrowed from the payment. Any thread. Since 0.1.0.
 */
MPAY_NODISCARD MPAY_API const char *MPAY_CALL mpay_payment_payee_name(const mpay_payment *payment);

/**
 * dealSum: the sum in the currency of the merchant's balance, with commission. The sum is fixed when the service
 * issues the credentials. As decimal text. NULL if the field is absent. Borrowed from the payment. Any thread. Since
 * 0.1.0.
 */
MPAY_NODISCARD MPAY_API const char *MPAY_CALL mpay_payment_deal_sum(const mpay_payment *payment);

/**
 * dealCurrency: the currency of the merchant's balance. NULL if the field is absent. Borrowed from the payment. Any
 * thread. Since 0.1.0.
 */
MPAY_NODISCARD MPAY_API const char *MPAY_CALL mpay_payment_deal_currency(const mpay_payment *payment);

/**
 * dealRate: the rate from the payment's currency to the currency of the merchant's balance. As decimal text. NULL if
 * the field is absent. Borrowed from the payment. Any thread. Since 0.1.0.
 */
MPAY_NODISCARD MPAY_API const char *MPAY_CALL mpay_payment_deal_rate(const mpay_payment *payment);

/**
 * deeplink: the URL of the customer's payment frame. NULL if the field is absent. Borrowed from the payment. Any
 * thread. Since 0.1.0.
 */
MPAY_NODISCARD MPAY_API const char *MPAY_CALL mpay_payment_deeplink(const mpay_payment *payment);

/**
 * status: the payment's status (contract, section 3). The reply to mpay_get_status and status webhooks have it. One
 * of the contract's names, such as "doneSuccess", or a name that this version does not know. NULL if the field is
 * absent. Borrowed from the payment. Any thread. Since 0.1.0.
 */
MPAY_NODISCARD MPAY_API const char *MPAY_CALL mpay_payment_status(const mpay_payment *payment);

/**
 * The sum in kopecks; MPAY_NO_MINOR if the sum is absent, has a fraction of a kopeck, or does not fit in 64 bits.
 * Any thread. Since 0.1.0.
 */
MPAY_NODISCARD MPAY_API int64_t MPAY_CALL mpay_payment_sum_minor(const mpay_payment *payment);

/**
 * The status as a number, MPAY_STATUS_FREE and so on; 0 if there is no status, or if this version does not know it:
 * see mpay_payment_status. Any thread. Since 0.2.0.
 */
MPAY_NODISCARD MPAY_API int32_t MPAY_CALL mpay_payment_status_code(const mpay_payment *payment);

/**
 * 1 if there is a status and it is final, else 0: a status that this version does not know is never final. Any
 * thread. Since 0.1.0.
 */
MPAY_NODISCARD MPAY_API int32_t MPAY_CALL mpay_payment_is_final(const mpay_payment *payment);

/**
 * The body of the verified message, unchanged: JSON. It includes fields that this version does not know. Borrowed
 * from the payment. Any thread. Since 0.1.0.
 */
MPAY_NODISCARD MPAY_API const char *MPAY_CALL mpay_payment_json(const mpay_payment *payment);

/**
 * Frees a payment and all that was borrowed from it; NULL is allowed. Do not free a payment that was borrowed from
 * an event or an entry. Any thread, once. Since 0.1.0.
 */
MPAY_API void MPAY_CALL mpay_payment_free(mpay_payment *payment);

/**
 * Compares the paid sum with `asked`, the requested sum as decimal text: MPAY_PAID_EXACTLY, MPAY_PAID_LESS
 * or MPAY_PAID_MORE; 0 if there is no sum or if `asked` is not an amount. The sums are compared as numbers,
 * in the payment's currency. The status "doneSuccess" alone does not mean that the customer paid everything.
 * The result is final only with a final status; before that, the payment's sum is the sum that the service
 * expects so far. Any thread. Since 0.2.0.
 */
MPAY_NODISCARD MPAY_API int32_t MPAY_CALL mpay_payment_paid(const mpay_payment *payment, const char *asked);

/* ==== Operations ========================================================================================== */

/**
 * getAvailableAmounts, POST /available (contract, section 4.1): returns the amounts for which the service has a
 * counter-offer. The library can retry this request. Returns MPAY_OK or any code. *out is to be freed by
 * mpay_amounts_free. Any thread. Since 0.1.0.
 */
MPAY_NODISCARD MPAY_API int32_t MPAY_CALL mpay_get_available_amounts(
    const mpay_client *client,
    const mpay_payment_request *request,
    mpay_amounts **out,
    mpay_error **error);

/**
 * newPayment, POST /new (contract, section 4.2): makes a payment and returns it with its credentials, after up to 10
 * s. The request is sent once: with MPAY_OUTCOME_UNKNOWN the payment may exist. Returns MPAY_OK or any code. *out is
 * to be freed by mpay_payment_free. Any thread. Since 0.1.0.
 */
MPAY_NODISCARD MPAY_API int32_t MPAY_CALL mpay_new_payment(
    const mpay_client *client,
    const mpay_payment_request *request,
    mpay_payment **out,
    mpay_error **error);

/**
 * newPaymentAsync, POST /new-async (contract, section 4.3): makes a payment and returns only its order id; the
 * credentials arrive by webhook. The request is sent once: with MPAY_OUTCOME_UNKNOWN the payment may exist. Returns
 * MPAY_OK or any code. *out is to be freed by mpay_payment_free. Any thread. Since 0.1.0.
 */
MPAY_NODISCARD MPAY_API int32_t MPAY_CALL mpay_new_payment_async(
    const mpay_client *client,
    const mpay_payment_request *request,
    mpay_payment **out,
    mpay_error **error);

/**
 * confirm, POST /confirm (contract, section 4.4): reports that the customer has paid. The request is sent once:
 * after MPAY_OUTCOME_UNKNOWN call mpay_get_status. Returns MPAY_OK or any code. Any thread. Since 0.1.0.
 */
MPAY_NODISCARD MPAY_API int32_t MPAY_CALL mpay_confirm(
    const mpay_client *client,
    const char *order_id,
    mpay_error **error);

/**
 * cancel, POST /cancel (contract, section 4.5): cancels a payment. The request is sent once: after
 * MPAY_OUTCOME_UNKNOWN call mpay_get_status. The error is MPAY_REJECTED with the reason
 * "payment_could_not_be_canceled" if the payment's state does not allow a cancel. Returns MPAY_OK or any code. Any
 * thread. Since 0.1.0.
 */
MPAY_NODISCARD MPAY_API int32_t MPAY_CALL mpay_cancel(
    const mpay_client *client,
    const char *order_id,
    mpay_error **error);

/**
 * getStatus, POST /status (contract, section 4.6): returns the payment with its present status. The library can
 * retry this request. Returns MPAY_OK or any code. *out is to be freed by mpay_payment_free. Any thread. Since
 * 0.1.0.
 */
MPAY_NODISCARD MPAY_API int32_t MPAY_CALL mpay_get_status(
    const mpay_client *client,
    const char *order_id,
    mpay_payment **out,
    mpay_error **error);

/**
 * Calls mpay_get_status until the status is final, with pauses of 0.25 s growing to 5 s, for at most timeout_ms
 * milliseconds, and at least once. It continues after transient errors until the time is up. Returns MPAY_OK with
 * the payment; MPAY_TIMEOUT with MPAY_OUTCOME_UNKNOWN and the order id if the status is not final in time; any other
 * code for an error that is not transient, or for the error of the last query. mpay_client_interrupt ends the wait
 * with MPAY_CANCELLED. *out is to be freed by mpay_payment_free. Any thread. Since 0.2.0.
 */
MPAY_NODISCARD MPAY_API int32_t MPAY_CALL mpay_wait(
    const mpay_client *client,
    const char *order_id,
    uint32_t timeout_ms,
    mpay_payment **out,
    mpay_error **error);

/**
 * attachReceipt, POST /receipt/attach (contract, section 4.7): attaches receipts to a payment in arbitration. The
 * request is sent once: after MPAY_OUTCOME_UNKNOWN call mpay_get_status. Returns MPAY_OK or any code. Any thread.
 * Since 0.1.0.
 */
MPAY_NODISCARD MPAY_API int32_t MPAY_CALL mpay_attach_receipt(
    const mpay_client *client,
    const mpay_receipt *receipt,
    mpay_error **error);

/* ==== Webhooks ============================================================================================ */

/**
 * Makes a verifier. It copies the settings, so they may be freed afterwards. A verifier needs only a
 * server_public_key; server_key_id, key_id and the merchant's own key make it stricter. Returns MPAY_OK,
 * MPAY_INVALID_ARGUMENT or MPAY_INVALID_KEY. *out is to be freed by mpay_verifier_free. Any thread. Since 0.1.0.
 */
MPAY_NODISCARD MPAY_API int32_t MPAY_CALL mpay_verifier_new(
    const mpay_config *config,
    mpay_verifier **out,
    mpay_error **error);

/**
 * Verifies a webhook: the len unchanged bytes of its body, the value of the signature header, and the value of the
 * key id header or NULL. A missing signature (NULL) is MPAY_UNVERIFIED. A verified body that is not a webhook of the
 * contract is MPAY_MALFORMED. A failure says nothing about a payment: its outcome is MPAY_OUTCOME_UNKNOWN. *out is
 * to be freed by mpay_event_free. Any thread. Since 0.1.0.
 */
MPAY_NODISCARD MPAY_API int32_t MPAY_CALL mpay_verify_webhook(
    const mpay_verifier *verifier,
    const void *body,
    size_t len,
    const char *signature,
    const char *key_id,
    mpay_event **out,
    mpay_error **error);

/**
 * MPAY_EVENT_CREDENTIALS, MPAY_EVENT_CREDENTIALS_FAILED or MPAY_EVENT_STATUS; a later version may add others. 0 for
 * NULL. Any thread. Since 0.1.0.
 */
MPAY_NODISCARD MPAY_API int32_t MPAY_CALL mpay_event_kind(const mpay_event *event);

/**
 * The payment that the event is about. Borrowed from the event: not to be freed. Any thread. Since 0.1.0.
 */
MPAY_NODISCARD MPAY_API const mpay_payment *MPAY_CALL mpay_event_payment(const mpay_event *event);

/**
 * Frees an event and all that was borrowed from it; NULL is allowed. Any thread, once. Since 0.1.0.
 */
MPAY_API void MPAY_CALL mpay_event_free(mpay_event *event);

/**
 * Explains why a webhook does not verify. It takes the arguments of mpay_verify_webhook, and sets *out to NULL if
 * the signature and the key id are accepted. The headers show some causes, and the form of the body shows others,
 * such as an empty one. Any other cause is named only with a proof: the library undoes it in a copy, and the copy
 * verifies. Write the cause to the log, do not return it to the sender, and do not use the webhook. The function
 * tries at most 60 contents and parses bodies up to 64 KiB. Returns MPAY_OK, or MPAY_INVALID_ARGUMENT if a required
 * argument is NULL. *out is to be freed by mpay_explanation_free. Any thread. Since 0.3.0.
 */
MPAY_NODISCARD MPAY_API int32_t MPAY_CALL mpay_explain_webhook(
    const mpay_verifier *verifier,
    const void *body,
    size_t len,
    const char *signature,
    const char *key_id,
    mpay_explanation **out,
    mpay_error **error);

/**
 * MPAY_CAUSE_BODY_CHANGED or another cause; a later version may add others. 0 for NULL. Any thread. Since 0.3.0.
 */
MPAY_NODISCARD MPAY_API int32_t MPAY_CALL mpay_explanation_cause(const mpay_explanation *explanation);

/**
 * The name of the cause, such as "body_changed". Borrowed from the explanation. Any thread. Since 0.3.0.
 */
MPAY_NODISCARD MPAY_API const char *MPAY_CALL mpay_explanation_cause_name(const mpay_explanation *explanation);

/**
 * The exact fault and the way to correct it, for a developer. It contains nothing of the webhook. Borrowed from the
 * explanation. Any thread. Since 0.3.0.
 */
MPAY_NODISCARD MPAY_API const char *MPAY_CALL mpay_explanation_hint(const mpay_explanation *explanation);

/**
 * Frees an explanation and all that was borrowed from it; NULL is allowed. Any thread, once. Since 0.3.0.
 */
MPAY_API void MPAY_CALL mpay_explanation_free(mpay_explanation *explanation);

/**
 * Frees a verifier; NULL is allowed. Its events stay valid. Any thread, once. Since 0.1.0.
 */
MPAY_API void MPAY_CALL mpay_verifier_free(mpay_verifier *verifier);

/* ==== Keys ================================================================================================ */

/**
 * Makes a pair from the operating system's random bytes. Give the public key to the service and keep the private key
 * secret. Returns MPAY_OK or MPAY_INTERNAL. *out is to be freed by mpay_keypair_free. Any thread. Since 0.1.0.
 */
MPAY_NODISCARD MPAY_API int32_t MPAY_CALL mpay_keypair_generate(mpay_keypair **out, mpay_error **error);

/**
 * The private key: base64 of 64 bytes, in the format of mpay_config_set_private_key. It is a secret. Borrowed from
 * the keypair. Any thread. Since 0.1.0.
 */
MPAY_NODISCARD MPAY_API const char *MPAY_CALL mpay_keypair_private_key(const mpay_keypair *keypair);

/**
 * The public key: base64 of 32 bytes. Borrowed from the keypair. Any thread. Since 0.1.0.
 */
MPAY_NODISCARD MPAY_API const char *MPAY_CALL mpay_keypair_public_key(const mpay_keypair *keypair);

/**
 * Frees a keypair and all that was borrowed from it; NULL is allowed. The private key is wiped. Any thread, once.
 * Since 0.1.0.
 */
MPAY_API void MPAY_CALL mpay_keypair_free(mpay_keypair *keypair);

/* ==== Balance ============================================================================================= */

/**
 * Converts a paid sum at a rate to the currency of the merchant's balance (MPAY_BALANCE_*). sum and rate are decimal
 * text. The result is rounded once (MPAY_ROUNDING_*), to `scale` digits after the decimal point (at most 28).
 * Returns MPAY_OK or MPAY_INVALID_ARGUMENT. *out is to be freed by mpay_amount_free. Any thread. Since 0.1.0.
 */
MPAY_NODISCARD MPAY_API int32_t MPAY_CALL mpay_to_balance(
    const char *sum,
    const char *rate,
    int32_t balance,
    uint32_t scale,
    int32_t rounding,
    mpay_amount **out,
    mpay_error **error);

/**
 * The amount as decimal text. Borrowed from the amount. Any thread. Since 0.1.0.
 */
MPAY_NODISCARD MPAY_API const char *MPAY_CALL mpay_amount_text(const mpay_amount *amount);

/**
 * The amount in hundredths; MPAY_NO_MINOR if the amount has a smaller fraction or does not fit in 64 bits. Any
 * thread. Since 0.1.0.
 */
MPAY_NODISCARD MPAY_API int64_t MPAY_CALL mpay_amount_minor(const mpay_amount *amount);

/**
 * Frees an amount; NULL is allowed. Any thread, once. Since 0.1.0.
 */
MPAY_API void MPAY_CALL mpay_amount_free(mpay_amount *amount);

/* ==== Operations without I/O ============================================================================== */

/**
 * Makes a protocol. It copies the settings, so they may be freed afterwards. A protocol needs the same settings as a
 * client, and ignores the settings about connections. Returns MPAY_OK, MPAY_INVALID_ARGUMENT or MPAY_INVALID_KEY.
 * *out is to be freed by mpay_protocol_free. Any thread. Since 0.1.0.
 */
MPAY_NODISCARD MPAY_API int32_t MPAY_CALL mpay_protocol_new(
    const mpay_config *config,
    mpay_protocol **out,
    mpay_error **error);

/**
 * Prepares the request of mpay_get_available_amounts: checks the request and signs its bytes. Nothing is sent, so
 * every error has MPAY_OUTCOME_NOT_SENT. *out is to be freed by mpay_http_request_free. Any thread. Since 0.1.0.
 */
MPAY_NODISCARD MPAY_API int32_t MPAY_CALL mpay_prepare_get_available_amounts(
    const mpay_protocol *protocol,
    const mpay_payment_request *request,
    mpay_http_request **out,
    mpay_error **error);

/**
 * Prepares the request of mpay_new_payment: checks the request and signs its bytes. Nothing is sent, so every error
 * has MPAY_OUTCOME_NOT_SENT. *out is to be freed by mpay_http_request_free. Any thread. Since 0.1.0.
 */
MPAY_NODISCARD MPAY_API int32_t MPAY_CALL mpay_prepare_new_payment(
    const mpay_protocol *protocol,
    const mpay_payment_request *request,
    mpay_http_request **out,
    mpay_error **error);

/**
 * Prepares the request of mpay_new_payment_async: checks the request and signs its bytes. Nothing is sent, so every
 * error has MPAY_OUTCOME_NOT_SENT. *out is to be freed by mpay_http_request_free. Any thread. Since 0.1.0.
 */
MPAY_NODISCARD MPAY_API int32_t MPAY_CALL mpay_prepare_new_payment_async(
    const mpay_protocol *protocol,
    const mpay_payment_request *request,
    mpay_http_request **out,
    mpay_error **error);

/**
 * Prepares the request of mpay_confirm: checks the request and signs its bytes. Nothing is sent, so every error has
 * MPAY_OUTCOME_NOT_SENT. *out is to be freed by mpay_http_request_free. Any thread. Since 0.1.0.
 */
MPAY_NODISCARD MPAY_API int32_t MPAY_CALL mpay_prepare_confirm(
    const mpay_protocol *protocol,
    const char *order_id,
    mpay_http_request **out,
    mpay_error **error);

/**
 * Prepares the request of mpay_cancel: checks the request and signs its bytes. Nothing is sent, so every error has
 * MPAY_OUTCOME_NOT_SENT. *out is to be freed by mpay_http_request_free. Any thread. Since 0.1.0.
 */
MPAY_NODISCARD MPAY_API int32_t MPAY_CALL mpay_prepare_cancel(
    const mpay_protocol *protocol,
    const char *order_id,
    mpay_http_request **out,
    mpay_error **error);

/**
 * Prepares the request of mpay_get_status: checks the request and signs its bytes. Nothing is sent, so every error
 * has MPAY_OUTCOME_NOT_SENT. *out is to be freed by mpay_http_request_free. Any thread. Since 0.1.0.
 */
MPAY_NODISCARD MPAY_API int32_t MPAY_CALL mpay_prepare_get_status(
    const mpay_protocol *protocol,
    const char *order_id,
    mpay_http_request **out,
    mpay_error **error);

/**
 * Prepares the request of mpay_attach_receipt: checks the request and signs its bytes. Nothing is sent, so every
 * error has MPAY_OUTCOME_NOT_SENT. *out is to be freed by mpay_http_request_free. Any thread. Since 0.1.0.
 */
MPAY_NODISCARD MPAY_API int32_t MPAY_CALL mpay_prepare_attach_receipt(
    const mpay_protocol *protocol,
    const mpay_receipt *receipt,
    mpay_http_request **out,
    mpay_error **error);

/**
 * Opens the reply to the request of mpay_prepare_get_available_amounts: verifies and parses the bytes of the reply,
 * and checks that the reply belongs to the request. The request was sent, so every error has MPAY_OUTCOME_UNKNOWN,
 * except a proven refusal. *out is to be freed by mpay_amounts_free. Any thread. Since 0.1.0.
 */
MPAY_NODISCARD MPAY_API int32_t MPAY_CALL mpay_open_get_available_amounts(
    const mpay_http_request *request,
    const mpay_http_response *response,
    mpay_amounts **out,
    mpay_error **error);

/**
 * Opens the reply to the request of mpay_prepare_new_payment: verifies and parses the bytes of the reply, and checks
 * that the reply belongs to the request. The request was sent, so every error has MPAY_OUTCOME_UNKNOWN, except a
 * proven refusal. *out is to be freed by mpay_payment_free. Any thread. Since 0.1.0.
 */
MPAY_NODISCARD MPAY_API int32_t MPAY_CALL mpay_open_new_payment(
    const mpay_http_request *request,
    const mpay_http_response *response,
    mpay_payment **out,
    mpay_error **error);

/**
 * Opens the reply to the request of mpay_prepare_new_payment_async: verifies and parses the bytes of the reply, and
 * checks that the reply belongs to the request. The request was sent, so every error has MPAY_OUTCOME_UNKNOWN,
 * except a proven refusal. *out is to be freed by mpay_payment_free. Any thread. Since 0.1.0.
 */
MPAY_NODISCARD MPAY_API int32_t MPAY_CALL mpay_open_new_payment_async(
    const mpay_http_request *request,
    const mpay_http_response *response,
    mpay_payment **out,
    mpay_error **error);

/**
 * Opens the reply to the request of mpay_prepare_confirm: verifies and parses the bytes of the reply, and checks
 * that the reply belongs to the request. The request was sent, so every error has MPAY_OUTCOME_UNKNOWN, except a
 * proven refusal. Any thread. Since 0.1.0.
 */
MPAY_NODISCARD MPAY_API int32_t MPAY_CALL mpay_open_confirm(
    const mpay_http_request *request,
    const mpay_http_response *response,
    mpay_error **error);

/**
 * Opens the reply to the request of mpay_prepare_cancel: verifies and parses the bytes of the reply, and checks that
 * the reply belongs to the request. The request was sent, so every error has MPAY_OUTCOME_UNKNOWN, except a proven
 * refusal. Any thread. Since 0.1.0.
 */
MPAY_NODISCARD MPAY_API int32_t MPAY_CALL mpay_open_cancel(
    const mpay_http_request *request,
    const mpay_http_response *response,
    mpay_error **error);

/**
 * Opens the reply to the request of mpay_prepare_get_status: verifies and parses the bytes of the reply, and checks
 * that the reply belongs to the request. The request was sent, so every error has MPAY_OUTCOME_UNKNOWN, except a
 * proven refusal. *out is to be freed by mpay_payment_free. Any thread. Since 0.1.0.
 */
MPAY_NODISCARD MPAY_API int32_t MPAY_CALL mpay_open_get_status(
    const mpay_http_request *request,
    const mpay_http_response *response,
    mpay_payment **out,
    mpay_error **error);

/**
 * Opens the reply to the request of mpay_prepare_attach_receipt: verifies and parses the bytes of the reply, and
 * checks that the reply belongs to the request. The request was sent, so every error has MPAY_OUTCOME_UNKNOWN,
 * except a proven refusal. Any thread. Since 0.1.0.
 */
MPAY_NODISCARD MPAY_API int32_t MPAY_CALL mpay_open_attach_receipt(
    const mpay_http_request *request,
    const mpay_http_response *response,
    mpay_error **error);

/**
 * The whole URL. Borrowed from the request. Any thread. Since 0.1.0.
 */
MPAY_NODISCARD MPAY_API const char *MPAY_CALL mpay_http_request_url(const mpay_http_request *request);

/**
 * Frees a request and all that was borrowed from it; NULL is allowed. Any thread, once. Since 0.1.0.
 */
MPAY_API void MPAY_CALL mpay_http_request_free(mpay_http_request *request);

/**
 * A new response without status, headers and body. Never NULL. Any thread. Since 0.1.0.
 */
MPAY_NODISCARD MPAY_API mpay_http_response *MPAY_CALL mpay_http_response_new(void);

/**
 * Frees a response; NULL is allowed. Any thread, once. Since 0.1.0.
 */
MPAY_API void MPAY_CALL mpay_http_response_free(mpay_http_response *response);

/**
 * Frees a protocol; NULL is allowed. Its prepared requests stay valid. Any thread, once. Since 0.1.0.
 */
MPAY_API void MPAY_CALL mpay_protocol_free(mpay_protocol *protocol);

/**
 * The number of headers to send. Any thread. Since 0.1.0.
 */
MPAY_NODISCARD MPAY_API size_t MPAY_CALL mpay_http_request_header_count(const mpay_http_request *request);

/**
 * The name of the header at this index, counted from 0; NULL after the last. Borrowed from the request. Any
 * thread. Since 0.1.0.
 */
MPAY_NODISCARD MPAY_API const char *MPAY_CALL mpay_http_request_header_name(
    const mpay_http_request *request,
    size_t index);

/**
 * The value of the header at this index, counted from 0; NULL after the last. Borrowed from the request. Any
 * thread. Since 0.1.0.
 */
MPAY_NODISCARD MPAY_API const char *MPAY_CALL mpay_http_request_header_value(
    const mpay_http_request *request,
    size_t index);

/**
 * The signed bytes; mpay_http_request_body_len is their length. They are not NUL-terminated. Borrowed from
 * the request. Any thread. Since 0.1.0.
 */
MPAY_NODISCARD MPAY_API const void *MPAY_CALL mpay_http_request_body(const mpay_http_request *request);

/**
 * The length of mpay_http_request_body in bytes. Any thread. Since 0.1.0.
 */
MPAY_NODISCARD MPAY_API size_t MPAY_CALL mpay_http_request_body_len(const mpay_http_request *request);

/**
 * Sets the HTTP status, which every response needs. Returns MPAY_OK or MPAY_INVALID_ARGUMENT. One thread at
 * a time. Since 0.1.0.
 */
MPAY_API int32_t MPAY_CALL mpay_http_response_set_status(mpay_http_response *response, int32_t status);

/**
 * Adds a header. Add all headers, also repeated ones: a reply with two signatures is refused. Returns
 * MPAY_OK, or MPAY_INVALID_ARGUMENT if the name or the value is NULL; the response then cannot be opened.
 * One thread at a time. Since 0.1.0.
 */
MPAY_API int32_t MPAY_CALL mpay_http_response_add_header(
    mpay_http_response *response,
    const char *name,
    const char *value);

/**
 * Sets the body: `len` unchanged bytes, which are copied. The body is empty unless set. Returns MPAY_OK or
 * MPAY_INVALID_ARGUMENT. One thread at a time. Since 0.1.0.
 */
MPAY_API int32_t MPAY_CALL mpay_http_response_set_body(mpay_http_response *response, const void *body, size_t len);

/* ==== Journal: settings =================================================================================== */

/**
 * Makes settings. To be freed by mpay_journal_config_free. Any thread. Since 0.2.0.
 */
MPAY_NODISCARD MPAY_API mpay_journal_config *MPAY_CALL mpay_journal_config_new(void);

/**
 * Where the journal is: the absolute path of a file that only the journal uses, postgresql://... or mysql://....
 * NULL unsets it. Returns MPAY_OK or MPAY_INVALID_ARGUMENT. One thread at a time. Since 0.4.0.
 */
MPAY_API int32_t MPAY_CALL mpay_journal_config_set_place(mpay_journal_config *config, const char *place);

/**
 * The URL to which the service sends webhooks; each attempt adds its own token. NULL unsets it. Returns MPAY_OK or
 * MPAY_INVALID_ARGUMENT. One thread at a time. Since 0.2.0.
 */
MPAY_API int32_t MPAY_CALL mpay_journal_config_set_callback_url(mpay_journal_config *config, const char *callback_url);

/**
 * Creates the file or the tables if they are missing. Off by default: a wrong path would look like a new shop. 1 or
 * 0. Returns MPAY_OK or MPAY_INVALID_ARGUMENT. One thread at a time. Since 0.3.0.
 */
MPAY_API int32_t MPAY_CALL mpay_journal_config_set_create(mpay_journal_config *config, int32_t create);

/**
 * How long a repeated pay waits for the running call of the same payment; 0 for no wait. In milliseconds: 5000
 * unless set. Returns MPAY_OK or MPAY_INVALID_ARGUMENT. One thread at a time. Since 0.3.0.
 */
MPAY_API int32_t MPAY_CALL mpay_journal_config_set_pay_wait_ms(mpay_journal_config *config, uint32_t pay_wait_ms);

/**
 * The deadline of a payment, which includes storing it; nothing is sent after it. At least 15 s, at most 10 min. In
 * milliseconds: 30000 unless set. Returns MPAY_OK or MPAY_INVALID_ARGUMENT. One thread at a time. Since 0.2.0.
 */
MPAY_API int32_t MPAY_CALL mpay_journal_config_set_timeout_ms(mpay_journal_config *config, uint32_t timeout_ms);

/**
 * Settings of the database that can lose a commit and that the merchant accepts, separated by commas. NULL adds
 * nothing. Returns MPAY_OK or MPAY_INVALID_ARGUMENT. One thread at a time. Since 0.3.0.
 */
MPAY_API int32_t MPAY_CALL mpay_journal_config_add_durability_vouched(
    mpay_journal_config *config,
    const char *durability_vouched);

/**
 * A file whose first line is the database's password. It is read again for each connection. NULL unsets it. Returns
 * MPAY_OK or MPAY_INVALID_ARGUMENT. One thread at a time. Since 0.4.0.
 */
MPAY_API int32_t MPAY_CALL mpay_journal_config_set_password_file(
    mpay_journal_config *config,
    const char *password_file);

/**
 * The most connections of this process to a database. 1 unless set. Returns MPAY_OK or MPAY_INVALID_ARGUMENT. One
 * thread at a time. Since 0.4.0.
 */
MPAY_API int32_t MPAY_CALL mpay_journal_config_set_connections(mpay_journal_config *config, uint32_t connections);

/**
 * Frees settings; NULL is allowed. Journals that were opened with them stay valid. Any thread, once. Since 0.2.0.
 */
MPAY_API void MPAY_CALL mpay_journal_config_free(mpay_journal_config *config);

/**
 * Sets a setting by its name, such as "callback_url" or "pay_wait_ms", and its text, as mpay_config_set
 * does. NULL unsets the setting. Returns MPAY_OK, or MPAY_INVALID_ARGUMENT for an unknown name or a text
 * that cannot be read; the error names the setting. One thread at a time. Since 0.3.0.
 */
MPAY_NODISCARD MPAY_API int32_t MPAY_CALL mpay_journal_config_set(
    mpay_journal_config *config,
    const char *name,
    const char *text,
    mpay_error **error);

/* ==== Journal: entries ==================================================================================== */

/**
 * The merchant's order number. NULL if absent. Borrowed from the entry. Any thread. Since 0.2.0.
 */
MPAY_NODISCARD MPAY_API const char *MPAY_CALL mpay_entry_reference(const mpay_entry *entry);

/**
 * The number of the attempt, from 1. 0 if absent. Any thread. Since 0.2.0.
 */
MPAY_NODISCARD MPAY_API uint32_t MPAY_CALL mpay_entry_attempt(const mpay_entry *entry);

/**
 * The state of the attempt. It does not say that the attempt is paid: "succeeded" does. MPAY_STANDING_SENDING and so
 * on; 0 if absent. Any thread. Since 0.2.0.
 */
MPAY_NODISCARD MPAY_API int32_t MPAY_CALL mpay_entry_standing(const mpay_entry *entry);

/**
 * The service's order id, once it is known. NULL if absent. Borrowed from the entry. Any thread. Since 0.2.0.
 */
MPAY_NODISCARD MPAY_API const char *MPAY_CALL mpay_entry_order_id(const mpay_entry *entry);

/**
 * The last status that the service reported. NULL if absent. Borrowed from the entry. Any thread. Since 0.4.0.
 */
MPAY_NODISCARD MPAY_API const char *MPAY_CALL mpay_entry_status(const mpay_entry *entry);

/**
 * The requested sum. As decimal text. NULL if absent. Borrowed from the entry. Any thread. Since 0.2.0.
 */
MPAY_NODISCARD MPAY_API const char *MPAY_CALL mpay_entry_sum_asked(const mpay_entry *entry);

/**
 * The paid sum, once the service has reported a success with its sum. As decimal text. NULL if absent. Borrowed from
 * the entry. Any thread. Since 0.4.0.
 */
MPAY_NODISCARD MPAY_API const char *MPAY_CALL mpay_entry_sum_paid(const mpay_entry *entry);

/**
 * Ship: paid with the requested sum, and the reference's only success. 1 or 0. Any thread. Since 0.2.0.
 */
MPAY_NODISCARD MPAY_API int32_t MPAY_CALL mpay_entry_succeeded(const mpay_entry *entry);

/**
 * What the customer needs to pay, only while the customer may pay. Else NULL. Borrowed from the entry: not to be
 * freed. Any thread. Since 0.2.0.
 */
MPAY_NODISCARD MPAY_API const mpay_payment *MPAY_CALL mpay_entry_credentials(const mpay_entry *entry);

/**
 * The number of the newest news. It only grows; 0 if there were none. Any thread. Since 0.4.0.
 */
MPAY_NODISCARD MPAY_API int64_t MPAY_CALL mpay_entry_news(const mpay_entry *entry);

/**
 * The newest news are acknowledged, or there were none. 1 or 0. Any thread. Since 0.2.0.
 */
MPAY_NODISCARD MPAY_API int32_t MPAY_CALL mpay_entry_acknowledged(const mpay_entry *entry);

/**
 * The newest instruction: confirm or cancel. MPAY_INTENT_CONFIRM and so on; 0 if absent. Any thread. Since 0.4.0.
 */
MPAY_NODISCARD MPAY_API int32_t MPAY_CALL mpay_entry_intent(const mpay_entry *entry);

/**
 * What became of the instruction. MPAY_INTENT_STATE_STORED and so on; 0 if absent. Any thread. Since 0.4.0.
 */
MPAY_NODISCARD MPAY_API int32_t MPAY_CALL mpay_entry_intent_state(const mpay_entry *entry);

/**
 * When the attempt was stored, in milliseconds since 1970 by the database's clock. 0 if absent. Any thread. Since
 * 0.2.0.
 */
MPAY_NODISCARD MPAY_API int64_t MPAY_CALL mpay_entry_created_at_ms(const mpay_entry *entry);

/**
 * When it was last written, likewise. 0 if absent. Any thread. Since 0.2.0.
 */
MPAY_NODISCARD MPAY_API int64_t MPAY_CALL mpay_entry_updated_at_ms(const mpay_entry *entry);

/**
 * The standing's name, such as "open"; NULL if the entry is not an attempt. Borrowed from the entry. Any thread.
 * Since 0.2.0.
 */
MPAY_NODISCARD MPAY_API const char *MPAY_CALL mpay_entry_standing_name(const mpay_entry *entry);

/**
 * A reason for which a person must look at the attempt, by index from 0: MPAY_ATTENTION_UNKNOWN and so on; 0 after
 * the last one. Any thread. Since 0.2.0.
 */
MPAY_NODISCARD MPAY_API int32_t MPAY_CALL mpay_entry_attention(const mpay_entry *entry, size_t place);

/**
 * The error code of the last call about the attempt: MPAY_TRANSPORT and so on; MPAY_OK if that call did not fail.
 * Any thread. Since 0.2.0.
 */
MPAY_NODISCARD MPAY_API int32_t MPAY_CALL mpay_entry_error_code(const mpay_entry *entry);

/**
 * The outcome of the last call about the attempt: MPAY_OUTCOME_NOT_SENT and so on; 0 if that call did not fail. Any
 * thread. Since 0.2.0.
 */
MPAY_NODISCARD MPAY_API int32_t MPAY_CALL mpay_entry_error_outcome(const mpay_entry *entry);

/**
 * The service's text about the refusal of the last call, or NULL. Borrowed from the entry. Any thread. Since 0.2.0.
 */
MPAY_NODISCARD MPAY_API const char *MPAY_CALL mpay_entry_error_description(const mpay_entry *entry);

/**
 * The name of the reason with this number, such as "unknown"; NULL for a number that this version does not know.
 * Static. Any thread. Since 0.4.0.
 */
MPAY_NODISCARD MPAY_API const char *MPAY_CALL mpay_attention_name(int32_t reason);

/**
 * Frees an entry and all that was borrowed from it; NULL is allowed. Do not free an entry that was borrowed. Any
 * thread, once. Since 0.2.0.
 */
MPAY_API void MPAY_CALL mpay_entry_free(mpay_entry *entry);

/**
 * Frees entries and all that was borrowed from them; NULL is allowed. Any thread, once. Since 0.2.0.
 */
MPAY_API void MPAY_CALL mpay_entries_free(mpay_entries *entries);

/**
 * What a reason means for this attempt, by the reason's index: one sentence. NULL after the last one, and
 * for an entry that is not of mpay_journal_attention. Borrowed from the entry. Any thread. Since 0.4.0.
 */
MPAY_NODISCARD MPAY_API const char *MPAY_CALL mpay_entry_detail(const mpay_entry *entry, size_t place);

/**
 * 1 for an orphan, verified messages about an order that no attempt has; mpay_journal_attention lists them.
 * An orphan has the order id, the status, and as its creation time the arrival of its first message. It has
 * the reference and the number of an attempt only if it came to the URL of that attempt. Else 0. Any thread.
 * Since 0.2.0.
 */
MPAY_NODISCARD MPAY_API int32_t MPAY_CALL mpay_entry_is_orphan(const mpay_entry *entry);

/**
 * The column that cannot be read in a row that a newer version or another program has written; else NULL.
 * mpay_journal_attention lists such rows; they have only the reference and the number of the attempt.
 * Borrowed from the entry. Any thread. Since 0.4.0.
 */
MPAY_NODISCARD MPAY_API const char *MPAY_CALL mpay_entry_unreadable(const mpay_entry *entry);

/**
 * The whole entry as one line of JSON. Borrowed from the entry. Any thread. Since 0.2.0.
 */
MPAY_NODISCARD MPAY_API const char *MPAY_CALL mpay_entry_json(const mpay_entry *entry);

/**
 * The statement that acknowledges an entry, for the merchant's own transaction in the journal's database.
 * style is the way in which the database's driver writes parameters: MPAY_STYLE_QUESTION and so on. The
 * parameters are the entry's reference, attempt and news, in this order or by these names. If the statement
 * changes no row, another worker was first, or there are newer news: roll back, and read the news again.
 * Otherwise the transaction's other work is done exactly once. NULL if the entry is not an attempt, or for
 * another style. Borrowed from the entry. Any thread. Since 0.4.0.
 */
MPAY_NODISCARD MPAY_API const char *MPAY_CALL mpay_entry_acknowledge_sql(const mpay_entry *entry, int32_t style);

/**
 * The number of entries. Any thread. Since 0.2.0.
 */
MPAY_NODISCARD MPAY_API size_t MPAY_CALL mpay_entries_count(const mpay_entries *entries);

/**
 * The entry at this index, counted from 0; NULL after the last one. Borrowed from the entries: not to be
 * freed. Any thread. Since 0.2.0.
 */
MPAY_NODISCARD MPAY_API const mpay_entry *MPAY_CALL mpay_entries_get(const mpay_entries *entries, size_t place);

/* ==== Journal: calls ====================================================================================== */

/**
 * Makes a derived handle of the same journal. Its calls can be interrupted separately; interrupting the journal
 * interrupts them too. This function is cheap. Free both handles, in any order. Returns MPAY_OK or
 * MPAY_INVALID_ARGUMENT. *out is to be freed by mpay_journal_free. Any thread. Since 0.2.0.
 */
MPAY_NODISCARD MPAY_API int32_t MPAY_CALL mpay_journal_derive(
    const mpay_journal *journal,
    mpay_journal **out,
    mpay_error **error);

/**
 * Ends the calls to the service that this handle and every handle derived from it have started, in all threads. The
 * interruption is permanent: later calls do not start (see mpay_client_interrupt). The result of an interrupted call
 * is still stored. The journal from which this handle was derived continues. NULL does nothing. Any thread, but not
 * a signal handler. Do not free the handle before this function has returned. Since 0.2.0.
 */
MPAY_API void MPAY_CALL mpay_journal_interrupt(const mpay_journal *journal);

/**
 * Takes a payment by newPayment, or returns the existing payment of the reference: this call can be repeated safely.
 * `reference` is the merchant's own order number, 1 to 120 printable characters. If the entry has credentials
 * (mpay_entry_credentials), show them to the customer. If the standing is MPAY_STANDING_REFUSED, call again.
 * MPAY_STANDING_UNKNOWN stays until a webhook or a person decides. If another call for the same reference is
 * running, this call waits until that call ends, for at most the time of mpay_journal_config_set_pay_wait_ms. After
 * three consecutive refused attempts, no new attempt is made for 2 s, then for 4 s and so on up to 5 min; meanwhile
 * the call returns the refused attempt. Returns MPAY_OK; MPAY_INVALID_ARGUMENT if the reference or the request is
 * invalid, or the reference belongs to a different request; MPAY_STORAGE with MPAY_OUTCOME_NOT_SENT if nothing was
 * sent, as while the journal is paused, or with MPAY_OUTCOME_UNKNOWN and the order id if a reply had arrived. An
 * error of the service or the network is in mpay_entry_error_code. *out is to be freed by mpay_entry_free. Any
 * thread. Since 0.2.0.
 */
MPAY_NODISCARD MPAY_API int32_t MPAY_CALL mpay_journal_pay(
    const mpay_journal *journal,
    const char *reference,
    const mpay_payment_request *request,
    mpay_entry **out,
    mpay_error **error);

/**
 * Like mpay_journal_pay, by newPaymentAsync: the credentials arrive by webhook, and mpay_journal_news and
 * mpay_journal_wait return them. The journal must have a callback URL (mpay_journal_config_set_callback_url).
 * Returns MPAY_OK, MPAY_INVALID_ARGUMENT or MPAY_STORAGE, as mpay_journal_pay does. *out is to be freed by
 * mpay_entry_free. Any thread. Since 0.2.0.
 */
MPAY_NODISCARD MPAY_API int32_t MPAY_CALL mpay_journal_pay_async(
    const mpay_journal *journal,
    const char *reference,
    const mpay_payment_request *request,
    mpay_entry **out,
    mpay_error **error);

/**
 * Makes a payment in place of this attempt, by the same operation. A person decides it, who knows that the customer
 * will not pay the old one. The attempt must be the reference's last one, and unknown, refused, cancelled by an
 * accepted cancel, or final without success. If it has an order, the service is asked first; a success is stored,
 * and nothing is replaced. An attempt that cannot be replaced stays as it is, and *out is the present entry of the
 * reference. Returns MPAY_OK; MPAY_INVALID_ARGUMENT if there is no such attempt, or if it comes from a backup and
 * nobody has decided about it; the error of getStatus; or MPAY_STORAGE, as mpay_journal_pay does. *out is to be
 * freed by mpay_entry_free. Any thread. Since 0.4.0.
 */
MPAY_NODISCARD MPAY_API int32_t MPAY_CALL mpay_journal_replace(
    const mpay_journal *journal,
    const char *reference,
    uint32_t attempt,
    const mpay_payment_request *request,
    mpay_entry **out,
    mpay_error **error);

/**
 * Waits until the last attempt of a reference has credentials (MPAY_UNTIL_CREDENTIALS) or is final
 * (MPAY_UNTIL_FINAL), for at most timeout_ms milliseconds, and returns its entry. Meanwhile it asks the service
 * every two seconds, together with all others that wait. The result is MPAY_OK even if the time is over: check
 * mpay_entry_standing. (mpay_wait differs: when its time is over it has no entry to return, and fails with
 * MPAY_TIMEOUT.) Returns MPAY_OK, MPAY_INVALID_ARGUMENT if there is no such reference, MPAY_STORAGE or
 * MPAY_CANCELLED. *out is to be freed by mpay_entry_free. Any thread. Since 0.2.0.
 */
MPAY_NODISCARD MPAY_API int32_t MPAY_CALL mpay_journal_wait(
    const mpay_journal *journal,
    const char *reference,
    uint32_t timeout_ms,
    int32_t wanted,
    mpay_entry **out,
    mpay_error **error);

/**
 * Reports to the service that the customer has paid this attempt. The journal stores the report before it sends it,
 * and mpay_journal_settle sends it again until the service has answered. mpay_entry_intent_state says what became of
 * it. An attempt that is over stays as it is. Returns MPAY_OK, MPAY_INVALID_ARGUMENT for an attempt that does not
 * exist or has no order yet, or MPAY_STORAGE. *out is to be freed by mpay_entry_free. Any thread. Since 0.2.0.
 */
MPAY_NODISCARD MPAY_API int32_t MPAY_CALL mpay_journal_confirm(
    const mpay_journal *journal,
    const char *reference,
    uint32_t attempt,
    mpay_entry **out,
    mpay_error **error);

/**
 * Cancels this attempt, as mpay_journal_confirm confirms it. From now on its credentials are not shown; once
 * mpay_entry_intent_state is MPAY_INTENT_STATE_ACCEPTED, the attempt can be replaced. Returns MPAY_OK,
 * MPAY_INVALID_ARGUMENT or MPAY_STORAGE, as mpay_journal_confirm does. *out is to be freed by mpay_entry_free. Any
 * thread. Since 0.2.0.
 */
MPAY_NODISCARD MPAY_API int32_t MPAY_CALL mpay_journal_cancel(
    const mpay_journal *journal,
    const char *reference,
    uint32_t attempt,
    mpay_entry **out,
    mpay_error **error);

/**
 * Finds the last attempt of a reference. Returns MPAY_OK, MPAY_INVALID_ARGUMENT or MPAY_STORAGE. *out is NULL if
 * there is no such reference. *out is to be freed by mpay_entry_free. Any thread. Since 0.2.0.
 */
MPAY_NODISCARD MPAY_API int32_t MPAY_CALL mpay_journal_find(
    const mpay_journal *journal,
    const char *reference,
    mpay_entry **out,
    mpay_error **error);

/**
 * Returns at most `limit` entries with news that nobody has acknowledged, the oldest first. Act on a payment only
 * when this function returns its entry, and then acknowledge it. Each entry is leased to the caller for a minute, so
 * that concurrent workers get different entries; an entry that is not acknowledged by then is returned again.
 * Returns MPAY_OK, MPAY_INVALID_ARGUMENT, or MPAY_STORAGE, also while the journal is paused. *out is to be freed by
 * mpay_entries_free. Any thread. Since 0.2.0.
 */
MPAY_NODISCARD MPAY_API int32_t MPAY_CALL mpay_journal_news(
    const mpay_journal *journal,
    uint32_t limit,
    mpay_entries **out,
    mpay_error **error);

/**
 * Stores a person's decision that an attempt's payment is this order. The service is asked about it, and must report
 * `sum`, as decimal text; NULL means the asked sum. `note` has 1 to 500 characters: who decided, and why. Returns
 * MPAY_OK; MPAY_INVALID_ARGUMENT if the attempt is not unknown, or if the order has another sum or another attempt;
 * the error of getStatus; or MPAY_STORAGE. *out is to be freed by mpay_entry_free. Any thread. Since 0.4.0.
 */
MPAY_NODISCARD MPAY_API int32_t MPAY_CALL mpay_journal_resolve_order(
    const mpay_journal *journal,
    const char *reference,
    uint32_t attempt,
    const char *order_id,
    const char *sum,
    const char *note,
    mpay_entry **out,
    mpay_error **error);

/**
 * Stores a person's decision that there is no payment for an unknown attempt, as support says. Returns MPAY_OK,
 * MPAY_INVALID_ARGUMENT or MPAY_STORAGE, as mpay_journal_resolve_order does. *out is to be freed by mpay_entry_free.
 * Any thread. Since 0.4.0.
 */
MPAY_NODISCARD MPAY_API int32_t MPAY_CALL mpay_journal_resolve_no_payment(
    const mpay_journal *journal,
    const char *reference,
    uint32_t attempt,
    const char *note,
    mpay_entry **out,
    mpay_error **error);

/**
 * Stores that a person has seen these reasons of an attempt, and no others. `reasons` are their names, separated by
 * commas. A reason that was seen is listed again only for a new event. Returns MPAY_OK, MPAY_INVALID_ARGUMENT or
 * MPAY_STORAGE, as mpay_journal_resolve_order does. *out is to be freed by mpay_entry_free. Any thread. Since 0.4.0.
 */
MPAY_NODISCARD MPAY_API int32_t MPAY_CALL mpay_journal_resolve_seen(
    const mpay_journal *journal,
    const char *reference,
    uint32_t attempt,
    const char *reasons,
    const char *note,
    mpay_entry **out,
    mpay_error **error);

/**
 * Stores a person's decision that a restored attempt is as new as the truth: support was asked about every
 * merchantId of the reference. Returns MPAY_OK, MPAY_INVALID_ARGUMENT or MPAY_STORAGE, as mpay_journal_resolve_order
 * does. *out is to be freed by mpay_entry_free. Any thread. Since 0.4.0.
 */
MPAY_NODISCARD MPAY_API int32_t MPAY_CALL mpay_journal_resolve_trusted(
    const mpay_journal *journal,
    const char *reference,
    uint32_t attempt,
    const char *note,
    mpay_entry **out,
    mpay_error **error);

/**
 * Stores that a person has seen the messages about an order that no attempt has. `status` is the orphan's
 * mpay_entry_status, or NULL if it has none: messages that report another status by now stay on the list. Returns
 * MPAY_OK, MPAY_INVALID_ARGUMENT or MPAY_STORAGE. Any thread. Since 0.4.0.
 */
MPAY_NODISCARD MPAY_API int32_t MPAY_CALL mpay_journal_resolve_orphan(
    const mpay_journal *journal,
    const char *order_id,
    const char *status,
    const char *note,
    mpay_error **error);

/**
 * Counts what is open, due, new and for a person. Returns MPAY_OK, MPAY_INVALID_ARGUMENT or MPAY_STORAGE. *out is to
 * be freed by mpay_stats_free. Any thread. Since 0.3.0.
 */
MPAY_NODISCARD MPAY_API int32_t MPAY_CALL mpay_journal_stats(
    const mpay_journal *journal,
    mpay_stats **out,
    mpay_error **error);

/**
 * Returns the number of items that a person must look at: attempts and orphans. Any thread. Since 0.3.0.
 */
MPAY_NODISCARD MPAY_API uint64_t MPAY_CALL mpay_stats_attention(const mpay_stats *stats);

/**
 * Returns the number of attempts about which the service must be asked now. Any thread. Since 0.3.0.
 */
MPAY_NODISCARD MPAY_API uint64_t MPAY_CALL mpay_stats_due(const mpay_stats *stats);

/**
 * Returns the time in milliseconds for which an attempt has been due; 0 if none is. Any thread. Since 0.3.0.
 */
MPAY_NODISCARD MPAY_API uint64_t MPAY_CALL mpay_stats_overdue_ms(const mpay_stats *stats);

/**
 * Returns the number of entries that nobody has acknowledged. Any thread. Since 0.4.0.
 */
MPAY_NODISCARD MPAY_API uint64_t MPAY_CALL mpay_stats_news(const mpay_stats *stats);

/**
 * Returns the note of the pause; NULL if the journal is not paused. Borrowed from the stats. Any thread. Since
 * 0.3.0.
 */
MPAY_NODISCARD MPAY_API const char *MPAY_CALL mpay_stats_pause_note(const mpay_stats *stats);

/**
 * Returns the stats as one line of JSON. Its fields are standings, attention, orphans, due, overdueMs, news, pause
 * and durabilityVouched. Borrowed from the stats. Any thread. Since 0.3.0.
 */
MPAY_NODISCARD MPAY_API const char *MPAY_CALL mpay_stats_json(const mpay_stats *stats);

/**
 * Frees stats and all that was borrowed from them; NULL is allowed. Any thread, once. Since 0.3.0.
 */
MPAY_API void MPAY_CALL mpay_stats_free(mpay_stats *stats);

/**
 * Frees a journal; NULL is allowed. Its entries stay valid. No other thread may use the journal while it is freed.
 * Any thread, once. Since 0.2.0.
 */
MPAY_API void MPAY_CALL mpay_journal_free(mpay_journal *journal);

/**
 * Opens a journal. It copies the client and the settings, so both may be freed afterwards. The first one to
 * open a journal stores the client's base URL and key id; a client with others is refused from then on.
 * Returns MPAY_OK, MPAY_INVALID_ARGUMENT, or MPAY_STORAGE if the place cannot be used. *out is to be freed
 * by mpay_journal_free. Any thread. Since 0.2.0.
 */
MPAY_NODISCARD MPAY_API int32_t MPAY_CALL mpay_journal_open(
    const mpay_client *client,
    const mpay_journal_config *config,
    mpay_journal **out,
    mpay_error **error);

/**
 * Lists at most `limit` entries, the newest first: of one standing (MPAY_STANDING_OPEN and so on), or each
 * reference's last attempt (0). before_reference is NULL for the first page; for the next one it is the
 * reference of the last entry, and before_created_at_ms its creation time. Returns MPAY_OK,
 * MPAY_INVALID_ARGUMENT or MPAY_STORAGE. *out is to be freed by mpay_entries_free. Any thread. Since 0.2.0.
 */
MPAY_NODISCARD MPAY_API int32_t MPAY_CALL mpay_journal_list(
    const mpay_journal *journal,
    int32_t standing,
    uint32_t limit,
    const char *before_reference,
    int64_t before_created_at_ms,
    mpay_entries **out,
    mpay_error **error);

/**
 * Lists what a person must look at: at most `limit` attempts of each kind (mpay_entry_attention), at most
 * `limit` orphans (mpay_entry_is_orphan), and rows that cannot be read (mpay_entry_unreadable). Returns
 * MPAY_OK, MPAY_INVALID_ARGUMENT or MPAY_STORAGE. *out is to be freed by mpay_entries_free. Any thread.
 * Since 0.2.0.
 */
MPAY_NODISCARD MPAY_API int32_t MPAY_CALL mpay_journal_attention(
    const mpay_journal *journal,
    uint32_t limit,
    mpay_entries **out,
    mpay_error **error);

/**
 * Acknowledges the news with this number (mpay_entry_news) of an attempt. *acknowledged is 1 if this call
 * did it; 0 if they were acknowledged before, or if there are newer news, which nobody has read yet. Of two
 * workers only one gets 1. Returns MPAY_OK, MPAY_INVALID_ARGUMENT, or MPAY_STORAGE; with
 * MPAY_OUTCOME_UNKNOWN the entry comes again unless it is acknowledged. `acknowledged` may be NULL. Any
 * thread. Since 0.2.0.
 */
MPAY_NODISCARD MPAY_API int32_t MPAY_CALL mpay_journal_acknowledge(
    const mpay_journal *journal,
    const char *reference,
    uint32_t attempt,
    int64_t news,
    int32_t *acknowledged,
    mpay_error **error);

/**
 * Receives a webhook, which is stored and makes the journal ask the service. The arguments are its path or
 * URL, the `len` unchanged bytes of its body, and the values of the signature header and the key id header,
 * each NULL if absent. *http_status is the answer to send: 200 if the webhook is stored; 400 if it does not
 * verify; 404 for an unknown token in the path, and 409 if the order does not belong to the token's attempt
 * (both are stored for mpay_journal_attention); 503 if the journal failed, so that the service retries. *out
 * is the attempt after the service was asked, or NULL if there is no attempt; to be freed by
 * mpay_entry_free. `out` may be NULL. Returns MPAY_OK for 200, 404 and 409, else the reason why the webhook
 * was not stored: MPAY_UNVERIFIED, MPAY_MALFORMED, MPAY_STORAGE or MPAY_INVALID_ARGUMENT. Any thread. Since
 * 0.2.0.
 */
MPAY_NODISCARD MPAY_API int32_t MPAY_CALL mpay_journal_receive(
    const mpay_journal *journal,
    const char *path,
    const void *body,
    size_t len,
    const char *signature,
    const char *key_id,
    int32_t *http_status,
    mpay_entry **out,
    mpay_error **error);

/**
 * Asks the service about at most `limit` attempts that are due, and sends unanswered instructions again; at
 * most 10 calls a second. Call it from cron or in a loop; several callers may share the work. *done is the
 * number of attempts about which the service was asked. *next_due_ms is the time in milliseconds until the
 * next one is due, -1 for never. `done` and `next_due_ms` may be NULL. Returns MPAY_OK,
 * MPAY_INVALID_ARGUMENT, MPAY_STORAGE or MPAY_CANCELLED. Any thread. Since 0.2.0.
 */
MPAY_NODISCARD MPAY_API int32_t MPAY_CALL mpay_journal_settle(
    const mpay_journal *journal,
    uint32_t limit,
    uint32_t *done,
    int64_t *next_due_ms,
    mpay_error **error);

/**
 * Returns the number of attempts with the standing MPAY_STANDING_SENDING, MPAY_STANDING_UNKNOWN or
 * MPAY_STANDING_OPEN. The others are not counted, because their number only grows: 0. Any thread. Since
 * 0.3.0.
 */
MPAY_NODISCARD MPAY_API uint64_t MPAY_CALL mpay_stats_count(const mpay_stats *stats, int32_t standing);

/* ==== Calls by number, for bindings of other languages ==================================================== */

/**
 * Opens an object of this kind: 2 client, 3 protocol, 4 verifier, 5 journal, 1 the calls that need no object.
 * `parent` is the client of a journal, else 0. `args` is a frame of `len` bytes with the arguments of the
 * member "opening" of merchantpay.json. `host` may be NULL; else it is released with `token`, once, also if
 * nothing is opened. Returns the length of the reply, as mpay_call does; the reply is the handle, in eight
 * bytes of the machine's order. Any thread. Since 0.4.0.
 */
MPAY_NODISCARD MPAY_API int64_t MPAY_CALL mpay_open(
    uint32_t kind,
    mpay_handle parent,
    const void *args,
    size_t len,
    mpay_host host,
    size_t token,
    void *buffer,
    size_t capacity,
    void **large);

/**
 * Makes a call of merchantpay.json by its number, and waits for its reply. `args` is a frame of `len` bytes
 * with the call's arguments. A value of it whose length is -2 is `bulk`: large bytes that need not be copied
 * into a frame. Returns the length of the reply, which is in `buffer` if it fits in `capacity` bytes; else it
 * is in *large, to be freed by mpay_free with this length. A negative result means that the call failed: the
 * reply is the record "error", and its length is the number without its sign. Any thread. Since 0.4.0.
 */
MPAY_NODISCARD MPAY_API int64_t MPAY_CALL mpay_call(
    mpay_handle handle,
    uint32_t call,
    const void *args,
    size_t len,
    const void *bulk,
    size_t bulk_len,
    void *buffer,
    size_t capacity,
    void **large);

/**
 * Ends the running calls of a client or journal and of all that was derived from it, and lets no more start.
 * Returns 1, or 0 if the handle is closed. Any thread, but not a signal handler. Since 0.4.0.
 */
MPAY_NODISCARD MPAY_API int32_t MPAY_CALL mpay_interrupt(mpay_handle handle);

/**
 * Closes a handle. Running calls end normally. Closing it again does nothing. Any thread. Since 0.4.0.
 */
MPAY_API void MPAY_CALL mpay_close(mpay_handle handle);

/**
 * Wipes and frees a large reply of `len` bytes; NULL is allowed. Any thread, once. Since 0.4.0.
 */
MPAY_API void MPAY_CALL mpay_free(void *large, size_t len);

/**
 * Puts the answer of a mpay_host: `len` bytes, which are copied. The callback's thread only. Since 0.4.0.
 */
MPAY_API void MPAY_CALL mpay_answer(mpay_answer_t *answer, const void *data, size_t len);

#ifdef __cplusplus
}
#endif

#endif  /* MERCHANTPAY_H */
