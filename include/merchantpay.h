/**
 * @file merchantpay.h
 * The client of the Merchant Payment Acceptance API. "Contract" is that API's document. Written by `make generate`: do not edit.
 *
 * What holds for every function:
 *
 * - Every object is a handle: mpay_x_new makes it, mpay_x_free frees it, once, and mpay_x_free(NULL) does nothing. A handle
 *   that is passed in is borrowed, never consumed. A function that is given a handle after it was freed is undefined.
 * - What can fail returns int32_t: MPAY_OK or a code. Its result comes through an out-pointer, which is NULL if it fails; its
 *   last parameter takes the error, is NULL if it succeeds, and may be left out by passing NULL.
 * - A compiler warns of whoever ignores a result (MPAY_NODISCARD), unless it is a setter's.
 * - What can not fail returns its value; a handle that is NULL has none: 0, NULL or MPAY_NO_MINOR.
 * - Strings in are NUL-terminated UTF-8, copied. Strings out are borrowed from the handle they came from, until it is freed. NULL
 *   is absent, in and out. Amounts are decimal text.
 * - "" is not absent: no setting, request field, order id or file name may be empty, so that one that was lost on its way here is
 *   refused instead of left out (MPAY_INVALID_ARGUMENT; a key: MPAY_INVALID_KEY). Only what came from the network is taken as it
 *   came: the body and the headers of a webhook or response.
 * - Bytes are a void * and a size_t, in and out; out, mpay_x_len gives the size_t of mpay_x. (NULL, 0) is no bytes.
 * - NULL where a value is needed and text that is not UTF-8 are MPAY_INVALID_ARGUMENT. A function without an error parameter,
 *   such as a setter, returns it, and the handle remembers: whatever uses the handle is refused, so that a result that nobody
 *   looked at costs nothing. What else may be wrong with a value, other than a key, is reported when it is used.
 * - A handle that says so is shared by threads as it is; any other is used by one thread at a time.
 * - Only mpay_client_new and mpay_config_from_env read the environment: not while another thread changes it.
 * - user_data is handed to its callback as it is. What sets a callback for later takes a function that releases it:
 *   mpay_release_callback.
 * - No panic, signal or exception leaves a function. Only running out of memory ends the process.
 */

#ifndef MERCHANTPAY_H
#define MERCHANTPAY_H

#include <stddef.h>
#include <stdint.h>

/** How the functions are linked. On Windows: statically, unless MPAY_DLL is defined. */
#if defined(_WIN32) && defined(MPAY_DLL)
#define MPAY_API __declspec(dllimport)
#else
#define MPAY_API
#endif

/** How functions and callbacks are called. On 32-bit Windows a program may have another default; give your callbacks MPAY_CALL. */
#if defined(_WIN32) && !defined(_WIN64)
#define MPAY_CALL __cdecl
#else
#define MPAY_CALL
#endif

/**
 * At what returns a result: whoever ignores the code of a call takes a failure for a success, and a getter as a statement does
 * nothing. The compiler warns of that. Define it as nothing before the header to turn that off.
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

/** At what a later version has something better for: the text says what. It stays as long as the ABI does. */
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
 * The version of this header as a number that grows: major * 10000 + minor * 100 + patch.
 */
#define MPAY_HEADER_VERSION_NUMBER 300

/**
 * The ABI of this header. It is in the library's SONAME, and a program that was built with another one
 * cannot use it.
 */
#define MPAY_HEADER_ABI 0

/**
 * Success.
 */
#define MPAY_OK 0

/**
 * A wrong value that was caught before anything was sent, such as a sum that is not greater than 0 or a file that
 * cannot be read.
 */
#define MPAY_INVALID_ARGUMENT 10

/**
 * A key that is not base64, has the wrong length, whose halves differ, or that is not a point of the curve.
 */
#define MPAY_INVALID_KEY 11

/**
 * The host's own signer failed: an HSM that does not answer, a callback that failed. Nothing was sent. Since 0.2.0.
 */
#define MPAY_SIGNER 12

/**
 * DNS, connect, TLS, a broken connection, a redirect, a reply that is too large.
 */
#define MPAY_TRANSPORT 20

/**
 * The deadline passed.
 */
#define MPAY_TIMEOUT 21

/**
 * The caller interrupted the call. Since 0.2.0.
 */
#define MPAY_CANCELLED 22

/**
 * The reply or webhook is not provably the service's.
 */
#define MPAY_UNVERIFIED 30

/**
 * Provably the service's, but not what the contract says, or for another order.
 */
#define MPAY_MALFORMED 31

/**
 * The service refused, provably.
 */
#define MPAY_REJECTED 40

/**
 * The journal could not be read or written. Since 0.2.0.
 */
#define MPAY_STORAGE 50

/**
 * Another worker was first: "acknowledge" in a transaction found nothing to acknowledge. Roll back. Since 0.3.0.
 */
#define MPAY_CONFLICT 51

/**
 * A bug of this library.
 */
#define MPAY_INTERNAL 90

/**
 * Not one byte of the request was written: sending it again cannot take effect twice. It can succeed then only if
 * the error is transient: a wrong argument stays wrong.
 */
#define MPAY_OUTCOME_NOT_SENT 1

/**
 * The service refused, provably: nothing took effect.
 */
#define MPAY_OUTCOME_REJECTED 2

/**
 * It may have taken effect: ask mpay_get_status, or support, before sending it again.
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
 * Created, but no suitable payee has been found yet.
 */
#define MPAY_STATUS_FREE 1

/**
 * The service searches for credentials, or waits for the customer's payment.
 */
#define MPAY_STATUS_PENDING 2

/**
 * A receipt must be attached; the payment is in arbitration.
 */
#define MPAY_STATUS_RECEIPT_REQUIRED 3

/**
 * Final: completed.
 */
#define MPAY_STATUS_DONE_SUCCESS 4

/**
 * Final: failed.
 */
#define MPAY_STATUS_DONE_FAIL 5

/**
 * Final: cancelled by the merchant in arbitration.
 */
#define MPAY_STATUS_ARBITRAGE_CANCELLED_BY_MERCHANT 6

/**
 * The requested sum. Since 0.2.0.
 */
#define MPAY_PAID_EXACTLY 1

/**
 * Less than requested. Since 0.2.0.
 */
#define MPAY_PAID_LESS 2

/**
 * More than requested. Since 0.2.0.
 */
#define MPAY_PAID_MORE 3

/**
 * Credentials were found for a payment made by mpay_new_payment_async (contract, section 6.1).
 */
#define MPAY_EVENT_CREDENTIALS 1

/**
 * No credentials were found (contract, section 6.1): the payment has nothing but its order id.
 */
#define MPAY_EVENT_CREDENTIALS_FAILED 2

/**
 * The payment has a new status (contract, section 6.2); never "free" or "pending".
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
 * A ruble balance: the sum times the rate.
 */
#define MPAY_BALANCE_RUB 1

/**
 * A USDT balance: the sum divided by the rate.
 */
#define MPAY_BALANCE_USDT 2

/**
 * To the nearest; a half away from zero, as cash registers do.
 */
#define MPAY_ROUNDING_HALF_UP 1

/**
 * To the nearest; a half to the even neighbour.
 */
#define MPAY_ROUNDING_HALF_EVEN 2

/**
 * Towards zero.
 */
#define MPAY_ROUNDING_DOWN 3

/**
 * Away from zero.
 */
#define MPAY_ROUNDING_UP 4

/**
 * What mpay_payment_sum_minor and mpay_amounts_get_minor give where there is no sum, or none that is whole
 * kopecks.
 */
#define MPAY_NO_MINOR INT64_MIN

/**
 * Its intent is stored; the call may be under way in some process until its deadline. Since 0.2.0.
 */
#define MPAY_STANDING_SENDING 1

/**
 * The call ended, or its process died, without proof either way. Since 0.2.0.
 */
#define MPAY_STANDING_UNKNOWN 2

/**
 * Nobody can pay: nothing left, the service refused, or it failed before any credentials were stored. Since 0.2.0.
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
 * A newer attempt took its place. Since 0.2.0.
 */
#define MPAY_STANDING_SUPERSEDED 6

/**
 * Nothing. Since 0.2.0.
 */
#define MPAY_LEVEL_NONE 0

/**
 * There are credentials for the customer. Since 0.2.0.
 */
#define MPAY_LEVEL_CREDENTIALS 1

/**
 * A receipt must be attached. Since 0.2.0.
 */
#define MPAY_LEVEL_RECEIPT_REQUIRED 2

/**
 * It is refused, which its own call did not report. Since 0.2.0.
 */
#define MPAY_LEVEL_REFUSED 3

/**
 * Its status is final. Since 0.2.0.
 */
#define MPAY_LEVEL_FINAL 4

/**
 * It is stored, and not yet answered: "settle" retries it. Since 0.2.0.
 */
#define MPAY_INTENT_STORED 1

/**
 * The service accepted it. Since 0.2.0.
 */
#define MPAY_INTENT_ACCEPTED 2

/**
 * The service refused it, and no earlier call can have arrived. Since 0.2.0.
 */
#define MPAY_INTENT_REFUSED 3

/**
 * The service refused it, or a newer instruction replaced it, after an earlier call that may have arrived. Since
 * 0.2.0.
 */
#define MPAY_INTENT_UNCLEAR 4

/**
 * Nobody knows whether the service made a payment. Since 0.2.0.
 */
#define MPAY_ATTENTION_UNKNOWN 1

/**
 * A payment was found for an attempt that was refused. Since 0.2.0.
 */
#define MPAY_ATTENTION_FOUND_AFTER_REFUSED 2

/**
 * A superseded attempt was paid after all. Since 0.2.0.
 */
#define MPAY_ATTENTION_SUPERSEDED_PAID 3

/**
 * A superseded attempt is alive: a receipt is required, or a day of cancelling did not end it. Since 0.2.0.
 */
#define MPAY_ATTENTION_SUPERSEDED_ALIVE 4

/**
 * The service refused the confirm. Since 0.2.0.
 */
#define MPAY_ATTENTION_CONFIRM_REFUSED 5

/**
 * A day has passed and nobody knows whether the confirm took effect. Since 0.2.0.
 */
#define MPAY_ATTENTION_CONFIRM_UNCLEAR 6

/**
 * The service reported another final status than the stored one, or another sum. Since 0.2.0.
 */
#define MPAY_ATTENTION_FINAL_CONTRADICTED 7

/**
 * The sum that was paid is not the sum that was asked for. Since 0.2.0.
 */
#define MPAY_ATTENTION_PAID_DIFFERS 8

/**
 * The credentials are for another sum or currency than was asked for. Since 0.2.0.
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
 * A webhook had named another order than the reply did; the note has its order id. Since 0.2.0.
 */
#define MPAY_ATTENTION_ORDER_DIFFERS 12

/**
 * A webhook alone named an order, and nothing proves that it is this attempt's, such as its sum. It is among the
 * orphans. Since 0.2.0.
 */
#define MPAY_ATTENTION_ORDER_UNPROVEN 13

/**
 * It succeeded, and neither the webhook nor the status has the sum that was paid. Since 0.3.0.
 */
#define MPAY_ATTENTION_SUM_MISSING 14

/**
 * Of no attempt: another database server answers than the one that an operator knows. Since 0.3.0.
 */
#define MPAY_ATTENTION_SERVER_CHANGED 15

/**
 * Credentials for the customer, or that there are none: refused, unknown or final. Since 0.2.0.
 */
#define MPAY_UNTIL_CREDENTIALS 1

/**
 * A final status, or that there is none: refused or unknown. Since 0.2.0.
 */
#define MPAY_UNTIL_FINAL 2

/**
 * SQLite. Since 0.2.0.
 */
#define MPAY_DIALECT_SQLITE 1

/**
 * PostgreSQL, from 12 on. Since 0.2.0.
 */
#define MPAY_DIALECT_POSTGRESQL 2

/**
 * MySQL from 8 on, and MariaDB from 10.5 on. Since 0.2.0.
 */
#define MPAY_DIALECT_MYSQL 3

/**
 * ? Since 0.2.0.
 */
#define MPAY_PLACEHOLDERS_QUESTION 1

/**
 * $1, $2 and so on. Since 0.2.0.
 */
#define MPAY_PLACEHOLDERS_NUMBERED 2

/**
 * %s Since 0.2.0.
 */
#define MPAY_PLACEHOLDERS_PERCENT 3

/**
 * What mpay_database_callback returns: the statement ran.
 */
#define MPAY_DATABASE_OK 0

/**
 * Another row has the key (SQLSTATE 23505, MySQL 1062): nothing was written.
 */
#define MPAY_DATABASE_DUPLICATE 1

/**
 * It is not known whether it took effect: the connection was lost.
 */
#define MPAY_DATABASE_UNCLEAR 2

/**
 * It did not take effect.
 */
#define MPAY_DATABASE_FAILED 3

/**
 * mpay_journal_resolve: the attempt is this order.
 */
#define MPAY_RESOLUTION_ORDER_ID 1

/**
 * mpay_journal_resolve: the service made no payment for the attempt.
 */
#define MPAY_RESOLUTION_NO_PAYMENT 2

/**
 * mpay_journal_resolve: looked at; it goes off the list until something new is found.
 */
#define MPAY_RESOLUTION_SEEN 3

/**
 * An exact decimal. Read by any number of threads at once.
 */
typedef struct mpay_amount mpay_amount;

/**
 * Amounts with a counter-offer right now (contract, section 4.1); nothing is reserved. Read by any number of
 * threads at once.
 */
typedef struct mpay_amounts mpay_amounts;

/**
 * One attempt of a call, for a log: no key, signature, body, account or name is in it. It is
 * the library's, and gone when the callback returns.
 */
typedef struct mpay_attempt mpay_attempt;

/**
 * Calls the service. Shared by any number of threads as it is. After fork the child may go on with it: its
 * calls open connections of their own.
 */
typedef struct mpay_client mpay_client;

/**
 * Settings, set in any order; checked when a client, protocol or verifier is made of them, which copies
 * them. One thread at a time.
 */
typedef struct mpay_config mpay_config;

/**
 * Entries in turn. Read by any number of threads at once.
 */
typedef struct mpay_entries mpay_entries;

/**
 * One attempt of a payment. From mpay_journal_attention also an orphan (a verified message that matches no attempt), or
 * a changed server. Read by any number of threads at once.
 */
typedef struct mpay_entry mpay_entry;

/**
 * Why a function failed. Owned by whoever passed the mpay_error ** that it came through; read by any thread.
 */
typedef struct mpay_error mpay_error;

/**
 * What a verified webhook reports. Read by any number of threads at once.
 */
typedef struct mpay_event mpay_event;

/**
 * Why a webhook does not verify. Read by any number of threads at once.
 */
typedef struct mpay_explanation mpay_explanation;

/**
 * The lines of an export. Used by one thread at a time.
 */
typedef struct mpay_export mpay_export;

/**
 * What to send, by POST, once: exactly this body with these headers. Read by any number of threads at once.
 */
typedef struct mpay_http_request mpay_http_request;

/**
 * A reply as it came, to be opened by mpay_open_*. One thread at a time while it is set; any number may open
 * it at once.
 */
typedef struct mpay_http_response mpay_http_response;

/**
 * A journal: at most one payment that a customer could pay for each order number, whatever happens. Shared by
 * any number of threads as it is.
 */
typedef struct mpay_journal mpay_journal;

/**
 * The settings of a journal, set in any order; checked when a journal is opened, which copies them. One
 * thread at a time.
 */
typedef struct mpay_journal_config mpay_journal_config;

/**
 * A new pair of keys. Its private key is wiped from memory when it is freed. Read by any number of threads
 * at once.
 */
typedef struct mpay_keypair mpay_keypair;

/**
 * A payment as a verified reply or webhook reports it (contract, section 2). Every field other than the
 * order id may be absent. Read by any number of threads at once.
 */
typedef struct mpay_payment mpay_payment;

/**
 * The fields of mpay_get_available_amounts, mpay_new_payment and mpay_new_payment_async, set in any order;
 * checked when it is used, which does not consume it. One thread at a time while it is set; any number may
 * use it at once.
 */
typedef struct mpay_payment_request mpay_payment_request;

/**
 * Who signs, for which service, and whose replies are accepted. Shared by any number of threads as it is.
 */
typedef struct mpay_protocol mpay_protocol;

/**
 * One or more receipts for a payment in arbitration (contract, section 4.7). One thread at a time while
 * files are added; any number may use it at once.
 */
typedef struct mpay_receipt mpay_receipt;

/**
 * Where mpay_database_callback puts what a statement gave. Only for as long as the callback runs.
 */
typedef struct mpay_rows mpay_rows;

/**
 * The counts of a journal. Read by any number of threads at once.
 */
typedef struct mpay_stats mpay_stats;

/**
 * Verifies webhooks. Shared by any number of threads as it is.
 */
typedef struct mpay_verifier mpay_verifier;

/**
 * Gets every attempt when it has ended, on the thread that makes the call. It may be called by several
 * threads at once. It must return, not jump or throw.
 */
typedef void (MPAY_CALL *mpay_log_callback)(void *user_data, const mpay_attempt *attempt);

/**
 * Releases the user data of a callback, such as a reference that was counted for it. It is called exactly once,
 * on any thread, as soon as nothing can call the callback any more: also if the setter fails, and if the
 * callback is NULL. NULL releases nothing. It must return, not jump or throw, and must not use the library.
 */
typedef void (MPAY_CALL *mpay_release_callback)(void *user_data);

/**
 * Signs len bytes of message with the merchant's private key: writes the 64 bytes of the detached ed25519
 * signature, not as base64, and returns 0. Any other number means that it could not; the call then fails
 * with MPAY_SIGNER and MPAY_OUTCOME_NOT_SENT. It may be called by several threads at once. It must return,
 * not jump or throw.
 */
typedef int32_t (MPAY_CALL *mpay_signer_callback)(void *user_data, const void *message, size_t len, void *signature);

/**
 * Runs one SQL statement with count text parameters, of which an absent one is NULL, on a connection that is
 * the journal's own and in autocommit, and waits until it is durable. Each row goes to mpay_rows_add, the
 * number of rows that were written to mpay_rows_set_affected, and what went wrong to mpay_rows_set_message.
 * Returns MPAY_DATABASE_OK, MPAY_DATABASE_DUPLICATE, MPAY_DATABASE_UNCLEAR or MPAY_DATABASE_FAILED; any
 * other number counts as unclear. It may be called by several threads at once, and may use the library. It
 * must return, not jump or throw.
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
 * The version of the library that runs, as text such as "0.1.0". Static. Any thread. Since 0.1.0.
 */
MPAY_NODISCARD MPAY_API const char *MPAY_CALL mpay_version(void);

/**
 * The version of the library that runs, as MPAY_HEADER_VERSION_NUMBER is made. Any thread. Since 0.1.0.
 */
MPAY_NODISCARD MPAY_API uint32_t MPAY_CALL mpay_version_number(void);

/**
 * The ABI of the library that runs. Compare it with MPAY_HEADER_ABI where the library is loaded at run
 * time. Any thread. Since 0.1.0.
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
 * Whether the request may have taken effect: MPAY_OUTCOME_NOT_SENT, MPAY_OUTCOME_REJECTED or
 * MPAY_OUTCOME_UNKNOWN; 0 for NULL. Any thread. Since 0.1.0.
 */
MPAY_NODISCARD MPAY_API int32_t MPAY_CALL mpay_error_outcome(const mpay_error *error);

/**
 * The outcome's name: "not_sent", "rejected" or "unknown". Borrowed from the error. Any thread. Since 0.1.0.
 */
MPAY_NODISCARD MPAY_API const char *MPAY_CALL mpay_error_outcome_name(const mpay_error *error);

/**
 * 1 if the error is transient: the same call may succeed later. For MPAY_TRANSPORT and MPAY_STORAGE
 * (unless permanent, as an untrusted certificate or a missing file), MPAY_TIMEOUT, MPAY_CANCELLED,
 * MPAY_SIGNER, and for MPAY_UNVERIFIED with HTTP status 429 or 5xx. 0 for everything else, and for NULL.
 * Whether the request may be sent again without taking effect twice is another question, which
 * mpay_error_outcome answers. Any thread. Since 0.2.0.
 */
MPAY_NODISCARD MPAY_API int32_t MPAY_CALL mpay_error_is_transient(const mpay_error *error);

/**
 * What happened, for a person to read; no key, signature, account or name is in it. The wording may change.
 * Borrowed from the error. Any thread. Since 0.1.0.
 */
MPAY_NODISCARD MPAY_API const char *MPAY_CALL mpay_error_message(const mpay_error *error);

/**
 * The service's own words of a refusal (contract, section 7), or NULL. They may hold personal data. Borrowed
 * from the error. Any thread. Since 0.1.0.
 */
MPAY_NODISCARD MPAY_API const char *MPAY_CALL mpay_error_description(const mpay_error *error);

/**
 * The reason of a refusal where the contract names it (section 7), such as "order_not_found": one that
 * mpay_reason_name gives; else NULL. Borrowed from the error. Any thread. Since 0.1.0.
 */
MPAY_NODISCARD MPAY_API const char *MPAY_CALL mpay_error_reason(const mpay_error *error);

/**
 * The same by its number, MPAY_REASON_INVALID_CURRENCY and so on; 0 if there is none, and for one that this
 * version does not know. Any thread. Since 0.2.0.
 */
MPAY_NODISCARD MPAY_API int32_t MPAY_CALL mpay_error_reason_code(const mpay_error *error);

/**
 * The HTTP status where a reply came, else 0. It is not signed and says nothing about the payment. Any
 * thread. Since 0.1.0.
 */
MPAY_NODISCARD MPAY_API int32_t MPAY_CALL mpay_error_http_status(const mpay_error *error);

/**
 * The order that was asked about, or that a verified reply names; else NULL. Borrowed from the error. Any
 * thread. Since 0.1.0.
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
 * The verified body of a reply or webhook with the code MPAY_REJECTED or MPAY_MALFORMED, as it came,
 * mpay_error_body_len bytes; or NULL. A NUL that is not part of it stands behind it. It may hold personal
 * data. Borrowed from the error. Any thread. Since 0.1.0.
 */
MPAY_NODISCARD MPAY_API const void *MPAY_CALL mpay_error_body(const mpay_error *error);

/**
 * How many bytes mpay_error_body has, without the NUL behind them. Any thread. Since 0.1.0.
 */
MPAY_NODISCARD MPAY_API size_t MPAY_CALL mpay_error_body_len(const mpay_error *error);

/**
 * Frees an error and all that was borrowed from it; NULL is allowed. Any thread, once. Since 0.1.0.
 */
MPAY_API void MPAY_CALL mpay_error_free(mpay_error *error);

/**
 * The name of the code with this number, such as "invalid_argument"; NULL for a number that this version does not know. It is
 * there for as long as the library is. Any thread. Since 0.2.0.
 */
MPAY_NODISCARD MPAY_API const char *MPAY_CALL mpay_code_name(int32_t code);

/**
 * The name of the outcome with this number, such as "not_sent"; NULL for a number that this version does not know. It is
 * there for as long as the library is. Any thread. Since 0.2.0.
 */
MPAY_NODISCARD MPAY_API const char *MPAY_CALL mpay_outcome_name(int32_t outcome);

/**
 * The name of the status with this number, such as "free"; NULL for a number that this version does not know. It is
 * there for as long as the library is. Any thread. Since 0.2.0.
 */
MPAY_NODISCARD MPAY_API const char *MPAY_CALL mpay_status_name(int32_t status);

/**
 * The name of the reason with this number, such as "invalid_currency"; NULL for a number that this version does not know. It is
 * there for as long as the library is. Any thread. Since 0.2.0.
 */
MPAY_NODISCARD MPAY_API const char *MPAY_CALL mpay_reason_name(int32_t reason);

/* ==== Settings ============================================================================================ */

/**
 * New settings, all of them unset. Never NULL. Any thread. Since 0.1.0.
 */
MPAY_NODISCARD MPAY_API mpay_config *MPAY_CALL mpay_config_new(void);

/**
 * What stands before /api/v1/merchant/pay: an absolute https URL; http only to this machine, unless
 * mpay_config_set_allow_http allows it. Needed by clients and protocols; NULL unsets it. Returns MPAY_OK or
 * MPAY_INVALID_ARGUMENT. One thread at a time. Since 0.1.0.
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
 * clients and protocols, unless a callback signs; NULL unsets it. It is copied, and the copy wiped when
 * nothing uses it any more. Returns MPAY_OK, MPAY_INVALID_KEY or MPAY_INVALID_ARGUMENT. One thread at a
 * time. Since 0.1.0.
 */
MPAY_API int32_t MPAY_CALL mpay_config_set_private_key(mpay_config *config, const char *private_key);

/**
 * The merchant's own public key: base64 of 32 bytes. Needed where a callback signs; elsewhere it is only
 * checked. NULL unsets it. Returns MPAY_OK, MPAY_INVALID_KEY or MPAY_INVALID_ARGUMENT. One thread at a time.
 * Since 0.1.0.
 */
MPAY_API int32_t MPAY_CALL mpay_config_set_public_key(mpay_config *config, const char *public_key);

/**
 * Adds a public key of the service: base64 of 32 bytes. Needed once; more of them while the service rotates
 * its keys. NULL adds nothing. Returns MPAY_OK, MPAY_INVALID_KEY or MPAY_INVALID_ARGUMENT. One thread at a
 * time. Since 0.1.0.
 */
MPAY_API int32_t MPAY_CALL mpay_config_add_server_public_key(mpay_config *config, const char *server_public_key);

/**
 * Adds a key id of the service. As soon as there is one, replies must carry one that was added, and so must
 * webhooks that carry one at all (the contract does not show their headers). NULL adds nothing. Returns
 * MPAY_OK or MPAY_INVALID_ARGUMENT. One thread at a time. Since 0.1.0.
 */
MPAY_API int32_t MPAY_CALL mpay_config_add_server_key_id(mpay_config *config, const char *server_key_id);

/**
 * Takes back the public keys and key ids of the service that were added, wrong ones included. Does nothing
 * to clients, protocols and verifiers that were made. Returns MPAY_OK or MPAY_INVALID_ARGUMENT. One thread
 * at a time. Since 0.2.0.
 */
MPAY_API int32_t MPAY_CALL mpay_config_clear_server_keys(mpay_config *config);

/**
 * 1 allows a base URL of plain http to another machine: whoever is between reads every account, and every
 * signature, which is as good as a password for its order. 0, which it is unless set, allows plain http only
 * to localhost, 127.0.0.0/8 and IPv6 ::1, as they are written. Returns MPAY_OK or MPAY_INVALID_ARGUMENT. One
 * thread at a time. Since 0.2.0.
 */
MPAY_API int32_t MPAY_CALL mpay_config_set_allow_http(mpay_config *config, int32_t allow_http);

/**
 * A file with certificates, as PEM, of an authority to trust beside the system's. It is read when the client
 * is made. NULL unsets it. Returns MPAY_OK or MPAY_INVALID_ARGUMENT. One thread at a time. Since 0.1.0.
 */
MPAY_API int32_t MPAY_CALL mpay_config_set_ca_file(mpay_config *config, const char *ca_file);

/**
 * The same as text: certificates as PEM. NULL unsets it. Returns MPAY_OK or MPAY_INVALID_ARGUMENT. One
 * thread at a time. Since 0.1.0.
 */
MPAY_API int32_t MPAY_CALL mpay_config_set_ca_pem(mpay_config *config, const char *ca_pem);

/**
 * 1 trusts the authority of mpay_config_set_ca_file and mpay_config_set_ca_pem alone; it has to be set then.
 * 0, which it is unless set, trusts it beside the operating system's. Returns MPAY_OK or
 * MPAY_INVALID_ARGUMENT. One thread at a time. Since 0.2.0.
 */
MPAY_API int32_t MPAY_CALL mpay_config_set_exclusive_ca(mpay_config *config, int32_t exclusive_ca);

/**
 * Adds a pin of the public key of the service's own certificate: "sha256/" and the base64 of the SHA-256 of
 * its SubjectPublicKeyInfo. With one pin or several, a connection needs a certificate that is trusted and
 * whose key is one of them; the connection to an https proxy does not. Add the next key's pin before the
 * service changes its key. NULL adds nothing. What is not a pin is refused when the client is made. Returns
 * MPAY_OK or MPAY_INVALID_ARGUMENT. One thread at a time. Since 0.2.0.
 */
MPAY_API int32_t MPAY_CALL mpay_config_add_pin_spki(mpay_config *config, const char *pin);

/**
 * The certificate that the client shows to a service that asks for one (mTLS), with its chain, and its
 * private key: two files, or the same one twice, as PEM. They are read when the client is made. The library
 * zeroizes its copies of the key when nothing uses them any more; ring, which signs with the key, keeps one
 * more that is not zeroized. A proxy is never shown the certificate. NULL for both unsets it. Returns
 * MPAY_OK or MPAY_INVALID_ARGUMENT. One thread at a time. Since 0.2.0.
 */
MPAY_API int32_t MPAY_CALL mpay_config_set_client_certificate(
    mpay_config *config,
    const char *cert_file,
    const char *key_file);

/**
 * An HTTP proxy, as "http://host:port" or "http://user:password@host:port". None unless set: the environment
 * is not asked. NULL unsets it. Returns MPAY_OK or MPAY_INVALID_ARGUMENT. One thread at a time. Since 0.1.0.
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
 * The longest that opening one connection may take, in milliseconds; 10000 unless set. 0 is refused when the
 * client is made. Returns MPAY_OK or MPAY_INVALID_ARGUMENT. One thread at a time. Since 0.1.0.
 */
MPAY_API int32_t MPAY_CALL mpay_config_set_connect_timeout_ms(mpay_config *config, uint32_t connect_timeout_ms);

/**
 * How long after a response, in milliseconds, its connection may be used for a call that is sent once, such
 * as mpay_new_payment; 1000 unless set, 0 for never. It is looked at just before, and is never used for
 * longer than the server's own "Keep-Alive: timeout" allows. Should the server close it at that very moment,
 * the outcome is MPAY_OUTCOME_UNKNOWN; the longer this is, the more likely that is. mpay_get_status and
 * mpay_get_available_amounts use a connection for 15 s, or for this long if it is longer. Returns MPAY_OK or
 * MPAY_INVALID_ARGUMENT. One thread at a time. Since 0.2.0.
 */
MPAY_API int32_t MPAY_CALL mpay_config_set_reuse_idle_ms(mpay_config *config, uint32_t reuse_idle_ms);

/**
 * How long a connection that mpay_client_connect has opened may wait for its first request, in milliseconds;
 * 10000 unless set, 0 for not at all. Returns MPAY_OK or MPAY_INVALID_ARGUMENT. One thread at a time. Since
 * 0.2.0.
 */
MPAY_API int32_t MPAY_CALL mpay_config_set_connect_idle_ms(mpay_config *config, uint32_t connect_idle_ms);

/**
 * How often a request is sent again: any of which no byte was written, and those of mpay_get_status and
 * mpay_get_available_amounts; 2 unless set, 0 for never. Returns MPAY_OK or MPAY_INVALID_ARGUMENT. One
 * thread at a time. Since 0.1.0.
 */
MPAY_API int32_t MPAY_CALL mpay_config_set_max_retries(mpay_config *config, uint32_t max_retries);

/**
 * The largest body of a reply that is read; 1048576 unless set. Returns MPAY_OK or MPAY_INVALID_ARGUMENT.
 * One thread at a time. Since 0.1.0.
 */
MPAY_API int32_t MPAY_CALL mpay_config_set_max_reply_bytes(mpay_config *config, uint64_t max_reply_bytes);

/**
 * Sets the callback that gets every attempt of a client's calls; NULL for none. user_data is handed back as it is.
 * It and the function must be usable, by every thread that calls, until release is called with it, which may be
 * NULL: after these settings and all clients that were made of them are freed. Returns MPAY_OK or
 * MPAY_INVALID_ARGUMENT. One thread at a time. Since 0.1.0.
 */
MPAY_API int32_t MPAY_CALL mpay_config_set_log_callback(
    mpay_config *config,
    mpay_log_callback callback,
    void *user_data,
    mpay_release_callback release);

/**
 * Sets who signs in place of private_key, such as an HSM; NULL for nobody. mpay_config_set_public_key has to
 * name its public key, under which each signature is checked before anything is sent: MPAY_INVALID_KEY where
 * it does not verify. user_data is handed back as it is. It and the function must be usable, by every thread that
 * calls, until release is called with it, which may be NULL: after these settings and what was made of them are
 * freed. Returns MPAY_OK or MPAY_INVALID_ARGUMENT. One thread at a time. Since 0.1.0.
 */
MPAY_API int32_t MPAY_CALL mpay_config_set_signer_callback(
    mpay_config *config,
    mpay_signer_callback callback,
    void *user_data,
    mpay_release_callback release);

/**
 * Frees settings; NULL is allowed. What was made of them stays. Any thread, once. Since 0.1.0.
 */
MPAY_API void MPAY_CALL mpay_config_free(mpay_config *config);

/**
 * Sets a setting of the definition (docs/settings.md) by its name, such as "timeout_ms", and its text: a number in
 * digits, a flag as 1 or 0. Of a setting that is a list, each text between commas is added. NULL unsets the setting,
 * and adds nothing to a list. It does what the setting's own function does. Returns MPAY_OK, MPAY_INVALID_KEY, or
 * MPAY_INVALID_ARGUMENT for an unknown name or a text that cannot be read; the error names the setting. One thread
 * at a time. Since 0.3.0.
 */
MPAY_NODISCARD MPAY_API int32_t MPAY_CALL mpay_config_set(
    mpay_config *config,
    const char *name,
    const char *text,
    mpay_error **error);

/**
 * Sets each setting whose variable is in the environment, as mpay_config_set does: MERCHANTPAY_BASE_URL and so on
 * (docs/settings.md). MERCHANTPAY_PRIVATE_KEY_FILE names a file with the private key. An empty variable counts as
 * absent. Returns MPAY_OK, MPAY_INVALID_KEY, or MPAY_INVALID_ARGUMENT for a text or a file that cannot be read. Not
 * while another thread changes the environment. One thread at a time. Since 0.3.0.
 */
MPAY_NODISCARD MPAY_API int32_t MPAY_CALL mpay_config_from_env(mpay_config *config, mpay_error **error);

/* ==== Log of attempts ===================================================================================== */

/**
 * The operation's name in the contract, such as "newPayment". Borrowed from the attempt. The callback's
 * thread. Since 0.1.0.
 */
MPAY_NODISCARD MPAY_API const char *MPAY_CALL mpay_attempt_operation(const mpay_attempt *attempt);

/**
 * The order that was asked about, or NULL. Borrowed from the attempt. The callback's thread. Since 0.1.0.
 */
MPAY_NODISCARD MPAY_API const char *MPAY_CALL mpay_attempt_order_id(const mpay_attempt *attempt);

/**
 * Which attempt of the call it was, from 1. The callback's thread. Since 0.1.0.
 */
MPAY_NODISCARD MPAY_API uint32_t MPAY_CALL mpay_attempt_number(const mpay_attempt *attempt);

/**
 * The HTTP status where a reply came, else 0. The callback's thread. Since 0.1.0.
 */
MPAY_NODISCARD MPAY_API int32_t MPAY_CALL mpay_attempt_http_status(const mpay_attempt *attempt);

/**
 * How long it took, in whole milliseconds. The callback's thread. Since 0.1.0.
 */
MPAY_NODISCARD MPAY_API uint64_t MPAY_CALL mpay_attempt_elapsed_ms(const mpay_attempt *attempt);

/**
 * What went wrong, as mpay_error_code; MPAY_OK for a success. The callback's thread. Since 0.1.0.
 */
MPAY_NODISCARD MPAY_API int32_t MPAY_CALL mpay_attempt_code(const mpay_attempt *attempt);

/**
 * Whether the request may have taken effect, as mpay_error_outcome; 0 for a success. The callback's thread.
 * Since 0.1.0.
 */
MPAY_NODISCARD MPAY_API int32_t MPAY_CALL mpay_attempt_outcome(const mpay_attempt *attempt);

/**
 * All of it as one line of text without a line end, such as "getStatus o-1: attempt 1, HTTP 200, 12 ms, ok".
 * The wording may change. Borrowed from the attempt. The callback's thread. Since 0.1.0.
 */
MPAY_NODISCARD MPAY_API const char *MPAY_CALL mpay_attempt_line(const mpay_attempt *attempt);

/* ==== Client ============================================================================================== */

/**
 * Makes a client of settings, which are copied and may be freed. Nothing is sent and no connection opened.
 * Returns MPAY_OK, MPAY_INVALID_ARGUMENT or MPAY_INVALID_KEY. *out is to be freed by mpay_client_free. Any
 * thread. Since 0.1.0.
 */
MPAY_NODISCARD MPAY_API int32_t MPAY_CALL mpay_client_new(
    const mpay_config *config,
    mpay_client **out,
    mpay_error **error);

/**
 * Makes a handle of its own for the same settings, keys and connections, with another deadline a call, in
 * milliseconds; 0 keeps the client's. It can be interrupted alone, and is interrupted together with the
 * client; it costs little, and is freed by itself, before or after the client. Returns MPAY_OK or
 * MPAY_INVALID_ARGUMENT. *out is to be freed by mpay_client_free. Any thread. Since 0.2.0.
 */
MPAY_NODISCARD MPAY_API int32_t MPAY_CALL mpay_client_derive(
    const mpay_client *client,
    uint32_t timeout_ms,
    mpay_client **out,
    mpay_error **error);

/**
 * Ends the calls that run on this handle and on everything derived from it, in whatever threads, and lets no
 * more start, for good; the handle that it was derived from, and others derived from that, go on. After it
 * has returned not one more byte of those calls is written. Each ends at once with MPAY_CANCELLED and the
 * outcome that is true, MPAY_OUTCOME_NOT_SENT or MPAY_OUTCOME_UNKNOWN; a response that has come whole is
 * still returned. Nothing goes on in the background but at most a look-up of the service's name, which
 * writes nothing. NULL does nothing. Any thread, but not a signal handler; the handle is freed only after
 * this has returned. Since 0.2.0.
 */
MPAY_API void MPAY_CALL mpay_client_interrupt(const mpay_client *client);

/**
 * Opens a connection for the next call, before the customer is ready: that call then costs one round trip.
 * The connection waits for its first request as long as mpay_config_set_connect_idle_ms says. Each call of
 * this opens one. Returns MPAY_OK, MPAY_TRANSPORT, MPAY_TIMEOUT, MPAY_CANCELLED or MPAY_INVALID_ARGUMENT,
 * always with MPAY_OUTCOME_NOT_SENT. Any thread. Since 0.2.0.
 */
MPAY_API int32_t MPAY_CALL mpay_client_connect(const mpay_client *client, mpay_error **error);

/**
 * Frees a client; NULL is allowed. No call may be running on it. It closes idle connections without waiting
 * for anything. Any thread, once. Since 0.1.0.
 */
MPAY_API void MPAY_CALL mpay_client_free(mpay_client *client);

/* ==== Requests ============================================================================================ */

/**
 * A new request, with RUB for its currency and nothing else set. Never NULL. Any thread. Since 0.1.0.
 */
MPAY_NODISCARD MPAY_API mpay_payment_request *MPAY_CALL mpay_payment_request_new(void);

/**
 * The sum in kopecks, such as 150050. Returns MPAY_OK or MPAY_INVALID_ARGUMENT. One thread at a time. Since
 * 0.1.0.
 */
MPAY_API int32_t MPAY_CALL mpay_payment_request_set_sum_minor(mpay_payment_request *request, int64_t kopecks);

/**
 * Sets a field by its name in snake case, such as "customer_account", and its text; NULL unsets it. Returns MPAY_OK,
 * or MPAY_INVALID_ARGUMENT for an unknown name or a text that cannot be right; the error names the field. One thread
 * at a time. Since 0.3.0.
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
 * The sum in rubles: greater than 0, exact, at most 28 digits. As decimal text, such as "1500.50". Needed. NULL
 * unsets it. Returns MPAY_OK or MPAY_INVALID_ARGUMENT. One thread at a time. Since 0.1.0.
 */
MPAY_API int32_t MPAY_CALL mpay_payment_request_set_sum(mpay_payment_request *request, const char *sum);

/**
 * The currency: "RUB", also if it is not set. NULL unsets it. Returns MPAY_OK or MPAY_INVALID_ARGUMENT. One thread
 * at a time. Since 0.1.0.
 */
MPAY_API int32_t MPAY_CALL mpay_payment_request_set_currency(mpay_payment_request *request, const char *currency);

/**
 * How the customer pays: "card" or "sbp". Needed. NULL unsets it. Returns MPAY_OK or MPAY_INVALID_ARGUMENT. One
 * thread at a time. Since 0.1.0.
 */
MPAY_API int32_t MPAY_CALL mpay_payment_request_set_payment_method(
    mpay_payment_request *request,
    const char *payment_method);

/**
 * The customer's account; mpay_get_available_amounts does not need it, and it has no effect there at present.
 * Needed, but by mpay_get_available_amounts. NULL unsets it. Returns MPAY_OK or MPAY_INVALID_ARGUMENT. One thread at
 * a time. Since 0.1.0.
 */
MPAY_API int32_t MPAY_CALL mpay_payment_request_set_customer_account(
    mpay_payment_request *request,
    const char *customer_account);

/**
 * An absolute http or https URL that receives status webhooks (contract, section 6.2). Left out by
 * mpay_get_available_amounts. NULL unsets it. Returns MPAY_OK or MPAY_INVALID_ARGUMENT. One thread at a time. Since
 * 0.1.0.
 */
MPAY_API int32_t MPAY_CALL mpay_payment_request_set_status_webhook_url(
    mpay_payment_request *request,
    const char *status_webhook_url);

/**
 * An absolute http or https URL that receives the credentials (contract, section 6.1); mpay_new_payment_async
 * requires it, and mpay_new_payment refuses it. Left out by mpay_get_available_amounts. NULL unsets it. Returns
 * MPAY_OK or MPAY_INVALID_ARGUMENT. One thread at a time. Since 0.1.0.
 */
MPAY_API int32_t MPAY_CALL mpay_payment_request_set_credentials_webhook_url(
    mpay_payment_request *request,
    const char *credentials_webhook_url);

/**
 * The code of the payer's bank, which the merchant's agreement may require. Left out by mpay_get_available_amounts.
 * NULL unsets it. Returns MPAY_OK or MPAY_INVALID_ARGUMENT. One thread at a time. Since 0.1.0.
 */
MPAY_API int32_t MPAY_CALL mpay_payment_request_set_payer_bank(mpay_payment_request *request, const char *payer_bank);

/**
 * The merchant's own identifier, for reconciliation and support. Left out by mpay_get_available_amounts. NULL unsets
 * it. Returns MPAY_OK or MPAY_INVALID_ARGUMENT. One thread at a time. Since 0.1.0.
 */
MPAY_API int32_t MPAY_CALL mpay_payment_request_set_merchant_id(mpay_payment_request *request, const char *merchant_id);

/**
 * How far above the sum an amount may be: not negative. As decimal text, such as "1500.50". Left out by
 * mpay_new_payment. Left out by mpay_new_payment_async. NULL unsets it. Returns MPAY_OK or MPAY_INVALID_ARGUMENT.
 * One thread at a time. Since 0.1.0.
 */
MPAY_API int32_t MPAY_CALL mpay_payment_request_set_sum_drift_up(
    mpay_payment_request *request,
    const char *sum_drift_up);

/**
 * How far below the sum an amount may be: not negative. As decimal text, such as "1500.50". Left out by
 * mpay_new_payment. Left out by mpay_new_payment_async. NULL unsets it. Returns MPAY_OK or MPAY_INVALID_ARGUMENT.
 * One thread at a time. Since 0.1.0.
 */
MPAY_API int32_t MPAY_CALL mpay_payment_request_set_sum_drift_down(
    mpay_payment_request *request,
    const char *sum_drift_down);

/**
 * A new receipt without files. An order id that is NULL or not UTF-8 is reported by whatever uses the receipt.
 * Never NULL. Any thread. Since 0.1.0.
 */
MPAY_NODISCARD MPAY_API mpay_receipt *MPAY_CALL mpay_receipt_new(const char *order_id);

/**
 * Adds a file from disk, which is read now. Its type is taken from its name (.pdf, .jpg, .jpeg, .png) or else
 * by its first bytes. Returns MPAY_OK or MPAY_INVALID_ARGUMENT; the receipt is then as it was. One thread at
 * a time. Since 0.1.0.
 */
MPAY_NODISCARD MPAY_API int32_t MPAY_CALL mpay_receipt_add_file(
    mpay_receipt *receipt,
    const char *path,
    mpay_error **error);

/**
 * Adds a file of len bytes from memory, which are copied. content_type is "application/pdf", "image/jpeg",
 * "image/jpg" or "image/png" (contract, section 8). Returns MPAY_OK or MPAY_INVALID_ARGUMENT; the receipt is
 * then as it was. One thread at a time. Since 0.1.0.
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
 * How many amounts there are. Any thread. Since 0.1.0.
 */
MPAY_NODISCARD MPAY_API size_t MPAY_CALL mpay_amounts_count(const mpay_amounts *amounts);

/**
 * The amount at index, from 0, as decimal text; NULL behind the last. Borrowed from the amounts. Any thread.
 * Since 0.1.0.
 */
MPAY_NODISCARD MPAY_API const char *MPAY_CALL mpay_amounts_get(const mpay_amounts *amounts, size_t index);

/**
 * The amount at index in kopecks; MPAY_NO_MINOR behind the last, or if it has a fraction of a kopeck or does
 * not fit. Any thread. Since 0.1.0.
 */
MPAY_NODISCARD MPAY_API int64_t MPAY_CALL mpay_amounts_get_minor(const mpay_amounts *amounts, size_t index);

/**
 * 1 if amounts outside the list may succeed too, so that an empty list is no refusal; 0 if the list is
 * complete. Any thread. Since 0.1.0.
 */
MPAY_NODISCARD MPAY_API int32_t MPAY_CALL mpay_amounts_other_possible(const mpay_amounts *amounts);

/**
 * The verified body as it came, as JSON. Borrowed from the amounts. Any thread. Since 0.1.0.
 */
MPAY_NODISCARD MPAY_API const char *MPAY_CALL mpay_amounts_json(const mpay_amounts *amounts);

/**
 * Frees amounts and all that was borrowed from them; NULL is allowed. Any thread, once. Since 0.1.0.
 */
MPAY_API void MPAY_CALL mpay_amounts_free(mpay_amounts *amounts);

/**
 * sum in kopecks; MPAY_NO_MINOR if it is absent, has a fraction of a kopeck, or does not fit. Any thread.
 * Since 0.1.0.
 */
MPAY_NODISCARD MPAY_API int64_t MPAY_CALL mpay_payment_sum_minor(const mpay_payment *payment);

/**
 * What was paid, compared with the sum that was asked for, which is decimal text: MPAY_PAID_EXACTLY,
 * MPAY_PAID_LESS or MPAY_PAID_MORE; 0 if that is not known, because there is no sum or asked is no amount.
 * They are compared as numbers, in the payment's currency. The status "doneSuccess" alone does not say that
 * the customer paid all, and only a final status makes this final: before, it compares what the service
 * counts with so far. Any thread. Since 0.2.0.
 */
MPAY_NODISCARD MPAY_API int32_t MPAY_CALL mpay_payment_paid(const mpay_payment *payment, const char *asked);

/**
 * The status by its number, MPAY_STATUS_FREE and so on; 0 if there is none, and for one that this version
 * does not know: see mpay_payment_status. Any thread. Since 0.2.0.
 */
MPAY_NODISCARD MPAY_API int32_t MPAY_CALL mpay_payment_status_code(const mpay_payment *payment);

/**
 * 1 if there is a status and it is final, else 0: a status that this version does not know is never final.
 * Any thread. Since 0.1.0.
 */
MPAY_NODISCARD MPAY_API int32_t MPAY_CALL mpay_payment_is_final(const mpay_payment *payment);

/**
 * The verified body as it came, as JSON; fields that this version does not know are in it. Borrowed from the
 * payment. Any thread. Since 0.1.0.
 */
MPAY_NODISCARD MPAY_API const char *MPAY_CALL mpay_payment_json(const mpay_payment *payment);

/**
 * Frees a payment that a call gave, and all that was borrowed from it; NULL is allowed. Not for a payment
 * that was borrowed from an event. Any thread, once. Since 0.1.0.
 */
MPAY_API void MPAY_CALL mpay_payment_free(mpay_payment *payment);

/**
 * orderId: the service's identifier of the payment. Never NULL. Borrowed from the payment. Any thread. Since 0.1.0.
 */
MPAY_NODISCARD MPAY_API const char *MPAY_CALL mpay_payment_order_id(const mpay_payment *payment);

/**
 * sum: the payment's sum in its currency: the amount actually paid once there is a payment; it changes if the
 * customer pays more or less, and a payment that failed has one too. As decimal text. NULL if absent. Borrowed from
 * the payment. Any thread. Since 0.1.0.
 */
MPAY_NODISCARD MPAY_API const char *MPAY_CALL mpay_payment_sum(const mpay_payment *payment);

/**
 * currency: the currency of the sum: in the reply to mpay_new_payment and in the credentials webhook. NULL if
 * absent. Borrowed from the payment. Any thread. Since 0.1.0.
 */
MPAY_NODISCARD MPAY_API const char *MPAY_CALL mpay_payment_currency(const mpay_payment *payment);

/**
 * payeeAccount: the account that the customer pays to. NULL if absent. Borrowed from the payment. Any thread. Since
 * 0.1.0.
 */
MPAY_NODISCARD MPAY_API const char *MPAY_CALL mpay_payment_payee_account(const mpay_payment *payment);

/**
 * payeeAccountBank: the bank of that account. NULL if absent. Borrowed from the payment. Any thread. Since 0.1.0.
 */
MPAY_NODISCARD MPAY_API const char *MPAY_CALL mpay_payment_payee_account_bank(const mpay_payment *payment);

/**
 * payeeName: the holder of that account; in the reply to mpay_get_status in Latin letters. NULL if absent. Borrowed
 * from the payment. Any thread. Since 0.1.0.
 */
MPAY_NODISCARD MPAY_API const char *MPAY_CALL mpay_payment_payee_name(const mpay_payment *payment);

/**
 * dealSum: the sum in the balance's currency, with commission; fixed when credentials are issued. As decimal text.
 * NULL if absent. Borrowed from the payment. Any thread. Since 0.1.0.
 */
MPAY_NODISCARD MPAY_API const char *MPAY_CALL mpay_payment_deal_sum(const mpay_payment *payment);

/**
 * dealCurrency: the currency of the merchant's balance. NULL if absent. Borrowed from the payment. Any thread. Since
 * 0.1.0.
 */
MPAY_NODISCARD MPAY_API const char *MPAY_CALL mpay_payment_deal_currency(const mpay_payment *payment);

/**
 * dealRate: the rate of the deal, from the payment's currency to the balance's. As decimal text. NULL if absent.
 * Borrowed from the payment. Any thread. Since 0.1.0.
 */
MPAY_NODISCARD MPAY_API const char *MPAY_CALL mpay_payment_deal_rate(const mpay_payment *payment);

/**
 * deeplink: the URL of the customer's payment frame. NULL if absent. Borrowed from the payment. Any thread. Since
 * 0.1.0.
 */
MPAY_NODISCARD MPAY_API const char *MPAY_CALL mpay_payment_deeplink(const mpay_payment *payment);

/**
 * status: the payment's status (contract, section 3): in the reply to mpay_get_status and in status webhooks. One of
 * the contract's names, such as "doneSuccess", or one that this version does not know. NULL if absent. Borrowed from
 * the payment. Any thread. Since 0.1.0.
 */
MPAY_NODISCARD MPAY_API const char *MPAY_CALL mpay_payment_status(const mpay_payment *payment);

/* ==== Operations ========================================================================================== */

/**
 * getAvailableAmounts, POST /available (contract, section 4.1). The library may repeat it. Returns MPAY_OK
 * or any code. *out is to be freed by mpay_amounts_free. Any thread. Since 0.1.0.
 */
MPAY_NODISCARD MPAY_API int32_t MPAY_CALL mpay_get_available_amounts(
    const mpay_client *client,
    const mpay_payment_request *request,
    mpay_amounts **out,
    mpay_error **error);

/**
 * newPayment, POST /new (contract, section 4.2): a payment with its credentials, after up to 10 s. Sent
 * once: with MPAY_OUTCOME_UNKNOWN the payment may exist. Returns MPAY_OK or any code. *out is to be freed by
 * mpay_payment_free. Any thread. Since 0.1.0.
 */
MPAY_NODISCARD MPAY_API int32_t MPAY_CALL mpay_new_payment(
    const mpay_client *client,
    const mpay_payment_request *request,
    mpay_payment **out,
    mpay_error **error);

/**
 * newPaymentAsync, POST /new-async (contract, section 4.3): only the order id; the credentials come by
 * webhook. Sent once: with MPAY_OUTCOME_UNKNOWN the payment may exist. Returns MPAY_OK or any code. *out is
 * to be freed by mpay_payment_free. Any thread. Since 0.1.0.
 */
MPAY_NODISCARD MPAY_API int32_t MPAY_CALL mpay_new_payment_async(
    const mpay_client *client,
    const mpay_payment_request *request,
    mpay_payment **out,
    mpay_error **error);

/**
 * confirm, POST /confirm (contract, section 4.4): the customer has paid. Sent once: with
 * MPAY_OUTCOME_UNKNOWN ask mpay_get_status. Returns MPAY_OK or any code. Any thread. Since 0.1.0.
 */
MPAY_NODISCARD MPAY_API int32_t MPAY_CALL mpay_confirm(
    const mpay_client *client,
    const char *order_id,
    mpay_error **error);

/**
 * cancel, POST /cancel (contract, section 4.5). Sent once: with MPAY_OUTCOME_UNKNOWN ask mpay_get_status.
 * MPAY_REJECTED with the reason "payment_could_not_be_canceled" where the payment's state does not allow it.
 * Returns MPAY_OK or any code. Any thread. Since 0.1.0.
 */
MPAY_NODISCARD MPAY_API int32_t MPAY_CALL mpay_cancel(
    const mpay_client *client,
    const char *order_id,
    mpay_error **error);

/**
 * getStatus, POST /status (contract, section 4.6). The library may repeat it. Returns MPAY_OK or any code.
 * *out is to be freed by mpay_payment_free. Any thread. Since 0.1.0.
 */
MPAY_NODISCARD MPAY_API int32_t MPAY_CALL mpay_get_status(
    const mpay_client *client,
    const char *order_id,
    mpay_payment **out,
    mpay_error **error);

/**
 * Asks mpay_get_status until the status is final, with pauses of 0.25 s growing to 5 s, for timeout_ms
 * milliseconds, through every transient error while the time lasts. The pauses belong to the order: waiting in
 * short slices asks no more often, and a slice may end without a question. Returns MPAY_OK
 * with the payment; MPAY_TIMEOUT with MPAY_OUTCOME_UNKNOWN and the order id if the status is not final in
 * time; any other code for an error that is not transient, or that the last question met.
 * mpay_client_interrupt ends it with MPAY_CANCELLED. *out is to be freed by mpay_payment_free. Any thread.
 * Since 0.2.0.
 */
MPAY_NODISCARD MPAY_API int32_t MPAY_CALL mpay_wait(
    const mpay_client *client,
    const char *order_id,
    uint32_t timeout_ms,
    mpay_payment **out,
    mpay_error **error);

/**
 * attachReceipt, POST /receipt/attach (contract, section 4.7). Sent once: with MPAY_OUTCOME_UNKNOWN ask
 * mpay_get_status. Returns MPAY_OK or any code. Any thread. Since 0.1.0.
 */
MPAY_NODISCARD MPAY_API int32_t MPAY_CALL mpay_attach_receipt(
    const mpay_client *client,
    const mpay_receipt *receipt,
    mpay_error **error);

/* ==== Webhooks ============================================================================================ */

/**
 * Makes a verifier of settings, which are copied and may be freed. Of them it needs a server_public_key
 * alone; server_key_id, key_id and the merchant's own key make it stricter. Returns MPAY_OK,
 * MPAY_INVALID_ARGUMENT or MPAY_INVALID_KEY. *out is to be freed by mpay_verifier_free. Any thread. Since
 * 0.1.0.
 */
MPAY_NODISCARD MPAY_API int32_t MPAY_CALL mpay_verifier_new(
    const mpay_config *config,
    mpay_verifier **out,
    mpay_error **error);

/**
 * Verifies the len bytes of a webhook's body as they came, with the text of the header that carries the
 * signature, and of the one that carries the key id, or NULL. No signature (NULL) is MPAY_UNVERIFIED. What
 * is verified but is not a webhook of the contract is MPAY_MALFORMED. A failure says nothing of any payment:
 * its outcome is MPAY_OUTCOME_UNKNOWN. *out is to be freed by mpay_event_free. Any thread. Since 0.1.0.
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
 * Frees a verifier; NULL is allowed. Events that it gave stay. Any thread, once. Since 0.1.0.
 */
MPAY_API void MPAY_CALL mpay_verifier_free(mpay_verifier *verifier);

/**
 * Explains why a webhook does not verify. It takes what mpay_verify_webhook takes, and it sets *out to NULL
 * if the signature and the key id are accepted. A cause that the headers do not show is named only if undoing
 * it makes the signature valid. Write the cause to the log, do not return it to the sender, and use nothing of
 * the webhook. It verifies at most 40 signatures and parses bodies up to 64 KiB. Returns MPAY_OK, or
 * MPAY_INVALID_ARGUMENT for NULL. *out is to be freed by mpay_explanation_free. Any thread. Since 0.3.0.
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
 * What exactly is wrong and what to do, for a developer. It contains nothing of the webhook. Borrowed from the
 * explanation. Any thread. Since 0.3.0.
 */
MPAY_NODISCARD MPAY_API const char *MPAY_CALL mpay_explanation_hint(const mpay_explanation *explanation);

/**
 * Frees an explanation and the texts that were borrowed from it; NULL is allowed. Any thread, once. Since
 * 0.3.0.
 */
MPAY_API void MPAY_CALL mpay_explanation_free(mpay_explanation *explanation);

/* ==== Keys ================================================================================================ */

/**
 * Makes a pair of the operating system's random bytes. Hand the public key to the service and keep the
 * private one. Returns MPAY_OK or MPAY_INTERNAL. *out is to be freed by mpay_keypair_free. Any thread. Since
 * 0.1.0.
 */
MPAY_NODISCARD MPAY_API int32_t MPAY_CALL mpay_keypair_generate(mpay_keypair **out, mpay_error **error);

/**
 * The private key: base64 of 64 bytes, as mpay_config_set_private_key takes it. A secret. Borrowed from the
 * pair. Any thread. Since 0.1.0.
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
 * Converts a paid sum at a rate, both decimal text, to the currency of the merchant's balance
 * (MPAY_BALANCE_*), with scale digits behind the point (at most 28), rounded once (MPAY_ROUNDING_*). Returns
 * MPAY_OK or MPAY_INVALID_ARGUMENT. *out is to be freed by mpay_amount_free. Any thread. Since 0.1.0.
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
 * The amount in hundredths; MPAY_NO_MINOR if it has a smaller fraction or does not fit. Any thread. Since
 * 0.1.0.
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
 * How many headers there are to send. Any thread. Since 0.1.0.
 */
MPAY_NODISCARD MPAY_API size_t MPAY_CALL mpay_http_request_header_count(const mpay_http_request *request);

/**
 * The name of the header at index, from 0; NULL behind the last. Borrowed from the request. Any thread.
 * Since 0.1.0.
 */
MPAY_NODISCARD MPAY_API const char *MPAY_CALL mpay_http_request_header_name(
    const mpay_http_request *request,
    size_t index);

/**
 * The value of the header at index, from 0; NULL behind the last. Borrowed from the request. Any thread.
 * Since 0.1.0.
 */
MPAY_NODISCARD MPAY_API const char *MPAY_CALL mpay_http_request_header_value(
    const mpay_http_request *request,
    size_t index);

/**
 * The signed bytes, mpay_http_request_body_len of them; no NUL stands behind them. Borrowed from the
 * request. Any thread. Since 0.1.0.
 */
MPAY_NODISCARD MPAY_API const void *MPAY_CALL mpay_http_request_body(const mpay_http_request *request);

/**
 * How many bytes mpay_http_request_body has. Any thread. Since 0.1.0.
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
 * The HTTP status. Needed. Returns MPAY_OK or MPAY_INVALID_ARGUMENT. One thread at a time. Since 0.1.0.
 */
MPAY_API int32_t MPAY_CALL mpay_http_response_set_status(mpay_http_response *response, int32_t status);

/**
 * Adds a header. Give all of them, as often as they came: a reply with two signatures is refused. A
 * name or value that is NULL is MPAY_INVALID_ARGUMENT, and the response cannot be opened; else MPAY_OK. One
 * thread at a time. Since 0.1.0.
 */
MPAY_API int32_t MPAY_CALL mpay_http_response_add_header(
    mpay_http_response *response,
    const char *name,
    const char *value);

/**
 * The len bytes of the body as they came, which are copied; none unless set. Returns MPAY_OK or
 * MPAY_INVALID_ARGUMENT. One thread at a time. Since 0.1.0.
 */
MPAY_API int32_t MPAY_CALL mpay_http_response_set_body(mpay_http_response *response, const void *body, size_t len);

/**
 * Frees a response; NULL is allowed. Any thread, once. Since 0.1.0.
 */
MPAY_API void MPAY_CALL mpay_http_response_free(mpay_http_response *response);

/**
 * Makes a protocol of settings, which are copied and may be freed; it needs what a client needs, and ignores
 * what is about connections. Returns MPAY_OK, MPAY_INVALID_ARGUMENT or MPAY_INVALID_KEY. *out is to be freed
 * by mpay_protocol_free. Any thread. Since 0.1.0.
 */
MPAY_NODISCARD MPAY_API int32_t MPAY_CALL mpay_protocol_new(
    const mpay_config *config,
    mpay_protocol **out,
    mpay_error **error);

/**
 * Frees a protocol; NULL is allowed. Requests that it prepared stay. Any thread, once. Since 0.1.0.
 */
MPAY_API void MPAY_CALL mpay_protocol_free(mpay_protocol *protocol);

/**
 * Prepares mpay_get_available_amounts: checks it and signs its bytes. Nothing is sent. Fails with
 * MPAY_OUTCOME_NOT_SENT. *out is to be freed by mpay_http_request_free. Any thread. Since 0.1.0.
 */
MPAY_NODISCARD MPAY_API int32_t MPAY_CALL mpay_prepare_get_available_amounts(
    const mpay_protocol *protocol,
    const mpay_payment_request *request,
    mpay_http_request **out,
    mpay_error **error);

/**
 * Prepares mpay_new_payment: checks it and signs its bytes. Nothing is sent. Fails with MPAY_OUTCOME_NOT_SENT. *out
 * is to be freed by mpay_http_request_free. Any thread. Since 0.1.0.
 */
MPAY_NODISCARD MPAY_API int32_t MPAY_CALL mpay_prepare_new_payment(
    const mpay_protocol *protocol,
    const mpay_payment_request *request,
    mpay_http_request **out,
    mpay_error **error);

/**
 * Prepares mpay_new_payment_async: checks it and signs its bytes. Nothing is sent. Fails with MPAY_OUTCOME_NOT_SENT.
 * *out is to be freed by mpay_http_request_free. Any thread. Since 0.1.0.
 */
MPAY_NODISCARD MPAY_API int32_t MPAY_CALL mpay_prepare_new_payment_async(
    const mpay_protocol *protocol,
    const mpay_payment_request *request,
    mpay_http_request **out,
    mpay_error **error);

/**
 * Prepares mpay_confirm: checks it and signs its bytes. Nothing is sent. Fails with MPAY_OUTCOME_NOT_SENT. *out is
 * to be freed by mpay_http_request_free. Any thread. Since 0.1.0.
 */
MPAY_NODISCARD MPAY_API int32_t MPAY_CALL mpay_prepare_confirm(
    const mpay_protocol *protocol,
    const char *order_id,
    mpay_http_request **out,
    mpay_error **error);

/**
 * Prepares mpay_cancel: checks it and signs its bytes. Nothing is sent. Fails with MPAY_OUTCOME_NOT_SENT. *out is to
 * be freed by mpay_http_request_free. Any thread. Since 0.1.0.
 */
MPAY_NODISCARD MPAY_API int32_t MPAY_CALL mpay_prepare_cancel(
    const mpay_protocol *protocol,
    const char *order_id,
    mpay_http_request **out,
    mpay_error **error);

/**
 * Prepares mpay_get_status: checks it and signs its bytes. Nothing is sent. Fails with MPAY_OUTCOME_NOT_SENT. *out
 * is to be freed by mpay_http_request_free. Any thread. Since 0.1.0.
 */
MPAY_NODISCARD MPAY_API int32_t MPAY_CALL mpay_prepare_get_status(
    const mpay_protocol *protocol,
    const char *order_id,
    mpay_http_request **out,
    mpay_error **error);

/**
 * Prepares mpay_attach_receipt: checks it and signs its bytes. Nothing is sent. Fails with MPAY_OUTCOME_NOT_SENT.
 * *out is to be freed by mpay_http_request_free. Any thread. Since 0.1.0.
 */
MPAY_NODISCARD MPAY_API int32_t MPAY_CALL mpay_prepare_attach_receipt(
    const mpay_protocol *protocol,
    const mpay_receipt *receipt,
    mpay_http_request **out,
    mpay_error **error);

/**
 * Opens the reply to what mpay_prepare_get_available_amounts prepared: verifies its bytes, parses them, binds them
 * to the request. The request was sent, so that whatever is wrong here is MPAY_OUTCOME_UNKNOWN, except a refusal
 * that is proven. *out is to be freed by mpay_amounts_free. Any thread. Since 0.1.0.
 */
MPAY_NODISCARD MPAY_API int32_t MPAY_CALL mpay_open_get_available_amounts(
    const mpay_http_request *request,
    const mpay_http_response *response,
    mpay_amounts **out,
    mpay_error **error);

/**
 * Opens the reply to what mpay_prepare_new_payment prepared: verifies its bytes, parses them, binds them to the
 * request. The request was sent, so that whatever is wrong here is MPAY_OUTCOME_UNKNOWN, except a refusal that is
 * proven. *out is to be freed by mpay_payment_free. Any thread. Since 0.1.0.
 */
MPAY_NODISCARD MPAY_API int32_t MPAY_CALL mpay_open_new_payment(
    const mpay_http_request *request,
    const mpay_http_response *response,
    mpay_payment **out,
    mpay_error **error);

/**
 * Opens the reply to what mpay_prepare_new_payment_async prepared: verifies its bytes, parses them, binds them to
 * the request. The request was sent, so that whatever is wrong here is MPAY_OUTCOME_UNKNOWN, except a refusal that
 * is proven. *out is to be freed by mpay_payment_free. Any thread. Since 0.1.0.
 */
MPAY_NODISCARD MPAY_API int32_t MPAY_CALL mpay_open_new_payment_async(
    const mpay_http_request *request,
    const mpay_http_response *response,
    mpay_payment **out,
    mpay_error **error);

/**
 * Opens the reply to what mpay_prepare_confirm prepared: verifies its bytes, parses them, binds them to the request.
 * The request was sent, so that whatever is wrong here is MPAY_OUTCOME_UNKNOWN, except a refusal that is proven. Any
 * thread. Since 0.1.0.
 */
MPAY_NODISCARD MPAY_API int32_t MPAY_CALL mpay_open_confirm(
    const mpay_http_request *request,
    const mpay_http_response *response,
    mpay_error **error);

/**
 * Opens the reply to what mpay_prepare_cancel prepared: verifies its bytes, parses them, binds them to the request.
 * The request was sent, so that whatever is wrong here is MPAY_OUTCOME_UNKNOWN, except a refusal that is proven. Any
 * thread. Since 0.1.0.
 */
MPAY_NODISCARD MPAY_API int32_t MPAY_CALL mpay_open_cancel(
    const mpay_http_request *request,
    const mpay_http_response *response,
    mpay_error **error);

/**
 * Opens the reply to what mpay_prepare_get_status prepared: verifies its bytes, parses them, binds them to the
 * request. The request was sent, so that whatever is wrong here is MPAY_OUTCOME_UNKNOWN, except a refusal that is
 * proven. *out is to be freed by mpay_payment_free. Any thread. Since 0.1.0.
 */
MPAY_NODISCARD MPAY_API int32_t MPAY_CALL mpay_open_get_status(
    const mpay_http_request *request,
    const mpay_http_response *response,
    mpay_payment **out,
    mpay_error **error);

/**
 * Opens the reply to what mpay_prepare_attach_receipt prepared: verifies its bytes, parses them, binds them to the
 * request. The request was sent, so that whatever is wrong here is MPAY_OUTCOME_UNKNOWN, except a refusal that is
 * proven. Any thread. Since 0.1.0.
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
 * Keeps the journal in this SQLite file, which belongs to the journal alone: no other SQLite of this process
 * may open it. The path must be absolute, and the file must exist unless mpay_journal_config_set_create is
 * called. Returns MPAY_OK or MPAY_INVALID_ARGUMENT. One thread at a time. Since 0.2.0.
 */
MPAY_API int32_t MPAY_CALL mpay_journal_config_set_file(mpay_journal_config *config, const char *path);

/**
 * Keeps the journal in the merchant's own database, of a dialect (MPAY_DIALECT_POSTGRESQL and so on) and
 * with the way in which its driver writes parameters (MPAY_PLACEHOLDERS_NUMBERED and so on). user_data is
 * handed back as it is. It and the function must be usable, by every thread that calls, until release is called
 * with it, which may be NULL: after these settings and the journals that were opened with them are freed. The
 * tables are those of `merchantpay journal schema`. Returns MPAY_OK or MPAY_INVALID_ARGUMENT. One thread at a
 * time. Since 0.2.0.
 */
MPAY_API int32_t MPAY_CALL mpay_journal_config_set_database(
    mpay_journal_config *config,
    int32_t dialect,
    int32_t placeholders,
    mpay_database_callback callback,
    void *user_data,
    mpay_release_callback release);

/**
 * Sets where the service's webhooks come: an absolute URL, to which `/` and a token are added for each
 * attempt. NULL unsets it. Returns MPAY_OK or MPAY_INVALID_ARGUMENT. One thread at a time. Since 0.2.0.
 */
MPAY_API int32_t MPAY_CALL mpay_journal_config_set_callback_url(mpay_journal_config *config, const char *url);

/**
 * Sets a name for whose payments these are, in place of the base URL: a client of another account is refused.
 * NULL unsets it. Returns MPAY_OK or MPAY_INVALID_ARGUMENT. One thread at a time. Since 0.2.0.
 */
MPAY_API int32_t MPAY_CALL mpay_journal_config_set_account(mpay_journal_config *config, const char *account);

/**
 * Sets the deadline of a payment, its storing included: 30000 unless set, at least 15000. Returns MPAY_OK or
 * MPAY_INVALID_ARGUMENT. One thread at a time. Since 0.2.0.
 */
MPAY_API int32_t MPAY_CALL mpay_journal_config_set_timeout_ms(mpay_journal_config *config, uint32_t timeout_ms);

/**
 * Sets how many calls mpay_journal_settle makes in a second at most: 10 unless set. Returns MPAY_OK or
 * MPAY_INVALID_ARGUMENT. One thread at a time. Since 0.2.0.
 */
MPAY_API int32_t MPAY_CALL mpay_journal_config_set_calls_per_second(mpay_journal_config *config, uint32_t calls);

/**
 * Sets how many calls mpay_journal_settle makes side by side at most: 4 unless set, at most 64. They run on threads
 * that end before it returns; the database callback is always called on the caller's thread. A client with a
 * log or signer callback makes its calls one after another, on the caller's thread. Returns MPAY_OK or
 * MPAY_INVALID_ARGUMENT. One thread at a time. Since 0.3.0.
 */
MPAY_API int32_t MPAY_CALL mpay_journal_config_set_calls_at_once(mpay_journal_config *config, uint32_t calls);

/**
 * Sets whether mpay_journal_open creates the file or the tables if they are missing (1), or not (0, as unless
 * set). In production `merchantpay journal init` or a migration creates them once. Returns MPAY_OK or
 * MPAY_INVALID_ARGUMENT. One thread at a time. Since 0.3.0.
 */
MPAY_API int32_t MPAY_CALL mpay_journal_config_set_create(mpay_journal_config *config, int32_t create);

/**
 * Sets how long mpay_journal_pay waits for a call of the same payment that is under way: 5000 unless set, 0 for
 * not at all. Returns MPAY_OK or MPAY_INVALID_ARGUMENT. One thread at a time. Since 0.3.0.
 */
MPAY_API int32_t MPAY_CALL mpay_journal_config_set_pay_wait_ms(mpay_journal_config *config, uint32_t wait_ms);

/**
 * Accepts a setting of the database that could lose a stored payment, such as "sync_binlog", or several
 * separated by commas: the merchant vouches that the database is durable without it. NULL adds nothing. Returns
 * MPAY_OK or MPAY_INVALID_ARGUMENT. One thread at a time. Since 0.3.0.
 */
MPAY_API int32_t MPAY_CALL mpay_journal_config_add_durability_vouched(mpay_journal_config *config, const char *names);

/**
 * Sets a setting of the definition by its name, such as "callback_url" or "pay_wait_ms", and its text, as
 * mpay_config_set does; a file by "file". NULL unsets the setting, and adds nothing to a list. Returns MPAY_OK, or
 * MPAY_INVALID_ARGUMENT for an unknown name or a text that cannot be read; the error names the setting. One thread
 * at a time. Since 0.3.0.
 */
MPAY_NODISCARD MPAY_API int32_t MPAY_CALL mpay_journal_config_set(
    mpay_journal_config *config,
    const char *name,
    const char *text,
    mpay_error **error);

/**
 * Frees settings; NULL is allowed. Journals that were made of them stay. Any thread, once. Since 0.2.0.
 */
MPAY_API void MPAY_CALL mpay_journal_config_free(mpay_journal_config *config);

/* ==== Journal: the merchant's own database ================================================================ */

/**
 * Adds a row of count values, each a text, or NULL where the database has NULL; they are copied. Numbers are
 * given as the database writes them. Returns MPAY_OK or MPAY_INVALID_ARGUMENT, after which the statement
 * counts as unclear. The callback's thread. Since 0.2.0.
 */
MPAY_API int32_t MPAY_CALL mpay_rows_add(mpay_rows *rows, const char *const *values, size_t count);

/**
 * Sets how many rows an INSERT or UPDATE has written; 0 unless set. Returns MPAY_OK or
 * MPAY_INVALID_ARGUMENT. The callback's thread. Since 0.2.0.
 */
MPAY_API int32_t MPAY_CALL mpay_rows_set_affected(mpay_rows *rows, uint64_t affected);

/**
 * Sets what went wrong, for the message of the error; the library does not read it. It is copied. Returns
 * MPAY_OK or MPAY_INVALID_ARGUMENT. The callback's thread. Since 0.2.0.
 */
MPAY_API int32_t MPAY_CALL mpay_rows_set_message(mpay_rows *rows, const char *message);

/* ==== Journal: entries ==================================================================================== */

/**
 * The merchant's own order number; NULL for a message that names none. Borrowed from the entry. Any thread.
 * Since 0.2.0.
 */
MPAY_NODISCARD MPAY_API const char *MPAY_CALL mpay_entry_reference(const mpay_entry *entry);

/**
 * Which attempt it is, from 1; 0 for a message that names none, and for NULL. Any thread. Since 0.2.0.
 */
MPAY_NODISCARD MPAY_API uint32_t MPAY_CALL mpay_entry_attempt(const mpay_entry *entry);

/**
 * 1 for an orphan, a verified message that matches no attempt, which mpay_journal_attention lists: it has an order id, and
 * the attempt for which it came if there is one, and no standing. 0 for an attempt, and for NULL. Any thread.
 * Since 0.2.0.
 */
MPAY_NODISCARD MPAY_API int32_t MPAY_CALL mpay_entry_is_orphan(const mpay_entry *entry);

/**
 * What is known of the attempt: MPAY_STANDING_SENDING and so on; none of them alone means that it is paid.
 * 0 for NULL. Any thread. Since 0.2.0.
 */
MPAY_NODISCARD MPAY_API int32_t MPAY_CALL mpay_entry_standing(const mpay_entry *entry);

/**
 * The standing's name, such as "open", or NULL. Borrowed from the entry. Any thread. Since 0.2.0.
 */
MPAY_NODISCARD MPAY_API const char *MPAY_CALL mpay_entry_standing_name(const mpay_entry *entry);

/**
 * The service's order id, or NULL where it is not known. Borrowed from the entry. Any thread. Since 0.2.0.
 */
MPAY_NODISCARD MPAY_API const char *MPAY_CALL mpay_entry_order_id(const mpay_entry *entry);

/**
 * Where the customer pays; NULL where the customer may not: it is there only while the attempt is open, no
 * cancel is stored, and sum and currency are those asked for. Borrowed from the entry: not to be freed. Any
 * thread. Since 0.2.0.
 */
MPAY_NODISCARD MPAY_API const mpay_payment *MPAY_CALL mpay_entry_credentials(const mpay_entry *entry);

/**
 * What the service has reported about the payment, merged, or NULL. Borrowed from the entry: not to be freed. Any
 * thread. Since 0.2.0.
 */
MPAY_NODISCARD MPAY_API const mpay_payment *MPAY_CALL mpay_entry_payment(const mpay_entry *entry);

/**
 * The sum that was asked for, as decimal text. Borrowed from the entry. Any thread. Since 0.2.0.
 */
MPAY_NODISCARD MPAY_API const char *MPAY_CALL mpay_entry_sum_asked(const mpay_entry *entry);

/**
 * What was paid compared with what was asked for: MPAY_PAID_EXACTLY, MPAY_PAID_LESS or MPAY_PAID_MORE; 0
 * until that is known. Any thread. Since 0.2.0.
 */
MPAY_NODISCARD MPAY_API int32_t MPAY_CALL mpay_entry_paid(const mpay_entry *entry);

/**
 * 1 if the payment is done and exactly what was asked for was paid, else 0. Any thread. Since 0.2.0.
 */
MPAY_NODISCARD MPAY_API int32_t MPAY_CALL mpay_entry_succeeded(const mpay_entry *entry);

/**
 * How the confirm stands: MPAY_INTENT_STORED and so on; 0 where there is none. Any thread. Since 0.2.0.
 */
MPAY_NODISCARD MPAY_API int32_t MPAY_CALL mpay_entry_confirm_state(const mpay_entry *entry);

/**
 * How the cancel stands: MPAY_INTENT_STORED and so on; 0 where there is none. Any thread. Since 0.2.0.
 */
MPAY_NODISCARD MPAY_API int32_t MPAY_CALL mpay_entry_cancel_state(const mpay_entry *entry);

/**
 * What there is to report: MPAY_LEVEL_NONE and so on. Any thread. Since 0.2.0.
 */
MPAY_NODISCARD MPAY_API int32_t MPAY_CALL mpay_entry_reported(const mpay_entry *entry);

/**
 * What of it the merchant has acknowledged: MPAY_LEVEL_NONE and so on. Any thread. Since 0.2.0.
 */
MPAY_NODISCARD MPAY_API int32_t MPAY_CALL mpay_entry_acknowledged(const mpay_entry *entry);

/**
 * Why the last call about it failed: MPAY_TRANSPORT and so on; MPAY_OK where none did. Any thread. Since
 * 0.2.0.
 */
MPAY_NODISCARD MPAY_API int32_t MPAY_CALL mpay_entry_error_code(const mpay_entry *entry);

/**
 * The outcome of that call: MPAY_OUTCOME_NOT_SENT and so on; 0 where none failed. Any thread. Since 0.2.0.
 */
MPAY_NODISCARD MPAY_API int32_t MPAY_CALL mpay_entry_error_outcome(const mpay_entry *entry);

/**
 * The service's own words of that refusal, or NULL. Borrowed from the entry. Any thread. Since 0.2.0.
 */
MPAY_NODISCARD MPAY_API const char *MPAY_CALL mpay_entry_error_description(const mpay_entry *entry);

/**
 * The reason at that place for which an operator must decide about it: MPAY_ATTENTION_UNKNOWN and so on, from place
 * 0; 0 behind the last one. MPAY_ATTENTION_SERVER_CHANGED is of no attempt. Any thread. Since 0.2.0.
 */
MPAY_NODISCARD MPAY_API int32_t MPAY_CALL mpay_entry_attention(const mpay_entry *entry, size_t place);

/**
 * The attempt before it at that place, from 0 for the last one; NULL behind the first attempt, and where only
 * one attempt was asked for. Borrowed from the entry: not to be freed. Any thread. Since 0.2.0.
 */
MPAY_NODISCARD MPAY_API const mpay_entry *MPAY_CALL mpay_entry_earlier(const mpay_entry *entry, size_t place);

/**
 * When it was stored, or the message came, in milliseconds since 1970 by the database's clock. Any thread.
 * Since 0.2.0.
 */
MPAY_NODISCARD MPAY_API uint64_t MPAY_CALL mpay_entry_created_at_ms(const mpay_entry *entry);

/**
 * When it was last written. Any thread. Since 0.2.0.
 */
MPAY_NODISCARD MPAY_API uint64_t MPAY_CALL mpay_entry_updated_at_ms(const mpay_entry *entry);

/**
 * When the service is asked about it next; 0 where it is not. Any thread. Since 0.2.0.
 */
MPAY_NODISCARD MPAY_API uint64_t MPAY_CALL mpay_entry_due_at_ms(const mpay_entry *entry);

/**
 * All of it as one line of JSON. Borrowed from the entry. Any thread. Since 0.2.0.
 */
MPAY_NODISCARD MPAY_API const char *MPAY_CALL mpay_entry_json(const mpay_entry *entry);

/**
 * Frees an entry that a call gave, and all that was borrowed from it; NULL is allowed. Not for an entry that
 * was borrowed. Any thread, once. Since 0.2.0.
 */
MPAY_API void MPAY_CALL mpay_entry_free(mpay_entry *entry);

/**
 * How many entries there are. Any thread. Since 0.2.0.
 */
MPAY_NODISCARD MPAY_API size_t MPAY_CALL mpay_entries_count(const mpay_entries *entries);

/**
 * The entry at that place, from 0; NULL behind the last one. Borrowed from the entries: not to be freed. Any
 * thread. Since 0.2.0.
 */
MPAY_NODISCARD MPAY_API const mpay_entry *MPAY_CALL mpay_entries_get(const mpay_entries *entries, size_t place);

/**
 * Frees entries and all that was borrowed from them; NULL is allowed. Any thread, once. Since 0.2.0.
 */
MPAY_API void MPAY_CALL mpay_entries_free(mpay_entries *entries);

/* ==== Journal: calls ====================================================================================== */

/**
 * Opens a journal with a client and settings, which are copied and may be freed. Returns MPAY_OK,
 * MPAY_INVALID_ARGUMENT, or MPAY_STORAGE if the file or the database cannot be used. *out is to be freed by
 * mpay_journal_free. Any thread. Since 0.2.0.
 */
MPAY_NODISCARD MPAY_API int32_t MPAY_CALL mpay_journal_open(
    const mpay_client *client,
    const mpay_journal_config *config,
    mpay_journal **out,
    mpay_error **error);

/**
 * Makes a handle of its own on the same journal, whose calls can be interrupted alone; they are interrupted
 * together with the journal's too. It costs little, and is freed by itself, before or after the journal; the
 * callback of its database must be usable until then. Returns MPAY_OK or MPAY_INVALID_ARGUMENT. *out is to be
 * freed by mpay_journal_free. Any thread. Since 0.2.0.
 */
MPAY_NODISCARD MPAY_API int32_t MPAY_CALL mpay_journal_derive(
    const mpay_journal *journal,
    mpay_journal **out,
    mpay_error **error);

/**
 * Ends the calls to the service that run on this handle and on everything derived from it, in whatever
 * threads, and lets no more start, for good, as mpay_client_interrupt does; what the end of a call reports is
 * stored all the same. The journal that it was derived from goes on. NULL does nothing. Any thread, but not a
 * signal handler; the handle is freed only after this has returned. Since 0.2.0.
 */
MPAY_API void MPAY_CALL mpay_journal_interrupt(const mpay_journal *journal);

/**
 * The entry of a reference, with the attempts before it (mpay_entry_earlier). Returns MPAY_OK,
 * MPAY_INVALID_ARGUMENT or MPAY_STORAGE. *out is to be freed by mpay_entry_free, and NULL where there is no
 * such reference. Any thread. Since 0.2.0.
 */
MPAY_NODISCARD MPAY_API int32_t MPAY_CALL mpay_journal_find(
    const mpay_journal *journal,
    const char *reference,
    mpay_entry **out,
    mpay_error **error);

/**
 * At most limit entries, of one standing (MPAY_STANDING_OPEN and so on) or of all (0), the newest first; only
 * those behind before in that order, or from the first one on (NULL). Returns MPAY_OK, MPAY_INVALID_ARGUMENT
 * or MPAY_STORAGE. *out is to be freed by mpay_entries_free. Any thread. Since 0.2.0.
 */
MPAY_NODISCARD MPAY_API int32_t MPAY_CALL mpay_journal_list(
    const mpay_journal *journal,
    int32_t standing,
    uint32_t limit,
    const mpay_entry *before,
    mpay_entries **out,
    mpay_error **error);

/**
 * At most limit entries whose level is above what was acknowledged, the oldest first: the one place to act.
 * Each is this caller's for claim_ms milliseconds (0: a minute), so that several workers do not get the same;
 * one that is not acknowledged comes again. Returns MPAY_OK, MPAY_INVALID_ARGUMENT or MPAY_STORAGE. *out is to
 * be freed by mpay_entries_free. Any thread. Since 0.2.0.
 */
MPAY_NODISCARD MPAY_API int32_t MPAY_CALL mpay_journal_news(
    const mpay_journal *journal,
    uint32_t limit,
    uint32_t claim_ms,
    mpay_entries **out,
    mpay_error **error);

/**
 * Reports that the merchant has acted on this entry's level; later changes are reported again. *changed
 * is 1 if there was anything to acknowledge, else 0: of two workers only one gets 1. Returns MPAY_OK,
 * MPAY_INVALID_ARGUMENT or MPAY_STORAGE. Any thread. Since 0.2.0.
 */
MPAY_NODISCARD MPAY_API int32_t MPAY_CALL mpay_journal_acknowledge(
    const mpay_journal *journal,
    const mpay_entry *entry,
    int32_t *changed,
    mpay_error **error);

/**
 * The same within the merchant's own transaction on the journal's database, whose statements callback runs:
 * called first in that transaction, what is done in it is done exactly once. If another worker has
 * acknowledged the entry it fails with MPAY_CONFLICT and *changed is 0: roll back. Keep the transaction short,
 * and READ COMMITTED. Call no other function of the journal about this entry before it ends: that one would wait
 * for a lock that this transaction holds, without an end. Returns MPAY_OK, MPAY_INVALID_ARGUMENT, MPAY_STORAGE or
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
 * At most limit attempts, and as many orphans (mpay_entry_is_orphan), that a person must
 * look at. Returns MPAY_OK, MPAY_INVALID_ARGUMENT or MPAY_STORAGE. *out is to be freed by mpay_entries_free.
 * Any thread. Since 0.2.0.
 */
MPAY_NODISCARD MPAY_API int32_t MPAY_CALL mpay_journal_attention(
    const mpay_journal *journal,
    uint32_t limit,
    mpay_entries **out,
    mpay_error **error);

/**
 * Waits for the last attempt of a reference until it has come so far (MPAY_UNTIL_CREDENTIALS or
 * MPAY_UNTIL_FINAL), asks the service about it meanwhile, and returns it as it is when that is reached or
 * timeout_ms milliseconds are over. In both cases the result is MPAY_OK: look at mpay_entry_standing. (mpay_wait
 * has no entry to return when its time is over, and fails with MPAY_TIMEOUT.) The pauses between two questions
 * belong to the attempt: waiting in short slices asks no more often. mpay_client_interrupt ends it with
 * MPAY_CANCELLED. Returns MPAY_OK, MPAY_INVALID_ARGUMENT, MPAY_STORAGE or MPAY_CANCELLED. *out is to be freed by mpay_entry_free. Any thread.
 * Since 0.2.0.
 */
MPAY_NODISCARD MPAY_API int32_t MPAY_CALL mpay_journal_wait(
    const mpay_journal *journal,
    const char *reference,
    uint32_t timeout_ms,
    int32_t wanted,
    mpay_entry **out,
    mpay_error **error);

/**
 * Asks the service about at most limit attempts that are due, and retries unanswered confirms and cancels. Call
 * it from cron or in a loop; several may share the work. *done is how many attempts it looked at,
 * *next_due_ms in how many milliseconds the next is due, -1 for never; each may be NULL. Returns MPAY_OK,
 * MPAY_INVALID_ARGUMENT, MPAY_STORAGE or MPAY_CANCELLED. Any thread. Since 0.2.0.
 */
MPAY_NODISCARD MPAY_API int32_t MPAY_CALL mpay_journal_settle(
    const mpay_journal *journal,
    uint32_t limit,
    uint32_t *done,
    int64_t *next_due_ms,
    mpay_error **error);

/**
 * Takes a webhook: its path or URL, the len bytes of its body as they came, and the texts of the headers with
 * signature and key id, or NULL. *http_status is what to answer: 200 applied or seen before, 400 not verified,
 * 404 no such token, 409 another order, 503 the journal failed, so that the service sends it again. *out, which
 * may be NULL, is the attempt as it is now, or NULL; to be freed by mpay_entry_free. Returns MPAY_OK for 200,
 * 404 and 409, else why it was not applied: MPAY_UNVERIFIED, MPAY_MALFORMED, MPAY_STORAGE or
 * MPAY_INVALID_ARGUMENT. Any thread. Since 0.2.0.
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
 * Frees a journal; NULL is allowed. Entries that it gave stay. It must not be used by another thread
 * meanwhile, and its database's callback not after it. Any thread, once. Since 0.2.0.
 */
MPAY_API void MPAY_CALL mpay_journal_free(mpay_journal *journal);

/**
 * Acknowledges an attempt by value, as mpay_journal_acknowledge does: level is what mpay_entry_reported gave when it
 * was read. What was reported after that level stays in the news. *changed, which may be NULL, is 1 if there was
 * anything to acknowledge, else 0. Returns MPAY_OK; MPAY_INVALID_ARGUMENT if there is no such attempt, and for a
 * level that is MPAY_LEVEL_NONE or above what is reported; or MPAY_STORAGE. Any thread. Since 0.3.0.
 */
MPAY_NODISCARD MPAY_API int32_t MPAY_CALL mpay_journal_acknowledge_by(
    const mpay_journal *journal,
    const char *reference,
    uint32_t attempt,
    int32_t level,
    int32_t *changed,
    mpay_error **error);

/**
 * The same within the merchant's own transaction on the journal's database, as mpay_journal_acknowledge_with does.
 * Returns MPAY_OK, MPAY_INVALID_ARGUMENT, MPAY_STORAGE or MPAY_CONFLICT. Any thread. Since 0.3.0.
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
 * Confirms an attempt by value, as mpay_journal_confirm does. Returns MPAY_OK, MPAY_INVALID_ARGUMENT, also if there is
 * no such attempt, or MPAY_STORAGE. *out is to be freed by mpay_entry_free. Any thread. Since 0.3.0.
 */
MPAY_NODISCARD MPAY_API int32_t MPAY_CALL mpay_journal_confirm_by(
    const mpay_journal *journal,
    const char *reference,
    uint32_t attempt,
    mpay_entry **out,
    mpay_error **error);

/**
 * Cancels an attempt by value, as mpay_journal_cancel does. Returns MPAY_OK, MPAY_INVALID_ARGUMENT, also if there is no
 * such attempt, or MPAY_STORAGE. *out is to be freed by mpay_entry_free. Any thread. Since 0.3.0.
 */
MPAY_NODISCARD MPAY_API int32_t MPAY_CALL mpay_journal_cancel_by(
    const mpay_journal *journal,
    const char *reference,
    uint32_t attempt,
    mpay_entry **out,
    mpay_error **error);

/**
 * Takes a payment by newPayment, or returns the existing one: it can be repeated safely.
 * reference is the merchant's own order number, 1 to 120 printable characters. Show
 * mpay_entry_credentials where there are some, and try again where the standing is MPAY_STANDING_REFUSED;
 * MPAY_STANDING_UNKNOWN stays until a webhook or a person decides it. replace is 0, or the number of the
 * attempt in whose place another one is wanted, which is a person's decision. Returns MPAY_OK;
 * MPAY_INVALID_ARGUMENT if the reference or the request cannot be right, or the reference is another
 * request's; MPAY_STORAGE with MPAY_OUTCOME_NOT_SENT if nothing left, with MPAY_OUTCOME_UNKNOWN and the order id
 * if the reply had come. What the service or the network said is mpay_entry_error_code. While another call for the
 * same payment is under way it waits for that one's end, for as long as mpay_journal_config_set_pay_wait_ms says. An
 * interrupted call returns the entry as it is. After three refused attempts in a row it makes no other for 2 s, then
 * 4 s and so on up to 5 min, and returns the refused one. *out is to be freed by mpay_entry_free. Any thread. Since
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
 * The same by newPaymentAsync: the credentials come by webhook, into mpay_journal_news and mpay_journal_wait.
 * It needs a callback URL. Returns MPAY_OK,
 * MPAY_INVALID_ARGUMENT or MPAY_STORAGE, as mpay_journal_pay does. *out is to be freed by mpay_entry_free. Any thread.
 * Since 0.2.0.
 */
MPAY_NODISCARD MPAY_API int32_t MPAY_CALL mpay_journal_pay_async(
    const mpay_journal *journal,
    const char *reference,
    const mpay_payment_request *request,
    uint32_t replace,
    mpay_entry **out,
    mpay_error **error);

/**
 * Reports to the service that the customer has paid this attempt. It is stored first, and mpay_journal_settle
 * retries it while its outcome is unknown; mpay_entry_confirm_state has its state. Returns MPAY_OK,
 * MPAY_INVALID_ARGUMENT for an attempt whose order id is not known, or MPAY_STORAGE. *out is to be freed by
 * mpay_entry_free. Any thread. Since 0.2.0.
 */
MPAY_NODISCARD MPAY_API int32_t MPAY_CALL mpay_journal_confirm(
    const mpay_journal *journal,
    const mpay_entry *entry,
    mpay_entry **out,
    mpay_error **error);

/**
 * Cancels this attempt. Its credentials are not shown from now on; once mpay_entry_cancel_state is
 * MPAY_INTENT_ACCEPTED it can be replaced. Returns MPAY_OK, MPAY_INVALID_ARGUMENT or MPAY_STORAGE, as
 * mpay_journal_confirm does. *out is to be freed by
 * mpay_entry_free. Any thread. Since 0.2.0.
 */
MPAY_NODISCARD MPAY_API int32_t MPAY_CALL mpay_journal_cancel(
    const mpay_journal *journal,
    const mpay_entry *entry,
    mpay_entry **out,
    mpay_error **error);

/**
 * Stores what a person says of an attempt (MPAY_RESOLUTION_ORDER_ID with order_id, MPAY_RESOLUTION_NO_PAYMENT or
 * MPAY_RESOLUTION_SEEN), with the person's note, of 1 to 500 characters. An orphan, and a
 * changed server, take MPAY_RESOLUTION_SEEN alone. Returns MPAY_OK; MPAY_INVALID_ARGUMENT if that cannot be said of it, or if the
 * order's sum is another one; what getStatus says of the order; or MPAY_STORAGE. The entry itself stays as it
 * is: see mpay_journal_find. Any thread. Since 0.2.0.
 */
MPAY_NODISCARD MPAY_API int32_t MPAY_CALL mpay_journal_resolve(
    const mpay_journal *journal,
    const mpay_entry *entry,
    int32_t resolution,
    const char *order_id,
    const char *note,
    mpay_error **error);

/**
 * Counts the attempts that are not final, and estimates the number of final ones if there are more than a thousand
 * attempts: the cost is the same for any number. Returns MPAY_OK, MPAY_INVALID_ARGUMENT or MPAY_STORAGE. *out is to be
 * freed by mpay_stats_free. Any thread. Since 0.3.0.
 */
MPAY_NODISCARD MPAY_API int32_t MPAY_CALL mpay_journal_stats(
    const mpay_journal *journal,
    mpay_stats **out,
    mpay_error **error);

/**
 * Returns how many attempts have the standing MPAY_STANDING_SENDING and so on; 0 for another number. Any thread. Since
 * 0.3.0.
 */
MPAY_NODISCARD MPAY_API uint64_t MPAY_CALL mpay_stats_count(const mpay_stats *stats, int32_t standing);

/**
 * Returns how many attempts and messages a person must look at; a changed server counts as one. Any thread. Since
 * 0.3.0.
 */
MPAY_NODISCARD MPAY_API uint64_t MPAY_CALL mpay_stats_attention(const mpay_stats *stats);

/**
 * Returns how many attempts are due. Any thread. Since 0.3.0.
 */
MPAY_NODISCARD MPAY_API uint64_t MPAY_CALL mpay_stats_due(const mpay_stats *stats);

/**
 * Returns for how many milliseconds the oldest due attempt has been due; 0 if none is due. Any thread. Since 0.3.0.
 */
MPAY_NODISCARD MPAY_API uint64_t MPAY_CALL mpay_stats_overdue_ms(const mpay_stats *stats);

/**
 * Returns the note of the operator who paused the journal; NULL if it is not paused. Borrowed from the stats. Any
 * thread. Since 0.3.0.
 */
MPAY_NODISCARD MPAY_API const char *MPAY_CALL mpay_stats_pause_note(const mpay_stats *stats);

/**
 * Returns the stats as one line of JSON, with standings, estimated, attention, reasons, due, overdueMs,
 * durabilityVouched, pause, server and serverBefore. Borrowed from the stats. Any thread. Since 0.3.0.
 */
MPAY_NODISCARD MPAY_API const char *MPAY_CALL mpay_stats_json(const mpay_stats *stats);

/**
 * Frees stats and all that was borrowed from them; NULL is allowed. Any thread, once. Since 0.3.0.
 */
MPAY_API void MPAY_CALL mpay_stats_free(mpay_stats *stats);

/**
 * Deletes the details of attempts and messages that were last written before a time, in milliseconds since 1970, and
 * of which nothing more is expected. Reference, attempt, standing, order id and token stay for ever. *purged, which
 * may be NULL, is how many it emptied. Returns MPAY_OK; MPAY_INVALID_ARGUMENT for a negative time; or MPAY_STORAGE.
 * Any thread. Since 0.3.0.
 */
MPAY_NODISCARD MPAY_API int32_t MPAY_CALL mpay_journal_purge(
    const mpay_journal *journal,
    int64_t before_ms,
    uint64_t *purged,
    mpay_error **error);

/**
 * Deletes the details of all attempts of a reference, and of the messages that came for them, as mpay_journal_purge
 * does. It serves a customer who asks for it. *forgotten, which may be NULL, is how many had details. Returns MPAY_OK;
 * MPAY_INVALID_ARGUMENT if there is no such reference, or if something is still expected of it; or MPAY_STORAGE. Any
 * thread. Since 0.3.0.
 */
MPAY_NODISCARD MPAY_API int32_t MPAY_CALL mpay_journal_forget(
    const mpay_journal *journal,
    const char *reference,
    uint64_t *forgotten,
    mpay_error **error);

/**
 * Begins an export: mpay_export_next reads each attempt and each orphan as a line for mpay_journal_import. Pause the
 * journal first. Returns MPAY_OK or MPAY_INVALID_ARGUMENT. *out is to be freed by mpay_export_free, before or after
 * the journal; the callback of its database must be usable until then. Any thread. Since 0.3.0.
 */
MPAY_NODISCARD MPAY_API int32_t MPAY_CALL mpay_journal_export(
    const mpay_journal *journal,
    mpay_export **out,
    mpay_error **error);

/**
 * Reads the next line, which mpay_export_line then returns. *found, which may be NULL, is 1, and
 * 0 after the last line. Returns MPAY_OK, MPAY_INVALID_ARGUMENT or MPAY_STORAGE, after which there are no more lines.
 * One thread at a time. Since 0.3.0.
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
 * Stores a line of an export, and marks it as restored. *imported, which may be NULL, is 0 if the journal already has
 * that attempt or orphan, else 1. Returns MPAY_OK; MPAY_INVALID_ARGUMENT for another text, or for an attempt of
 * another account; or MPAY_STORAGE. Any thread. Since 0.3.0.
 */
MPAY_NODISCARD MPAY_API int32_t MPAY_CALL mpay_journal_import(
    const mpay_journal *journal,
    const char *line,
    int32_t *imported,
    mpay_error **error);

/**
 * Stops mpay_journal_pay, mpay_journal_pay_async and mpay_journal_news in every process that uses the journal, until
 * mpay_journal_resume: they return MPAY_STORAGE with MPAY_OUTCOME_NOT_SENT, and may be repeated. mpay_journal_pause
 * returns when no call that makes a payment runs any more; the call of a killed process counts until its deadline.
 * note, which has 1 to 500 characters, names the operator and the reason. Returns MPAY_OK; MPAY_INVALID_ARGUMENT;
 * MPAY_STORAGE; or MPAY_CANCELLED if it was interrupted: the journal is paused then, and calls may still run. Any
 * thread. Since 0.3.0.
 */
MPAY_NODISCARD MPAY_API int32_t MPAY_CALL mpay_journal_pause(
    const mpay_journal *journal,
    const char *note,
    mpay_error **error);

/**
 * Ends a pause, and keeps the note. Returns MPAY_OK, MPAY_INVALID_ARGUMENT or MPAY_STORAGE. Any thread. Since 0.3.0.
 */
MPAY_NODISCARD MPAY_API int32_t MPAY_CALL mpay_journal_resume(
    const mpay_journal *journal,
    const char *note,
    mpay_error **error);

/**
 * Copies a journal in a file into a new file at an absolute path, while the journal is in use. The copy is paused, and
 * its rows are marked as restored. Returns MPAY_OK; MPAY_INVALID_ARGUMENT if the journal is in a database or the path
 * is relative; or MPAY_STORAGE, also if the file exists. Any thread. Since 0.3.0.
 */
MPAY_NODISCARD MPAY_API int32_t MPAY_CALL mpay_journal_backup(
    const mpay_journal *journal,
    const char *path,
    mpay_error **error);

#ifdef __cplusplus
}
#endif

#endif  /* MERCHANTPAY_H */
