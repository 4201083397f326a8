// The parts that the test programs share: named rules, and the settings of the sandbox.
#ifndef CHECK_HPP
#define CHECK_HPP

#include <merchantpay.hpp>

#include <cstdlib>
#include <iostream>
#include <string>
#include <utility>
#include <vector>

#define CHECK(condition) check::that((condition), #condition, __FILE__, __LINE__)

// Defines a rule that main runs.
#define RULE(function)                                         \
    void function();                                           \
    const check::Rule rule_of_##function(#function, function); \
    void function()

namespace check {

inline void that(bool holds, const char *condition, const char *file, int line) {
    if (!holds) throw std::runtime_error(std::string(file) + ":" + std::to_string(line) + ": " + condition);
}

// The error of a call.
template <class Call>
merchantpay::Error error_of(Call call) {
    try {
        call();
    } catch (const merchantpay::Error &error) {
        return error;
    }
    throw std::runtime_error("a call succeeded that had to fail");
}

// Returns true for the expected error; prints any other.
inline bool is(const merchantpay::Error &error, merchantpay::Code code, merchantpay::Outcome outcome) {
    if (error.code() == code && error.outcome() == outcome) return true;
    std::cerr << error.code_name() << ' ' << error.outcome_name() << ": " << error.what() << '\n';
    return false;
}

inline std::string setting(const char *name) {
    const char *value = std::getenv(name);
    if (value == nullptr) throw std::runtime_error(std::string(name) + " is not set");
    return value;
}

// Settings without a signer.
inline merchantpay::Config unsigned_config() {
    merchantpay::Config config;
    config.set_base_url(setting("MERCHANTPAY_BASE_URL"))
        .set_key_id(setting("MERCHANTPAY_KEY_ID"))
        .add_server_public_key(setting("MERCHANTPAY_SERVER_PUBLIC_KEY"))
        .add_server_key_id(setting("MERCHANTPAY_SERVER_KEY_ID"));
    return config;
}

inline merchantpay::Config config() {
    merchantpay::Config config = unsigned_config();
    config.set_private_key(setting("MERCHANTPAY_PRIVATE_KEY"));
    return config;
}

inline merchantpay::PaymentRequest request(const std::string &account = "79001234567") {
    merchantpay::PaymentRequest request;
    request.set_sum("1500.50").set_payment_method("sbp").set_customer_account(account);
    return request;
}

inline std::vector<std::pair<const char *, void (*)()>> &rules() {
    static std::vector<std::pair<const char *, void (*)()>> rules;
    return rules;
}

struct Rule {
    Rule(const char *name, void (*rule)()) { rules().emplace_back(name, rule); }
};

} // namespace check

int main() {
    int broken = 0;
    for (const auto &rule : check::rules()) {
        try {
            rule.second();
        } catch (const std::exception &error) {
            std::cerr << rule.first << ": " << error.what() << '\n';
            ++broken;
        }
    }
    std::cout << check::rules().size() << " rules\n";
    return broken == 0 && !check::rules().empty() ? EXIT_SUCCESS : EXIT_FAILURE;
}

#endif
