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
