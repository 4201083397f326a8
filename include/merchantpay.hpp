/**
 * @file merchantpay.hpp
 * merchantpay for C++11 and newer: classes that own the handles of merchantpay.h, and nothing else. Include only this header,
 * and link the C library.
 *
 * mpay_config_set_base_url is Config::set_base_url, mpay_payment_sum is Payment::sum, mpay_new_payment is Client::new_payment.
 * merchantpay.h describes each function under its C name, and which threads may call it. This header adds these rules:
 *
 * - A function that fails throws Error. A setter that throws leaves the invalid value in its object, and every use of that object
 *   then fails.
 * - Nothing is thrown if the compiler has exceptions turned off, or if MERCHANTPAY_NO_EXCEPTIONS is defined before this header. A
 *   function that can fail then returns a Result, with a value or an Error. Functions such as Client::create replace the
 *   constructors that can fail. A setter reports no error, but every use of the object with the invalid value fails. A program can
 *   contain source files of both kinds, but these cannot share objects.
 * - Objects can be moved. A Payment, an Event and an Error can also be copied; copies share their content. An object that was
 *   moved from is a NULL handle: its functions fail with Code::invalid_argument, and its getters return empty values.
 * - A text is a std::string, a const char * or, from C++17 on, a std::string_view. nullptr means absent, but "" does not. A text
 *   with a NUL inside is refused, never cut.
 * - A field that may be absent is an Optional; from C++17 on it converts to a std::optional. Amounts are decimal text. A number is
 *   refused as an amount, so that no float can be passed. Times are std::chrono durations or whole milliseconds.
 */

#ifndef MERCHANTPAY_HPP
#define MERCHANTPAY_HPP

#include "merchantpay.h"

#include <algorithm>
#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <memory>
#include <stdexcept>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#if __cplusplus >= 201703L || (defined(_MSVC_LANG) && _MSVC_LANG >= 201703L)
#define MERCHANTPAY_CXX17
#include <optional>
#include <string_view>
#endif

#if !defined(MERCHANTPAY_NO_EXCEPTIONS) && !defined(__cpp_exceptions) && !defined(__EXCEPTIONS) && !defined(_CPPUNWIND)
#define MERCHANTPAY_NO_EXCEPTIONS
#endif

// MERCHANTPAY_NODISCARD marks a function that is useless if its result is ignored. MERCHANTPAY_NODISCARD_FAILURE marks a function
// whose result shows only whether the call failed.
#if defined(MERCHANTPAY_NO_EXCEPTIONS)
#define MERCHANTPAY_NODISCARD MPAY_NODISCARD
#define MERCHANTPAY_NODISCARD_FAILURE MPAY_NODISCARD
#elif defined(MERCHANTPAY_CXX17)
#define MERCHANTPAY_NODISCARD [[nodiscard]]
#define MERCHANTPAY_NODISCARD_FAILURE
#else
#define MERCHANTPAY_NODISCARD
#define MERCHANTPAY_NODISCARD_FAILURE
#endif

namespace merchantpay {

#ifdef MERCHANTPAY_NO_EXCEPTIONS
// This namespace keeps the functions without exceptions separate from those with exceptions. So one program can contain both.
inline namespace no_exceptions {
#endif

// A later version of the library can add values to these enums. Any std::int32_t is a valid value, so a switch needs a default.

// generated: begin words
/** The kind of an error. The list only grows. */
enum class Code : std::int32_t {
    /** Nothing went wrong. */
    ok = 0,
    /** A value is wrong, for example a sum that is not greater than 0, or a file that cannot be read. Nothing was sent. */
    invalid_argument = MPAY_INVALID_ARGUMENT,
    /** A key that is not base64, has a wrong length, has halves that do not match, or is not a point of the curve. */
    invalid_key = MPAY_INVALID_KEY,
    /** The host's own signer failed, for example an HSM that does not answer or a callback that failed. Nothing was sent. */
    signer = MPAY_SIGNER,
    /** A failure of DNS, connecting or TLS, a broken connection, a redirect, or a reply that is too large. */
    transport = MPAY_TRANSPORT,
    /** The deadline passed before the call ended. */
    timeout = MPAY_TIMEOUT,
    /** The caller interrupted the call. */
    cancelled = MPAY_CANCELLED,
    /** It is not proven that the reply or webhook comes from the service. */
    unverified = MPAY_UNVERIFIED,
    /** The service signed the reply or webhook, but the message violates the contract or is about another order. */
    malformed = MPAY_MALFORMED,
    /** The service refused the request in a verified reply. */
    rejected = MPAY_REJECTED,
    /** The journal could not be read or written. */
    storage = MPAY_STORAGE,
    /** Another worker was first. Version 0.3.0 returned this code; later versions do not. */
    conflict = MPAY_CONFLICT,
    /** A bug of this library. */
    internal = MPAY_INTERNAL
};

/** Shows whether the request may have taken effect. The list only grows. */
enum class Outcome : std::int32_t {
    /** There was no failure. */
    none = 0,
    /**
     * No byte of the request was written, so after a retry the request cannot take effect twice. A retry can succeed only if the
     * error is transient: a wrong argument stays wrong.
     */
    not_sent = MPAY_OUTCOME_NOT_SENT,
    /** The service refused the request in a verified reply: the request did not take effect. */
    rejected = MPAY_OUTCOME_REJECTED,
    /** The request may have taken effect: call get_status, or ask support, before you send the request again. */
    unknown = MPAY_OUTCOME_UNKNOWN
};

/** The reason of a refusal, if the contract lists the refusal's text (section 7). */
enum class Reason : std::int32_t {
    /** No reason, or a reason that this version does not know. */
    unknown = 0,
    /** "invalid currency" */
    invalid_currency = MPAY_REASON_INVALID_CURRENCY,
    /** "invalid orderId" */
    invalid_order_id = MPAY_REASON_INVALID_ORDER_ID,
    /** "order not found" */
    order_not_found = MPAY_REASON_ORDER_NOT_FOUND,
    /** "invalid file format" */
    invalid_file_format = MPAY_REASON_INVALID_FILE_FORMAT,
    /** "payment could not be canceled" */
    payment_could_not_be_canceled = MPAY_REASON_PAYMENT_COULD_NOT_BE_CANCELED
};

/** The state of a payment (contract, section 3). */
enum class Status : std::int32_t {
    /** No status, or a status that this version does not know: Payment::status has its text. */
    unknown = 0,
    /** The payment was created, but no suitable payee has been found yet. */
    free = MPAY_STATUS_FREE,
    /** The service searches for credentials, or waits for the customer's payment. */
    pending = MPAY_STATUS_PENDING,
    /** The payment is in arbitration, and a receipt must be attached. */
    receipt_required = MPAY_STATUS_RECEIPT_REQUIRED,
    /** The payment is completed. This status is final. */
    done_success = MPAY_STATUS_DONE_SUCCESS,
    /** The payment has failed. This status is final. */
    done_fail = MPAY_STATUS_DONE_FAIL,
    /** The merchant cancelled the payment in arbitration. This status is final. */
    arbitrage_cancelled_by_merchant = MPAY_STATUS_ARBITRAGE_CANCELLED_BY_MERCHANT
};

/** The paid sum, compared with the requested sum. */
enum class Paid : std::int32_t {
    /** There is no paid sum, or the requested sum is not an amount. */
    unknown = 0,
    /** Exactly the requested sum was paid. */
    exactly = MPAY_PAID_EXACTLY,
    /** Less than the requested sum was paid. */
    less = MPAY_PAID_LESS,
    /** More than the requested sum was paid. */
    more = MPAY_PAID_MORE
};

/** The kind of a verified webhook (contract, section 6). */
enum class EventKind : std::int32_t {
    /** The event object was moved from. */
    none = 0,
    /** Credentials were found for a payment made by new_payment_async (contract, section 6.1). */
    credentials = MPAY_EVENT_CREDENTIALS,
    /** No credentials were found (contract, section 6.1): the payment has only its order id. */
    credentials_failed = MPAY_EVENT_CREDENTIALS_FAILED,
    /** The payment has a new status (contract, section 6.2). The status is never "free" or "pending". */
    status = MPAY_EVENT_STATUS
};

/** The reason why a message does not verify. The list only grows. */
enum class Cause : std::int32_t {
    /** The message carries no signature. */
    missing_signature = MPAY_CAUSE_MISSING_SIGNATURE,
    /** The message carries more than one signature. */
    repeated_signature = MPAY_CAUSE_REPEATED_SIGNATURE,
    /** The signature is not the standard base64 of 64 bytes. */
    signature_encoding = MPAY_CAUSE_SIGNATURE_ENCODING,
    /** The body was changed after it was signed. */
    body_changed = MPAY_CAUSE_BODY_CHANGED,
    /** A digest of the body was signed instead of the body. */
    digest_signed = MPAY_CAUSE_DIGEST_SIGNED,
    /** The merchant's own key signed the message. */
    own_key = MPAY_CAUSE_OWN_KEY,
    /** Another known key signed the message. */
    wrong_key = MPAY_CAUSE_WRONG_KEY,
    /** The key id is missing, the receiver's own, or unknown. */
    key_id = MPAY_CAUSE_KEY_ID,
    /** No known mistake explains the message. */
    not_explained = MPAY_CAUSE_NOT_EXPLAINED
};

/** The currency of the merchant's balance. */
enum class Balance : std::int32_t {
    /** A balance in rubles: the sum is multiplied by the rate. */
    rub = MPAY_BALANCE_RUB,
    /** A balance in USDT: the sum is divided by the rate. */
    usdt = MPAY_BALANCE_USDT
};

/** The rounding of a sum to the scale of the balance's currency. */
enum class Rounding : std::int32_t {
    /** Round to the nearest value. A half is rounded away from zero, as in cash registers. */
    half_up = MPAY_ROUNDING_HALF_UP,
    /** Round to the nearest value. A half is rounded to the even neighbour. */
    half_even = MPAY_ROUNDING_HALF_EVEN,
    /** Round towards zero. */
    down = MPAY_ROUNDING_DOWN,
    /** Round away from zero. */
    up = MPAY_ROUNDING_UP
};

/** The state of an attempt in the journal. A standing alone never shows that the attempt was paid: only the field succeeded shows that. */
enum class Standing : std::int32_t {
    /** No standing; as an argument of Journal::list, all standings. */
    any = 0,
    /** The call that makes the payment may still run. */
    sending = MPAY_STANDING_SENDING,
    /** The call is over, and nobody knows whether it made a payment. */
    unknown = MPAY_STANDING_UNKNOWN,
    /** Nobody can pay. */
    refused = MPAY_STANDING_REFUSED,
    /** An order is bound, and its status is not final. */
    open = MPAY_STANDING_OPEN,
    /** The status is final: a success or a failure. */
    final = MPAY_STANDING_FINAL,
    /** A later attempt has replaced this one, whatever its state. */
    superseded = MPAY_STANDING_SUPERSEDED
};

/** An instruction of the merchant to the service. */
enum class Intent : std::int32_t {
    /** No confirm or cancel is stored. */
    none = 0,
    /** The customer has paid. */
    confirm = MPAY_INTENT_CONFIRM,
    /** The payment is not wanted any more. */
    cancel = MPAY_INTENT_CANCEL
};

/** What became of an instruction. */
enum class IntentState : std::int32_t {
    /** No confirm or cancel is stored. */
    none = 0,
    /** Stored before its call. "settle" sends it again until there is an answer. */
    stored = MPAY_INTENT_STATE_STORED,
    /** The service accepted it. */
    accepted = MPAY_INTENT_STATE_ACCEPTED,
    /** The service refused it. */
    refused = MPAY_INTENT_STATE_REFUSED
};

/** A reason for which an operator must decide about an attempt. */
enum class Attention : std::int32_t {
    /** Nobody knows whether there is a payment; or a backup was restored, and later attempts may be missing. */
    unknown = MPAY_ATTENTION_UNKNOWN,
    /** A message names an order that is not proven to be this attempt's. */
    order_unproven = MPAY_ATTENTION_ORDER_UNPROVEN,
    /** An attempt was paid that nobody should have paid: refused, replaced, or beside another success. */
    paid_unasked = MPAY_ATTENTION_PAID_UNASKED,
    /** A success, or credentials, with another sum than the asked one. */
    sum_differs = MPAY_ATTENTION_SUM_DIFFERS,
    /** A final status has changed. */
    status_changed = MPAY_ATTENTION_STATUS_CHANGED,
    /** The service does not know the order, does not end it, or does not follow an instruction. */
    stuck = MPAY_ATTENTION_STUCK
};

/** The event that ends the journal's function wait. */
enum class Until : std::int32_t {
    /** There are credentials; or none can be expected soon, because the attempt is refused, unknown, replaced or final. */
    credentials = MPAY_UNTIL_CREDENTIALS,
    /** The status is final; or it cannot be expected soon, because the attempt is refused, unknown or replaced. */
    final = MPAY_UNTIL_FINAL
};

/** The way in which a database's driver writes parameters. */
enum class Style : std::int32_t {
    /** "?": PDO, JDBC, ODBC, Go's drivers of MySQL and SQLite. */
    question = MPAY_STYLE_QUESTION,
    /** "$1": pgx, asyncpg, tokio-postgres. */
    dollar = MPAY_STYLE_DOLLAR,
    /** "%s": psycopg, PyMySQL, Django. */
    percent = MPAY_STYLE_PERCENT,
    /** ":name": PDO, Doctrine, SQLAlchemy. */
    colon = MPAY_STYLE_COLON,
    /** "@name": ADO.NET. */
    at = MPAY_STYLE_AT
};
// generated: end

/** The decision of a person about an item of Journal::attention. */
enum class Resolution : std::int32_t {
    /** The payment of the attempt is the order with the given order id, and has the given sum, or the asked one. */
    order_id,
    /** The service made no payment for the attempt. */
    no_payment,
    /** The person has seen the item as it is. It leaves the list until there is something new. */
    seen,
    /** A restored attempt is as new as the truth: support was asked about every merchantId of its reference. */
    trusted
};

/** The name of the value, the same in every language, such as "invalid_argument"; nullptr for a number without a name. */
// generated: begin names
inline const char *name(Code value) noexcept {
    if (value == Code::ok) return "ok";
    return mpay_code_name(static_cast<std::int32_t>(value));
}
inline const char *name(Outcome value) noexcept {
    return mpay_outcome_name(static_cast<std::int32_t>(value));
}
inline const char *name(Reason value) noexcept {
    return mpay_reason_name(static_cast<std::int32_t>(value));
}
inline const char *name(Status value) noexcept {
    return mpay_status_name(static_cast<std::int32_t>(value));
}
inline const char *name(Attention value) noexcept {
    return mpay_attention_name(static_cast<std::int32_t>(value));
}
// generated: end

/** A value that may be absent. Reading an absent value throws std::logic_error; without exceptions it ends the program. So an
    absent amount is never read as 0. */
template <class T>
class Optional {
    // Refuses floating-point numbers: a fraction of a kopeck would be lost silently.
    template <class Other>
    using Lossy = typename std::enable_if<std::is_floating_point<Other>::value || std::is_same<Other, bool>::value>::type;

public:
    Optional() : value_(), present_(false) {}
    Optional(T value) : value_(std::move(value)), present_(true) {}
    template <class Other, class = Lossy<Other>>
    Optional(Other) = delete;
#ifdef MERCHANTPAY_CXX17
    template <class Other, class = typename std::enable_if<std::is_same<Other, std::optional<T>>::value>::type>
    Optional(const Other &other) : value_(other.value_or(T())), present_(other.has_value()) {}
    operator std::optional<T>() const { return present_ ? std::optional<T>(value_) : std::optional<T>(); }
#endif

    bool has_value() const noexcept { return present_; }
    explicit operator bool() const noexcept { return present_; }
    /** The value, which must be present. */
    const T &value() const & { return present(), value_; }
    T value() && { return present(), std::move(value_); }
    const T &operator*() const & { return value(); }
    T operator*() && { return std::move(*this).value(); }
    const T *operator->() const { return &value(); }
    /** The value; if it is absent, the argument `other`. */
    T value_or(T other) const { return present_ ? value_ : std::move(other); }
    template <class Other, class = Lossy<Other>>
    T value_or(Other) const = delete;
    /** An absent value equals no other, and only nullptr. */
    bool operator==(const T &other) const { return present_ && value_ == other; }
    bool operator!=(const T &other) const { return !(*this == other); }
    template <class Other, class = Lossy<Other>>
    bool operator==(Other) const = delete;
    template <class Other, class = Lossy<Other>>
    bool operator!=(Other) const = delete;
    bool operator==(std::nullptr_t) const noexcept { return !present_; }
    bool operator!=(std::nullptr_t) const noexcept { return present_; }

private:
    void present() const {
#ifdef MERCHANTPAY_NO_EXCEPTIONS
        if (!present_) std::abort();
#else
        if (!present_) throw std::logic_error("merchantpay: the value is absent");
#endif
    }

    T value_;
    bool present_;
};

namespace detail {

struct Free {
    // generated: begin frees
    void operator()(mpay_amount *handle) const noexcept { mpay_amount_free(handle); }
    void operator()(mpay_amounts *handle) const noexcept { mpay_amounts_free(handle); }
    void operator()(mpay_client *handle) const noexcept { mpay_client_free(handle); }
    void operator()(mpay_config *handle) const noexcept { mpay_config_free(handle); }
    void operator()(mpay_entry *handle) const noexcept { mpay_entry_free(handle); }
    void operator()(mpay_error *handle) const noexcept { mpay_error_free(handle); }
    void operator()(mpay_event *handle) const noexcept { mpay_event_free(handle); }
    void operator()(mpay_explanation *handle) const noexcept { mpay_explanation_free(handle); }
    void operator()(mpay_http_request *handle) const noexcept { mpay_http_request_free(handle); }
    void operator()(mpay_http_response *handle) const noexcept { mpay_http_response_free(handle); }
    void operator()(mpay_journal *handle) const noexcept { mpay_journal_free(handle); }
    void operator()(mpay_journal_config *handle) const noexcept { mpay_journal_config_free(handle); }
    void operator()(mpay_keypair *handle) const noexcept { mpay_keypair_free(handle); }
    void operator()(mpay_payment *handle) const noexcept { mpay_payment_free(handle); }
    void operator()(mpay_payment_request *handle) const noexcept { mpay_payment_request_free(handle); }
    void operator()(mpay_protocol *handle) const noexcept { mpay_protocol_free(handle); }
    void operator()(mpay_receipt *handle) const noexcept { mpay_receipt_free(handle); }
    void operator()(mpay_stats *handle) const noexcept { mpay_stats_free(handle); }
    void operator()(mpay_verifier *handle) const noexcept { mpay_verifier_free(handle); }
    // generated: end
};

template <class T>
using Handle = std::unique_ptr<T, Free>;

/** Owns a handle of C. An object that was moved from has NULL. */
template <class T>
class Owner {
public:
    explicit Owner(Handle<T> handle) noexcept : handle_(std::move(handle)) {}
    /** The C handle, to call C functions with it. This object still owns it. */
    T *handle() const noexcept { return handle_.get(); }

private:
    Handle<T> handle_;
};

/** Shares a handle of C with its copies. An object that was moved from has NULL. */
template <class T>
class Shared {
public:
    explicit Shared(std::shared_ptr<const T> handle) noexcept : handle_(std::move(handle)) {}
    /** The C handle, to call C functions with it. This object still owns it. */
    const T *handle() const noexcept { return handle_.get(); }

protected:
    std::shared_ptr<const T> handle_;
};

inline Optional<std::string> optional(const char *text) {
    return text ? Optional<std::string>(text) : Optional<std::string>();
}

inline Optional<std::int64_t> optional_minor(std::int64_t minor) {
    return minor == MPAY_NO_MINOR ? Optional<std::int64_t>() : Optional<std::int64_t>(minor);
}

inline std::string text_or_empty(const char *text) {
    return text ? text : "";
}

} // namespace detail

/** The error of a failed function. Copies share their content; any thread may read it. */
class Error : public std::runtime_error {
public:
    Error(Code code, Outcome outcome, const std::string &message) : std::runtime_error(message), code_(code), outcome_(outcome) {}
    /** Makes an Error from `code`, which a C function returned, and that function's error; NULL if the function made no error. */
    Error(std::int32_t code, detail::Handle<mpay_error> error)
        : std::runtime_error(error ? mpay_error_message(error.get()) : "merchantpay: no memory for an error"),
          code_(static_cast<Code>(code)), outcome_(error ? static_cast<Outcome>(mpay_error_outcome(error.get())) : Outcome::unknown),
          error_(std::move(error)) {}

    // An error is copied and never moved: a move would leave behind an error without content.
    Error(const Error &) = default;
    Error &operator=(const Error &) = default;

    Code code() const noexcept { return code_; }
    /** Shows whether the request may have taken effect. */
    Outcome outcome() const noexcept { return outcome_; }
    /** The code's name, such as "transport"; borrowed from the error. */
    const char *code_name() const noexcept { return error_ ? mpay_error_code_name(error_.get()) : known(name(code_), Code::internal); }
    /** The outcome's name: "not_sent", "rejected" or "unknown"; borrowed from the error. */
    const char *outcome_name() const noexcept {
        return error_ ? mpay_error_outcome_name(error_.get()) : known(name(outcome_), Outcome::unknown);
    }
    // generated: begin error_fields
    /** The same call may succeed later. */
    bool is_transient() const noexcept { return mpay_error_is_transient(error_.get()) != 0; }
    /** The service's own text of a refusal. It may contain personal data. */
    Optional<std::string> description() const { return detail::optional(mpay_error_description(error_.get())); }
    /** The reason of a refusal, if the contract lists it. */
    Optional<std::string> reason() const { return detail::optional(mpay_error_reason(error_.get())); }
    /** The reason of a refusal, if the contract lists it. */
    Reason reason_code() const noexcept { return static_cast<Reason>(mpay_error_reason_code(error_.get())); }
    /** The HTTP status, if a reply arrived. It is not signed. */
    std::int32_t http_status() const noexcept { return mpay_error_http_status(error_.get()); }
    /** How long the sender of a reply with status 429 or 503 asks to wait. It is not signed, so a proxy may have asked. */
    std::uint64_t retry_after_ms() const noexcept { return mpay_error_retry_after_ms(error_.get()); }
    /** The order id of the request or of a verified reply. */
    Optional<std::string> order_id() const { return detail::optional(mpay_error_order_id(error_.get())); }
    /** The content type of a reply that could not be verified. */
    Optional<std::string> content_type() const { return detail::optional(mpay_error_content_type(error_.get())); }
    /** The printable beginning of a reply that could not be verified and is not JSON, such as a proxy's page. */
    Optional<std::string> excerpt() const { return detail::optional(mpay_error_excerpt(error_.get())); }
    // generated: end
    /** The text of the error, for a log: without keys, accounts and names. */
    std::string message() const { return what(); }
    /** The verified body of the reply or webhook, if the code is rejected or malformed; else absent. The body can contain a NUL. */
    Optional<std::string> body() const {
        const char *body = static_cast<const char *>(mpay_error_body(error_.get()));
        return body ? Optional<std::string>(std::string(body, mpay_error_body_len(error_.get()))) : Optional<std::string>();
    }

private:
    template <class Word>
    static const char *known(const char *text, Word otherwise) noexcept {
        return text ? text : name(otherwise);
    }

    Code code_;
    Outcome outcome_;
    // The C error is shared, because copying an exception must not throw.
    std::shared_ptr<const mpay_error> error_;
};

#ifdef MERCHANTPAY_NO_EXCEPTIONS

namespace detail {

/** The error of a call that failed; none after a success. */
class Failure {
public:
    Failure() = default;
    explicit Failure(Error error) : error_(std::make_shared<const Error>(std::move(error))) {}

    /** The error of a call that failed. */
    const Error &error() const & {
        if (!error_) std::abort();
        return *error_;
    }
    Error error() const && { return error(); }

protected:
    std::shared_ptr<const Error> error_;
};

} // namespace detail

/** The result of a call that does not throw: a value or an error. Reading a missing value or a missing error ends the program. */
template <class T>
class Result : public detail::Failure {
public:
    Result(T value) : value_(new T(std::move(value))) {}
    Result(Error error) : Failure(std::move(error)) {}

    /** Returns true if the call succeeded. */
    bool has_value() const noexcept { return value_ != nullptr; }
    explicit operator bool() const noexcept {
        // With exceptions, `if (journal.acknowledge(entry))` tests the returned bool. Here it would test the success.
        static_assert(!std::is_same<T, bool>::value, "use has_value() for the success, and value() for the result");
        return has_value();
    }
    /** The result, which must be present. */
    T &value() & { return present(), *value_; }
    const T &value() const & { return present(), *value_; }
    T value() && { return present(), std::move(*value_); }
    T &operator*() & { return value(); }
    const T &operator*() const & { return value(); }
    T operator*() && { return std::move(*this).value(); }
    T *operator->() { return &value(); }
    const T *operator->() const { return &value(); }

private:
    void present() const {
        if (!value_) std::abort();
    }

    std::unique_ptr<T> value_;
};

/** The result of a call without a value: success, or an error. */
template <>
class Result<void> : public detail::Failure {
public:
    Result() = default;
    Result(Error error) : Failure(std::move(error)) {}

    bool has_value() const noexcept { return error_ == nullptr; }
    explicit operator bool() const noexcept { return has_value(); }
};

#endif

namespace detail {

/** A text that is not UTF-8. It replaces a text with a NUL inside, so that the C function refuses it and its handle remembers the error. */
inline const char *refused_text() noexcept {
    return "\xff";
}

#ifdef MERCHANTPAY_NO_EXCEPTIONS

template <class T>
using Returned = Result<T>;
template <class T>
using Chained = Result<void>;

template <class T>
Result<T> failed(Error error) {
    return Result<T>(std::move(error));
}

/** A setter reports nothing here: its handle remembers the error. */
inline void raise(const Error &) {}

#else

/** The result type of a call that can fail. */
template <class T>
using Returned = T;
/** The result type of a function that returns its object, so that calls can be chained. */
template <class T>
using Chained = T &;

template <class T>
[[noreturn]] T failed(Error error) {
    throw error;
}

inline void raise(const Error &error) {
    throw error;
}

#endif

} // namespace detail

/** A text argument of a C function, valid during the call. */
class Text {
public:
    Text(const char *text) noexcept : text_(text), whole_(true), owned_(false) {}
    Text(const std::string &text) noexcept : text_(text.c_str()), whole_(std::strlen(text_) == text.size()), owned_(false) {}
    Text(const Optional<std::string> &text) : Text(nullptr) {
        if (text) *this = Text(*text);
    }
#ifdef MERCHANTPAY_CXX17
    /** Copies the text, because C needs a NUL after it. An empty view is an empty text, not an absent one. */
    Text(std::string_view text) : text_(nullptr), whole_(text.find('\0') == text.npos), owned_(true), copy_(text) {}
    Text(std::nullopt_t) noexcept : Text(nullptr) {}
    template <class View, class = typename std::enable_if<std::is_convertible<const View &, std::string_view>::value>::type>
    Text(const std::optional<View> &text) : Text(nullptr) {
        if (text) *this = Text(std::string_view(*text));
    }
#endif
    /** Deleted, because the number 0 would otherwise become a null pointer. */
    template <class Number, class = typename std::enable_if<std::is_arithmetic<Number>::value>::type>
    Text(Number) = delete;

    /** True if the text has no NUL inside. C sees a text only up to its first NUL. */
    bool whole() const noexcept { return whole_; }
    /** The text for C. A text with a NUL inside throws here; without exceptions the C function refuses it. */
    const char *get(const char *name, Code code = Code::invalid_argument, Outcome outcome = Outcome::not_sent) const {
        if (whole_) return owned_ ? copy_.c_str() : text_;
        detail::raise(Error(code, outcome, std::string(name) + " has a NUL inside"));
        return detail::refused_text();
    }

private:
    const char *text_;
    bool whole_;
    bool owned_;
    std::string copy_;
};

/** One HTTP attempt of a call, valid during the callback that gets it. */
class Attempt {
public:
    explicit Attempt(const mpay_attempt *attempt) noexcept : attempt_(attempt) {}
    Attempt(const Attempt &) = delete;
    Attempt &operator=(const Attempt &) = delete;

    // generated: begin attempt_fields
    /** The operation's name in the contract. */
    std::string operation() const { return detail::text_or_empty(mpay_attempt_operation(attempt_)); }
    /** The order id of the request or of a verified reply. */
    Optional<std::string> order_id() const { return detail::optional(mpay_attempt_order_id(attempt_)); }
    /** The number of the attempt within its call, from 1. */
    std::uint32_t number() const noexcept { return mpay_attempt_number(attempt_); }
    /** The HTTP status, if a reply arrived. */
    std::int32_t http_status() const noexcept { return mpay_attempt_http_status(attempt_); }
    /** How long the attempt took. */
    std::uint64_t elapsed_ms() const noexcept { return mpay_attempt_elapsed_ms(attempt_); }
    /** The code of a failure. */
    Code code() const noexcept { return static_cast<Code>(mpay_attempt_code(attempt_)); }
    /** Shows whether the request of a failure may have taken effect. */
    Outcome outcome() const noexcept { return static_cast<Outcome>(mpay_attempt_outcome(attempt_)); }
    /** The attempt as one line of text. The wording can change. */
    std::string line() const { return detail::text_or_empty(mpay_attempt_line(attempt_)); }
    // generated: end

private:
    const mpay_attempt *attempt_;
};

/** A function that gets every HTTP attempt, on the thread that makes the call. Several threads can call the function at once. Its
    exceptions are ignored. */
using LogCallback = std::function<void(const Attempt &attempt)>;

/** A function that signs the bytes of a message. Several threads can call the function at once. If it throws, the call fails with
    Code::signer and Outcome::not_sent. */
using SignerCallback = std::function<std::array<unsigned char, 64>(const void *message, std::size_t len)>;

namespace detail {

/** Accepts whole numbers only: a fraction would be truncated, and a bool is not a number. */
template <class Number>
using Whole = typename std::enable_if<std::is_integral<Number>::value && !std::is_same<Number, bool>::value>::type;

/** Accepts a bool only: a text or a number is not a flag. */
template <class Bool>
using Flag = typename std::enable_if<std::is_same<Bool, bool>::value>::type;

/** Stores the number in `target`. Returns true if the number fits there. */
template <class Target, class Number>
bool fits(Number number, Target &target) noexcept {
    target = static_cast<Target>(number);
    return static_cast<Number>(target) == number && (number < Number(0)) == (target < Target(0));
}

/** Returns true if the time fits. It then stores the time's milliseconds, rounded up, so that a short time is never 0. */
template <class Rep, class Period>
bool fits(std::chrono::duration<Rep, Period> time, std::uint32_t &milliseconds) noexcept {
    const long double exact = std::chrono::duration<long double, std::milli>(time).count();
    if (!(exact >= 0 && exact <= static_cast<long double>(UINT32_MAX))) return false;
    milliseconds = static_cast<std::uint32_t>(exact);
    if (static_cast<long double>(milliseconds) < exact) ++milliseconds;
    return true;
}

/** A time limit: whole milliseconds, or a duration of std::chrono. */
class Timeout {
public:
    template <class Number, class = Whole<Number>>
    Timeout(Number ms) noexcept : fits_(fits(ms, ms_)) {}
    template <class Rep, class Period>
    Timeout(std::chrono::duration<Rep, Period> time) noexcept : fits_(fits(time, ms_)) {}

    template <class Object, class Make>
    Returned<Object> within(Make make) const {
        if (fits_) return make(ms_);
        return failed<Object>(Error(Code::invalid_argument, Outcome::not_sent, "timeout is out of range"));
    }

private:
    std::uint32_t ms_ = 0;
    bool fits_;
};

/** Calls a C function that has no result except its code. */
template <class Function, class... Arguments>
Returned<void> run(Function function, Arguments... arguments) {
    mpay_error *error = nullptr;
    const std::int32_t code = function(arguments..., &error);
    Handle<mpay_error> owner(error);
    if (code != MPAY_OK) return failed<void>(Error(code, std::move(owner)));
    return Returned<void>();
}

/** Calls a function of an object, and returns the object, so that calls can be chained. */
template <class Object, class Function, class... Arguments>
Chained<Object> run_on(Object &object, Function function, Arguments... arguments) {
#ifdef MERCHANTPAY_NO_EXCEPTIONS
    static_cast<void>(object);
    return run(function, arguments...);
#else
    run(function, arguments...);
    return object;
#endif
}

template <class T>
Returned<T> finished(std::int32_t code, mpay_error *error, T value) {
    Handle<mpay_error> owner(error);
    if (code != MPAY_OK) return failed<T>(Error(code, std::move(owner)));
    return Returned<T>(std::move(value));
}

template <class Object, class T, class Function, class... Arguments>
Returned<Object> make(Function function, Arguments... arguments) {
    T *out = nullptr;
    mpay_error *error = nullptr;
    const std::int32_t code = function(arguments..., &out, &error);
    return finished(code, error, Object(Handle<T>(out)));
}

/** Like make, for a function that may succeed without a handle. */
template <class Object, class T, class Function, class... Arguments>
Returned<Optional<Object>> find(Function function, Arguments... arguments) {
    T *out = nullptr;
    mpay_error *error = nullptr;
    const std::int32_t code = function(arguments..., &out, &error);
    Handle<T> handle(out);
    return finished(code, error, handle ? Optional<Object>(Object(std::move(handle))) : Optional<Object>());
}

/** The error of a setter, of which the C function returns only the code. */
inline void check_setter(std::int32_t code, const char *name, Outcome outcome = Outcome::not_sent) {
    if (code != MPAY_OK) raise(Error(static_cast<Code>(code), outcome, std::string(name) + " cannot be taken"));
}

/** Deletes a std::function to which C has a pointer. C calls this when nothing can call the std::function any more. */
template <class Function>
void MPAY_CALL release(void *user_data) noexcept {
    delete static_cast<Function *>(user_data);
}

inline void MPAY_CALL log_attempt(void *user_data, const mpay_attempt *attempt) noexcept {
#ifdef MERCHANTPAY_NO_EXCEPTIONS
    (*static_cast<LogCallback *>(user_data))(Attempt(attempt));
#else
    try {
        (*static_cast<LogCallback *>(user_data))(Attempt(attempt));
    } catch (...) {
        // An exception of the logger must not make the logged call fail.
    }
#endif
}

inline std::int32_t MPAY_CALL sign(void *user_data, const void *message, std::size_t len, void *signature) noexcept {
    const auto write = [=] {
        const std::array<unsigned char, 64> made = (*static_cast<SignerCallback *>(user_data))(message, len);
        std::memcpy(signature, made.data(), made.size());
        return 0;
    };
#ifdef MERCHANTPAY_NO_EXCEPTIONS
    return write();
#else
    try {
        return write();
    } catch (...) {
        return 1;
    }
#endif
}

/** A setting's number as text for the library, which refuses a number that does not fit. */
template <class Number>
std::string digits(Number number) {
    return std::to_string(number);
}
template <class Rep, class Period>
std::string digits(std::chrono::duration<Rep, Period> time) {
    std::uint32_t milliseconds = 0;
    return fits(time, milliseconds) ? std::to_string(milliseconds) : "out of range";
}

template <class Settings>
void set(std::int32_t(MPAY_CALL *setter)(Settings *, const char *, const char *, mpay_error **), Settings *settings, const char *name,
         const Text &text) {
    mpay_error *error = nullptr;
    const std::int32_t code = setter(settings, name, text.whole() ? text.get(name) : refused_text(), &error);
    Handle<mpay_error> owner(error);
    text.get(name);
    if (code != MPAY_OK) raise(Error(code, std::move(owner)));
}

/** The type of an argument with unchanged bytes. */
#ifdef MERCHANTPAY_CXX17
using Bytes = std::string_view;
#else
using Bytes = const std::string &;
#endif

} // namespace detail

/** Settings. A client, protocol or verifier copies them when it is made. */
class Config : public detail::Owner<mpay_config> {
public:
    Config() : Owner(detail::Handle<mpay_config>(mpay_config_new())) {}

    // generated: begin settings
    /** The absolute https URL before /api/v1/merchant/pay. Plain http is allowed to loopback only. */
    Config &set_base_url(Text base_url) { return set("base_url", base_url); }
    /** The merchant's key id, as the service issued it (contract, section 5). It consists of visible ASCII. */
    Config &set_key_id(Text key_id) { return set("key_id", key_id); }
    /** The merchant's private key: base64 of 64 bytes, which are the seed and the public key (contract, section 5). */
    Config &set_private_key(Text private_key) { return set_key("private_key", private_key); }
    /**
     * The merchant's own public key, base64 of 32 bytes. It is required if a callback signs. Otherwise it is only compared with
     * the private key.
     */
    Config &set_public_key(Text public_key) { return set_key("public_key", public_key); }
    /** The service's public key, base64 of 32 bytes. Set several keys while the service rotates its keys. */
    Config &add_server_public_key(Text server_public_key) { return set_key("server_public_key", server_public_key); }
    /**
     * The key ids of the service. If key ids are set, each reply must have one of these key ids. A webhook may have no key id;
     * otherwise it must also have one of these key ids.
     */
    Config &add_server_key_id(Text server_key_id) { return set("server_key_id", server_key_id); }
    /** A file with the PEM certificates of a CA to trust in addition to the operating system's CAs. */
    Config &set_ca_file(Text ca_file) { return set("ca_file", ca_file); }
    /** The text of the PEM certificates of a CA to trust in addition to the operating system's CAs. */
    Config &set_ca_pem(Text ca_pem) { return set("ca_pem", ca_pem); }
    /** Trusts only the configured CA, and not the operating system's CAs. */
    template <class Bool, class = detail::Flag<Bool>>
    Config &set_exclusive_ca(Bool exclusive_ca) {
        return set("exclusive_ca", exclusive_ca ? "1" : "0");
    }
    /**
     * A pin of the public key of the service's own certificate: "sha256/" and the base64 of the SHA-256 of the certificate's
     * SubjectPublicKeyInfo. Set several pins while the service changes its key.
     */
    Config &add_pin_spki(Text pin_spki) { return set("pin_spki", pin_spki); }
    /** An HTTP proxy, as "http://host:port" or "http://user:password@host:port". Variables such as HTTP_PROXY are not read. */
    Config &set_proxy(Text proxy) { return set("proxy", proxy); }
    /** Allows plain http to another machine. Anyone on the network path can then read every account and signature. */
    template <class Bool, class = detail::Flag<Bool>>
    Config &set_allow_http(Bool allow_http) {
        return set("allow_http", allow_http ? "1" : "0");
    }
    /** The "User-Agent" header. */
    Config &set_user_agent(Text user_agent) { return set("user_agent", user_agent); }
    /** The time limit of a whole call with its retries. The service itself can take 10 s for new_payment. */
    template <class Number, class = detail::Whole<Number>>
    Config &set_timeout_ms(Number timeout_ms) {
        return set("timeout_ms", detail::digits(timeout_ms));
    }
    /** Like set_timeout_ms, with a duration of std::chrono. */
    template <class Rep, class Period>
    Config &set_timeout(std::chrono::duration<Rep, Period> timeout) {
        return set("timeout_ms", detail::digits(timeout));
    }
    /** The time limit for opening one connection. */
    template <class Number, class = detail::Whole<Number>>
    Config &set_connect_timeout_ms(Number connect_timeout_ms) {
        return set("connect_timeout_ms", detail::digits(connect_timeout_ms));
    }
    /** Like set_connect_timeout_ms, with a duration of std::chrono. */
    template <class Rep, class Period>
    Config &set_connect_timeout(std::chrono::duration<Rep, Period> connect_timeout) {
        return set("connect_timeout_ms", detail::digits(connect_timeout));
    }
    /**
     * The time after a response for which the response's connection can be reused for a call that is sent only once. 0 means
     * never.
     */
    template <class Number, class = detail::Whole<Number>>
    Config &set_reuse_idle_ms(Number reuse_idle_ms) {
        return set("reuse_idle_ms", detail::digits(reuse_idle_ms));
    }
    /** Like set_reuse_idle_ms, with a duration of std::chrono. */
    template <class Rep, class Period>
    Config &set_reuse_idle(std::chrono::duration<Rep, Period> reuse_idle) {
        return set("reuse_idle_ms", detail::digits(reuse_idle));
    }
    /** The time for which a connection that was opened early can wait for its first request. */
    template <class Number, class = detail::Whole<Number>>
    Config &set_connect_idle_ms(Number connect_idle_ms) {
        return set("connect_idle_ms", detail::digits(connect_idle_ms));
    }
    /** Like set_connect_idle_ms, with a duration of std::chrono. */
    template <class Rep, class Period>
    Config &set_connect_idle(std::chrono::duration<Rep, Period> connect_idle) {
        return set("connect_idle_ms", detail::digits(connect_idle));
    }
    /**
     * The largest number of retries; 0 means no retries. The library retries get_available_amounts and get_status, and any other
     * request only if no byte of that request was written.
     */
    template <class Number, class = detail::Whole<Number>>
    Config &set_max_retries(Number max_retries) {
        return set("max_retries", detail::digits(max_retries));
    }
    /** The size of the largest reply body that is read. */
    template <class Number, class = detail::Whole<Number>>
    Config &set_max_reply_bytes(Number max_reply_bytes) {
        return set("max_reply_bytes", detail::digits(max_reply_bytes));
    }
    // generated: end
    /** Sets a setting by its name, such as "timeout_ms", and its text; commas separate the texts of a list. */
    Config &set(const char *name, const Text &text) { return detail::set(mpay_config_set, handle(), name, text), *this; }
    /** Sets each setting whose variable is in the environment: MERCHANTPAY_BASE_URL and so on. */
    MERCHANTPAY_NODISCARD_FAILURE detail::Returned<void> set_from_env() { return detail::run(mpay_config_from_env, handle()); }
    /** Removes all added public keys and key ids of the service. */
    Config &clear_server_keys() { return done(mpay_config_clear_server_keys(handle()), "server_keys"); }
    /** The client's certificate and its private key, as PEM files. The client shows the certificate to a service that asks for one. */
    Config &set_client_certificate(Text cert_file, Text key_file) {
        if (!cert_file.whole() || !key_file.whole()) mpay_config_set_client_certificate(handle(), detail::refused_text(), nullptr);
        const char *certificate = cert_file.get("cert_file"), *key = key_file.get("key_file");
        return done(mpay_config_set_client_certificate(handle(), certificate, key), "client_certificate");
    }
    /** Sets the function that gets every HTTP attempt; an empty function removes it. */
    Config &set_log_callback(LogCallback callback) {
        return set_callback(mpay_config_set_log_callback, detail::log_attempt, std::move(callback), "log_callback");
    }
    /** Sets the function that signs in place of the private key; an empty function removes it. */
    Config &set_signer_callback(SignerCallback callback) {
        return set_callback(mpay_config_set_signer_callback, detail::sign, std::move(callback), "signer_callback");
    }

private:
    template <class Setter, class Call, class Function>
    Config &set_callback(Setter setter, Call call, Function callback, const char *name) {
        auto *kept = callback ? new Function(std::move(callback)) : nullptr;
        return done(setter(handle(), kept ? call : nullptr, kept, detail::release<Function>), name);
    }
    Config &set_key(const char *name, const Text &key) {
        // A key that contains a NUL is an invalid key, like a key with any other character that base64 does not have.
        return set(name, key.whole() ? key : Text("\x01"));
    }
    Config &done(std::int32_t code, const char *name) { return detail::check_setter(code, name), *this; }
};

/** The fields of a request, for get_available_amounts, new_payment and new_payment_async. */
class PaymentRequest : public detail::Owner<mpay_payment_request> {
public:
    PaymentRequest() : Owner(detail::Handle<mpay_payment_request>(mpay_payment_request_new())) {}

    // generated: begin request_fields
    /** The sum in rubles: greater than 0, exact, with at most 28 digits. */
    PaymentRequest &set_sum(Text sum) { return set(mpay_payment_request_set_sum, sum, "sum"); }
    /** The currency. It is "RUB", even if it is not set. */
    PaymentRequest &set_currency(Text currency) { return set(mpay_payment_request_set_currency, currency, "currency"); }
    /** The way in which the customer pays: "card" or "sbp". */
    PaymentRequest &set_payment_method(Text payment_method) {
        return set(mpay_payment_request_set_payment_method, payment_method, "payment_method");
    }
    /**
     * The customer's account. get_available_amounts does not require an account, and at present the service ignores the account
     * in that operation.
     */
    PaymentRequest &set_customer_account(Text customer_account) {
        return set(mpay_payment_request_set_customer_account, customer_account, "customer_account");
    }
    /** An absolute http or https URL that receives status webhooks (contract, section 6.2). */
    PaymentRequest &set_status_webhook_url(Text status_webhook_url) {
        return set(mpay_payment_request_set_status_webhook_url, status_webhook_url, "status_webhook_url");
    }
    /**
     * An absolute http or https URL that receives the credentials (contract, section 6.1). new_payment_async requires it, and
     * new_payment refuses it.
     */
    PaymentRequest &set_credentials_webhook_url(Text credentials_webhook_url) {
        return set(mpay_payment_request_set_credentials_webhook_url, credentials_webhook_url, "credentials_webhook_url");
    }
    /** The code of the customer's bank. The merchant's agreement with the service may require it. */
    PaymentRequest &set_payer_bank(Text payer_bank) { return set(mpay_payment_request_set_payer_bank, payer_bank, "payer_bank"); }
    /** The merchant's own identifier, for reconciliation and support. */
    PaymentRequest &set_merchant_id(Text merchant_id) { return set(mpay_payment_request_set_merchant_id, merchant_id, "merchant_id"); }
    /** The largest difference by which an amount may be above the sum; it must not be negative. */
    PaymentRequest &set_sum_drift_up(Text sum_drift_up) { return set(mpay_payment_request_set_sum_drift_up, sum_drift_up, "sum_drift_up"); }
    /** The largest difference by which an amount may be below the sum; it must not be negative. */
    PaymentRequest &set_sum_drift_down(Text sum_drift_down) {
        return set(mpay_payment_request_set_sum_drift_down, sum_drift_down, "sum_drift_down");
    }
    // generated: end
    /** Sets a field by its name, such as "customer_account", and its text. */
    PaymentRequest &set(const char *name, const Text &text) { return detail::set(mpay_payment_request_set, handle(), name, text), *this; }
    template <class Number, class = detail::Whole<Number>>
    PaymentRequest &set_sum_minor(Number kopecks) {
        std::int64_t minor_units = 0;
        if (detail::fits(kopecks, minor_units)) return done(mpay_payment_request_set_sum_minor(handle(), minor_units), "sum");
        return done(mpay_payment_request_set_sum(handle(), detail::refused_text()), "sum");
    }

private:
    PaymentRequest &set(std::int32_t(MPAY_CALL *setter)(mpay_payment_request *, const char *), Text text, const char *name) {
        if (!text.whole()) setter(handle(), detail::refused_text());
        return done(setter(handle(), text.get(name)), name);
    }
    PaymentRequest &done(std::int32_t code, const char *name) { return detail::check_setter(code, name), *this; }
};

/** Files for a payment in arbitration. */
class Receipt : public detail::Owner<mpay_receipt> {
public:
    explicit Receipt(Text order_id) : Owner(detail::Handle<mpay_receipt>(mpay_receipt_new(order_id.get("order_id")))) {}

    /** Adds a file from disk. The file is read now. */
    MERCHANTPAY_NODISCARD_FAILURE detail::Chained<Receipt> add_file(Text path) {
        return detail::run_on(*this, mpay_receipt_add_file, handle(), path.get("path"));
    }
    /** Adds a file from memory. The bytes are copied. The content type must be one that the contract lists (section 8). */
    MERCHANTPAY_NODISCARD_FAILURE detail::Chained<Receipt> add_bytes(Text file_name, Text content_type, const void *data, std::size_t len) {
        const char *file = file_name.get("file_name"), *type = content_type.get("content_type");
        return detail::run_on(*this, mpay_receipt_add_bytes, handle(), file, type, data, len);
    }
    MERCHANTPAY_NODISCARD_FAILURE detail::Chained<Receipt> add_bytes(Text file_name, Text content_type, detail::Bytes data) {
        return add_bytes(file_name, content_type, data.data(), data.size());
    }
};

/** The reply of get_available_amounts. */
class AvailableAmounts : public detail::Owner<mpay_amounts> {
public:
    using const_iterator = std::vector<std::string>::const_iterator;
    using iterator = const_iterator;
    using value_type = std::string;

    explicit AvailableAmounts(detail::Handle<mpay_amounts> handle) : Owner(std::move(handle)) {
        for (std::size_t index = 0; index < count(); ++index) amounts_.emplace_back(mpay_amounts_get(this->handle(), index));
    }

    std::size_t count() const noexcept { return mpay_amounts_count(handle()); }
    /** The amount at `index`, as decimal text; absent after the last amount. */
    Optional<std::string> get(std::size_t index) const { return detail::optional(mpay_amounts_get(handle(), index)); }
    /** The amount at `index` in kopecks; absent after the last amount, and if the amount has a fraction of a kopeck or does not
        fit. */
    Optional<std::int64_t> get_minor(std::size_t index) const { return detail::optional_minor(mpay_amounts_get_minor(handle(), index)); }
    std::vector<std::string> all() const { return amounts_; }
    /** For a loop: for (const std::string &amount : amounts). The amounts must outlive the loop. */
    const_iterator begin() const noexcept { return amounts_.begin(); }
    const_iterator end() const noexcept { return amounts_.end(); }
    std::size_t size() const noexcept { return count(); }
    // generated: begin amounts_fields
    /** Amounts that are not listed may succeed too: an empty list is then no refusal. */
    bool other_possible() const noexcept { return mpay_amounts_other_possible(handle()) != 0; }
    /** The verified body, unchanged. */
    std::string json() const { return detail::text_or_empty(mpay_amounts_json(handle())); }
    // generated: end

private:
    std::vector<std::string> amounts_;
};

/** A payment, as the service reported it. Copies share their content. */
class Payment : public detail::Shared<mpay_payment> {
public:
    using Shared::Shared;

    // generated: begin payment_fields
    /** The service's identifier of the payment. */
    std::string order_id() const { return detail::text_or_empty(mpay_payment_order_id(handle())); }
    /**
     * The payment's sum in its currency. After the customer has paid, it is the amount that was actually paid, which can be more
     * or less than requested. A failed payment has a sum too.
     */
    Optional<std::string> sum() const { return detail::optional(mpay_payment_sum(handle())); }
    /** The currency of the sum. The reply to new_payment and the credentials webhook have it. */
    Optional<std::string> currency() const { return detail::optional(mpay_payment_currency(handle())); }
    /** The account to which the customer pays. */
    Optional<std::string> payee_account() const { return detail::optional(mpay_payment_payee_account(handle())); }
    /** The bank of the payee's account. */
    Optional<std::string> payee_account_bank() const { return detail::optional(mpay_payment_payee_account_bank(handle())); }
    /** The holder of the payee's account. In the reply to get_status the name is in Latin letters. */
    Optional<std::string> payee_name() const { return detail::optional(mpay_payment_payee_name(handle())); }
    /**
     * The sum in the currency of the merchant's balance, with commission. The sum is fixed when the service issues the
     * credentials.
     */
    Optional<std::string> deal_sum() const { return detail::optional(mpay_payment_deal_sum(handle())); }
    /** The currency of the merchant's balance. */
    Optional<std::string> deal_currency() const { return detail::optional(mpay_payment_deal_currency(handle())); }
    /** The rate from the payment's currency to the currency of the merchant's balance. */
    Optional<std::string> deal_rate() const { return detail::optional(mpay_payment_deal_rate(handle())); }
    /** The URL of the customer's payment frame. */
    Optional<std::string> deeplink() const { return detail::optional(mpay_payment_deeplink(handle())); }
    /** The payment's status (contract, section 3). The reply to get_status and status webhooks have it. */
    Optional<std::string> status() const { return detail::optional(mpay_payment_status(handle())); }
    /**
     * The payment's sum in its currency. After the customer has paid, it is the amount that was actually paid, which can be more
     * or less than requested. A failed payment has a sum too. In kopecks; absent also if it has a fraction of a kopeck or does
     * not fit.
     */
    Optional<std::int64_t> sum_minor() const { return detail::optional_minor(mpay_payment_sum_minor(handle())); }
    /** The payment's status (contract, section 3). The reply to get_status and status webhooks have it. */
    Status status_code() const noexcept { return static_cast<Status>(mpay_payment_status_code(handle())); }
    /** The status is final. */
    bool is_final() const noexcept { return mpay_payment_is_final(handle()) != 0; }
    /** The verified body, unchanged. */
    std::string json() const { return detail::text_or_empty(mpay_payment_json(handle())); }
    // generated: end
    /** Compares the paid sum with `asked`, the requested sum as decimal text. */
    Paid paid(Text asked) const noexcept {
        return asked.whole() ? static_cast<Paid>(mpay_payment_paid(handle(), asked.get("asked"))) : Paid::unknown;
    }
};

/** An exact decimal, the result of to_balance. */
class Amount : public detail::Owner<mpay_amount> {
public:
    using Owner::Owner;

    /** The amount as decimal text. */
    std::string text() const { return detail::text_or_empty(mpay_amount_text(handle())); }
    /** The amount in hundredths. This function is not called minor, because some systems have a macro with that name. */
    Optional<std::int64_t> in_minor() const { return detail::optional_minor(mpay_amount_minor(handle())); }
};

/** Makes calls to the service. Any number of threads may share a client. */
class Client : public detail::Owner<mpay_client> {
public:
    using Owner::Owner;
#ifndef MERCHANTPAY_NO_EXCEPTIONS
    explicit Client(const Config &config) : Client(create(config)) {}
#endif
    /** Makes a client from settings. The settings are copied. */
    MERCHANTPAY_NODISCARD static detail::Returned<Client> create(const Config &config) {
        return detail::make<Client, mpay_client>(mpay_client_new, config.handle());
    }

    /** Makes a derived client with the same settings, keys and connections. The timeout, in milliseconds or as a duration, is the
        deadline of the derived client's calls; 0 keeps this client's deadline. The derived client can be interrupted separately;
        interrupting this client interrupts it too. */
    MERCHANTPAY_NODISCARD detail::Returned<Client> derive(detail::Timeout timeout = 0) const {
        return timeout.within<Client>(
            [&](std::uint32_t ms) { return detail::make<Client, mpay_client>(mpay_client_derive, handle(), ms); });
    }
    /** Ends the running calls of this client and of every client derived from it, with Code::cancelled. The interruption is
        permanent: later calls do not start. Any thread may call this function while the client exists. */
    void interrupt() const noexcept { mpay_client_interrupt(handle()); }
    /** Opens a connection for the next call, which then needs one round trip. Config::set_connect_idle_ms limits how long the
        connection waits for that call. */
    detail::Returned<void> connect() const { return detail::run(mpay_client_connect, handle()); }
    // generated: begin operations
    /** Returns the amounts for which the service has a counter-offer at this moment. No amount is reserved. */
    MERCHANTPAY_NODISCARD detail::Returned<AvailableAmounts> get_available_amounts(const PaymentRequest &request) const {
        return detail::make<AvailableAmounts, mpay_amounts>(mpay_get_available_amounts, handle(), request.handle());
    }
    /** Makes a payment. Returns the credentials with which the customer pays, after up to 10 seconds. */
    MERCHANTPAY_NODISCARD detail::Returned<Payment> new_payment(const PaymentRequest &request) const {
        return detail::make<Payment, mpay_payment>(mpay_new_payment, handle(), request.handle());
    }
    /** Makes a payment. Returns only its order id: the credentials arrive by webhook. */
    MERCHANTPAY_NODISCARD detail::Returned<Payment> new_payment_async(const PaymentRequest &request) const {
        return detail::make<Payment, mpay_payment>(mpay_new_payment_async, handle(), request.handle());
    }
    /** Reports that the customer has paid. The service then starts to check the payment. */
    MERCHANTPAY_NODISCARD_FAILURE detail::Returned<void> confirm(Text order_id) const {
        return detail::run(mpay_confirm, handle(), order_id.get("order_id"));
    }
    /** Cancels a payment. The service refuses the cancellation if the payment can no longer be cancelled. */
    MERCHANTPAY_NODISCARD_FAILURE detail::Returned<void> cancel(Text order_id) const {
        return detail::run(mpay_cancel, handle(), order_id.get("order_id"));
    }
    /** Returns the payment with its present status. */
    MERCHANTPAY_NODISCARD detail::Returned<Payment> get_status(Text order_id) const {
        return detail::make<Payment, mpay_payment>(mpay_get_status, handle(), order_id.get("order_id"));
    }
    /** Attaches receipts (PDF, JPEG or PNG) to a payment in arbitration. */
    MERCHANTPAY_NODISCARD_FAILURE detail::Returned<void> attach_receipt(const Receipt &receipt) const {
        return detail::run(mpay_attach_receipt, handle(), receipt.handle());
    }
    // generated: end
    /** Calls get_status until the status is final. Fails with Code::timeout and Outcome::unknown if the status is not final in
        time. The timeout is in milliseconds or a duration. */
    MERCHANTPAY_NODISCARD detail::Returned<Payment> wait(Text order_id, detail::Timeout timeout) const {
        return timeout.within<Payment>(
            [&](std::uint32_t ms) { return detail::make<Payment, mpay_payment>(mpay_wait, handle(), order_id.get("order_id"), ms); });
    }
};

/** The event that a verified webhook reports. Copies share their content. */
class Event : public detail::Shared<mpay_event> {
public:
    explicit Event(std::shared_ptr<const mpay_event> event)
        : Shared(std::move(event)), payment_(std::shared_ptr<const mpay_payment>(handle_, mpay_event_payment(handle()))) {}

    EventKind kind() const noexcept { return static_cast<EventKind>(mpay_event_kind(handle())); }
    /** The payment that the event is about. It can outlive the event. */
    const Payment &payment() const & noexcept { return payment_; }
    Payment payment() && { return std::move(payment_); }

private:
    Payment payment_;
};

/** The reason why a webhook does not verify. Write it to the log, and do not return it to the sender. */
class Explanation : public detail::Owner<mpay_explanation> {
public:
    using Owner::Owner;
    Explanation() noexcept : Owner(nullptr) {}

    // generated: begin explanation_fields
    /** The cause. */
    Cause cause() const noexcept { return static_cast<Cause>(mpay_explanation_cause(handle())); }
    /** The cause. */
    std::string cause_name() const { return detail::text_or_empty(mpay_explanation_cause_name(handle())); }
    /** The exact fault and its remedy, for a developer. */
    std::string hint() const { return detail::text_or_empty(mpay_explanation_hint(handle())); }
    // generated: end
};

/** Verifies webhooks. Any number of threads may share a verifier. */
class Verifier : public detail::Owner<mpay_verifier> {
public:
    using Owner::Owner;
#ifndef MERCHANTPAY_NO_EXCEPTIONS
    explicit Verifier(const Config &config) : Verifier(create(config)) {}
#endif
    /** Makes a verifier from settings. The settings are copied. A verifier needs no private key. */
    MERCHANTPAY_NODISCARD static detail::Returned<Verifier> create(const Config &config) {
        return detail::make<Verifier, mpay_verifier>(mpay_verifier_new, config.handle());
    }

    /** Verifies a webhook: the unchanged bytes of its body, and the values of the signature and key id headers; nullptr for an
        absent header. */
    MERCHANTPAY_NODISCARD detail::Returned<Event> verify_webhook(const void *body, std::size_t len, Text signature, Text key_id) const {
        // The sender wrote these texts. So a NUL in them is not the program's mistake: the webhook is unverified.
        const char *signed_by = signature.get("signature", Code::unverified, Outcome::unknown);
        const char *key = key_id.get("key_id", Code::unverified, Outcome::unknown);
        return detail::make<Event, mpay_event>(mpay_verify_webhook, handle(), body, len, signed_by, key);
    }
    MERCHANTPAY_NODISCARD detail::Returned<Event> verify_webhook(detail::Bytes body, Text signature, Text key_id) const {
        return verify_webhook(body.data(), body.size(), signature, key_id);
    }
    /** Explains why a webhook does not verify; absent if its signature and key id are accepted. The arguments are those of
        verify_webhook. */
    MERCHANTPAY_NODISCARD detail::Returned<Optional<Explanation>> explain(const void *body, std::size_t len, Text signature,
                                                                          Text key_id) const {
        // A correct header contains no NUL. So a text with a NUL is replaced by a different text that cannot be correct.
        const char *signed_by = signature.whole() ? signature.get("signature") : "\x01";
        const char *key = key_id.whole() ? key_id.get("key_id") : "\x01";
        return detail::find<Explanation, mpay_explanation>(mpay_explain_webhook, handle(), body, len, signed_by, key);
    }
    MERCHANTPAY_NODISCARD detail::Returned<Optional<Explanation>> explain(detail::Bytes body, Text signature, Text key_id) const {
        return explain(body.data(), body.size(), signature, key_id);
    }
};

/** A new pair of keys. */
class Keypair : public detail::Owner<mpay_keypair> {
public:
    using Owner::Owner;
    /** Makes a pair from the operating system's random bytes. */
    MERCHANTPAY_NODISCARD static detail::Returned<Keypair> generate() { return detail::make<Keypair, mpay_keypair>(mpay_keypair_generate); }

    /** The private key, a secret. It is borrowed from the pair, which wipes it. NULL if the pair was moved from. */
    const char *private_key() const noexcept { return mpay_keypair_private_key(handle()); }
    /** The public key, for the service: base64 of 32 bytes. */
    std::string public_key() const { return detail::text_or_empty(mpay_keypair_public_key(handle())); }
};

/** A response exactly as the program received it. The request was sent, so an error of this class has Outcome::unknown. */
class HttpResponse : public detail::Owner<mpay_http_response> {
public:
    HttpResponse() : Owner(detail::Handle<mpay_http_response>(mpay_http_response_new())) {}

    HttpResponse &set_status(std::int32_t status) { return done(mpay_http_response_set_status(handle(), status), "status"); }
    /** Adds a header. Add all headers of the response, also repeated ones. */
    HttpResponse &add_header(Text name, Text value) {
        // An invalid header makes the response unusable: without this header it would be a different response.
        if (!name.whole() || !value.whole()) mpay_http_response_add_header(handle(), nullptr, nullptr);
        const char *header = name.get("name", Code::unverified, Outcome::unknown);
        return done(mpay_http_response_add_header(handle(), header, value.get("value", Code::unverified, Outcome::unknown)), "header");
    }
    /** Sets the body: its unchanged bytes, which are copied. */
    HttpResponse &set_body(const void *body, std::size_t len) { return done(mpay_http_response_set_body(handle(), body, len), "body"); }
    HttpResponse &set_body(detail::Bytes body) { return set_body(body.data(), body.size()); }

private:
    HttpResponse &done(std::int32_t code, const char *name) { return detail::check_setter(code, name, Outcome::unknown), *this; }
};

/** A request that the program sends by POST, once. This object also opens the response. */
class HttpRequest : public detail::Owner<mpay_http_request> {
public:
    using Owner::Owner;

    std::string url() const { return detail::text_or_empty(mpay_http_request_url(handle())); }
    /** All headers to send, as names and values. */
    std::vector<std::pair<std::string, std::string>> headers() const {
        std::vector<std::pair<std::string, std::string>> headers;
        for (std::size_t index = 0; index < mpay_http_request_header_count(handle()); ++index)
            headers.emplace_back(mpay_http_request_header_name(handle(), index), mpay_http_request_header_value(handle(), index));
        return headers;
    }
    /** The body: send exactly these bytes. */
    std::string body() const {
        const void *body = mpay_http_request_body(handle());
        return body ? std::string(static_cast<const char *>(body), mpay_http_request_body_len(handle())) : std::string();
    }

    // generated: begin open
    /**
     * Opens the response to the request of prepare_get_available_amounts: verifies and parses the bytes of the response, and
     * checks that it belongs to the request.
     */
    MERCHANTPAY_NODISCARD detail::Returned<AvailableAmounts> open_get_available_amounts(const HttpResponse &response) const {
        return detail::make<AvailableAmounts, mpay_amounts>(mpay_open_get_available_amounts, handle(), response.handle());
    }
    /**
     * Opens the response to the request of prepare_new_payment: verifies and parses the bytes of the response, and checks that it
     * belongs to the request.
     */
    MERCHANTPAY_NODISCARD detail::Returned<Payment> open_new_payment(const HttpResponse &response) const {
        return detail::make<Payment, mpay_payment>(mpay_open_new_payment, handle(), response.handle());
    }
    /**
     * Opens the response to the request of prepare_new_payment_async: verifies and parses the bytes of the response, and checks
     * that it belongs to the request.
     */
    MERCHANTPAY_NODISCARD detail::Returned<Payment> open_new_payment_async(const HttpResponse &response) const {
        return detail::make<Payment, mpay_payment>(mpay_open_new_payment_async, handle(), response.handle());
    }
    /**
     * Opens the response to the request of prepare_confirm: verifies and parses the bytes of the response, and checks that it
     * belongs to the request.
     */
    MERCHANTPAY_NODISCARD_FAILURE detail::Returned<void> open_confirm(const HttpResponse &response) const {
        return detail::run(mpay_open_confirm, handle(), response.handle());
    }
    /**
     * Opens the response to the request of prepare_cancel: verifies and parses the bytes of the response, and checks that it
     * belongs to the request.
     */
    MERCHANTPAY_NODISCARD_FAILURE detail::Returned<void> open_cancel(const HttpResponse &response) const {
        return detail::run(mpay_open_cancel, handle(), response.handle());
    }
    /**
     * Opens the response to the request of prepare_get_status: verifies and parses the bytes of the response, and checks that it
     * belongs to the request.
     */
    MERCHANTPAY_NODISCARD detail::Returned<Payment> open_get_status(const HttpResponse &response) const {
        return detail::make<Payment, mpay_payment>(mpay_open_get_status, handle(), response.handle());
    }
    /**
     * Opens the response to the request of prepare_attach_receipt: verifies and parses the bytes of the response, and checks that
     * it belongs to the request.
     */
    MERCHANTPAY_NODISCARD_FAILURE detail::Returned<void> open_attach_receipt(const HttpResponse &response) const {
        return detail::run(mpay_open_attach_receipt, handle(), response.handle());
    }
    // generated: end
};

/** The client without I/O, for programs that send requests themselves. Any number of threads may share a protocol. */
class Protocol : public detail::Owner<mpay_protocol> {
public:
    using Owner::Owner;
#ifndef MERCHANTPAY_NO_EXCEPTIONS
    explicit Protocol(const Config &config) : Protocol(create(config)) {}
#endif
    /** Makes a protocol from settings. The settings are copied. A protocol needs the same settings as a client. */
    MERCHANTPAY_NODISCARD static detail::Returned<Protocol> create(const Config &config) {
        return detail::make<Protocol, mpay_protocol>(mpay_protocol_new, config.handle());
    }

    // generated: begin prepare
    /** Checks the request of Client::get_available_amounts and signs its bytes. */
    MERCHANTPAY_NODISCARD detail::Returned<HttpRequest> prepare_get_available_amounts(const PaymentRequest &request) const {
        return detail::make<HttpRequest, mpay_http_request>(mpay_prepare_get_available_amounts, handle(), request.handle());
    }
    /** Checks the request of Client::new_payment and signs its bytes. */
    MERCHANTPAY_NODISCARD detail::Returned<HttpRequest> prepare_new_payment(const PaymentRequest &request) const {
        return detail::make<HttpRequest, mpay_http_request>(mpay_prepare_new_payment, handle(), request.handle());
    }
    /** Checks the request of Client::new_payment_async and signs its bytes. */
    MERCHANTPAY_NODISCARD detail::Returned<HttpRequest> prepare_new_payment_async(const PaymentRequest &request) const {
        return detail::make<HttpRequest, mpay_http_request>(mpay_prepare_new_payment_async, handle(), request.handle());
    }
    /** Checks the request of Client::confirm and signs its bytes. */
    MERCHANTPAY_NODISCARD detail::Returned<HttpRequest> prepare_confirm(Text order_id) const {
        return detail::make<HttpRequest, mpay_http_request>(mpay_prepare_confirm, handle(), order_id.get("order_id"));
    }
    /** Checks the request of Client::cancel and signs its bytes. */
    MERCHANTPAY_NODISCARD detail::Returned<HttpRequest> prepare_cancel(Text order_id) const {
        return detail::make<HttpRequest, mpay_http_request>(mpay_prepare_cancel, handle(), order_id.get("order_id"));
    }
    /** Checks the request of Client::get_status and signs its bytes. */
    MERCHANTPAY_NODISCARD detail::Returned<HttpRequest> prepare_get_status(Text order_id) const {
        return detail::make<HttpRequest, mpay_http_request>(mpay_prepare_get_status, handle(), order_id.get("order_id"));
    }
    /** Checks the request of Client::attach_receipt and signs its bytes. */
    MERCHANTPAY_NODISCARD detail::Returned<HttpRequest> prepare_attach_receipt(const Receipt &receipt) const {
        return detail::make<HttpRequest, mpay_http_request>(mpay_prepare_attach_receipt, handle(), receipt.handle());
    }
    // generated: end
};

/** The settings of a journal. A journal copies them when it is opened. */
class JournalConfig : public detail::Owner<mpay_journal_config> {
public:
    JournalConfig() : Owner(detail::Handle<mpay_journal_config>(mpay_journal_config_new())) {}

    // generated: begin journal_settings
    /** Where the journal is: the absolute path of a file that only the journal uses, postgresql://... or mysql://.... */
    JournalConfig &set_place(Text place) { return set("place", place); }
    /** The URL to which the service sends webhooks; each attempt adds its own token. */
    JournalConfig &set_callback_url(Text callback_url) { return set("callback_url", callback_url); }
    /** Creates the file or the tables if they are missing. Off by default: a wrong path would look like a new shop. */
    template <class Bool, class = detail::Flag<Bool>>
    JournalConfig &set_create(Bool create) {
        return set("create", create ? "1" : "0");
    }
    /** How long a repeated pay waits for the running call of the same payment; 0 for no wait. */
    template <class Number, class = detail::Whole<Number>>
    JournalConfig &set_pay_wait_ms(Number pay_wait_ms) {
        return set("pay_wait_ms", detail::digits(pay_wait_ms));
    }
    /** Like set_pay_wait_ms, with a duration of std::chrono. */
    template <class Rep, class Period>
    JournalConfig &set_pay_wait(std::chrono::duration<Rep, Period> pay_wait) {
        return set("pay_wait_ms", detail::digits(pay_wait));
    }
    /** The deadline of a payment, which includes storing it; nothing is sent after it. At least 15 s, at most 10 min. */
    template <class Number, class = detail::Whole<Number>>
    JournalConfig &set_timeout_ms(Number timeout_ms) {
        return set("timeout_ms", detail::digits(timeout_ms));
    }
    /** Like set_timeout_ms, with a duration of std::chrono. */
    template <class Rep, class Period>
    JournalConfig &set_timeout(std::chrono::duration<Rep, Period> timeout) {
        return set("timeout_ms", detail::digits(timeout));
    }
    /** Settings of the database that can lose a commit and that the merchant accepts, separated by commas. */
    JournalConfig &add_durability_vouched(Text durability_vouched) { return set("durability_vouched", durability_vouched); }
    /** A file whose first line is the database's password. It is read again for each connection. */
    JournalConfig &set_password_file(Text password_file) { return set("password_file", password_file); }
    /** The most connections of this process to a database. */
    template <class Number, class = detail::Whole<Number>>
    JournalConfig &set_connections(Number connections) {
        return set("connections", detail::digits(connections));
    }
    // generated: end
    /** Sets a setting by its name, such as "pay_wait_ms", and its text. */
    JournalConfig &set(const char *name, const Text &text) { return detail::set(mpay_journal_config_set, handle(), name, text), *this; }
};

/** A statement for the merchant's own transaction in the journal's database. If it changes no row, roll back, and read the news
    again. */
struct AcknowledgeSql {
    /** The UPDATE; empty if the entry is not an attempt. */
    std::string text;
    /** The first parameter, named "reference". */
    std::string reference;
    /** The second parameter, named "attempt". */
    std::uint32_t attempt;
    /** The third parameter, named "news". */
    std::int64_t news;
};

/** One attempt of a payment. An item of Journal::attention can also be an orphan, or a row that cannot be read. An entry is a value:
    it does not change, and needs no journal. Copies share their content. The getters of an empty Entry return 0 or empty values. */
class Entry : public detail::Shared<mpay_entry> {
public:
    using Shared::Shared;
    Entry() noexcept : Shared(nullptr) {}

    // generated: begin entry_fields
    /** The merchant's order number. */
    std::string reference() const { return detail::text_or_empty(mpay_entry_reference(handle())); }
    /** The number of the attempt, from 1. */
    std::uint32_t attempt() const noexcept { return mpay_entry_attempt(handle()); }
    /** The state of the attempt. It does not say that the attempt is paid: "succeeded" does. */
    Standing standing() const noexcept { return static_cast<Standing>(mpay_entry_standing(handle())); }
    /** The service's order id, once it is known. */
    Optional<std::string> order_id() const { return detail::optional(mpay_entry_order_id(handle())); }
    /** The last status that the service reported. */
    Optional<std::string> status() const { return detail::optional(mpay_entry_status(handle())); }
    /** The requested sum. */
    Optional<std::string> sum_asked() const { return detail::optional(mpay_entry_sum_asked(handle())); }
    /** The paid sum, once the service has reported a success with its sum. */
    Optional<std::string> sum_paid() const { return detail::optional(mpay_entry_sum_paid(handle())); }
    /** Ship: paid with the requested sum, and the reference's only success. */
    bool succeeded() const noexcept { return mpay_entry_succeeded(handle()) != 0; }
    /** The number of the newest news. It only grows; 0 if there were none. */
    std::int64_t news() const noexcept { return mpay_entry_news(handle()); }
    /** The newest news are acknowledged, or there were none. */
    bool acknowledged() const noexcept { return mpay_entry_acknowledged(handle()) != 0; }
    /** The newest instruction: confirm or cancel. */
    Intent intent() const noexcept { return static_cast<Intent>(mpay_entry_intent(handle())); }
    /** What became of the instruction. */
    IntentState intent_state() const noexcept { return static_cast<IntentState>(mpay_entry_intent_state(handle())); }
    /** When the attempt was stored, in milliseconds since 1970 by the database's clock. */
    std::int64_t created_at_ms() const noexcept { return mpay_entry_created_at_ms(handle()); }
    /** When it was last written, likewise. */
    std::int64_t updated_at_ms() const noexcept { return mpay_entry_updated_at_ms(handle()); }
    /** The state of the attempt. It does not say that the attempt is paid: "succeeded" does. */
    std::string standing_name() const { return detail::text_or_empty(mpay_entry_standing_name(handle())); }
    /** The code's name. */
    Code error_code() const noexcept { return static_cast<Code>(mpay_entry_error_code(handle())); }
    /** The outcome's name. */
    Outcome error_outcome() const noexcept { return static_cast<Outcome>(mpay_entry_error_outcome(handle())); }
    /** The service's own text. */
    Optional<std::string> error_description() const { return detail::optional(mpay_entry_error_description(handle())); }
    // generated: end
    /** Returns true if the customer may pay. Then credentials() has the payment details. */
    bool has_credentials() const noexcept { return mpay_entry_credentials(handle()) != nullptr; }
    /** The payment details that the customer needs. Check has_credentials first: they are present only while the customer may pay. */
    Payment credentials() const { return Payment(std::shared_ptr<const mpay_payment>(handle_, mpay_entry_credentials(handle()))); }
    /** The reasons for which a person must look at the attempt. */
    std::vector<Attention> attention() const {
        std::vector<Attention> reasons;
        while (const std::int32_t reason = mpay_entry_attention(handle(), reasons.size()))
            reasons.push_back(static_cast<Attention>(reason));
        return reasons;
    }
    /** What each reason means for this attempt; only of an entry of Journal::attention. */
    std::vector<std::string> details() const {
        std::vector<std::string> details;
        while (const char *detail = mpay_entry_detail(handle(), details.size())) details.push_back(detail);
        return details;
    }
    /** Returns true for an orphan, verified messages about an order that no attempt has. It has the order id, the status and the
        arrival of its first message. It has the reference and the number of an attempt only if it came to the URL of that attempt. */
    bool is_orphan() const noexcept { return mpay_entry_is_orphan(handle()) != 0; }
    /** The column that cannot be read in a row that a newer version or another program has written. Such an item has only the
        reference and the number of the attempt. */
    Optional<std::string> unreadable() const { return detail::optional(mpay_entry_unreadable(handle())); }
    /** The statement that acknowledges this entry, for the merchant's own transaction: its other work is then done exactly once. */
    AcknowledgeSql acknowledge_sql(Style style) const {
        const char *text = mpay_entry_acknowledge_sql(handle(), static_cast<std::int32_t>(style));
        return {detail::text_or_empty(text), reference(), attempt(), news()};
    }
    std::string json() const { return detail::text_or_empty(mpay_entry_json(handle())); }
};

/** The result of a webhook. */
struct Received {
    /** The HTTP status with which to answer the webhook. */
    std::int32_t http_status;
    /** The attempt after the webhook; absent if there is no attempt. */
    Optional<Entry> entry;
    /** The reason why the webhook was not stored; Code::ok if it is stored. */
    Code code;
};

struct Settled {
    std::uint32_t done;
    /** The time in milliseconds until the next attempt is due; absent for never. */
    Optional<std::int64_t> next_due_ms;
};

class Stats : public detail::Owner<mpay_stats> {
public:
    using Owner::Owner;
    /** Returns the number of attempts that are sending, unknown or open. The others are not counted, because their number only
        grows. */
    std::uint64_t count(Standing standing) const noexcept { return mpay_stats_count(handle(), static_cast<std::int32_t>(standing)); }
    // generated: begin stats_fields
    /** Items that a person must look at, with orphans. */
    std::uint64_t attention() const noexcept { return mpay_stats_attention(handle()); }
    /** Attempts about which the service must be asked now. */
    std::uint64_t due() const noexcept { return mpay_stats_due(handle()); }
    /** How long an attempt has been due; absent if none is. */
    std::uint64_t overdue_ms() const noexcept { return mpay_stats_overdue_ms(handle()); }
    /** Entries that nobody has acknowledged. */
    std::uint64_t news() const noexcept { return mpay_stats_news(handle()); }
    /** The note of the pause; absent if the journal is not paused. */
    Optional<std::string> pause_note() const { return detail::optional(mpay_stats_pause_note(handle())); }
    /** The counts as one line of JSON. */
    std::string json() const { return detail::text_or_empty(mpay_stats_json(handle())); }
    // generated: end
};

/** Takes payments by the merchant's own order numbers. Any number of threads may share a journal. */
class Journal : public detail::Owner<mpay_journal> {
public:
    using Owner::Owner;
#ifndef MERCHANTPAY_NO_EXCEPTIONS
    Journal(const Client &client, const JournalConfig &config) : Journal(open(client, config)) {}
#endif
    /** Opens a journal. The client and the settings are copied. */
    MERCHANTPAY_NODISCARD static detail::Returned<Journal> open(const Client &client, const JournalConfig &config) {
        return detail::make<Journal, mpay_journal>(mpay_journal_open, client.handle(), config.handle());
    }

    /** Makes a derived handle of this journal. Its calls can be interrupted separately; interrupting this journal interrupts them too. */
    MERCHANTPAY_NODISCARD detail::Returned<Journal> derive() const {
        return detail::make<Journal, mpay_journal>(mpay_journal_derive, handle());
    }
    /** Ends the calls to the service that this journal and every journal derived from it have started. The interruption is
        permanent: later calls do not start. The result of an interrupted call is still stored. Any thread may call this function
        while the journal exists. */
    void interrupt() const noexcept { mpay_journal_interrupt(handle()); }

    // generated: begin journal_methods
    /** Makes a payment, or returns the reference's present one; it can be repeated at any time. */
    MERCHANTPAY_NODISCARD detail::Returned<Entry> pay(Text reference, const PaymentRequest &request) const {
        return one(mpay_journal_pay, reference.get("reference"), request.handle());
    }
    /** Like pay, by new_payment_async: the credentials come by webhook. */
    MERCHANTPAY_NODISCARD detail::Returned<Entry> pay_async(Text reference, const PaymentRequest &request) const {
        return one(mpay_journal_pay_async, reference.get("reference"), request.handle());
    }
    /** Makes a payment in place of an attempt that a person gives up. */
    MERCHANTPAY_NODISCARD detail::Returned<Entry> replace(Text reference, std::uint32_t attempt, const PaymentRequest &request) const {
        return one(mpay_journal_replace, reference.get("reference"), attempt, request.handle());
    }
    /** The last attempt of a reference; none if there is no such reference. */
    MERCHANTPAY_NODISCARD detail::Returned<Optional<Entry>> find(Text reference) const {
        return optional(mpay_journal_find, reference.get("reference"));
    }
    /**
     * Tells the service that the customer has paid. The journal stores that first, and settle repeats it until there is an
     * answer.
     */
    detail::Returned<Entry> confirm(Text reference, std::uint32_t attempt) const {
        return one(mpay_journal_confirm, reference.get("reference"), attempt);
    }
    /** Like confirm above. */
    detail::Returned<Entry> confirm(const Entry &entry) const { return one(mpay_journal_confirm, reference_of(entry), entry.attempt()); }
    /** Cancels an attempt: do not show its credentials any more. Once the service has accepted that, it can be replaced. */
    detail::Returned<Entry> cancel(Text reference, std::uint32_t attempt) const {
        return one(mpay_journal_cancel, reference.get("reference"), attempt);
    }
    /** Like cancel above. */
    detail::Returned<Entry> cancel(const Entry &entry) const { return one(mpay_journal_cancel, reference_of(entry), entry.attempt()); }
    /**
     * Entries with news that nobody has acknowledged, the oldest first, each leased for a minute. Act on a payment only when this
     * returns its entry.
     */
    MERCHANTPAY_NODISCARD detail::Returned<std::vector<Entry>> news(std::uint32_t limit = 100) const {
        return many(mpay_journal_news, limit);
    }
    /** What a person must look at: attempts with reasons, orphans, and rows that cannot be read. */
    MERCHANTPAY_NODISCARD detail::Returned<std::vector<Entry>> attention(std::uint32_t limit = 100) const {
        return many(mpay_journal_attention, limit);
    }
    // generated: end
    /** Receives a webhook, with the arguments of Verifier::verify_webhook. It does not throw for an invalid webhook: see the
        result's code. */
    Received receive(Text path, const void *body, std::size_t len, Text signature, Text key_id) const {
        std::int32_t http_status = 0;
        mpay_entry *entry = nullptr;
        mpay_error *error = nullptr;
        // A path that no C string can hold is nobody's, and a header that none can hold proves nothing.
        const bool is_whole = signature.whole() && key_id.whole();
        const char *signed_by = is_whole ? signature.get("signature") : detail::refused_text();
        const char *to = path.whole() ? path.get("path") : "", *key = is_whole ? key_id.get("key_id") : nullptr;
        const std::int32_t code = mpay_journal_receive(handle(), to, body, len, signed_by, key, &http_status, &entry, &error);
        detail::Handle<mpay_entry> owner(entry);
        detail::Handle<mpay_error> failure(error);
        return {http_status, owner ? Optional<Entry>(Entry(std::move(owner))) : Optional<Entry>(), static_cast<Code>(code)};
    }
    Received receive(Text path, detail::Bytes body, Text signature, Text key_id) const {
        return receive(path, body.data(), body.size(), signature, key_id);
    }
    /** Asks the service about at most `limit` attempts that are due, and sends unanswered instructions again. */
    detail::Returned<Settled> settle(std::uint32_t limit = 100) const {
        std::uint32_t done = 0;
        std::int64_t next = -1;
        mpay_error *error = nullptr;
        const std::int32_t code = mpay_journal_settle(handle(), limit, &done, &next, &error);
        return detail::finished(code, error, Settled{done, next < 0 ? Optional<std::int64_t>() : Optional<std::int64_t>(next)});
    }
    /** Waits until the last attempt of a reference has reached the goal `until`, or the time is over, in milliseconds or as a
        duration. Returns the attempt's entry. */
    MERCHANTPAY_NODISCARD detail::Returned<Entry> wait(Text reference, detail::Timeout timeout, Until until = Until::credentials) const {
        return timeout.within<Entry>(
            [&](std::uint32_t ms) { return one(mpay_journal_wait, reference.get("reference"), ms, static_cast<std::int32_t>(until)); });
    }
    /** Lists entries, the newest first: of one standing, or each reference's last attempt. If `before` is not empty, it continues
        behind that entry of the page before. */
    MERCHANTPAY_NODISCARD detail::Returned<std::vector<Entry>> list(Standing standing = Standing::any, std::uint32_t limit = 100,
                                                                    const Entry &before = Entry()) const {
        return many(mpay_journal_list, static_cast<std::int32_t>(standing), limit, reference_of(before), before.created_at_ms());
    }
    /** Acknowledges the news with this number of an attempt. Returns true if it did; false if they were acknowledged before, or if
        there are newer news. */
    detail::Returned<bool> acknowledge(Text reference, std::uint32_t attempt, std::int64_t news) const {
        return acknowledged(reference.get("reference"), attempt, news);
    }
    detail::Returned<bool> acknowledge(const Entry &entry) const {
        return acknowledged(reference_of(entry), entry.attempt(), entry.news());
    }
    /** Stores a person's decision, and returns the new entry; absent for an orphan, which can only be seen. Only
        Resolution::order_id needs order_id; `sum` is the sum of that order if it is not the asked one. */
    detail::Returned<Optional<Entry>> resolve(const Entry &item, Resolution resolution, Text note, Text order_id = nullptr,
                                              Text sum = nullptr) const {
        const char *reference = reference_of(item), *why = note.get("note");
        const std::uint32_t attempt = item.attempt();
        switch (resolution) {
        case Resolution::order_id:
            return optional(mpay_journal_resolve_order, reference, attempt, order_id.get("order_id"), sum.get("sum"), why);
        case Resolution::no_payment:
            return optional(mpay_journal_resolve_no_payment, reference, attempt, why);
        case Resolution::trusted:
            return optional(mpay_journal_resolve_trusted, reference, attempt, why);
        case Resolution::seen:
            break;
        }
        if (item.is_orphan()) {
            const char *order = mpay_entry_order_id(item.handle()), *status = mpay_entry_status(item.handle());
            return optional([=](mpay_journal *journal, mpay_entry **, mpay_error **error) {
                return mpay_journal_resolve_orphan(journal, order, status, why, error);
            });
        }
        std::string reasons;
        for (const Attention reason : item.attention()) reasons.append(reasons.empty() ? "" : ",").append(name(reason));
        return optional(mpay_journal_resolve_seen, reference, attempt, reasons.c_str(), why);
    }

    /** Counts what is open, due, new and for a person. */
    MERCHANTPAY_NODISCARD detail::Returned<Stats> stats() const { return detail::make<Stats, mpay_stats>(mpay_journal_stats, handle()); }

private:
    static const char *reference_of(const Entry &entry) noexcept { return mpay_entry_reference(entry.handle()); }
    detail::Returned<bool> acknowledged(const char *reference, std::uint32_t attempt, std::int64_t news) const {
        std::int32_t done = 0;
        mpay_error *error = nullptr;
        const std::int32_t code = mpay_journal_acknowledge(handle(), reference, attempt, news, &done, &error);
        return detail::finished(code, error, done != 0);
    }
    template <class Function, class... Arguments>
    detail::Returned<Optional<Entry>> optional(Function function, Arguments... arguments) const {
        return detail::find<Entry, mpay_entry>(function, handle(), arguments...);
    }
    template <class Function, class... Arguments>
    detail::Returned<Entry> one(Function function, Arguments... arguments) const {
        return detail::make<Entry, mpay_entry>(function, handle(), arguments...);
    }
    template <class Function, class... Arguments>
    detail::Returned<std::vector<Entry>> many(Function function, Arguments... arguments) const {
        mpay_entries *out = nullptr;
        mpay_error *error = nullptr;
        const std::int32_t code = function(handle(), arguments..., &out, &error);
        const std::shared_ptr<mpay_entries> owner(out, mpay_entries_free);
        std::vector<Entry> entries;
        for (std::size_t place = 0; place < mpay_entries_count(out); ++place)
            entries.push_back(Entry(std::shared_ptr<const mpay_entry>(owner, mpay_entries_get(out, place))));
        return detail::finished(code, error, std::move(entries));
    }
};

/** Converts a paid sum at a rate to the currency of the merchant's balance, with `scale` digits after the decimal point. */
MERCHANTPAY_NODISCARD inline detail::Returned<Amount> to_balance(Text sum, Text rate, Balance balance, std::uint32_t scale,
                                                                 Rounding rounding) {
    const char *paid = sum.get("sum"), *at = rate.get("rate");
    const auto currency = static_cast<std::int32_t>(balance), rounded = static_cast<std::int32_t>(rounding);
    return detail::make<Amount, mpay_amount>(mpay_to_balance, paid, at, currency, scale, rounded);
}

/** The version of the library at run time; MPAY_HEADER_VERSION is the version of the header. */
inline std::string version() {
    return mpay_version();
}
inline std::uint32_t version_number() noexcept {
    return mpay_version_number();
}
inline std::uint32_t abi_version() noexcept {
    return mpay_abi_version();
}

#ifdef MERCHANTPAY_NO_EXCEPTIONS
} // namespace no_exceptions
#endif

} // namespace merchantpay

#undef MERCHANTPAY_NODISCARD
#undef MERCHANTPAY_NODISCARD_FAILURE
#undef MERCHANTPAY_CXX17

#endif // MERCHANTPAY_HPP
