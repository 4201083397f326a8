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
