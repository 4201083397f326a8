// The settings of a command with its callbacks, and its interruption.
#ifndef CALLBACKS_HPP
#define CALLBACKS_HPP

#include "values.hpp"

#include <iostream>
#include <thread>

// What the callbacks of a command got.
struct Got {
    json messages = json::array(), events = json::array();
};

inline Got &got() {
    static Got got;
    return got;
}

inline std::array<unsigned char, 64> sign(const json &signer, const void *message, std::size_t len) {
    got().messages.push_back(hex(std::string(static_cast<const char *>(message), len)));
    if (const auto reason = text(signer, "fails")) throw std::runtime_error(*reason);
    const std::string bytes = unhex(signer.at("returns"));
    std::array<unsigned char, 64> signature;
    std::copy_n(bytes.begin(), signature.size(), signature.begin());
    return signature;
}

inline void log(const json &logger, const merchantpay::Attempt &attempt) {
    json fields;
#define WORD(field, value) \
    if (static_cast<int>(value) != 0) fields[#field] = merchantpay::name(value);
#define OF_ATTEMPT(KIND, name, getter) KIND(name, attempt.getter())
    ATTEMPT_FIELDS(OF_ATTEMPT)
#undef WORD
    got().events.push_back(fields);
    if (logger == "fails") throw std::runtime_error("the log is full");
}

inline merchantpay::Config config(const json &command, const char *settings = "settings") {
    merchantpay::Config config;
    if (command.count("from_environment")) config.set_from_env();
    if (command.count("signer")) {
        const json signer = command.at("signer");
        config.set_signer_callback([signer](const void *message, std::size_t len) { return sign(signer, message, len); });
    }
    if (command.count("logger")) {
        const json logger = command.at("logger");
        config.set_log_callback([logger](const merchantpay::Attempt &attempt) { log(logger, attempt); });
    }
    set_all(config, command.at(settings), set_setting);
    return config;
}

// Interrupts the object before or during the call if the command says so.
template <class Object, class Call>
json interrupted(const json &command, const Object &object, Call call) {
    const std::string when = command.value("interrupt", "");
    if (when == "before") object.interrupt();
    if (when != "during") return call();
    std::thread thread([&] {
        std::string line;
        if (std::getline(std::cin, line)) object.interrupt();
    });
    struct Join {
        std::thread &thread;
        ~Join() { thread.join(); }
    } join{thread};
    return call();
}

#endif
