/**
 * @file merchantpay.hpp
 * merchantpay for C++11 and newer: owners of the handles of merchantpay.h, and nothing else. Header-only; link the C library.
 *
 * mpay_config_set_base_url is Config::set_base_url, mpay_payment_sum is Payment::sum, mpay_new_payment is Client::new_payment:
 * what a function does and which threads may call it stands in merchantpay.h, under its name there. What is added here:
 *
 * - What fails throws Error. A setter that throws leaves the wrong value behind, and whatever uses it is refused.
 * - Objects can be moved, not copied. One that was moved from is a NULL handle: its functions throw Code::invalid_argument,
 *   its getters have nothing.
 * - A text is a std::string or a const char *; nullptr is absent. A std::string with a NUL inside is refused, never cut.
 * - A field that may be absent is an Optional. Amounts are decimal text; a number is no text, so that no float gets in.
 */

#ifndef MERCHANTPAY_HPP
#define MERCHANTPAY_HPP

#include "merchantpay.h"

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <functional>
#include <memory>
#include <stdexcept>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

namespace merchantpay {

// A later version of the library may add to these: any std::int32_t is a valid value of them, so give a switch its default.

/** What went wrong. */
enum class Code : std::int32_t {
    ok = MPAY_OK,
    invalid_argument = MPAY_INVALID_ARGUMENT,
    invalid_key = MPAY_INVALID_KEY,
    signer = MPAY_SIGNER,
    transport = MPAY_TRANSPORT,
    timeout = MPAY_TIMEOUT,
    cancelled = MPAY_CANCELLED,
    unverified = MPAY_UNVERIFIED,
    malformed = MPAY_MALFORMED,
    rejected = MPAY_REJECTED,
    storage = MPAY_STORAGE,
    internal = MPAY_INTERNAL
};

/** What became of the request, and of the money. */
enum class Outcome : std::int32_t {
    /** There was no failure. */
    none = 0,
    not_sent = MPAY_OUTCOME_NOT_SENT,
    rejected = MPAY_OUTCOME_REJECTED,
    unknown = MPAY_OUTCOME_UNKNOWN
};

/** What was paid, compared with the sum that was asked for. */
enum class Paid : std::int32_t {
    /** There is no sum, or what was asked for is no amount. */
    unknown = 0,
    exactly = MPAY_PAID_EXACTLY,
    less = MPAY_PAID_LESS,
    more = MPAY_PAID_MORE
};

/** What a webhook tells. */
enum class EventKind : std::int32_t {
    /** The event was moved from. */
    none = 0,
    credentials = MPAY_EVENT_CREDENTIALS,
    credentials_failed = MPAY_EVENT_CREDENTIALS_FAILED,
    status = MPAY_EVENT_STATUS
};

/** The currency of the merchant's balance. */
enum class Balance : std::int32_t { rub = MPAY_BALANCE_RUB, usdt = MPAY_BALANCE_USDT };

/** How to_balance rounds. */
enum class Rounding : std::int32_t {
    half_up = MPAY_ROUNDING_HALF_UP,
    half_even = MPAY_ROUNDING_HALF_EVEN,
    down = MPAY_ROUNDING_DOWN,
    up = MPAY_ROUNDING_UP
};

/** A value that may be absent. To read one that is absent throws std::logic_error: an amount is never 0 by mistake. */
template <class T>
class Optional {
    // A fraction of a kopeck would be lost without a word.
    template <class Other>
    using Lossy = typename std::enable_if<std::is_floating_point<Other>::value || std::is_same<Other, bool>::value>::type;

public:
    Optional() : value_(), present_(false) {}
    Optional(T value) : value_(std::move(value)), present_(true) {}
    template <class Other, class = Lossy<Other>>
    Optional(Other) = delete;

    bool has_value() const noexcept { return present_; }
    explicit operator bool() const noexcept { return present_; }
    const T &value() const & { return present(), value_; }
    T value() && { return present(), std::move(value_); }
    const T &operator*() const & { return value(); }
    T operator*() && { return std::move(*this).value(); }
    const T *operator->() const { return &value(); }
    T value_or(T other) const { return present_ ? value_ : std::move(other); }
    template <class Other, class = Lossy<Other>>
    T value_or(Other) const = delete;
    /** Whether there is a value and it is this one. */
    bool operator==(const T &other) const { return present_ && value_ == other; }
    bool operator!=(const T &other) const { return !(*this == other); }
    template <class Other, class = Lossy<Other>>
    bool operator==(Other) const = delete;
    template <class Other, class = Lossy<Other>>
    bool operator!=(Other) const = delete;
    /** nullptr is absent. */
    bool operator==(std::nullptr_t) const noexcept { return !present_; }
    bool operator!=(std::nullptr_t) const noexcept { return present_; }

private:
    void present() const {
        if (!present_) throw std::logic_error("merchantpay: the value is absent");
    }

    T value_;
    bool present_;
};

namespace detail {

struct Free {
    void operator()(mpay_error *handle) const noexcept { mpay_error_free(handle); }
    void operator()(mpay_config *handle) const noexcept { mpay_config_free(handle); }
    void operator()(mpay_payment_request *handle) const noexcept { mpay_payment_request_free(handle); }
    void operator()(mpay_receipt *handle) const noexcept { mpay_receipt_free(handle); }
    void operator()(mpay_amounts *handle) const noexcept { mpay_amounts_free(handle); }
    void operator()(mpay_amount *handle) const noexcept { mpay_amount_free(handle); }
    void operator()(mpay_payment *handle) const noexcept { mpay_payment_free(handle); }
    void operator()(mpay_event *handle) const noexcept { mpay_event_free(handle); }
    void operator()(mpay_verifier *handle) const noexcept { mpay_verifier_free(handle); }
    void operator()(mpay_keypair *handle) const noexcept { mpay_keypair_free(handle); }
    void operator()(mpay_http_request *handle) const noexcept { mpay_http_request_free(handle); }
    void operator()(mpay_http_response *handle) const noexcept { mpay_http_response_free(handle); }
    void operator()(mpay_client *handle) const noexcept { mpay_client_free(handle); }
    void operator()(mpay_protocol *handle) const noexcept { mpay_protocol_free(handle); }
};

template <class T>
using Handle = std::unique_ptr<T, Free>;

inline Optional<std::string> optional(const char *text) { return text ? Optional<std::string>(text) : Optional<std::string>(); }

inline Optional<std::int64_t> optional_minor(std::int64_t minor) {
    return minor == MPAY_NO_MINOR ? Optional<std::int64_t>() : Optional<std::int64_t>(minor);
}

inline std::string text_or_empty(const char *text) { return text ? text : ""; }

} // namespace detail

/** Why something failed. Copies share what they tell; any thread may read it. */
class Error : public std::runtime_error {
public:
    Error(Code code, Outcome outcome, const std::string &message) : std::runtime_error(message), code_(code), outcome_(outcome) {}
    /** Takes the error of a C function that returned code; NULL where it gave none. */
    Error(std::int32_t code, detail::Handle<mpay_error> error)
        : std::runtime_error(error ? mpay_error_message(error.get()) : "merchantpay: no memory for an error"),
          code_(static_cast<Code>(code)),
          outcome_(error ? static_cast<Outcome>(mpay_error_outcome(error.get())) : Outcome::unknown),
          error_(std::move(error)) {}

    // Copied also where it could be moved: an error that has nothing left to tell would be one more kind of error.
    Error(const Error &) = default;
    Error &operator=(const Error &) = default;

    Code code() const noexcept { return code_; }
    Outcome outcome() const noexcept { return outcome_; }
    /** The code's name, such as "transport"; borrowed from the error. */
    const char *code_name() const noexcept { return error_ ? mpay_error_code_name(error_.get()) : own_code_name(); }
    /** The outcome's name: "not_sent", "rejected" or "unknown"; borrowed from the error. */
    const char *outcome_name() const noexcept { return error_ ? mpay_error_outcome_name(error_.get()) : own_outcome_name(); }
    /** Whether the same call may succeed later. */
    bool is_transient() const noexcept { return mpay_error_is_transient(error_.get()) != 0; }
    std::string message() const { return what(); }
    Optional<std::string> description() const { return detail::optional(mpay_error_description(error_.get())); }
    Optional<std::string> reason() const { return detail::optional(mpay_error_reason(error_.get())); }
    /** 0 where no reply came. */
    std::int32_t http_status() const noexcept { return mpay_error_http_status(error_.get()); }
    Optional<std::string> order_id() const { return detail::optional(mpay_error_order_id(error_.get())); }
    Optional<std::string> content_type() const { return detail::optional(mpay_error_content_type(error_.get())); }
    Optional<std::string> excerpt() const { return detail::optional(mpay_error_excerpt(error_.get())); }
    /** Verified bytes, which may hold a NUL. */
    Optional<std::string> body() const {
        const char *body = static_cast<const char *>(mpay_error_body(error_.get()));
        return body ? Optional<std::string>(std::string(body, mpay_error_body_len(error_.get()))) : Optional<std::string>();
    }

private:
    // An error without a handle is one that this header or a setter found: a setter tells a code and no more.
    const char *own_code_name() const noexcept {
        switch (code_) {
        case Code::ok: return "ok";
        case Code::invalid_argument: return "invalid_argument";
        case Code::invalid_key: return "invalid_key";
        case Code::signer: return "signer";
        case Code::transport: return "transport";
        case Code::timeout: return "timeout";
        case Code::cancelled: return "cancelled";
        case Code::unverified: return "unverified";
        case Code::malformed: return "malformed";
        case Code::rejected: return "rejected";
        case Code::storage: return "storage";
        case Code::internal: break;
        }
        return "internal";
    }
    const char *own_outcome_name() const noexcept {
        if (outcome_ == Outcome::not_sent) return "not_sent";
        return outcome_ == Outcome::rejected ? "rejected" : "unknown";
    }

    Code code_;
    Outcome outcome_;
    // Shared, as an exception has to be copied without throwing.
    std::shared_ptr<const mpay_error> error_;
};

/** A text on its way into C, for the length of a call. */
class Text {
public:
    Text(const char *text) noexcept : text_(text), whole_(true) {}
    Text(const std::string &text) noexcept : text_(text.c_str()), whole_(std::strlen(text_) == text.size()) {}
    Text(const Optional<std::string> &text) : Text(nullptr) {
        if (text) *this = Text(*text);
    }
    /** Without this, 0 would be a null pointer. */
    template <class Number, class = typename std::enable_if<std::is_arithmetic<Number>::value>::type>
    Text(Number) = delete;

    bool whole() const noexcept { return whole_; }
    const char *get(const char *name, Code code = Code::invalid_argument, Outcome outcome = Outcome::not_sent) const {
        if (!whole_) throw Error(code, outcome, std::string(name) + " has a NUL inside");
        return text_;
    }

private:
    const char *text_;
    bool whole_;
};

/** One attempt of a call, for the length of the callback that is told of it. */
class Attempt {
public:
    explicit Attempt(const mpay_attempt *attempt) noexcept : attempt_(attempt) {}
    Attempt(const Attempt &) = delete;
    Attempt &operator=(const Attempt &) = delete;

    std::string operation() const { return detail::text_or_empty(mpay_attempt_operation(attempt_)); }
    Optional<std::string> order_id() const { return detail::optional(mpay_attempt_order_id(attempt_)); }
    std::uint32_t number() const noexcept { return mpay_attempt_number(attempt_); }
    std::int32_t http_status() const noexcept { return mpay_attempt_http_status(attempt_); }
    std::uint64_t elapsed_ms() const noexcept { return mpay_attempt_elapsed_ms(attempt_); }
    Code code() const noexcept { return static_cast<Code>(mpay_attempt_code(attempt_)); }
    Outcome outcome() const noexcept { return static_cast<Outcome>(mpay_attempt_outcome(attempt_)); }
    std::string line() const { return detail::text_or_empty(mpay_attempt_line(attempt_)); }

private:
    const mpay_attempt *attempt_;
};

/** Is told of every attempt, on the thread that calls, maybe by several at once. What it throws is swallowed. */
using LogCallback = std::function<void(const Attempt &attempt)>;

/** Signs the bytes, maybe on several threads at once. If it throws, the call fails with Code::signer and Outcome::not_sent. */
using SignerCallback = std::function<std::array<unsigned char, 64>(const void *message, std::size_t len)>;

namespace detail {

/** No UTF-8: C refuses it, and its handle remembers. It goes in where a text with a NUL inside may not. */
inline const char *refused_text() noexcept { return "\xff"; }

/** For numbers that are whole; a fraction would be cut, and a flag is no number. */
template <class Number>
using Whole = typename std::enable_if<std::is_integral<Number>::value && !std::is_same<Number, bool>::value>::type;

/** For a flag; a text or a number is none. */
template <class Bool>
using Flag = typename std::enable_if<std::is_same<Bool, bool>::value>::type;

/** A number that fits, or Code::invalid_argument. */
template <class Target, class Number>
Target fit(Number number, const char *name) {
    const Target target = static_cast<Target>(number);
    if (static_cast<Number>(target) != number || (number < Number(0)) != (target < Target(0)))
        throw Error(Code::invalid_argument, Outcome::not_sent, std::string(name) + " is out of range");
    return target;
}

inline void check(std::int32_t code, Handle<mpay_error> error) {
    if (code != MPAY_OK) throw Error(code, std::move(error));
}

/** Calls what gives nothing back. */
template <class Function, class... Arguments>
void run(Function function, Arguments... arguments) {
    mpay_error *error = nullptr;
    const std::int32_t code = function(arguments..., &error);
    check(code, Handle<mpay_error>(error));
}

/** Calls what makes a handle. */
template <class T, class Function, class... Arguments>
Handle<T> make(Function function, Arguments... arguments) {
    T *out = nullptr;
    mpay_error *error = nullptr;
    const std::int32_t code = function(arguments..., &out, &error);
    Handle<T> handle(out);
    check(code, Handle<mpay_error>(error));
    return handle;
}

inline void check_setter(std::int32_t code, const char *name, Outcome outcome = Outcome::not_sent) {
    if (code != MPAY_OK) throw Error(static_cast<Code>(code), outcome, std::string(name) + " cannot be taken");
}

/** The std::functions that C has pointers to. They live as long as whatever may call them. */
struct Callbacks {
    std::shared_ptr<LogCallback> log;
    std::shared_ptr<SignerCallback> signer;

    static void tell(void *user_data, const mpay_attempt *attempt) noexcept {
        try {
            (*static_cast<LogCallback *>(user_data))(Attempt(attempt));
        } catch (...) {
            // A log is worth less than the call that it tells of.
        }
    }

    static std::int32_t sign(void *user_data, const void *message, std::size_t len, void *signature) noexcept {
        try {
            const std::array<unsigned char, 64> made = (*static_cast<SignerCallback *>(user_data))(message, len);
            std::memcpy(signature, made.data(), made.size());
            return 0;
        } catch (...) {
            return 1;
        }
    }
};

/** Frees a handle, and only then lets go of the callbacks that it may have called. */
struct FreeWithCallbacks {
    Callbacks callbacks;

    template <class T>
    void operator()(T *handle) const noexcept { Free()(handle); }
};

template <class T>
using CallingHandle = std::unique_ptr<T, FreeWithCallbacks>;

} // namespace detail

/** Settings. What is made of them copies them, and keeps their callbacks alive. */
class Config {
public:
    Config() : handle_(mpay_config_new()) {}

    Config &set_base_url(Text base_url) { return set(mpay_config_set_base_url, base_url, "base_url"); }
    Config &set_key_id(Text key_id) { return set(mpay_config_set_key_id, key_id, "key_id"); }
    Config &set_private_key(Text private_key) { return set_key(mpay_config_set_private_key, private_key, "private_key"); }
    Config &set_public_key(Text public_key) { return set_key(mpay_config_set_public_key, public_key, "public_key"); }
    Config &set_server_public_key(Text key) { return set_key(mpay_config_add_server_public_key, key, "server_public_key"); }
    Config &set_server_key_id(Text server_key_id) { return set(mpay_config_add_server_key_id, server_key_id, "server_key_id"); }
    template <class Bool, class = detail::Flag<Bool>>
    Config &set_allow_http(Bool allow) {
        return done(mpay_config_set_allow_http(handle(), allow), "allow_http");
    }
    Config &set_ca_file(Text ca_file) { return set(mpay_config_set_ca_file, ca_file, "ca_file"); }
    Config &set_ca_pem(Text ca_pem) { return set(mpay_config_set_ca_pem, ca_pem, "ca_pem"); }
    template <class Bool, class = detail::Flag<Bool>>
    Config &set_exclusive_ca(Bool exclusive) {
        return done(mpay_config_set_exclusive_ca(handle(), exclusive), "exclusive_ca");
    }
    Config &add_pin_spki(Text pin) { return set(mpay_config_add_pin_spki, pin, "pin"); }
    Config &set_client_certificate(Text cert_file, Text key_file) {
        if (!cert_file.whole() || !key_file.whole()) mpay_config_set_client_certificate(handle(), detail::refused_text(), nullptr);
        const char *certificate = cert_file.get("cert_file"), *key = key_file.get("key_file");
        return done(mpay_config_set_client_certificate(handle(), certificate, key), "client_certificate");
    }
    Config &set_proxy(Text proxy) { return set(mpay_config_set_proxy, proxy, "proxy"); }
    Config &set_user_agent(Text user_agent) { return set(mpay_config_set_user_agent, user_agent, "user_agent"); }
    template <class Number, class = detail::Whole<Number>>
    Config &set_timeout_ms(Number ms) {
        return done(mpay_config_set_timeout_ms(handle(), detail::fit<std::uint32_t>(ms, "timeout_ms")), "timeout_ms");
    }
    template <class Number, class = detail::Whole<Number>>
    Config &set_connect_timeout_ms(Number ms) {
        return done(mpay_config_set_connect_timeout_ms(handle(), detail::fit<std::uint32_t>(ms, "connect_timeout_ms")), "connect_timeout_ms");
    }
    template <class Number, class = detail::Whole<Number>>
    Config &set_reuse_idle_ms(Number ms) {
        return done(mpay_config_set_reuse_idle_ms(handle(), detail::fit<std::uint32_t>(ms, "reuse_idle_ms")), "reuse_idle_ms");
    }
    template <class Number, class = detail::Whole<Number>>
    Config &set_connect_idle_ms(Number ms) {
        return done(mpay_config_set_connect_idle_ms(handle(), detail::fit<std::uint32_t>(ms, "connect_idle_ms")), "connect_idle_ms");
    }
    template <class Number, class = detail::Whole<Number>>
    Config &set_max_retries(Number retries) {
        return done(mpay_config_set_max_retries(handle(), detail::fit<std::uint32_t>(retries, "max_retries")), "max_retries");
    }
    template <class Number, class = detail::Whole<Number>>
    Config &set_max_reply_bytes(Number bytes) {
        return done(mpay_config_set_max_reply_bytes(handle(), detail::fit<std::uint64_t>(bytes, "max_reply_bytes")), "max_reply_bytes");
    }
    /** An empty function is nobody. */
    Config &set_log_callback(LogCallback callback) {
        auto log = callback ? std::make_shared<LogCallback>(std::move(callback)) : nullptr;
        done(mpay_config_set_log_callback(handle(), log ? detail::Callbacks::tell : nullptr, log.get()), "log_callback");
        callbacks_.log = std::move(log);
        return *this;
    }
    /** An empty function is nobody. */
    Config &set_signer_callback(SignerCallback callback) {
        auto signer = callback ? std::make_shared<SignerCallback>(std::move(callback)) : nullptr;
        done(mpay_config_set_signer_callback(handle(), signer ? detail::Callbacks::sign : nullptr, signer.get()), "signer_callback");
        callbacks_.signer = std::move(signer);
        return *this;
    }

    /**
     * For C functions; borrowed. The same holds for every class's handle(). What C makes of a config knows nothing of its
     * callbacks' owner: free it before the Config ends or is given another callback.
     */
    mpay_config *handle() const noexcept { return handle_.get(); }
    const detail::Callbacks &callbacks() const noexcept { return callbacks_; }

private:
    Config &set(std::int32_t (*setter)(mpay_config *, const char *), Text text, const char *name) {
        if (!text.whole()) setter(handle(), detail::refused_text());
        return done(setter(handle(), text.get(name)), name);
    }
    Config &set_key(std::int32_t (*setter)(mpay_config *, const char *), Text key, const char *name) {
        // A key with a NUL in it is a bad key, as one with any other character that base64 does not have.
        return done(setter(handle(), key.whole() ? key.get(name) : "\x01"), name);
    }
    Config &done(std::int32_t code, const char *name) { return detail::check_setter(code, name), *this; }

    detail::Handle<mpay_config> handle_;
    detail::Callbacks callbacks_;
};

/** The fields of get_available_amounts, new_payment and new_payment_async. */
class PaymentRequest {
public:
    PaymentRequest() : handle_(mpay_payment_request_new()) {}

    PaymentRequest &set_sum(Text sum) { return set(mpay_payment_request_set_sum, sum, "sum"); }
    template <class Number, class = detail::Whole<Number>>
    PaymentRequest &set_sum_minor(Number kopecks) {
        return done(mpay_payment_request_set_sum_minor(handle(), detail::fit<std::int64_t>(kopecks, "sum")), "sum");
    }
    PaymentRequest &set_currency(Text currency) { return set(mpay_payment_request_set_currency, currency, "currency"); }
    PaymentRequest &set_payment_method(Text method) { return set(mpay_payment_request_set_payment_method, method, "payment_method"); }
    PaymentRequest &set_customer_account(Text account) {
        return set(mpay_payment_request_set_customer_account, account, "customer_account");
    }
    PaymentRequest &set_payer_bank(Text payer_bank) { return set(mpay_payment_request_set_payer_bank, payer_bank, "payer_bank"); }
    PaymentRequest &set_merchant_id(Text merchant_id) { return set(mpay_payment_request_set_merchant_id, merchant_id, "merchant_id"); }
    PaymentRequest &set_status_webhook_url(Text url) {
        return set(mpay_payment_request_set_status_webhook_url, url, "status_webhook_url");
    }
    PaymentRequest &set_credentials_webhook_url(Text url) {
        return set(mpay_payment_request_set_credentials_webhook_url, url, "credentials_webhook_url");
    }
    PaymentRequest &set_sum_drift_up(Text drift) { return set(mpay_payment_request_set_sum_drift_up, drift, "sum_drift_up"); }
    PaymentRequest &set_sum_drift_down(Text drift) { return set(mpay_payment_request_set_sum_drift_down, drift, "sum_drift_down"); }

    mpay_payment_request *handle() const noexcept { return handle_.get(); }

private:
    PaymentRequest &set(std::int32_t (*setter)(mpay_payment_request *, const char *), Text text, const char *name) {
        if (!text.whole()) setter(handle(), detail::refused_text());
        return done(setter(handle(), text.get(name)), name);
    }
    PaymentRequest &done(std::int32_t code, const char *name) { return detail::check_setter(code, name), *this; }

    detail::Handle<mpay_payment_request> handle_;
};

/** Files for a payment in arbitration. */
class Receipt {
public:
    explicit Receipt(Text order_id) : handle_(mpay_receipt_new(order_id.get("order_id"))) {}

    Receipt &add_file(Text path) { return detail::run(mpay_receipt_add_file, handle(), path.get("path")), *this; }
    Receipt &add_bytes(Text file_name, Text content_type, const void *data, std::size_t len) {
        const char *name = file_name.get("file_name"), *type = content_type.get("content_type");
        return detail::run(mpay_receipt_add_bytes, handle(), name, type, data, len), *this;
    }
    Receipt &add_bytes(Text file_name, Text content_type, const std::string &data) {
        return add_bytes(file_name, content_type, data.data(), data.size());
    }

    mpay_receipt *handle() const noexcept { return handle_.get(); }

private:
    detail::Handle<mpay_receipt> handle_;
};

/** The reply of get_available_amounts. */
class AvailableAmounts {
public:
    explicit AvailableAmounts(detail::Handle<mpay_amounts> handle) noexcept : handle_(std::move(handle)) {}

    std::size_t count() const noexcept { return mpay_amounts_count(handle()); }
    /** Absent behind the last. */
    Optional<std::string> get(std::size_t index) const { return detail::optional(mpay_amounts_get(handle(), index)); }
    Optional<std::int64_t> get_minor(std::size_t index) const { return detail::optional_minor(mpay_amounts_get_minor(handle(), index)); }
    /** All of them, as decimal text. */
    std::vector<std::string> all() const {
        std::vector<std::string> amounts;
        for (std::size_t index = 0; index < count(); ++index) amounts.push_back(*get(index));
        return amounts;
    }
    bool other_possible() const noexcept { return mpay_amounts_other_possible(handle()) != 0; }
    std::string json() const { return detail::text_or_empty(mpay_amounts_json(handle())); }

    mpay_amounts *handle() const noexcept { return handle_.get(); }

private:
    detail::Handle<mpay_amounts> handle_;
};

/** A payment, as the service told of it. */
class Payment {
public:
    explicit Payment(std::shared_ptr<const mpay_payment> handle) noexcept : handle_(std::move(handle)) {}
    explicit Payment(detail::Handle<mpay_payment> handle) : handle_(std::move(handle)) {}
    Payment(Payment &&) = default;
    Payment &operator=(Payment &&) = default;

    std::string order_id() const { return detail::text_or_empty(mpay_payment_order_id(handle())); }
    Optional<std::string> sum() const { return detail::optional(mpay_payment_sum(handle())); }
    /** In kopecks. Absent too if the sum has a fraction of one. */
    Optional<std::int64_t> sum_minor() const { return detail::optional_minor(mpay_payment_sum_minor(handle())); }
    Optional<std::string> currency() const { return detail::optional(mpay_payment_currency(handle())); }
    Optional<std::string> payee_account() const { return detail::optional(mpay_payment_payee_account(handle())); }
    Optional<std::string> payee_account_bank() const { return detail::optional(mpay_payment_payee_account_bank(handle())); }
    Optional<std::string> payee_name() const { return detail::optional(mpay_payment_payee_name(handle())); }
    Optional<std::string> deal_sum() const { return detail::optional(mpay_payment_deal_sum(handle())); }
    Optional<std::string> deal_currency() const { return detail::optional(mpay_payment_deal_currency(handle())); }
    Optional<std::string> deal_rate() const { return detail::optional(mpay_payment_deal_rate(handle())); }
    Optional<std::string> deeplink() const { return detail::optional(mpay_payment_deeplink(handle())); }
    Optional<std::string> status() const { return detail::optional(mpay_payment_status(handle())); }
    /** asked is decimal text. */
    Paid paid(Text asked) const noexcept {
        return asked.whole() ? static_cast<Paid>(mpay_payment_paid(handle(), asked.get("asked"))) : Paid::unknown;
    }
    bool is_final() const noexcept { return mpay_payment_is_final(handle()) != 0; }
    std::string json() const { return detail::text_or_empty(mpay_payment_json(handle())); }

    const mpay_payment *handle() const noexcept { return handle_.get(); }

private:
    // Shared, as an event and the payment in it are one object.
    std::shared_ptr<const mpay_payment> handle_;
};

/** An exact decimal: what to_balance gives. */
class Amount {
public:
    explicit Amount(detail::Handle<mpay_amount> handle) noexcept : handle_(std::move(handle)) {}

    std::string text() const { return detail::text_or_empty(mpay_amount_text(handle())); }
    /** mpay_amount_minor; some systems have a macro that is called minor. */
    Optional<std::int64_t> in_minor() const { return detail::optional_minor(mpay_amount_minor(handle())); }

    mpay_amount *handle() const noexcept { return handle_.get(); }

private:
    detail::Handle<mpay_amount> handle_;
};

/** Calls the service; shared by any number of threads. */
class Client {
public:
    explicit Client(const Config &config)
        : handle_(detail::make<mpay_client>(mpay_client_new, config.handle()).release(), {config.callbacks()}) {}

    /** A client with the same settings, keys and connections, and another deadline; 0 keeps this one's. It can be interrupted
        alone, and is interrupted together with this one. */
    template <class Number = int, class = detail::Whole<Number>>
    Client derive(Number timeout_ms = 0) const {
        const auto ms = detail::fit<std::uint32_t>(timeout_ms, "timeout_ms");
        return Client(detail::make<mpay_client>(mpay_client_derive, handle(), ms), handle_.get_deleter());
    }
    /** Ends the calls that run on this client and on everything derived from it with Code::cancelled, and lets no more start, for
        good. Any thread, while the client exists. */
    void interrupt() const noexcept { mpay_client_interrupt(handle()); }
    /** Opens a connection for the next call, which then costs one round trip; it waits as long as Config::set_connect_idle_ms says. */
    void connect() const { detail::run(mpay_client_connect, handle()); }
    AvailableAmounts get_available_amounts(const PaymentRequest &request) const {
        return AvailableAmounts(detail::make<mpay_amounts>(mpay_get_available_amounts, handle(), request.handle()));
    }
    Payment new_payment(const PaymentRequest &request) const {
        return Payment(detail::make<mpay_payment>(mpay_new_payment, handle(), request.handle()));
    }
    /** Has only an order id; the credentials come by webhook. */
    Payment new_payment_async(const PaymentRequest &request) const {
        return Payment(detail::make<mpay_payment>(mpay_new_payment_async, handle(), request.handle()));
    }
    void confirm(Text order_id) const { detail::run(mpay_confirm, handle(), order_id.get("order_id")); }
    void cancel(Text order_id) const { detail::run(mpay_cancel, handle(), order_id.get("order_id")); }
    Payment get_status(Text order_id) const {
        return Payment(detail::make<mpay_payment>(mpay_get_status, handle(), order_id.get("order_id")));
    }
    /** Asks get_status until the status is final; Code::timeout with Outcome::unknown if it is not in time. */
    template <class Number, class = detail::Whole<Number>>
    Payment wait(Text order_id, Number timeout_ms) const {
        const auto ms = detail::fit<std::uint32_t>(timeout_ms, "timeout_ms");
        return Payment(detail::make<mpay_payment>(mpay_wait, handle(), order_id.get("order_id"), ms));
    }
    void attach_receipt(const Receipt &receipt) const { detail::run(mpay_attach_receipt, handle(), receipt.handle()); }

    mpay_client *handle() const noexcept { return handle_.get(); }

private:
    Client(detail::Handle<mpay_client> handle, const detail::FreeWithCallbacks &free) : handle_(handle.release(), free) {}

    detail::CallingHandle<mpay_client> handle_;
};

/** What a verified webhook tells. */
class Event {
public:
    explicit Event(detail::Handle<mpay_event> handle)
        : handle_(std::move(handle)), payment_(std::shared_ptr<const mpay_payment>(handle_, mpay_event_payment(handle_.get()))) {}
    Event(Event &&) = default;
    Event &operator=(Event &&) = default;

    EventKind kind() const noexcept { return static_cast<EventKind>(mpay_event_kind(handle())); }
    const Payment &payment() const & noexcept { return payment_; }
    /** The payment may outlive its event. */
    Payment payment() && { return std::move(payment_); }

    const mpay_event *handle() const noexcept { return handle_.get(); }

private:
    std::shared_ptr<mpay_event> handle_;
    Payment payment_;
};

/** Believes or refuses webhooks; shared by any number of threads. */
class Verifier {
public:
    explicit Verifier(const Config &config) : handle_(detail::make<mpay_verifier>(mpay_verifier_new, config.handle())) {}

    /** The bytes as they came, and the texts of the two headers; nullptr for one that did not come. */
    Event verify_webhook(const void *body, std::size_t len, Text signature, Text key_id) const {
        // These come from outside: a NUL in them is no argument of ours that was wrong, but a webhook that is not the service's.
        const char *signed_by = signature.get("signature", Code::unverified, Outcome::unknown);
        const char *key = key_id.get("key_id", Code::unverified, Outcome::unknown);
        return Event(detail::make<mpay_event>(mpay_verify_webhook, handle(), body, len, signed_by, key));
    }
    Event verify_webhook(const std::string &body, Text signature, Text key_id) const {
        return verify_webhook(body.data(), body.size(), signature, key_id);
    }

    mpay_verifier *handle() const noexcept { return handle_.get(); }

private:
    detail::Handle<mpay_verifier> handle_;
};

/** A new pair of keys. */
class Keypair {
public:
    static Keypair generate() { return Keypair(detail::make<mpay_keypair>(mpay_keypair_generate)); }

    /** A secret; borrowed from the pair, which wipes it. NULL if the pair was moved from. */
    const char *private_key() const noexcept { return mpay_keypair_private_key(handle()); }
    std::string public_key() const { return detail::text_or_empty(mpay_keypair_public_key(handle())); }

    mpay_keypair *handle() const noexcept { return handle_.get(); }

private:
    explicit Keypair(detail::Handle<mpay_keypair> handle) noexcept : handle_(std::move(handle)) {}

    detail::Handle<mpay_keypair> handle_;
};

/** A reply as it came. The request was sent, so that an error of this class says Outcome::unknown. */
class HttpResponse {
public:
    HttpResponse() : handle_(mpay_http_response_new()) {}

    HttpResponse &set_status(std::int32_t status) { return done(mpay_http_response_set_status(handle(), status), "status"); }
    HttpResponse &add_header(Text name, Text value) {
        // Without a header that came, the response is not the one that came.
        if (!name.whole() || !value.whole()) mpay_http_response_add_header(handle(), nullptr, nullptr);
        const char *header = name.get("name", Code::unverified, Outcome::unknown);
        return done(mpay_http_response_add_header(handle(), header, value.get("value", Code::unverified, Outcome::unknown)), "header");
    }
    HttpResponse &set_body(const void *body, std::size_t len) { return done(mpay_http_response_set_body(handle(), body, len), "body"); }
    HttpResponse &set_body(const std::string &body) { return set_body(body.data(), body.size()); }

    mpay_http_response *handle() const noexcept { return handle_.get(); }

private:
    HttpResponse &done(std::int32_t code, const char *name) { return detail::check_setter(code, name, Outcome::unknown), *this; }

    detail::Handle<mpay_http_response> handle_;
};

/** What to send, by POST, once; and the way to open what comes back for it. */
class HttpRequest {
public:
    explicit HttpRequest(detail::CallingHandle<mpay_http_request> handle) noexcept : handle_(std::move(handle)) {}

    std::string url() const { return detail::text_or_empty(mpay_http_request_url(handle())); }
    std::vector<std::pair<std::string, std::string>> headers() const {
        std::vector<std::pair<std::string, std::string>> headers;
        for (std::size_t index = 0; index < mpay_http_request_header_count(handle()); ++index)
            headers.emplace_back(mpay_http_request_header_name(handle(), index), mpay_http_request_header_value(handle(), index));
        return headers;
    }
    /** Exactly the bytes to send. */
    std::string body() const {
        const void *body = mpay_http_request_body(handle());
        return body ? std::string(static_cast<const char *>(body), mpay_http_request_body_len(handle())) : std::string();
    }

    AvailableAmounts open_get_available_amounts(const HttpResponse &response) const {
        return AvailableAmounts(detail::make<mpay_amounts>(mpay_open_get_available_amounts, handle(), response.handle()));
    }
    Payment open_new_payment(const HttpResponse &response) const {
        return Payment(detail::make<mpay_payment>(mpay_open_new_payment, handle(), response.handle()));
    }
    Payment open_new_payment_async(const HttpResponse &response) const {
        return Payment(detail::make<mpay_payment>(mpay_open_new_payment_async, handle(), response.handle()));
    }
    void open_confirm(const HttpResponse &response) const { detail::run(mpay_open_confirm, handle(), response.handle()); }
    void open_cancel(const HttpResponse &response) const { detail::run(mpay_open_cancel, handle(), response.handle()); }
    Payment open_get_status(const HttpResponse &response) const {
        return Payment(detail::make<mpay_payment>(mpay_open_get_status, handle(), response.handle()));
    }
    void open_attach_receipt(const HttpResponse &response) const { detail::run(mpay_open_attach_receipt, handle(), response.handle()); }

    mpay_http_request *handle() const noexcept { return handle_.get(); }

private:
    detail::CallingHandle<mpay_http_request> handle_;
};

/** The client without I/O, for programs that send by themselves; shared by any number of threads. */
class Protocol {
public:
    explicit Protocol(const Config &config)
        : handle_(detail::make<mpay_protocol>(mpay_protocol_new, config.handle()).release(), {config.callbacks()}) {}

    HttpRequest prepare_get_available_amounts(const PaymentRequest &request) const {
        return prepare(mpay_prepare_get_available_amounts, request.handle());
    }
    HttpRequest prepare_new_payment(const PaymentRequest &request) const { return prepare(mpay_prepare_new_payment, request.handle()); }
    HttpRequest prepare_new_payment_async(const PaymentRequest &request) const {
        return prepare(mpay_prepare_new_payment_async, request.handle());
    }
    HttpRequest prepare_confirm(Text order_id) const { return prepare(mpay_prepare_confirm, order_id.get("order_id")); }
    HttpRequest prepare_cancel(Text order_id) const { return prepare(mpay_prepare_cancel, order_id.get("order_id")); }
    HttpRequest prepare_get_status(Text order_id) const { return prepare(mpay_prepare_get_status, order_id.get("order_id")); }
    HttpRequest prepare_attach_receipt(const Receipt &receipt) const { return prepare(mpay_prepare_attach_receipt, receipt.handle()); }

    mpay_protocol *handle() const noexcept { return handle_.get(); }

private:
    // "What was made of these settings" includes what was prepared, so that it keeps the callbacks too.
    template <class Function, class Argument>
    HttpRequest prepare(Function function, Argument argument) const {
        auto request = detail::make<mpay_http_request>(function, handle(), argument);
        return HttpRequest(detail::CallingHandle<mpay_http_request>(request.release(), handle_.get_deleter()));
    }

    detail::CallingHandle<mpay_protocol> handle_;
};

/** A paid sum in the currency of the merchant's balance, with scale digits behind the point. */
inline Amount to_balance(Text sum, Text rate, Balance balance, std::uint32_t scale, Rounding rounding) {
    const char *paid = sum.get("sum"), *at = rate.get("rate");
    const auto currency = static_cast<std::int32_t>(balance), rounded = static_cast<std::int32_t>(rounding);
    return Amount(detail::make<mpay_amount>(mpay_to_balance, paid, at, currency, scale, rounded));
}

/** The version of the library that runs; MPAY_VERSION is the header's. */
inline std::string version() { return mpay_version(); }
inline std::uint32_t version_number() noexcept { return mpay_version_number(); }
inline std::uint32_t abi_version() noexcept { return mpay_abi_version(); }

} // namespace merchantpay

#endif // MERCHANTPAY_HPP
