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

#define RULE(function)                                         \
    void function();                                           \
    const check::Rule rule_of_##function(#function, function); \
    void function()

namespace check {

inline int &broken() {
    static int broken = 0;
    return broken;
}

inline void that(bool holds, const char *condition, const char *file, int line) {
    if (holds) return;
    std::cerr << file << ':' << line << ": " << condition << '\n';
    ++broken();
}

#ifndef MERCHANTPAY_NO_EXCEPTIONS
template <class Call>
merchantpay::Error error_of(Call call) {
    try {
        call();
    } catch (const merchantpay::Error &error) {
        return error;
    }
    throw std::runtime_error("a call succeeded that had to fail");
}
#endif

// Prints any other error.
inline bool is(const merchantpay::Error &error, merchantpay::Code code, merchantpay::Outcome outcome) {
    if (error.code() == code && error.outcome() == outcome) return true;
    std::cerr << error.code_name() << ' ' << error.outcome_name() << ": " << error.what() << '\n';
    return false;
}

inline std::string setting(const char *name) {
    const char *value = std::getenv(name);
    return value ? value : "";
}

inline merchantpay::Config config() {
    merchantpay::Config config;
    CHECK(mpay_config_from_env(config.handle(), nullptr) == MPAY_OK);
    return config;
}

inline merchantpay::Config unsigned_config() {
    merchantpay::Config config = check::config();
    config.set_private_key(nullptr);
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
    // An exception that no rule expects ends the program, and the last name on stderr is its rule's.
    for (const auto &rule : check::rules()) {
        std::cerr << rule.first << '\n';
        rule.second();
    }
    std::cout << check::rules().size() << " rules\n";
    return check::broken() == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}

#endif
