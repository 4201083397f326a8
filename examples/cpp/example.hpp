// The common code of the examples.
#ifndef EXAMPLE_HPP
#define EXAMPLE_HPP

#include <merchantpay.hpp>

#include <chrono>
#include <cstdlib>
#include <iostream>
#include <string>
#include <thread>

namespace example {

// Settings from the environment. nullptr means that a setting is absent.
inline merchantpay::Config config() {
    merchantpay::Config config;
    config.set_base_url(std::getenv("MERCHANTPAY_BASE_URL"))
        .set_key_id(std::getenv("MERCHANTPAY_KEY_ID"))
        .set_private_key(std::getenv("MERCHANTPAY_PRIVATE_KEY"))
        .add_server_public_key(std::getenv("MERCHANTPAY_SERVER_PUBLIC_KEY"))
        .add_server_key_id(std::getenv("MERCHANTPAY_SERVER_KEY_ID"));
    return config;
}

// Runs a program, and prints the error that it ends with.
template <class Program>
int run(Program program) {
    try {
        program();
        return EXIT_SUCCESS;
    } catch (const merchantpay::Error &error) {
        std::cerr << "error " << error.code_name() << ' ' << error.outcome_name() << ": " << error.what() << '\n';
        if (error.description()) std::cerr << "the service says: " << *error.description() << '\n';
    } catch (const std::exception &error) {
        std::cerr << "error: " << error.what() << '\n';
    }
    return EXIT_FAILURE;
}

// Prints a field, unless it is absent or empty.
inline void print(const char *name, const merchantpay::Optional<std::string> &value) {
    if (!value.value_or("").empty()) std::cout << name << ' ' << *value << '\n';
}

// Returns a field, or "-" if it is absent. Only the order id is always present.
inline std::string shown(const merchantpay::Optional<std::string> &value) {
    return value.value_or("").empty() ? "-" : *value;
}

// Asks for the status until the status is final or equal to `wanted`, and prints the status. A shop uses webhooks instead; without
// webhooks it asks every few seconds.
inline merchantpay::Payment wait(const merchantpay::Client &client, const std::string &order_id, const std::string &wanted = "") {
    for (;;) {
        merchantpay::Payment payment = client.get_status(order_id);
        if (payment.is_final() || payment.status() == wanted) {
            print("status", payment.status());
            return payment;
        }
        std::this_thread::sleep_for(std::chrono::milliseconds(200));
    }
}

} // namespace example

#endif
