// The program of the conformance suite in C++: a command a line on stdin, its result as a line on stdout. See ../../README.md.
#include "fields.hpp"

#include <cctype>
#include <iostream>
#include <sstream>
#include <string>
#include <vector>

using merchantpay::Optional;

namespace {

using Fields = std::vector<std::pair<std::string, std::string>>;

std::string decode(const std::string &text) {
    std::string decoded;
    for (std::size_t i = 0; i < text.size(); ++i) {
        if (text[i] == '%') {
            decoded += static_cast<char>(std::stoi(text.substr(i + 1, 2), nullptr, 16));
            i += 2;
        } else {
            decoded += text[i];
        }
    }
    return decoded;
}

class Command {
public:
    explicit Command(const std::string &line) {
        std::istringstream words(line);
        for (std::string word; words >> word;) {
            const auto equals = word.find('=');
            fields_.emplace_back(word.substr(0, equals), decode(word.substr(equals + 1)));
        }
    }

    Optional<std::string> get(const std::string &name) const {
        for (const auto &field : fields_)
            if (field.first == name) return field.second;
        return {};
    }
    std::vector<std::string> all(const std::string &name) const {
        std::vector<std::string> values;
        for (const auto &field : fields_)
            if (field.first == name) values.push_back(field.second);
        return values;
    }
    Optional<unsigned long> number(const std::string &name) const {
        const auto text = get(name);
        return text ? Optional<unsigned long>(std::stoul(*text)) : Optional<unsigned long>();
    }

private:
    Fields fields_;
};

class Result {
public:
    explicit Result(bool ok) : line_(ok ? "ok=1" : "ok=0") {}

    Result &put(const char *name, const Optional<std::string> &value) {
        if (!value) return *this;
        line_ += std::string(" ") + name + '=';
        for (const char c : *value) {
            if (std::isalnum(static_cast<unsigned char>(c)) || std::string(".-_~/:,").find(c) != std::string::npos) {
                line_ += c;
            } else {
                const char *digits = "0123456789ABCDEF";
                line_ += {'%', digits[static_cast<unsigned char>(c) >> 4], digits[static_cast<unsigned char>(c) & 15]};
            }
        }
        return *this;
    }
    Result &put(const merchantpay::Payment &payment) {
        put("order_id", payment.order_id());
        for (const auto &field : payment_fields) put(field.name, (payment.*field.get)());
        return payment.status() ? put("final", std::string(payment.is_final() ? "1" : "0")) : *this;
    }
    const std::string &line() const { return line_; }

private:
    std::string line_;
};

merchantpay::Config settings(const Command &command) {
    merchantpay::Config config;
    config.set_base_url(command.get("base_url")).set_key_id(command.get("key_id")).set_private_key(command.get("private_key"));
    config.set_ca_file(command.get("ca_file")).set_proxy(command.get("proxy"));
    for (const auto &key : command.all("server_public_key")) config.add_server_public_key(key);
    for (const auto &id : command.all("server_key_id")) config.add_server_key_id(id);
    if (const auto ms = command.number("timeout_ms")) config.set_timeout_ms(*ms);
    if (const auto ms = command.number("connect_timeout_ms")) config.set_connect_timeout_ms(*ms);
    if (const auto retries = command.number("max_retries")) config.set_max_retries(*retries);
    if (const auto bytes = command.number("max_reply_bytes")) config.set_max_reply_bytes(*bytes);
    return config;
}

merchantpay::PaymentRequest request(const Command &command) {
    merchantpay::PaymentRequest request;
    for (const auto &field : request_fields) (request.*field.set)(command.get(field.name));
    return request;
}

Result attach(const merchantpay::Client &client, const Command &command) {
    merchantpay::Receipt receipt(command.get("order_id"));
    for (const auto &path : command.all("file")) receipt.add_file(path);
    if (const auto data = command.get("file_data")) receipt.add_bytes(command.get("file_name"), command.get("file_type"), *data);
    client.attach_receipt(receipt);
    return Result(true);
}

Result call(const merchantpay::Client &client, const Command &command, const std::string &name) {
    const auto order_id = command.get("order_id");
    Result result(true);
    if (name == "get_available_amounts") {
        const auto amounts = client.get_available_amounts(request(command));
        std::string list;
        for (const auto &amount : amounts) list += (list.empty() ? "" : ",") + amount;
        result.put("amounts", list).put("other", std::string(amounts.other_possible() ? "1" : "0"));
    } else if (name == "new_payment") {
        result.put(client.new_payment(request(command)));
    } else if (name == "new_payment_async") {
        result.put("order_id", client.new_payment_async(request(command)).order_id());
    } else if (name == "confirm") {
        client.confirm(order_id);
    } else if (name == "cancel") {
        client.cancel(order_id);
    } else if (name == "get_status") {
        result.put(client.get_status(order_id));
    } else {
        return attach(client, command);
    }
    return result;
}

std::string kind_name(merchantpay::EventKind kind) {
    switch (kind) {
    case merchantpay::EventKind::credentials:
        return "credentials";
    case merchantpay::EventKind::credentials_failed:
        return "credentials_failed";
    case merchantpay::EventKind::status:
        return "status";
    default:
        return "unknown";
    }
}

Result verify(const merchantpay::Config &config, const Command &command) {
    const merchantpay::Verifier verifier(config);
    const auto event = verifier.verify_webhook(*command.get("body"), command.get("signature"), command.get("webhook_key_id"));
    return Result(true).put("kind", kind_name(event.kind())).put(event.payment());
}

std::string dispatch(const Command &command) {
    try {
        const auto config = settings(command);
        const auto name = *command.get("do");
        if (name == "verify_webhook") return verify(config, command).line();
        const merchantpay::Client client(config);
        std::string line;
        for (auto left = command.number("repeat").value_or(1UL); left > 0; --left) line = call(client, command, name).line();
        return line;
    } catch (const merchantpay::Error &error) {
        Result result(false);
        result.put("code", std::string(error.code_name())).put("outcome", std::string(error.outcome_name()));
        result.put("description", error.description()).put("reason", error.reason()).put("order_id", error.order_id());
        if (error.http_status() != 0) result.put("http_status", std::to_string(error.http_status()));
        return result.line();
    }
}

} // namespace

int main() {
    for (std::string line; std::getline(std::cin, line);) std::cout << dispatch(Command(line)) << std::endl;
}
