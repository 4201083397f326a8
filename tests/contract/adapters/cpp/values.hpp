// Converts a command's values for the library, and a payment for an answer.
#ifndef VALUES_HPP
#define VALUES_HPP

#include "../c/fields.h"

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

// A list has several values for one name.
template <class Object, class Set>
void set_all(Object &object, const json &values, Set set) {
    for (const auto &item : values.items()) {
        for (const auto &one : item.value().is_array() ? item.value() : json::array({item.value()}))
            set(object, item.key(), one.is_object() ? unhex(one.at("hex")) : one.get<std::string>());
    }
}

inline void set_setting(merchantpay::Config &config, const std::string &name, const std::string &value) {
#define SETTING(verb, setting) \
    if (name == #setting) return static_cast<void>(config.verb##_##setting(value));
    SETTINGS(SETTING)
    config.set(name.c_str(), value);
}

inline void set_field(merchantpay::PaymentRequest &request, const std::string &name, const std::string &value) {
#define FIELD(field) \
    if (name == #field) return static_cast<void>(request.set_##field(value));
    REQUEST_FIELDS(FIELD)
    request.set(name.c_str(), value);
}

inline merchantpay::PaymentRequest request(const json &arguments) {
    merchantpay::PaymentRequest request;
    set_all(request, arguments, set_field);
    return request;
}

inline void put(json &fields, const char *name, const Optional<std::string> &value) {
    if (value) fields[name] = *value;
}

inline void put(json &fields, const char *name, const char *value) {
    fields[name] = value;
}

// The lists of fields.h name these. The function that uses them has `fields`, and defines WORD.
#define TEXT(name, value) put(fields, #name, value);
#define FLAG(name, value) fields[#name] = value;
#define NUMBER(name, value) \
    if (value != 0) fields[#name] = value;

inline json fields_of(const merchantpay::Payment &payment) {
    json fields;
#define OF_PAYMENT(KIND, name, getter) KIND(name, payment.getter())
    PAYMENT_FIELDS(OF_PAYMENT)
    return fields;
}

#endif
