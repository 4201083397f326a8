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
#define MPAY_HEADER_VERSION "0.3.0"

/**
 * The version of this header as a number, which grows with each version: major * 10000 + minor * 100 +
 * patch.
 */
#define MPAY_HEADER_VERSION_NUMBER 300

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
 * Another worker was first: "acknowledge" in a transaction found nothing to acknowledge. Roll the transaction back.
 * Since 0.3.0.
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
 * The result of mpay_payment_sum_minor and mpay_amounts_get_minor if there is no sum, or if the sum is not
 * in whole kopecks.
 */
#define MPAY_NO_MINOR INT64_MIN

/**
 * The attempt is stored. Until the attempt's deadline, a process is possibly making the call. Since 0.2.0.
 */
#define MPAY_STANDING_SENDING 1

/**
 * The call ended without proof of its effect, or the process died during the call. Since 0.2.0.
 */
#define MPAY_STANDING_UNKNOWN 2

/**
 * Nobody can pay: no request was sent, the service refused the request, or the payment failed before any credentials
 * were stored. Since 0.2.0.
 */
#define MPAY_STANDING_REFUSED 3

/**
 * The order id is known; the status is not final. Since 0.2.0.
 */
#define MPAY_STANDING_OPEN 4

/**
 * The status is final: a success or a failure. Since 0.2.0.
 */
#define MPAY_STANDING_FINAL 5

/**
 * A newer attempt replaced this one. Since 0.2.0.
 */
#define MPAY_STANDING_SUPERSEDED 6

/**
 * The attempt has no result yet, or none was acknowledged. Since 0.2.0.
 */
#define MPAY_LEVEL_NONE 0

/**
 * Credentials for the customer exist. Since 0.2.0.
 */
#define MPAY_LEVEL_CREDENTIALS 1

/**
 * A receipt must be attached. Since 0.2.0.
 */
#define MPAY_LEVEL_RECEIPT_REQUIRED 2

/**
 * The attempt is refused, and the result of "pay" did not show this. Since 0.2.0.
 */
#define MPAY_LEVEL_REFUSED 3

/**
 * The status is final. Since 0.2.0.
 */
#define MPAY_LEVEL_FINAL 4

/**
 * The instruction is stored, and the service has not answered it yet. "settle" sends it again. Since 0.2.0.
 */
#define MPAY_INTENT_STORED 1

/**
 * The service accepted the instruction. Since 0.2.0.
 */
#define MPAY_INTENT_ACCEPTED 2

/**
 * The service refused the instruction. No earlier call with the same instruction can have arrived. Since 0.2.0.
 */
#define MPAY_INTENT_REFUSED 3

/**
 * The service refused the instruction, or a newer instruction replaced it. An earlier call with the same instruction
 * may still have arrived. Since 0.2.0.
 */
#define MPAY_INTENT_UNCLEAR 4

/**
 * It is not known whether the service made a payment. Since 0.2.0.
 */
#define MPAY_ATTENTION_UNKNOWN 1

/**
 * A payment was found for a refused attempt. Since 0.2.0.
 */
#define MPAY_ATTENTION_FOUND_AFTER_REFUSED 2

/**
 * A superseded attempt was paid. Since 0.2.0.
 */
#define MPAY_ATTENTION_SUPERSEDED_PAID 3

/**
 * A superseded attempt is still payable: the service requires a receipt, or the journal tried to cancel the attempt
 * for a day without success. Since 0.2.0.
 */
#define MPAY_ATTENTION_SUPERSEDED_ALIVE 4

/**
 * The service refused the confirm. Since 0.2.0.
 */
#define MPAY_ATTENTION_CONFIRM_REFUSED 5

/**
 * After a day it is still not known whether the confirm took effect. Since 0.2.0.
 */
#define MPAY_ATTENTION_CONFIRM_UNCLEAR 6

/**
 * The service reported a final status or a sum that differs from the stored value. Since 0.2.0.
 */
#define MPAY_ATTENTION_FINAL_CONTRADICTED 7

/**
 * The paid sum differs from the requested sum. Since 0.2.0.
 */
#define MPAY_ATTENTION_PAID_DIFFERS 8

/**
 * The credentials have a different sum or currency than requested. Since 0.2.0.
 */
#define MPAY_ATTENTION_CREDENTIALS_DIFFER 9

/**
 * The service does not know the order. Since 0.2.0.
 */
#define MPAY_ATTENTION_ORDER_NOT_FOUND 10

/**
 * The status has not become final in thirty days. Since 0.2.0.
 */
#define MPAY_ATTENTION_STILL_OPEN 11

/**
 * A webhook and the reply named different orders. The note has the order id of the webhook. Since 0.2.0.
 */
#define MPAY_ATTENTION_ORDER_DIFFERS 12

/**
 * Only a webhook named the order. There is no proof, for example an equal sum, that the order belongs to this
 * attempt. The order is listed as an orphan. Since 0.2.0.
 */
#define MPAY_ATTENTION_ORDER_UNPROVEN 13

/**
 * The payment succeeded, but neither the webhook nor the response of mpay_get_status has the paid sum. Since 0.3.0.
 */
#define MPAY_ATTENTION_SUM_MISSING 14

/**
 * The database runs on a different server than the one that an operator has accepted. This is a reason of the whole
 * journal, and of no attempt. Since 0.3.0.
 */
#define MPAY_ATTENTION_SERVER_CHANGED 15

/**
 * Wait for credentials. The wait also ends if the attempt is refused or final, or if its outcome is unknown, because
 * no credentials are expected soon. Since 0.2.0.
 */
#define MPAY_UNTIL_CREDENTIALS 1

/**
 * Wait for a final status. The wait also ends if the attempt is refused or its outcome is unknown, because no final
 * status is expected soon. Since 0.2.0.
 */
#define MPAY_UNTIL_FINAL 2

/**
 * SQLite. Since 0.2.0.
 */
#define MPAY_DIALECT_SQLITE 1

/**
 * PostgreSQL 12 or later. Since 0.2.0.
 */
#define MPAY_DIALECT_POSTGRESQL 2

/**
 * MySQL 8 or later, and MariaDB 10.5 or later. Since 0.2.0.
 */
#define MPAY_DIALECT_MYSQL 3

/**
 * A parameter is "?". Since 0.2.0.
 */
#define MPAY_PLACEHOLDERS_QUESTION 1

/**
 * The parameters are "$1", "$2" and so on. Since 0.2.0.
 */
#define MPAY_PLACEHOLDERS_NUMBERED 2

/**
 * A parameter is "%s". Since 0.2.0.
 */
#define MPAY_PLACEHOLDERS_PERCENT 3

/**
 * mpay_database_callback returns this if the statement succeeded.
 */
#define MPAY_DATABASE_OK 0

/**
 * mpay_database_callback returns this if another row already has the key (SQLSTATE 23505, MySQL 1062):
 * nothing was written.
 */
#define MPAY_DATABASE_DUPLICATE 1

/**
 * mpay_database_callback returns this if the connection was lost: the statement may have taken effect.
 */
#define MPAY_DATABASE_UNCLEAR 2

/**
 * mpay_database_callback returns this if the statement failed and was certainly not carried out.
 */
#define MPAY_DATABASE_FAILED 3

/**
 * mpay_journal_resolve: the attempt belongs to the order with the given order id.
 */
#define MPAY_RESOLUTION_ORDER_ID 1

/**
 * mpay_journal_resolve: the service made no payment for the attempt.
 */
#define MPAY_RESOLUTION_NO_PAYMENT 2

/**
 * mpay_journal_resolve: the operator has seen the item. The item leaves the list of mpay_journal_attention
 * until it has a new reason.
 */
#define MPAY_RESOLUTION_SEEN 3

/**
 * An exact decimal. Any number of threads may read it at once.
 */
typedef struct mpay_amount mpay_amount;

/**
 * The amounts for which the service has a counter-offer right now (contract, section 4.1). The service
 * reserves none of them. Any number of threads may read them at once.
 */
typedef struct mpay_amounts mpay_amounts;

/**
 * One HTTP attempt of a call, for a log: one request and its response. It contains no key, signature, body,
 * account or name. It belongs to the library and is valid until the callback returns.
 */
typedef struct mpay_attempt mpay_attempt;

/**
 * Makes calls to the service. Threads may share a client without a lock. After fork the child process may
 * use the client too: the child's calls open their own connections.
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
 * orphan (a verified message that matches no attempt) or a changed server. Any number of threads may read an
 * entry at once.
 */
typedef struct mpay_entry mpay_entry;

/**
 * The reason why a function failed. It belongs to the caller that passed the mpay_error **. Any thread may
 * read it.
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
 * The lines of an export. One thread at a time may use them.
 */
typedef struct mpay_export mpay_export;

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
 * A journal: each order number has at most one payment that a customer can pay. Threads may share it without
 * a lock.
 */
typedef struct mpay_journal mpay_journal;

/**
 * The settings of a journal. They can be set in any order. A journal checks and copies the settings when it
 * is opened. One thread at a time may use them.
 */
typedef struct mpay_journal_config mpay_journal_config;

/**
 * A new pair of keys. The private key is wiped from memory when the pair is freed. Any number of threads may
 * read the pair at once.
 */
typedef struct mpay_keypair mpay_keypair;

/**
 * A payment as a verified reply or webhook reports it (contract, section 2). Every field except the order id
 * may be absent. Any number of threads may read it at once.
 */
typedef struct mpay_payment mpay_payment;

/**
 * The request of mpay_get_available_amounts, mpay_new_payment and mpay_new_payment_async. Its fields can be
 * set in any order, and are checked when the request is used. The request can be used several times. One
 * thread at a time may set its fields; any number of threads may use it at once.
 */
typedef struct mpay_payment_request mpay_payment_request;

/**
 * Signs requests for one service and verifies the service's replies. Threads may share a protocol without a
 * lock.
 */
typedef struct mpay_protocol mpay_protocol;

/**
 * One or more receipts for a payment in arbitration (contract, section 4.7). One thread at a time may add
 * files; any number of threads may use the receipt at once.
 */
typedef struct mpay_receipt mpay_receipt;

/**
 * Receives the result of a statement from mpay_database_callback. This object is valid until the callback
 * returns.
 */
typedef struct mpay_rows mpay_rows;

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
 * A callback that runs one SQL statement in autocommit, on a connection that only the journal uses, and
 * waits until its effect is durable. The statement has `count` parameters, each a text, or NULL for SQL's
 * NULL. The callback passes each row to mpay_rows_add, the number of written rows to mpay_rows_set_affected,
 * and an error's text to mpay_rows_set_message. Returns MPAY_DATABASE_OK, or the result of
 * mpay_database_failure for the server's error code; any other number is treated as MPAY_DATABASE_UNCLEAR.
 * Several threads can call the callback at once, and the callback may use the library. It must return
 * normally: it must not throw or call longjmp.
 */
typedef int32_t (MPAY_CALL *mpay_database_callback)(void *user_data,
                                          const char *sql,
                                          const char *const *parameters,
                                          size_t count,
                                          mpay_rows *out);

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
 * MPAY_CANCELLED, MPAY_SIGNER, MPAY_UNVERIFIED with HTTP status 429 or 5xx, and MPAY_TRANSPORT and
 * MPAY_STORAGE without a permanent cause (such as an untrusted certificate or a missing file). 0 for all
 * other errors, and for NULL. Only mpay_error_outcome shows whether the failed call may have taken effect.
 * Any thread. Since 0.2.0.
 */
MPAY_NODISCARD MPAY_API int32_t MPAY_CALL mpay_error_is_transient(const mpay_error *error);

/**
 * A description of the error for people. It contains no key, signature, account or name. The wording may
 * change. Borrowed from the error. Any thread. Since 0.1.0.
 */
MPAY_NODISCARD MPAY_API const char *MPAY_CALL mpay_error_message(const mpay_error *error);

/**
 * The service's text about a refusal (contract, section 7), or NULL. It may contain personal data. Borrowed
 * from the error. Any thread. Since 0.1.0.
 */
MPAY_NODISCARD MPAY_API const char *MPAY_CALL mpay_error_description(const mpay_error *error);

/**
 * The name of the reason of a refusal, such as "order_not_found", if the contract lists the text of the
 * refusal (section 7); else NULL. It is one of the names of mpay_reason_name. Borrowed from the error. Any
 * thread. Since 0.1.0.
 */
MPAY_NODISCARD MPAY_API const char *MPAY_CALL mpay_error_reason(const mpay_error *error);

/**
 * The reason as a number, MPAY_REASON_INVALID_CURRENCY and so on; 0 if there is no reason, or if this
 * version does not know it. Any thread. Since 0.2.0.
 */
MPAY_NODISCARD MPAY_API int32_t MPAY_CALL mpay_error_reason_code(const mpay_error *error);

/**
 * The HTTP status if a reply came, else 0. It is not signed and says nothing about the payment. Any thread.
 * Since 0.1.0.
 */
MPAY_NODISCARD MPAY_API int32_t MPAY_CALL mpay_error_http_status(const mpay_error *error);

/**
 * The order id of the request or of a verified reply; else NULL. Borrowed from the error. Any thread. Since
 * 0.1.0.
 */
MPAY_NODISCARD MPAY_API const char *MPAY_CALL mpay_error_order_id(const mpay_error *error);

/**
 * The content type of a reply that could not be verified, or NULL. Borrowed from the error. Any thread.
 * Since 0.1.0.
 */
MPAY_NODISCARD MPAY_API const char *MPAY_CALL mpay_error_content_type(const mpay_error *error);

/**
 * The printable beginning of a reply that could not be verified and is not JSON, such as a proxy's page, or
 * NULL. Borrowed from the error. Any thread. Since 0.1.0.
 */
MPAY_NODISCARD MPAY_API const char *MPAY_CALL mpay_error_excerpt(const mpay_error *error);

/**
 * The unchanged, verified body of a reply or webhook, if the code is MPAY_REJECTED or MPAY_MALFORMED; else
 * NULL. It has mpay_error_body_len bytes and then a NUL. It may contain personal data. Borrowed from the
 * error. Any thread. Since 0.1.0.
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
 * The name of the code with this number, such as "invalid_argument"; NULL for a number that this
 * version does not know. Static. Any thread. Since 0.2.0.
 */
MPAY_NODISCARD MPAY_API const char *MPAY_CALL mpay_code_name(int32_t code);

/**
 * The name of the outcome with this number, such as "not_sent"; NULL for a number that this
 * version does not know. Static. Any thread. Since 0.2.0.
 */
MPAY_NODISCARD MPAY_API const char *MPAY_CALL mpay_outcome_name(int32_t outcome);

/**
 * The name of the status with this number, such as "free"; NULL for a number that this
 * version does not know. Static. Any thread. Since 0.2.0.
 */
MPAY_NODISCARD MPAY_API const char *MPAY_CALL mpay_status_name(int32_t status);

/**
 * The name of the reason with this number, such as "invalid_currency"; NULL for a number that this
 * version does not know. Static. Any thread. Since 0.2.0.
 */
MPAY_NODISCARD MPAY_API const char *MPAY_CALL mpay_reason_name(int32_t reason);

/* ==== Settings ============================================================================================ */

/**
 * New settings, all of them unset. Never NULL. Any thread. Since 0.1.0.
 */
MPAY_NODISCARD MPAY_API mpay_config *MPAY_CALL mpay_config_new(void);

/**
 * The URL before /api/v1/merchant/pay: an absolute https URL. http is accepted only for this machine, unless
 * mpay_config_set_allow_http allows other machines. Needed by clients and protocols; NULL unsets it. Returns
 * MPAY_OK or MPAY_INVALID_ARGUMENT. One thread at a time. Since 0.1.0.
 */
MPAY_API int32_t MPAY_CALL mpay_config_set_base_url(mpay_config *config, const char *base_url);

/**
 * The merchant's key id, as the service issued it (contract, section 5): visible ASCII. Needed by clients
 * and protocols; NULL unsets it. Returns MPAY_OK or MPAY_INVALID_ARGUMENT. One thread at a time. Since
 * 0.1.0.
 */
MPAY_API int32_t MPAY_CALL mpay_config_set_key_id(mpay_config *config, const char *key_id);

/**
 * The merchant's private key: base64 of 64 bytes, seed and public key (contract, section 5). Needed by
 * clients and protocols, unless a callback signs; NULL unsets it. It is copied, and the copy is wiped after
 * its last use. Returns MPAY_OK, MPAY_INVALID_KEY or MPAY_INVALID_ARGUMENT. One thread at a time. Since
 * 0.1.0.
 */
MPAY_API int32_t MPAY_CALL mpay_config_set_private_key(mpay_config *config, const char *private_key);

/**
 * The merchant's own public key: base64 of 32 bytes. Needed if a callback signs; otherwise it is only
 * checked. NULL unsets it. Returns MPAY_OK, MPAY_INVALID_KEY or MPAY_INVALID_ARGUMENT. One thread at a time.
 * Since 0.1.0.
 */
MPAY_API int32_t MPAY_CALL mpay_config_set_public_key(mpay_config *config, const char *public_key);

/**
 * Adds a public key of the service: base64 of 32 bytes. At least one is needed; add more while the service
 * rotates its keys. NULL adds nothing. Returns MPAY_OK, MPAY_INVALID_KEY or MPAY_INVALID_ARGUMENT. One
 * thread at a time. Since 0.1.0.
 */
MPAY_API int32_t MPAY_CALL mpay_config_add_server_public_key(mpay_config *config, const char *server_public_key);

/**
 * Adds a key id of the service. Once a key id is added, each reply must have one of the added key ids. So
 * must each webhook that has a key id (the contract does not show a webhook's headers). NULL adds nothing.
 * Returns MPAY_OK or MPAY_INVALID_ARGUMENT. One thread at a time. Since 0.1.0.
 */
MPAY_API int32_t MPAY_CALL mpay_config_add_server_key_id(mpay_config *config, const char *server_key_id);

/**
 * Removes all added public keys and key ids of the service, including invalid ones. Existing clients,
 * protocols and verifiers do not change. Returns MPAY_OK or MPAY_INVALID_ARGUMENT. One thread at a time.
 * Since 0.2.0.
 */
MPAY_API int32_t MPAY_CALL mpay_config_clear_server_keys(mpay_config *config);

/**
 * 1 allows a base URL of plain http to another machine. Anyone on the network path can then read every
 * account and every signature. A signature is like a password for its order. 0, the default, allows plain
 * http only to the name localhost and to literal addresses: 127.0.0.0/8 and IPv6 ::1. Returns MPAY_OK or
 * MPAY_INVALID_ARGUMENT. One thread at a time. Since 0.2.0.
 */
MPAY_API int32_t MPAY_CALL mpay_config_set_allow_http(mpay_config *config, int32_t allow_http);

/**
 * A file with the PEM certificates of a CA. The client trusts this CA in addition to the system's CAs. The
 * file is read when the client is made. NULL unsets it. Returns MPAY_OK or MPAY_INVALID_ARGUMENT. One thread
 * at a time. Since 0.1.0.
 */
MPAY_API int32_t MPAY_CALL mpay_config_set_ca_file(mpay_config *config, const char *ca_file);

/**
 * Like mpay_config_set_ca_file, with the PEM certificates as text. NULL unsets it. Returns MPAY_OK or
 * MPAY_INVALID_ARGUMENT. One thread at a time. Since 0.1.0.
 */
MPAY_API int32_t MPAY_CALL mpay_config_set_ca_pem(mpay_config *config, const char *ca_pem);

/**
 * 1 trusts only the CAs that mpay_config_set_ca_file and mpay_config_set_ca_pem set; at least one of these
 * CAs must be set. 0, the default, also trusts the operating system's CAs. Returns MPAY_OK or
 * MPAY_INVALID_ARGUMENT. One thread at a time. Since 0.2.0.
 */
MPAY_API int32_t MPAY_CALL mpay_config_set_exclusive_ca(mpay_config *config, int32_t exclusive_ca);

/**
 * Adds a pin of the public key of the service's own certificate: "sha256/" and the base64 of the SHA-256 of
 * its SubjectPublicKeyInfo. With pins, a connection to the service needs a trusted certificate with a key
 * that matches a pin. A connection to an https proxy needs no pin. Add the next key's pin before the service
 * changes its key. NULL adds nothing. An invalid pin is refused when the client is made. Returns MPAY_OK or
 * MPAY_INVALID_ARGUMENT. One thread at a time. Since 0.2.0.
 */
MPAY_API int32_t MPAY_CALL mpay_config_add_pin_spki(mpay_config *config, const char *pin);

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
 * An HTTP proxy, as "http://host:port" or "http://user:password@host:port". Unless it is set, no proxy is
 * used: variables such as HTTPS_PROXY are ignored. NULL unsets it. Returns MPAY_OK or MPAY_INVALID_ARGUMENT.
 * One thread at a time. Since 0.1.0.
 */
MPAY_API int32_t MPAY_CALL mpay_config_set_proxy(mpay_config *config, const char *proxy);

/**
 * The User-Agent header; merchantpay and its version unless set. NULL unsets it. Returns MPAY_OK or
 * MPAY_INVALID_ARGUMENT. One thread at a time. Since 0.1.0.
 */
MPAY_API int32_t MPAY_CALL mpay_config_set_user_agent(mpay_config *config, const char *user_agent);

/**
 * The deadline of a whole call in milliseconds, retries included; 30000 unless set. 0 is refused when the
 * client is made. Returns MPAY_OK or MPAY_INVALID_ARGUMENT. One thread at a time. Since 0.1.0.
 */
MPAY_API int32_t MPAY_CALL mpay_config_set_timeout_ms(mpay_config *config, uint32_t timeout_ms);

/**
 * The time limit for opening one connection, in milliseconds; 10000 unless set. 0 is refused when the client
 * is made. Returns MPAY_OK or MPAY_INVALID_ARGUMENT. One thread at a time. Since 0.1.0.
 */
MPAY_API int32_t MPAY_CALL mpay_config_set_connect_timeout_ms(mpay_config *config, uint32_t connect_timeout_ms);

/**
 * The time after a response, in milliseconds, for which its connection may be reused for a call that is sent
 * once, such as mpay_new_payment; 1000 unless set, 0 for never. The connection is checked just before its
 * reuse, and is never used for longer than the server's "Keep-Alive: timeout". If the server closes the
 * connection during the reuse, the outcome is MPAY_OUTCOME_UNKNOWN; a longer time makes this more likely.
 * mpay_get_status and mpay_get_available_amounts may reuse a connection for 15 s, or for this time if it is
 * longer than 15 s. Returns MPAY_OK or MPAY_INVALID_ARGUMENT. One thread at a time. Since 0.2.0.
 */
MPAY_API int32_t MPAY_CALL mpay_config_set_reuse_idle_ms(mpay_config *config, uint32_t reuse_idle_ms);

/**
 * The time for which a connection of mpay_client_connect may wait for its first request, in milliseconds;
 * 10000 unless set, 0 for no time. Returns MPAY_OK or MPAY_INVALID_ARGUMENT. One thread at a time. Since
 * 0.2.0.
 */
MPAY_API int32_t MPAY_CALL mpay_config_set_connect_idle_ms(mpay_config *config, uint32_t connect_idle_ms);

/**
 * The largest number of retries of a request; 2 unless set, 0 for none. A request is retried only if no byte
 * of it was written, or if it is a request of mpay_get_status or mpay_get_available_amounts. Returns MPAY_OK
 * or MPAY_INVALID_ARGUMENT. One thread at a time. Since 0.1.0.
 */
MPAY_API int32_t MPAY_CALL mpay_config_set_max_retries(mpay_config *config, uint32_t max_retries);

/**
 * The size in bytes of the largest reply body that is read; 1048576 unless set. Returns MPAY_OK or
 * MPAY_INVALID_ARGUMENT. One thread at a time. Since 0.1.0.
 */
MPAY_API int32_t MPAY_CALL mpay_config_set_max_reply_bytes(mpay_config *config, uint64_t max_reply_bytes);

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

/**
 * Frees settings; NULL is allowed. Objects that were made from them stay valid. Any thread, once. Since
 * 0.1.0.
 */
MPAY_API void MPAY_CALL mpay_config_free(mpay_config *config);

/**
 * Sets a setting of the definition (docs/settings.md) by its name, such as "timeout_ms", and its text: a
 * number in digits, a flag as 1 or 0. If the setting is a list, each comma-separated text is added. NULL
 * unsets the setting, and adds nothing to a list. This function has the same effect as the setting's own
 * function. Returns MPAY_OK, MPAY_INVALID_KEY, or MPAY_INVALID_ARGUMENT for an unknown name or a text that
 * cannot be read; the error names the setting. One thread at a time. Since 0.3.0.
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
 * file that cannot be read. No other thread may change the environment while this function runs. One thread
 * at a time. Since 0.3.0.
 */
MPAY_NODISCARD MPAY_API int32_t MPAY_CALL mpay_config_from_env(mpay_config *config, mpay_error **error);

/* ==== Log of attempts ===================================================================================== */

/**
 * The operation's name in the contract, such as "newPayment". Borrowed from the attempt. The callback's
 * thread only. Since 0.1.0.
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
 * Shows whether the request may have taken effect, as mpay_error_outcome does; 0 for a success. The
 * callback's thread only. Since 0.1.0.
 */
MPAY_NODISCARD MPAY_API int32_t MPAY_CALL mpay_attempt_outcome(const mpay_attempt *attempt);

/**
 * The whole attempt as one line of text without a line break, such as "getStatus o-1: attempt 1, HTTP 200,
 * 12 ms, ok". The wording may change. Borrowed from the attempt. The callback's thread only. Since 0.1.0.
 */
MPAY_NODISCARD MPAY_API const char *MPAY_CALL mpay_attempt_line(const mpay_attempt *attempt);

/* ==== Client ============================================================================================== */

/**
 * Makes a client. It copies the settings, so they may be freed afterwards. It sends nothing and opens no
 * connection. Returns MPAY_OK, MPAY_INVALID_ARGUMENT or MPAY_INVALID_KEY. *out is to be freed by
 * mpay_client_free. Any thread. Since 0.1.0.
 */
MPAY_NODISCARD MPAY_API int32_t MPAY_CALL mpay_client_new(
    const mpay_config *config,
    mpay_client **out,
    mpay_error **error);

/**
 * Makes a derived client: another handle with the same settings, keys and connections. timeout_ms is the
 * deadline of each call of the derived client in milliseconds; 0 keeps the original client's deadline. The
 * derived client can be interrupted separately; interrupting the original client also interrupts the derived
 * client. This function is cheap. Free both handles, in any order. Returns MPAY_OK or MPAY_INVALID_ARGUMENT.
 * *out is to be freed by mpay_client_free. Any thread. Since 0.2.0.
 */
MPAY_NODISCARD MPAY_API int32_t MPAY_CALL mpay_client_derive(
    const mpay_client *client,
    uint32_t timeout_ms,
    mpay_client **out,
    mpay_error **error);

/**
 * Ends the running calls of this client and of every client derived from it, in all threads. The
 * interruption is permanent: later calls of these clients do not start. The client from which this one was
 * derived continues, and so do the other clients derived from that client. After this function has returned,
 * the interrupted calls write no more bytes. Each of them ends immediately with MPAY_CANCELLED and the
 * outcome MPAY_OUTCOME_NOT_SENT or MPAY_OUTCOME_UNKNOWN; a complete response is still returned. Only a
 * look-up of the service's name can continue in the background; it writes nothing. NULL does nothing. Any
 * thread, but not a signal handler. Do not free the handle before this function has returned. Since 0.2.0.
 */
MPAY_API void MPAY_CALL mpay_client_interrupt(const mpay_client *client);

/**
 * Opens a connection for the next call, before the customer is ready, so that the call needs only one round
 * trip. mpay_config_set_connect_idle_ms limits how long the connection waits for its first request. Each
 * call of this function opens one connection. Returns MPAY_OK, MPAY_TRANSPORT, MPAY_TIMEOUT, MPAY_CANCELLED
 * or MPAY_INVALID_ARGUMENT, always with MPAY_OUTCOME_NOT_SENT. Any thread. Since 0.2.0.
 */
MPAY_API int32_t MPAY_CALL mpay_client_connect(const mpay_client *client, mpay_error **error);

/**
 * Frees a client; NULL is allowed. Do not free a client while one of its calls is running. Idle connections
 * are closed without waiting. Any thread, once. Since 0.1.0.
 */
MPAY_API void MPAY_CALL mpay_client_free(mpay_client *client);

/* ==== Requests ============================================================================================ */

/**
 * A new request, with the currency RUB and no other field. Never NULL. Any thread. Since 0.1.0.
 */
MPAY_NODISCARD MPAY_API mpay_payment_request *MPAY_CALL mpay_payment_request_new(void);

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
 * Frees a request; NULL is allowed. Any thread, once. Since 0.1.0.
 */
MPAY_API void MPAY_CALL mpay_payment_request_free(mpay_payment_request *request);

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
 * A new receipt without files. If the order id is NULL or not UTF-8, the functions that use the receipt
 * report the error. Never NULL. Any thread. Since 0.1.0.
 */
MPAY_NODISCARD MPAY_API mpay_receipt *MPAY_CALL mpay_receipt_new(const char *order_id);

/**
 * Adds a file from disk, which is read now. The end of the file's name shows the content type (.pdf, .jpg,
 * .jpeg, .png); for other names the first bytes show it. Returns MPAY_OK or MPAY_INVALID_ARGUMENT; an error
 * leaves the receipt unchanged. One thread at a time. Since 0.1.0.
 */
MPAY_NODISCARD MPAY_API int32_t MPAY_CALL mpay_receipt_add_file(
    mpay_receipt *receipt,
    const char *path,
    mpay_error **error);

/**
 * Adds a file of `len` bytes from memory. The bytes are copied. content_type is "application/pdf",
 * "image/jpeg", "image/jpg" or "image/png" (contract, section 8). Returns MPAY_OK or MPAY_INVALID_ARGUMENT;
 * an error leaves the receipt unchanged. One thread at a time. Since 0.1.0.
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

/* ==== Responses =========================================================================================== */

/**
 * The number of amounts. Any thread. Since 0.1.0.
 */
MPAY_NODISCARD MPAY_API size_t MPAY_CALL mpay_amounts_count(const mpay_amounts *amounts);

/**
 * The amount at this index, counted from 0, as decimal text; NULL after the last. Borrowed from the amounts.
 * Any thread. Since 0.1.0.
 */
MPAY_NODISCARD MPAY_API const char *MPAY_CALL mpay_amounts_get(const mpay_amounts *amounts, size_t index);

/**
 * The amount at this index in kopecks; MPAY_NO_MINOR after the last, or if the amount has a fraction of a
 * kopeck or does not fit in 64 bits. Any thread. Since 0.1.0.
 */
MPAY_NODISCARD MPAY_API int64_t MPAY_CALL mpay_amounts_get_minor(const mpay_amounts *amounts, size_t index);

/**
 * 1 if amounts outside the list can succeed too: an empty list is then not a refusal. 0 if the list is
 * complete. Any thread. Since 0.1.0.
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
 * The sum in kopecks; MPAY_NO_MINOR if the sum is absent, has a fraction of a kopeck, or does not fit in 64
 * bits. Any thread. Since 0.1.0.
 */
MPAY_NODISCARD MPAY_API int64_t MPAY_CALL mpay_payment_sum_minor(const mpay_payment *payment);

/**
 * Compares the paid sum with `asked`, the requested sum as decimal text: MPAY_PAID_EXACTLY, MPAY_PAID_LESS
 * or MPAY_PAID_MORE; 0 if there is no sum or if `asked` is not an amount. The sums are compared as numbers,
 * in the payment's currency. The status "doneSuccess" alone does not mean that the customer paid everything.
 * The result is final only with a final status; before that, the payment's sum is the sum that the service
 * expects so far. Any thread. Since 0.2.0.
 */
MPAY_NODISCARD MPAY_API int32_t MPAY_CALL mpay_payment_paid(const mpay_payment *payment, const char *asked);

/**
 * The status as a number, MPAY_STATUS_FREE and so on; 0 if there is no status, or if this version does not
 * know it: see mpay_payment_status. Any thread. Since 0.2.0.
 */
MPAY_NODISCARD MPAY_API int32_t MPAY_CALL mpay_payment_status_code(const mpay_payment *payment);

/**
 * 1 if there is a status and it is final, else 0: a status that this version does not know is never final.
 * Any thread. Since 0.1.0.
 */
MPAY_NODISCARD MPAY_API int32_t MPAY_CALL mpay_payment_is_final(const mpay_payment *payment);

/**
 * The body of the verified message, unchanged: JSON. It includes fields that this version does not know.
 * Borrowed from the payment. Any thread. Since 0.1.0.
 */
MPAY_NODISCARD MPAY_API const char *MPAY_CALL mpay_payment_json(const mpay_payment *payment);

/**
 * Frees a payment that a call returned, and all that was borrowed from it; NULL is allowed. Do not free a
 * payment that was borrowed from an event or an entry. Any thread, once. Since 0.1.0.
 */
MPAY_API void MPAY_CALL mpay_payment_free(mpay_payment *payment);

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

/* ==== Operations ========================================================================================== */

/**
 * getAvailableAmounts, POST /available (contract, section 4.1): returns the amounts for which the service
 * has a counter-offer. The library can retry this request. Returns MPAY_OK or any code. *out is to be freed
 * by mpay_amounts_free. Any thread. Since 0.1.0.
 */
MPAY_NODISCARD MPAY_API int32_t MPAY_CALL mpay_get_available_amounts(
    const mpay_client *client,
    const mpay_payment_request *request,
    mpay_amounts **out,
    mpay_error **error);

/**
 * newPayment, POST /new (contract, section 4.2): makes a payment and returns it with its credentials, after
 * up to 10 s. The request is sent once: with MPAY_OUTCOME_UNKNOWN the payment may exist. Returns MPAY_OK or
 * any code. *out is to be freed by mpay_payment_free. Any thread. Since 0.1.0.
 */
MPAY_NODISCARD MPAY_API int32_t MPAY_CALL mpay_new_payment(
    const mpay_client *client,
    const mpay_payment_request *request,
    mpay_payment **out,
    mpay_error **error);

/**
 * newPaymentAsync, POST /new-async (contract, section 4.3): makes a payment and returns only its order id;
 * the credentials arrive by webhook. The request is sent once: with MPAY_OUTCOME_UNKNOWN the payment may
 * exist. Returns MPAY_OK or any code. *out is to be freed by mpay_payment_free. Any thread. Since 0.1.0.
 */
MPAY_NODISCARD MPAY_API int32_t MPAY_CALL mpay_new_payment_async(
    const mpay_client *client,
    const mpay_payment_request *request,
    mpay_payment **out,
    mpay_error **error);

/**
 * confirm, POST /confirm (contract, section 4.4): reports that the customer has paid. The request is sent
 * once: after MPAY_OUTCOME_UNKNOWN call mpay_get_status. Returns MPAY_OK or any code. Any thread. Since
 * 0.1.0.
 */
MPAY_NODISCARD MPAY_API int32_t MPAY_CALL mpay_confirm(
    const mpay_client *client,
    const char *order_id,
    mpay_error **error);

/**
 * cancel, POST /cancel (contract, section 4.5): cancels a payment. The request is sent once: after
 * MPAY_OUTCOME_UNKNOWN call mpay_get_status. The error is MPAY_REJECTED with the reason
 * "payment_could_not_be_canceled" if the payment's state does not allow a cancel. Returns MPAY_OK or any
 * code. Any thread. Since 0.1.0.
 */
MPAY_NODISCARD MPAY_API int32_t MPAY_CALL mpay_cancel(
    const mpay_client *client,
    const char *order_id,
    mpay_error **error);

/**
 * getStatus, POST /status (contract, section 4.6): returns the payment with its present status. The library
 * can retry this request. Returns MPAY_OK or any code. *out is to be freed by mpay_payment_free. Any thread.
 * Since 0.1.0.
 */
MPAY_NODISCARD MPAY_API int32_t MPAY_CALL mpay_get_status(
    const mpay_client *client,
    const char *order_id,
    mpay_payment **out,
    mpay_error **error);

/**
 * Calls mpay_get_status until the status is final, with pauses of 0.25 s growing to 5 s, for at most
 * timeout_ms milliseconds. It continues after transient errors until the time is up. The pauses are kept for
 * each order: several short waits query no more often than one long wait, and a short wait can end without a
 * query. Returns MPAY_OK with the payment; MPAY_TIMEOUT with MPAY_OUTCOME_UNKNOWN and the order id if the
 * status is not final in time; any other code for an error that is not transient, or for the error of the
 * last query. mpay_client_interrupt ends the wait with MPAY_CANCELLED. *out is to be freed by
 * mpay_payment_free. Any thread. Since 0.2.0.
 */
MPAY_NODISCARD MPAY_API int32_t MPAY_CALL mpay_wait(
    const mpay_client *client,
    const char *order_id,
    uint32_t timeout_ms,
    mpay_payment **out,
    mpay_error **error);

/**
 * attachReceipt, POST /receipt/attach (contract, section 4.7): attaches receipts to a payment in
 * arbitration. The request is sent once: after MPAY_OUTCOME_UNKNOWN call mpay_get_status. Returns MPAY_OK or
 * any code. Any thread. Since 0.1.0.
 */
MPAY_NODISCARD MPAY_API int32_t MPAY_CALL mpay_attach_receipt(
    const mpay_client *client,
    const mpay_receipt *receipt,
    mpay_error **error);

/* ==== Webhooks ============================================================================================ */

/**
 * Makes a verifier. It copies the settings, so they may be freed afterwards. A verifier needs only a
 * server_public_key; server_key_id, key_id and the merchant's own key make it stricter. Returns MPAY_OK,
 * MPAY_INVALID_ARGUMENT or MPAY_INVALID_KEY. *out is to be freed by mpay_verifier_free. Any thread. Since
 * 0.1.0.
 */
MPAY_NODISCARD MPAY_API int32_t MPAY_CALL mpay_verifier_new(
    const mpay_config *config,
    mpay_verifier **out,
    mpay_error **error);

/**
 * Verifies a webhook: the len unchanged bytes of its body, the value of the signature header, and the value
 * of the key id header or NULL. A missing signature (NULL) is MPAY_UNVERIFIED. A verified body that is not a
 * webhook of the contract is MPAY_MALFORMED. A failure says nothing about a payment: its outcome is
 * MPAY_OUTCOME_UNKNOWN. *out is to be freed by mpay_event_free. Any thread. Since 0.1.0.
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
 * MPAY_EVENT_CREDENTIALS, MPAY_EVENT_CREDENTIALS_FAILED or MPAY_EVENT_STATUS; a later version may add
 * others. 0 for NULL. Any thread. Since 0.1.0.
 */
MPAY_NODISCARD MPAY_API int32_t MPAY_CALL mpay_event_kind(const mpay_event *event);

/**
 * The payment that the event is about. Borrowed from the event: not to be freed. Any thread. Since 0.1.0.
 */
MPAY_NODISCARD MPAY_API const mpay_payment *MPAY_CALL mpay_event_payment(const mpay_event *event);

/**
 * Frees an event, its payment and all that was borrowed from them; NULL is allowed. Any thread, once. Since
 * 0.1.0.
 */
MPAY_API void MPAY_CALL mpay_event_free(mpay_event *event);

/**
 * Frees a verifier; NULL is allowed. Its events stay valid. Any thread, once. Since 0.1.0.
 */
MPAY_API void MPAY_CALL mpay_verifier_free(mpay_verifier *verifier);

/**
 * Explains why a webhook does not verify. It takes the arguments of mpay_verify_webhook, and sets *out to
 * NULL if the signature and the key id are accepted. If the headers do not show the cause, a cause is named
 * only with a proof: the library undoes the cause in a copy, and the copy verifies. Write the cause to the
 * log, do not return it to the sender, and do not use the webhook. The function verifies at most 40
 * signatures and parses bodies up to 64 KiB. Returns MPAY_OK, or MPAY_INVALID_ARGUMENT if a required
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
 * MPAY_CAUSE_BODY_CHANGED or another cause; a later version may add others. 0 for NULL. Any thread. Since
 * 0.3.0.
 */
MPAY_NODISCARD MPAY_API int32_t MPAY_CALL mpay_explanation_cause(const mpay_explanation *explanation);

/**
 * The name of the cause, such as "body_changed". Borrowed from the explanation. Any thread. Since 0.3.0.
 */
MPAY_NODISCARD MPAY_API const char *MPAY_CALL mpay_explanation_cause_name(const mpay_explanation *explanation);

/**
 * The exact fault and the way to correct it, for a developer. It contains nothing of the webhook. Borrowed
 * from the explanation. Any thread. Since 0.3.0.
 */
MPAY_NODISCARD MPAY_API const char *MPAY_CALL mpay_explanation_hint(const mpay_explanation *explanation);

/**
 * Frees an explanation and the texts that were borrowed from it; NULL is allowed. Any thread, once. Since
 * 0.3.0.
 */
MPAY_API void MPAY_CALL mpay_explanation_free(mpay_explanation *explanation);

/* ==== Keys ================================================================================================ */

/**
 * Makes a pair from the operating system's random bytes. Give the public key to the service and keep the
 * private key secret. Returns MPAY_OK or MPAY_INTERNAL. *out is to be freed by mpay_keypair_free. Any
 * thread. Since 0.1.0.
 */
MPAY_NODISCARD MPAY_API int32_t MPAY_CALL mpay_keypair_generate(mpay_keypair **out, mpay_error **error);

/**
 * The private key: base64 of 64 bytes, in the format of mpay_config_set_private_key. It is a secret.
 * Borrowed from the pair. Any thread. Since 0.1.0.
 */
MPAY_NODISCARD MPAY_API const char *MPAY_CALL mpay_keypair_private_key(const mpay_keypair *keypair);

/**
 * The public key: base64 of 32 bytes. Borrowed from the pair. Any thread. Since 0.1.0.
 */
MPAY_NODISCARD MPAY_API const char *MPAY_CALL mpay_keypair_public_key(const mpay_keypair *keypair);

/**
 * Frees a pair and wipes its private key; NULL is allowed. Any thread, once. Since 0.1.0.
 */
MPAY_API void MPAY_CALL mpay_keypair_free(mpay_keypair *keypair);

/* ==== Balance ============================================================================================= */

/**
 * Converts a paid sum at a rate to the currency of the merchant's balance (MPAY_BALANCE_*). sum and rate are
 * decimal text. The result is rounded once (MPAY_ROUNDING_*), to `scale` digits after the decimal point (at
 * most 28). Returns MPAY_OK or MPAY_INVALID_ARGUMENT. *out is to be freed by mpay_amount_free. Any thread.
 * Since 0.1.0.
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
 * The amount in hundredths; MPAY_NO_MINOR if the amount has a smaller fraction or does not fit in 64 bits.
 * Any thread. Since 0.1.0.
 */
MPAY_NODISCARD MPAY_API int64_t MPAY_CALL mpay_amount_minor(const mpay_amount *amount);

/**
 * Frees an amount; NULL is allowed. Any thread, once. Since 0.1.0.
 */
MPAY_API void MPAY_CALL mpay_amount_free(mpay_amount *amount);

/* ==== Operations without I/O ============================================================================== */

/**
 * The whole URL. Borrowed from the request. Any thread. Since 0.1.0.
 */
MPAY_NODISCARD MPAY_API const char *MPAY_CALL mpay_http_request_url(const mpay_http_request *request);

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
 * Frees a request; NULL is allowed. Any thread, once. Since 0.1.0.
 */
MPAY_API void MPAY_CALL mpay_http_request_free(mpay_http_request *request);

/**
 * A new response without status, headers and body. Never NULL. Any thread. Since 0.1.0.
 */
MPAY_NODISCARD MPAY_API mpay_http_response *MPAY_CALL mpay_http_response_new(void);

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

/**
 * Frees a response; NULL is allowed. Any thread, once. Since 0.1.0.
 */
MPAY_API void MPAY_CALL mpay_http_response_free(mpay_http_response *response);

/**
 * Makes a protocol. It copies the settings, so they may be freed afterwards. A protocol needs the same
 * settings as a client, and ignores the settings about connections. Returns MPAY_OK, MPAY_INVALID_ARGUMENT
 * or MPAY_INVALID_KEY. *out is to be freed by mpay_protocol_free. Any thread. Since 0.1.0.
 */
MPAY_NODISCARD MPAY_API int32_t MPAY_CALL mpay_protocol_new(
    const mpay_config *config,
    mpay_protocol **out,
    mpay_error **error);

/**
 * Frees a protocol; NULL is allowed. Its prepared requests stay valid. Any thread, once. Since 0.1.0.
 */
MPAY_API void MPAY_CALL mpay_protocol_free(mpay_protocol *protocol);

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

/* ==== Journal: settings =================================================================================== */

/**
 * Makes settings. To be freed by mpay_journal_config_free. Any thread. Since 0.2.0.
 */
MPAY_NODISCARD MPAY_API mpay_journal_config *MPAY_CALL mpay_journal_config_new(void);

/**
 * Keeps the journal in this SQLite file, which belongs to the journal alone: no other copy of SQLite in this
 * process may open it. The path must be absolute, and the file must exist unless
 * mpay_journal_config_set_create is called. Returns MPAY_OK or MPAY_INVALID_ARGUMENT. One thread at a time.
 * Since 0.2.0.
 */
MPAY_API int32_t MPAY_CALL mpay_journal_config_set_file(mpay_journal_config *config, const char *path);

/**
 * Keeps the journal in the merchant's own database. dialect is its SQL dialect (MPAY_DIALECT_POSTGRESQL and
 * so on). placeholders is the way in which the database's driver writes parameters
 * (MPAY_PLACEHOLDERS_NUMBERED and so on). user_data is passed to the callback unchanged. callback and
 * user_data must stay usable by every calling thread until release is called with user_data. That happens
 * after these settings and the journals opened with them are freed. `release` may be NULL. The command
 * `merchantpay journal schema` prints the statements that create the tables. Returns MPAY_OK or
 * MPAY_INVALID_ARGUMENT. One thread at a time. Since 0.2.0.
 */
MPAY_API int32_t MPAY_CALL mpay_journal_config_set_database(
    mpay_journal_config *config,
    int32_t dialect,
    int32_t placeholders,
    mpay_database_callback callback,
    void *user_data,
    mpay_release_callback release);

/**
 * Sets the URL to which the service sends webhooks: an absolute URL, to which `/` and a token are added for
 * each attempt. NULL unsets it. Returns MPAY_OK or MPAY_INVALID_ARGUMENT. One thread at a time. Since 0.2.0.
 */
MPAY_API int32_t MPAY_CALL mpay_journal_config_set_callback_url(mpay_journal_config *config, const char *url);

/**
 * Sets the name of the merchant's account; unless set, the name is the base URL. A journal refuses a client
 * of a different account. NULL unsets it. Returns MPAY_OK or MPAY_INVALID_ARGUMENT. One thread at a time.
 * Since 0.2.0.
 */
MPAY_API int32_t MPAY_CALL mpay_journal_config_set_account(mpay_journal_config *config, const char *account);

/**
 * Sets the deadline of a payment in milliseconds, including the time to store it: 30000 unless set, at least
 * 15000. Returns MPAY_OK or MPAY_INVALID_ARGUMENT. One thread at a time. Since 0.2.0.
 */
MPAY_API int32_t MPAY_CALL mpay_journal_config_set_timeout_ms(mpay_journal_config *config, uint32_t timeout_ms);

/**
 * Sets how many calls mpay_journal_settle makes per second at most: 10 unless set. Returns MPAY_OK or
 * MPAY_INVALID_ARGUMENT. One thread at a time. Since 0.2.0.
 */
MPAY_API int32_t MPAY_CALL mpay_journal_config_set_calls_per_second(mpay_journal_config *config, uint32_t calls);

/**
 * Sets how many calls mpay_journal_settle makes concurrently at most: 4 unless set, at most 64. The calls
 * run on threads that end before mpay_journal_settle returns; the database callback is always called on the
 * caller's thread. A client with a log or signer callback makes its calls one after another, on the caller's
 * thread. Returns MPAY_OK or MPAY_INVALID_ARGUMENT. One thread at a time. Since 0.3.0.
 */
MPAY_API int32_t MPAY_CALL mpay_journal_config_set_calls_at_once(mpay_journal_config *config, uint32_t calls);

/**
 * Sets whether mpay_journal_open creates the file or the tables if they are missing (1), or not (0, the
 * default). In production `merchantpay journal init` or a migration creates them once. Returns MPAY_OK or
 * MPAY_INVALID_ARGUMENT. One thread at a time. Since 0.3.0.
 */
MPAY_API int32_t MPAY_CALL mpay_journal_config_set_create(mpay_journal_config *config, int32_t create);

/**
 * Sets how long mpay_journal_pay waits for a running call of the same payment, in milliseconds: 5000 unless
 * set; with 0 it does not wait. Returns MPAY_OK or MPAY_INVALID_ARGUMENT. One thread at a time. Since 0.3.0.
 */
MPAY_API int32_t MPAY_CALL mpay_journal_config_set_pay_wait_ms(mpay_journal_config *config, uint32_t wait_ms);

/**
 * Accepts a setting of the database, such as "sync_binlog", with which the database could lose a stored
 * payment. Commas separate several settings. The merchant guarantees that no stored payment is lost in spite
 * of these settings. NULL adds nothing. Returns MPAY_OK or MPAY_INVALID_ARGUMENT. One thread at a time.
 * Since 0.3.0.
 */
MPAY_API int32_t MPAY_CALL mpay_journal_config_add_durability_vouched(mpay_journal_config *config, const char *names);

/**
 * Sets a setting of the definition by its name, such as "callback_url" or "pay_wait_ms", and its text, as
 * mpay_config_set does. The name of the journal's file is "file". NULL unsets the setting, and adds nothing
 * to a list. Returns MPAY_OK, or MPAY_INVALID_ARGUMENT for an unknown name or a text that cannot be read;
 * the error names the setting. One thread at a time. Since 0.3.0.
 */
MPAY_NODISCARD MPAY_API int32_t MPAY_CALL mpay_journal_config_set(
    mpay_journal_config *config,
    const char *name,
    const char *text,
    mpay_error **error);

/**
 * Frees settings; NULL is allowed. Journals that were opened with them stay valid. Any thread, once. Since
 * 0.2.0.
 */
MPAY_API void MPAY_CALL mpay_journal_config_free(mpay_journal_config *config);

/* ==== Journal: the merchant's own database ================================================================ */

/**
 * Adds a row. `values` has `count` texts, and NULL in place of a database's NULL; the texts are copied.
 * Numbers are texts, as the database writes them. Returns MPAY_OK or MPAY_INVALID_ARGUMENT; after
 * MPAY_INVALID_ARGUMENT the journal assumes that the statement may have taken effect. The callback's thread
 * only. Since 0.2.0.
 */
MPAY_API int32_t MPAY_CALL mpay_rows_add(mpay_rows *rows, const char *const *values, size_t count);

/**
 * Sets the number of rows that an INSERT or UPDATE has written; 0 unless set. Returns MPAY_OK or
 * MPAY_INVALID_ARGUMENT. The callback's thread only. Since 0.2.0.
 */
MPAY_API int32_t MPAY_CALL mpay_rows_set_affected(mpay_rows *rows, uint64_t affected);

/**
 * Sets the database's error text, for the message of the error; the library does not interpret the text. It
 * is copied. Returns MPAY_OK or MPAY_INVALID_ARGUMENT. The callback's thread only. Since 0.2.0.
 */
MPAY_API int32_t MPAY_CALL mpay_rows_set_message(mpay_rows *rows, const char *message);

/**
 * Returns what an error code of the database says about the failed statement: MPAY_DATABASE_DUPLICATE,
 * MPAY_DATABASE_UNCLEAR or MPAY_DATABASE_FAILED. The code is the SQLSTATE of PostgreSQL, the error number of
 * MySQL and MariaDB, or the extended result code of SQLite, as a text. NULL, an unknown dialect, or a code that
 * does not come from the server means MPAY_DATABASE_UNCLEAR. Any thread. Since 0.3.0.
 */
MPAY_NODISCARD MPAY_API int32_t MPAY_CALL mpay_database_failure(int32_t dialect, const char *code);

/* ==== Journal: entries ==================================================================================== */

/**
 * The merchant's own order number; NULL for an orphan without an attempt. Borrowed from the entry. Any
 * thread. Since 0.2.0.
 */
MPAY_NODISCARD MPAY_API const char *MPAY_CALL mpay_entry_reference(const mpay_entry *entry);

/**
 * The number of the attempt, counted from 1; 0 for an orphan without an attempt, and for a NULL handle. Any
 * thread. Since 0.2.0.
 */
MPAY_NODISCARD MPAY_API uint32_t MPAY_CALL mpay_entry_attempt(const mpay_entry *entry);

/**
 * 1 for an orphan, a verified message that matches no attempt; mpay_journal_attention lists them. An orphan
 * has an order id and no standing. It has the reference and the number of an attempt only if it came to the
 * URL of that attempt. 0 for an attempt, and for NULL. Any thread. Since 0.2.0.
 */
MPAY_NODISCARD MPAY_API int32_t MPAY_CALL mpay_entry_is_orphan(const mpay_entry *entry);

/**
 * The standing of the attempt: MPAY_STANDING_SENDING and so on. A standing alone never shows that the
 * attempt was paid: see mpay_entry_succeeded. 0 for NULL. Any thread. Since 0.2.0.
 */
MPAY_NODISCARD MPAY_API int32_t MPAY_CALL mpay_entry_standing(const mpay_entry *entry);

/**
 * The standing's name, such as "open"; NULL if the entry is not an attempt. Borrowed from the entry. Any
 * thread. Since 0.2.0.
 */
MPAY_NODISCARD MPAY_API const char *MPAY_CALL mpay_entry_standing_name(const mpay_entry *entry);

/**
 * The service's order id, or NULL if it is not known. Borrowed from the entry. Any thread. Since 0.2.0.
 */
MPAY_NODISCARD MPAY_API const char *MPAY_CALL mpay_entry_order_id(const mpay_entry *entry);

/**
 * The payment details that the customer needs (credentials). NULL unless the customer may pay: the attempt
 * is open, no cancel is stored, and sum and currency are as requested. Borrowed from the entry: not to be
 * freed. Any thread. Since 0.2.0.
 */
MPAY_NODISCARD MPAY_API const mpay_payment *MPAY_CALL mpay_entry_credentials(const mpay_entry *entry);

/**
 * The payment, merged from all messages of the service; NULL if the service has reported nothing about it.
 * Borrowed from the entry: not to be freed. Any thread. Since 0.2.0.
 */
MPAY_NODISCARD MPAY_API const mpay_payment *MPAY_CALL mpay_entry_payment(const mpay_entry *entry);

/**
 * The requested sum, as decimal text. Borrowed from the entry. Any thread. Since 0.2.0.
 */
MPAY_NODISCARD MPAY_API const char *MPAY_CALL mpay_entry_sum_asked(const mpay_entry *entry);

/**
 * The paid sum compared with the requested one: MPAY_PAID_EXACTLY, MPAY_PAID_LESS or MPAY_PAID_MORE; 0 until
 * the paid sum is known. Any thread. Since 0.2.0.
 */
MPAY_NODISCARD MPAY_API int32_t MPAY_CALL mpay_entry_paid(const mpay_entry *entry);

/**
 * 1 if the payment succeeded with exactly the requested sum, else 0. Any thread. Since 0.2.0.
 */
MPAY_NODISCARD MPAY_API int32_t MPAY_CALL mpay_entry_succeeded(const mpay_entry *entry);

/**
 * The state of the confirm, the report that the customer has paid: MPAY_INTENT_STORED and so on; 0 if there
 * is no confirm. Any thread. Since 0.2.0.
 */
MPAY_NODISCARD MPAY_API int32_t MPAY_CALL mpay_entry_confirm_state(const mpay_entry *entry);

/**
 * The state of the cancel: MPAY_INTENT_STORED and so on; 0 if there is no cancel. Any thread. Since 0.2.0.
 */
MPAY_NODISCARD MPAY_API int32_t MPAY_CALL mpay_entry_cancel_state(const mpay_entry *entry);

/**
 * The level that the attempt has reached, from MPAY_LEVEL_NONE to MPAY_LEVEL_FINAL. Any thread. Since 0.2.0.
 */
MPAY_NODISCARD MPAY_API int32_t MPAY_CALL mpay_entry_reported(const mpay_entry *entry);

/**
 * The level that the merchant has acknowledged, from MPAY_LEVEL_NONE to MPAY_LEVEL_FINAL. Any thread. Since
 * 0.2.0.
 */
MPAY_NODISCARD MPAY_API int32_t MPAY_CALL mpay_entry_acknowledged(const mpay_entry *entry);

/**
 * The error code of the last call for the attempt: MPAY_TRANSPORT and so on; MPAY_OK if that call did not
 * fail. Any thread. Since 0.2.0.
 */
MPAY_NODISCARD MPAY_API int32_t MPAY_CALL mpay_entry_error_code(const mpay_entry *entry);

/**
 * The outcome of the last call for the attempt: MPAY_OUTCOME_NOT_SENT and so on; 0 if that call did not
 * fail. Any thread. Since 0.2.0.
 */
MPAY_NODISCARD MPAY_API int32_t MPAY_CALL mpay_entry_error_outcome(const mpay_entry *entry);

/**
 * The service's text about the refusal of the last call, or NULL. Borrowed from the entry. Any thread. Since
 * 0.2.0.
 */
MPAY_NODISCARD MPAY_API const char *MPAY_CALL mpay_entry_error_description(const mpay_entry *entry);

/**
 * A reason for which an operator must decide, by index from 0: MPAY_ATTENTION_UNKNOWN and so on; 0 after the
 * last one. MPAY_ATTENTION_SERVER_CHANGED belongs to no attempt. Any thread. Since 0.2.0.
 */
MPAY_NODISCARD MPAY_API int32_t MPAY_CALL mpay_entry_attention(const mpay_entry *entry, size_t place);

/**
 * An earlier attempt of the reference, by index: 0 is the newest earlier attempt. NULL after the oldest one,
 * and if the call returned the entry without its earlier attempts. Borrowed from the entry: not to be freed.
 * Any thread. Since 0.2.0.
 */
MPAY_NODISCARD MPAY_API const mpay_entry *MPAY_CALL mpay_entry_earlier(const mpay_entry *entry, size_t place);

/**
 * The time at which the attempt was stored or the orphan arrived, in milliseconds since 1970 by the
 * database's clock. Any thread. Since 0.2.0.
 */
MPAY_NODISCARD MPAY_API uint64_t MPAY_CALL mpay_entry_created_at_ms(const mpay_entry *entry);

/**
 * The time of the last write, in milliseconds since 1970 by the database's clock. Any thread. Since 0.2.0.
 */
MPAY_NODISCARD MPAY_API uint64_t MPAY_CALL mpay_entry_updated_at_ms(const mpay_entry *entry);

/**
 * The time at which the journal queries the service next, in milliseconds since 1970; 0 if no query is
 * planned. Any thread. Since 0.2.0.
 */
MPAY_NODISCARD MPAY_API uint64_t MPAY_CALL mpay_entry_due_at_ms(const mpay_entry *entry);

/**
 * The whole entry as one line of JSON. Borrowed from the entry. Any thread. Since 0.2.0.
 */
MPAY_NODISCARD MPAY_API const char *MPAY_CALL mpay_entry_json(const mpay_entry *entry);

/**
 * Frees an entry that a call returned, and all that was borrowed from it; NULL is allowed. Do not free an
 * entry that was borrowed. Any thread, once. Since 0.2.0.
 */
MPAY_API void MPAY_CALL mpay_entry_free(mpay_entry *entry);

/**
 * The number of entries. Any thread. Since 0.2.0.
 */
MPAY_NODISCARD MPAY_API size_t MPAY_CALL mpay_entries_count(const mpay_entries *entries);

/**
 * The entry at this index, counted from 0; NULL after the last one. Borrowed from the entries: not to be
 * freed. Any thread. Since 0.2.0.
 */
MPAY_NODISCARD MPAY_API const mpay_entry *MPAY_CALL mpay_entries_get(const mpay_entries *entries, size_t place);

/**
 * Frees entries and all that was borrowed from them; NULL is allowed. Any thread, once. Since 0.2.0.
 */
MPAY_API void MPAY_CALL mpay_entries_free(mpay_entries *entries);

/* ==== Journal: calls ====================================================================================== */

/**
 * Opens a journal. It copies the client and the settings, so both may be freed afterwards. Returns MPAY_OK,
 * MPAY_INVALID_ARGUMENT, or MPAY_STORAGE if the file or the database cannot be used. *out is to be freed by
 * mpay_journal_free. Any thread. Since 0.2.0.
 */
MPAY_NODISCARD MPAY_API int32_t MPAY_CALL mpay_journal_open(
    const mpay_client *client,
    const mpay_journal_config *config,
    mpay_journal **out,
    mpay_error **error);

/**
 * Makes a derived handle of the same journal. Its calls can be interrupted separately; interrupting the
 * journal interrupts them too. This function is cheap. Free both handles, in any order; the callback of the
 * database must be usable until both are freed. Returns MPAY_OK or MPAY_INVALID_ARGUMENT. *out is to be
 * freed by mpay_journal_free. Any thread. Since 0.2.0.
 */
MPAY_NODISCARD MPAY_API int32_t MPAY_CALL mpay_journal_derive(
    const mpay_journal *journal,
    mpay_journal **out,
    mpay_error **error);

/**
 * Ends the calls to the service that this handle and every handle derived from it have started, in all
 * threads. The interruption is permanent: later calls do not start (see mpay_client_interrupt). The result
 * of an interrupted call is still stored. The journal from which this handle was derived continues. NULL
 * does nothing. Any thread, but not a signal handler. Do not free the handle before this function has
 * returned. Since 0.2.0.
 */
MPAY_API void MPAY_CALL mpay_journal_interrupt(const mpay_journal *journal);

/**
 * Finds the entry of a reference, with its earlier attempts (mpay_entry_earlier). Returns MPAY_OK,
 * MPAY_INVALID_ARGUMENT or MPAY_STORAGE. *out is to be freed by mpay_entry_free, and NULL if there is no
 * such reference. Any thread. Since 0.2.0.
 */
MPAY_NODISCARD MPAY_API int32_t MPAY_CALL mpay_journal_find(
    const mpay_journal *journal,
    const char *reference,
    mpay_entry **out,
    mpay_error **error);

/**
 * Lists at most `limit` entries of one standing (MPAY_STANDING_OPEN and so on) or of all standings (0), the
 * newest first. If `before` is not NULL, the list has only entries that are older than that entry. Returns
 * MPAY_OK, MPAY_INVALID_ARGUMENT or MPAY_STORAGE. *out is to be freed by mpay_entries_free. Any thread.
 * Since 0.2.0.
 */
MPAY_NODISCARD MPAY_API int32_t MPAY_CALL mpay_journal_list(
    const mpay_journal *journal,
    int32_t standing,
    uint32_t limit,
    const mpay_entry *before,
    mpay_entries **out,
    mpay_error **error);

/**
 * Returns at most `limit` entries whose level is above the acknowledged level, the oldest first. Act on a
 * payment only when this function returns its entry. The function claims each entry for claim_ms
 * milliseconds (0: a minute), so that concurrent workers get different entries. An entry that is not
 * acknowledged by then is returned again. Returns MPAY_OK, MPAY_INVALID_ARGUMENT or MPAY_STORAGE. *out is to
 * be freed by mpay_entries_free. Any thread. Since 0.2.0.
 */
MPAY_NODISCARD MPAY_API int32_t MPAY_CALL mpay_journal_news(
    const mpay_journal *journal,
    uint32_t limit,
    uint32_t claim_ms,
    mpay_entries **out,
    mpay_error **error);

/**
 * Records that the merchant has acted on this entry's level; later changes are reported again. *changed is 1
 * if this call acknowledged the level, else 0: of two workers only one gets 1. Returns MPAY_OK,
 * MPAY_INVALID_ARGUMENT or MPAY_STORAGE. Any thread. Since 0.2.0.
 */
MPAY_NODISCARD MPAY_API int32_t MPAY_CALL mpay_journal_acknowledge(
    const mpay_journal *journal,
    const mpay_entry *entry,
    int32_t *changed,
    mpay_error **error);

/**
 * Like mpay_journal_acknowledge, within the merchant's own transaction on the journal's database; `callback`
 * runs the statements. Call this function first in the transaction; the transaction's other work is then
 * done exactly once. If another worker has acknowledged the entry, this function fails with MPAY_CONFLICT
 * and *changed is 0: roll back. Keep the transaction short, and use the isolation level READ COMMITTED. Call
 * no other function of the journal about this entry before the transaction ends: that call would wait for
 * ever for a lock that this transaction holds. Returns MPAY_OK, MPAY_INVALID_ARGUMENT, MPAY_STORAGE or
 * MPAY_CONFLICT. Any thread. Since 0.2.0.
 */
MPAY_NODISCARD MPAY_API int32_t MPAY_CALL mpay_journal_acknowledge_with(
    const mpay_journal *journal,
    const mpay_entry *entry,
    mpay_database_callback callback,
    void *user_data,
    int32_t *changed,
    mpay_error **error);

/**
 * Lists the items about which an operator must decide: at most `limit` attempts, at most `limit` orphans
 * (mpay_entry_is_orphan), and a changed server. Returns MPAY_OK, MPAY_INVALID_ARGUMENT or MPAY_STORAGE. *out
 * is to be freed by mpay_entries_free. Any thread. Since 0.2.0.
 */
MPAY_NODISCARD MPAY_API int32_t MPAY_CALL mpay_journal_attention(
    const mpay_journal *journal,
    uint32_t limit,
    mpay_entries **out,
    mpay_error **error);

/**
 * Waits until the last attempt of a reference has credentials (MPAY_UNTIL_CREDENTIALS) or is final
 * (MPAY_UNTIL_FINAL), for at most timeout_ms milliseconds, and returns its entry. Meanwhile it queries the
 * service. The result is MPAY_OK even if the time is over: check mpay_entry_standing. (mpay_wait differs:
 * when its time is over it has no entry to return, and fails with MPAY_TIMEOUT.) The pauses between queries
 * are stored with the attempt: several short waits query no more often than one long wait.
 * mpay_client_interrupt ends the wait with MPAY_CANCELLED. Returns MPAY_OK, MPAY_INVALID_ARGUMENT,
 * MPAY_STORAGE or MPAY_CANCELLED. *out is to be freed by mpay_entry_free. Any thread. Since 0.2.0.
 */
MPAY_NODISCARD MPAY_API int32_t MPAY_CALL mpay_journal_wait(
    const mpay_journal *journal,
    const char *reference,
    uint32_t timeout_ms,
    int32_t wanted,
    mpay_entry **out,
    mpay_error **error);

/**
 * Asks the service about at most `limit` attempts whose next query is due, and retries unanswered confirms
 * and cancels. Call it from cron or in a loop; several callers may share the work. *done is the number of
 * processed attempts. *next_due_ms is the time in milliseconds until the next query is due, -1 for never.
 * `done` and `next_due_ms` may be NULL. Returns MPAY_OK, MPAY_INVALID_ARGUMENT, MPAY_STORAGE or
 * MPAY_CANCELLED. Any thread. Since 0.2.0.
 */
MPAY_NODISCARD MPAY_API int32_t MPAY_CALL mpay_journal_settle(
    const mpay_journal *journal,
    uint32_t limit,
    uint32_t *done,
    int64_t *next_due_ms,
    mpay_error **error);

/**
 * Receives a webhook. The arguments are its path or URL, the `len` unchanged bytes of its body, and the
 * values of the signature header and the key id header, each NULL if absent. *http_status is the answer to
 * send: 200 if the webhook was applied, now or earlier; 400 if it does not verify; 404 for an unknown token
 * in the path; 409 if the order does not belong to the token's attempt; 503 if the journal failed, so that
 * the service retries. *out is the attempt after the webhook, or NULL if there is no attempt; to be freed by
 * mpay_entry_free. `out` may be NULL. Returns MPAY_OK for 200, 404 and 409, else the reason why the webhook
 * was not applied: MPAY_UNVERIFIED, MPAY_MALFORMED, MPAY_STORAGE or MPAY_INVALID_ARGUMENT. Any thread. Since
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
 * Frees a journal; NULL is allowed. Its entries stay valid. No other thread may use the journal while it is
 * freed. When its derived handles and exports are freed too, the callback of its database is not called any
 * more. Any thread, once. Since 0.2.0.
 */
MPAY_API void MPAY_CALL mpay_journal_free(mpay_journal *journal);

/**
 * Acknowledges the attempt with this reference and number, as mpay_journal_acknowledge does. `level` is the
 * value that mpay_entry_reported had when the entry was read. mpay_journal_news still reports higher levels.
 * *changed, which may be NULL, is 1 if this call acknowledged the level, else 0. Returns MPAY_OK;
 * MPAY_INVALID_ARGUMENT if there is no such attempt, or if the level is MPAY_LEVEL_NONE or above the
 * reported level; or MPAY_STORAGE. Any thread. Since 0.3.0.
 */
MPAY_NODISCARD MPAY_API int32_t MPAY_CALL mpay_journal_acknowledge_by(
    const mpay_journal *journal,
    const char *reference,
    uint32_t attempt,
    int32_t level,
    int32_t *changed,
    mpay_error **error);

/**
 * Like mpay_journal_acknowledge_by, within the merchant's own transaction on the journal's database, as
 * mpay_journal_acknowledge_with does. Returns MPAY_OK, MPAY_INVALID_ARGUMENT, MPAY_STORAGE or MPAY_CONFLICT.
 * Any thread. Since 0.3.0.
 */
MPAY_NODISCARD MPAY_API int32_t MPAY_CALL mpay_journal_acknowledge_by_with(
    const mpay_journal *journal,
    const char *reference,
    uint32_t attempt,
    int32_t level,
    mpay_database_callback callback,
    void *user_data,
    int32_t *changed,
    mpay_error **error);

/**
 * Confirms the attempt with this reference and number, as mpay_journal_confirm does. Returns MPAY_OK;
 * MPAY_INVALID_ARGUMENT, for example if there is no such attempt; or MPAY_STORAGE. *out is to be freed by
 * mpay_entry_free. Any thread. Since 0.3.0.
 */
MPAY_NODISCARD MPAY_API int32_t MPAY_CALL mpay_journal_confirm_by(
    const mpay_journal *journal,
    const char *reference,
    uint32_t attempt,
    mpay_entry **out,
    mpay_error **error);

/**
 * Cancels the attempt with this reference and number, as mpay_journal_cancel does. Returns MPAY_OK;
 * MPAY_INVALID_ARGUMENT, for example if there is no such attempt; or MPAY_STORAGE. *out is to be freed by
 * mpay_entry_free. Any thread. Since 0.3.0.
 */
MPAY_NODISCARD MPAY_API int32_t MPAY_CALL mpay_journal_cancel_by(
    const mpay_journal *journal,
    const char *reference,
    uint32_t attempt,
    mpay_entry **out,
    mpay_error **error);

/**
 * Takes a payment by newPayment, or returns the existing payment of the reference: this call can be repeated
 * safely. `reference` is the merchant's own order number, 1 to 120 printable characters. If the entry has
 * credentials (mpay_entry_credentials), show them to the customer. If the standing is MPAY_STANDING_REFUSED,
 * call again. MPAY_STANDING_UNKNOWN stays until a webhook or an operator decides. `replace` is 0, or the
 * number of the attempt to replace; only a person may decide to replace an attempt. Returns MPAY_OK;
 * MPAY_INVALID_ARGUMENT if the reference or the request is invalid, or the reference belongs to a different
 * request; MPAY_STORAGE with MPAY_OUTCOME_NOT_SENT if no request was sent, or with MPAY_OUTCOME_UNKNOWN and
 * the order id if a reply had arrived. An error of the service or the network is in mpay_entry_error_code.
 * If another call for the same payment is running, this call waits until that call ends, for at most the
 * time of mpay_journal_config_set_pay_wait_ms. An interrupted call returns the entry as it is then. After
 * three consecutive refused attempts, no new attempt is made for 2 s, then for 4 s and so on up to 5 min;
 * meanwhile the call returns the refused attempt. *out is to be freed by mpay_entry_free. Any thread. Since
 * 0.2.0.
 */
MPAY_NODISCARD MPAY_API int32_t MPAY_CALL mpay_journal_pay(
    const mpay_journal *journal,
    const char *reference,
    const mpay_payment_request *request,
    uint32_t replace,
    mpay_entry **out,
    mpay_error **error);

/**
 * Like mpay_journal_pay, by newPaymentAsync: the credentials arrive by webhook, and mpay_journal_news and
 * mpay_journal_wait return them. The journal must have a callback URL
 * (mpay_journal_config_set_callback_url). Returns MPAY_OK, MPAY_INVALID_ARGUMENT or MPAY_STORAGE, as
 * mpay_journal_pay does. *out is to be freed by mpay_entry_free. Any thread. Since 0.2.0.
 */
MPAY_NODISCARD MPAY_API int32_t MPAY_CALL mpay_journal_pay_async(
    const mpay_journal *journal,
    const char *reference,
    const mpay_payment_request *request,
    uint32_t replace,
    mpay_entry **out,
    mpay_error **error);

/**
 * Reports to the service that the customer has paid this attempt. The journal stores the report before it
 * sends it, and mpay_journal_settle retries it while its outcome is unknown. mpay_entry_confirm_state returns
 * the state of the report. Returns MPAY_OK, MPAY_INVALID_ARGUMENT for an attempt whose order id is not known,
 * or MPAY_STORAGE. *out is to be freed by mpay_entry_free. Any thread. Since 0.2.0.
 */
MPAY_NODISCARD MPAY_API int32_t MPAY_CALL mpay_journal_confirm(
    const mpay_journal *journal,
    const mpay_entry *entry,
    mpay_entry **out,
    mpay_error **error);

/**
 * Cancels this attempt. From now on its credentials are not shown; once mpay_entry_cancel_state is
 * MPAY_INTENT_ACCEPTED, the attempt can be replaced. Returns MPAY_OK, MPAY_INVALID_ARGUMENT or MPAY_STORAGE,
 * as mpay_journal_confirm does. *out is to be freed by mpay_entry_free. Any thread. Since 0.2.0.
 */
MPAY_NODISCARD MPAY_API int32_t MPAY_CALL mpay_journal_cancel(
    const mpay_journal *journal,
    const mpay_entry *entry,
    mpay_entry **out,
    mpay_error **error);

/**
 * Stores an operator's decision about an attempt (MPAY_RESOLUTION_ORDER_ID with order_id,
 * MPAY_RESOLUTION_NO_PAYMENT or MPAY_RESOLUTION_SEEN), with the operator's note of 1 to 500 characters. For
 * an orphan or a changed server only MPAY_RESOLUTION_SEEN is possible. Returns MPAY_OK;
 * MPAY_INVALID_ARGUMENT if the decision does not fit the entry, or if the order has a different sum; the
 * error of getStatus for the order; or MPAY_STORAGE. This entry object does not change: read the new entry
 * by mpay_journal_find. Any thread. Since 0.2.0.
 */
MPAY_NODISCARD MPAY_API int32_t MPAY_CALL mpay_journal_resolve(
    const mpay_journal *journal,
    const mpay_entry *entry,
    int32_t resolution,
    const char *order_id,
    const char *note,
    mpay_error **error);

/**
 * Counts the attempts of each standing. Above a thousand attempts the number of final attempts is an
 * estimate, so that the cost does not grow. Returns MPAY_OK, MPAY_INVALID_ARGUMENT or MPAY_STORAGE. *out is
 * to be freed by mpay_stats_free. Any thread. Since 0.3.0.
 */
MPAY_NODISCARD MPAY_API int32_t MPAY_CALL mpay_journal_stats(
    const mpay_journal *journal,
    mpay_stats **out,
    mpay_error **error);

/**
 * Returns the number of attempts with this standing (MPAY_STANDING_SENDING and so on); 0 if the number is
 * not a standing. Any thread. Since 0.3.0.
 */
MPAY_NODISCARD MPAY_API uint64_t MPAY_CALL mpay_stats_count(const mpay_stats *stats, int32_t standing);

/**
 * Returns the number of items about which an operator must decide: attempts, orphans and a changed server. Any
 * thread. Since 0.3.0.
 */
MPAY_NODISCARD MPAY_API uint64_t MPAY_CALL mpay_stats_attention(const mpay_stats *stats);

/**
 * Returns the number of attempts whose next query of the service is due. Any thread. Since 0.3.0.
 */
MPAY_NODISCARD MPAY_API uint64_t MPAY_CALL mpay_stats_due(const mpay_stats *stats);

/**
 * Returns the time in milliseconds for which the oldest due query has been due; 0 if no query is due. Any
 * thread. Since 0.3.0.
 */
MPAY_NODISCARD MPAY_API uint64_t MPAY_CALL mpay_stats_overdue_ms(const mpay_stats *stats);

/**
 * Returns the note of the operator who paused the journal; NULL if it is not paused. Borrowed from the stats. Any
 * thread. Since 0.3.0.
 */
MPAY_NODISCARD MPAY_API const char *MPAY_CALL mpay_stats_pause_note(const mpay_stats *stats);

/**
 * Returns the stats as one line of JSON. Its fields are standings, estimated, attention, reasons, due,
 * overdueMs, durabilityVouched, pause, server and serverBefore. Borrowed from the stats. Any thread. Since
 * 0.3.0.
 */
MPAY_NODISCARD MPAY_API const char *MPAY_CALL mpay_stats_json(const mpay_stats *stats);

/**
 * Frees stats and all that was borrowed from them; NULL is allowed. Any thread, once. Since 0.3.0.
 */
MPAY_API void MPAY_CALL mpay_stats_free(mpay_stats *stats);

/**
 * Deletes the details of finished attempts, and of orphans that an operator has seen, if they were last
 * written before a time, in milliseconds since 1970. Reference, attempt, standing, order id and token stay
 * for ever. *purged, which may be NULL, is the number of attempts and orphans whose details it deleted.
 * Returns MPAY_OK; MPAY_INVALID_ARGUMENT for a negative time; or MPAY_STORAGE. Any thread. Since 0.3.0.
 */
MPAY_NODISCARD MPAY_API int32_t MPAY_CALL mpay_journal_purge(
    const mpay_journal *journal,
    int64_t before_ms,
    uint64_t *purged,
    mpay_error **error);

/**
 * Deletes the details of all attempts of a reference, and of their orphans, as mpay_journal_purge does. Use
 * it when a customer asks for erasure. *forgotten, which may be NULL, is the number of attempts and orphans
 * that had details. Returns MPAY_OK; MPAY_INVALID_ARGUMENT if there is no such reference, or if one of its
 * attempts or orphans is not finished; or MPAY_STORAGE. Any thread. Since 0.3.0.
 */
MPAY_NODISCARD MPAY_API int32_t MPAY_CALL mpay_journal_forget(
    const mpay_journal *journal,
    const char *reference,
    uint64_t *forgotten,
    mpay_error **error);

/**
 * Begins an export: mpay_export_next reads each attempt and each orphan as a line for mpay_journal_import.
 * Pause the journal first. Returns MPAY_OK or MPAY_INVALID_ARGUMENT. *out is to be freed by
 * mpay_export_free, before or after the journal is freed. The callback of the journal's database must be
 * usable until the export is freed. Any thread. Since 0.3.0.
 */
MPAY_NODISCARD MPAY_API int32_t MPAY_CALL mpay_journal_export(
    const mpay_journal *journal,
    mpay_export **out,
    mpay_error **error);

/**
 * Reads the next line, which mpay_export_line then returns. *found, which may be NULL, is 1 if there is a
 * line, and 0 after the last one. Returns MPAY_OK, MPAY_INVALID_ARGUMENT, or MPAY_STORAGE; after
 * MPAY_STORAGE there are no more lines. One thread at a time. Since 0.3.0.
 */
MPAY_NODISCARD MPAY_API int32_t MPAY_CALL mpay_export_next(
    const mpay_export *lines,
    int32_t *found,
    mpay_error **error);

/**
 * Returns the line of JSON that mpay_export_next has read; NULL before the first one and after the last one. Borrowed
 * from the export until the next call of mpay_export_next. One thread at a time. Since 0.3.0.
 */
MPAY_NODISCARD MPAY_API const char *MPAY_CALL mpay_export_line(const mpay_export *lines);

/**
 * Frees an export and the line that was borrowed from it; NULL is allowed. Any thread, once. Since 0.3.0.
 */
MPAY_API void MPAY_CALL mpay_export_free(mpay_export *lines);

/**
 * Stores the attempt or orphan of a line of an export, and marks it as restored. *imported, which may be
 * NULL, is 0 if the journal already has that attempt or orphan, else 1. Returns MPAY_OK;
 * MPAY_INVALID_ARGUMENT if the text is not a line of an export, or if it belongs to a different account; or
 * MPAY_STORAGE. Any thread. Since 0.3.0.
 */
MPAY_NODISCARD MPAY_API int32_t MPAY_CALL mpay_journal_import(
    const mpay_journal *journal,
    const char *line,
    int32_t *imported,
    mpay_error **error);

/**
 * Stops mpay_journal_pay, mpay_journal_pay_async and mpay_journal_news in every process that uses the
 * journal, until mpay_journal_resume is called. Meanwhile these functions return MPAY_STORAGE with
 * MPAY_OUTCOME_NOT_SENT; repeat them later. mpay_journal_pause returns when no payment call is running; the
 * call of a killed process is treated as running until the call's deadline. `note`, which has 1 to 500
 * characters, names the operator and the reason. Returns MPAY_OK; MPAY_INVALID_ARGUMENT; MPAY_STORAGE; or
 * MPAY_CANCELLED if it was interrupted. After MPAY_CANCELLED the journal is paused, but payment calls can
 * still be running. Any thread. Since 0.3.0.
 */
MPAY_NODISCARD MPAY_API int32_t MPAY_CALL mpay_journal_pause(
    const mpay_journal *journal,
    const char *note,
    mpay_error **error);

/**
 * Ends a pause, and stores the note. Returns MPAY_OK, MPAY_INVALID_ARGUMENT or MPAY_STORAGE. Any thread.
 * Since 0.3.0.
 */
MPAY_NODISCARD MPAY_API int32_t MPAY_CALL mpay_journal_resume(
    const mpay_journal *journal,
    const char *note,
    mpay_error **error);

/**
 * Copies a journal's file to a new file at an absolute path, also while other processes use the journal. The
 * copy is paused, and its rows are marked as restored. Returns MPAY_OK; MPAY_INVALID_ARGUMENT if the journal
 * is in a database or the path is relative; or MPAY_STORAGE, also if the file exists. Any thread. Since
 * 0.3.0.
 */
MPAY_NODISCARD MPAY_API int32_t MPAY_CALL mpay_journal_backup(
    const mpay_journal *journal,
    const char *path,
    mpay_error **error);

#ifdef __cplusplus
}
#endif

#endif  /* MERCHANTPAY_H */
