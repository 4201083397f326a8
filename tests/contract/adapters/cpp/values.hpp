// Converts a command's values for the library, and a payment for an answer.
#ifndef VALUES_HPP
#define VALUES_HPP

#include <merchantpay.hpp>

#include <nlohmann/json.hpp>
#include <string>

using merchantpay::Optional;
using nlohmann::json;

inline Optional<std::string> text(const json &of, const char *name) {
    const auto found = of.find(name);
    return found == of.end() ? Optional<std::string>() : Optional<std::string>(found->get<std::string>());
}

inline std::string unhex(const std::string &hex) {
    std::string bytes;
    for (std::size_t at = 0; at < hex.size(); at += 2) bytes += static_cast<char>(std::stoi(hex.substr(at, 2), nullptr, 16));
    return bytes;
}

inline std::string hex(const std::string &bytes) {
    const char *digits = "0123456789abcdef";
    std::string hex;
    for (const unsigned char byte : bytes) hex += {digits[byte >> 4], digits[byte & 15]};
    return hex;
}

inline merchantpay::Config config(const json &settings) {
    merchantpay::Config config;
    for (const auto &setting : settings.items()) {
        for (const auto &one : setting.value().is_array() ? setting.value() : json::array({setting.value()})) {
            const std::string value = one;
            // Only the keys' own setters report a key with NUL as a bad key.
            if (setting.key() == "private_key") config.set_private_key(value);
            else if (setting.key() == "server_public_key") config.add_server_public_key(value);
            else config.set(setting.key().c_str(), value);
        }
    }
    return config;
}

inline merchantpay::PaymentRequest request(const json &arguments) {
    merchantpay::PaymentRequest request;
    for (const auto &field : arguments.items()) request.set(field.key().c_str(), field.value().get<std::string>());
    return request;
}

inline json fields(const merchantpay::Payment &payment) {
    json fields = {{"order_id", payment.order_id()}};
#define FIELD(name) \
    if (const auto value = payment.name()) fields[#name] = *value;
#include "fields.inc"
    return fields;
}

#endif
