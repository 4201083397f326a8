// The vectors that every language is held against, from the standard input as c/flat.h has them. Prints how many there were of
// each kind, and how many could not be said: none.
#include "check.hpp"

#include <cstring>
#include <functional>
#include <map>

using namespace merchantpay;

namespace {

// A case: values by their path; null is one that is not there, but for `sum_minor`, which `nulls` says.
struct Case {
    std::map<std::string, std::string> values;
    std::map<std::string, bool> nulls;

    bool has(const std::string &path) const { return values.count(path) != 0; }
    const std::string &at(const std::string &path) const {
        const auto found = values.find(path);
        if (found == values.end()) throw std::runtime_error("no " + path);
        return found->second;
    }
    Optional<std::string> text(const std::string &path) const {
        return has(path) ? Optional<std::string>(at(path)) : Optional<std::string>();
    }
    bool flag(const std::string &path) const { return at(path) == "true"; }
    // path.0, path.1 and so on, with `end` behind it.
    std::vector<std::string> list(const std::string &path, const std::string &end = "") const {
        std::vector<std::string> all;
        for (int index = 0; has(path + "." + std::to_string(index) + end); ++index)
            all.push_back(at(path + "." + std::to_string(index) + end));
        return all;
    }
};

std::string unhex(const std::string &hex) {
    std::string bytes;
    if (hex == "-") return bytes;
    for (std::size_t at = 0; at + 1 < hex.size(); at += 2) bytes.push_back(static_cast<char>(std::stoi(hex.substr(at, 2), nullptr, 16)));
    return bytes;
}

bool next(Case &one) {
    one = Case();
    std::string line;
    if (!std::getline(std::cin, line)) return false;
    if (line != "case") throw std::runtime_error("no case: " + line);
    while (std::getline(std::cin, line) && line != "end") {
        const std::string path = line.substr(0, line.find(' ')), value = line.substr(line.find(' ') + 1);
        if (value == "null") one.nulls[path] = true;
        else one.values[path] = unhex(value);
    }
    return line == "end";
}

bool same(const Optional<std::string> &one, const Optional<std::string> &other) {
    return one.has_value() == other.has_value() && (!one.has_value() || *one == *other);
}

// Compares, and prints both where they differ.
void is(const Optional<std::string> &got, const Optional<std::string> &wanted, const char *what) {
    if (!same(got, wanted))
        throw std::runtime_error(std::string(what) + ": " + got.value_or("nothing") + ", wanted " + wanted.value_or("nothing"));
}

// Runs a call that has to end as the case says; gives whether it succeeded.
bool ends_as_expected(const Case &one, const std::function<void()> &call, const std::string *body = nullptr) {
    if (!one.has("expected.error.code")) {
        call();
        return true;
    }
    const Error error = check::error_of(call);
    is(std::string(error.code_name()), one.at("expected.error.code"), "code");
    is(std::string(error.outcome_name()), one.at("expected.error.outcome"), "outcome");
    if (body == nullptr) return false;
    is(error.description(), one.text("expected.error.description"), "description");
    is(error.reason(), one.text("expected.error.reason"), "reason");
    is(error.order_id(), one.text("expected.error.order_id"), "order_id");
    is(std::to_string(error.http_status()), one.text("expected.error.http_status").value_or("0"), "http_status");
    const bool kept = error.code() == Code::rejected || error.code() == Code::malformed;
    is(error.body(), kept ? Optional<std::string>(*body) : Optional<std::string>(), "the error's body");
    return false;
}

Config config_of(const Case &one, bool whole) {
    Config config;
    if (one.has("settings.key_id")) config.set_key_id(one.at("settings.key_id"));
    for (const auto &key : one.list("settings.server_public_keys")) config.add_server_public_key(key);
    for (const auto &id : one.list("settings.server_key_ids")) config.add_server_key_id(id);
    if (whole) config.set_base_url(one.at("settings.base_url")).set_private_key(one.at("settings.private_key"));
    return config;
}

PaymentRequest request_of(const Case &one) {
    PaymentRequest request;
    const auto given = [&one](const char *name) { return one.text(std::string("arguments.") + name); };
    if (given("sum")) request.set_sum(given("sum"));
    if (given("currency")) request.set_currency(given("currency"));
    if (given("paymentMethod")) request.set_payment_method(given("paymentMethod"));
    if (given("customerAccount")) request.set_customer_account(given("customerAccount"));
    if (given("payerBank")) request.set_payer_bank(given("payerBank"));
    if (given("merchantId")) request.set_merchant_id(given("merchantId"));
    if (given("statusWebhookUrl")) request.set_status_webhook_url(given("statusWebhookUrl"));
    if (given("credentialsWebhookUrl")) request.set_credentials_webhook_url(given("credentialsWebhookUrl"));
    if (given("sumDriftUp")) request.set_sum_drift_up(given("sumDriftUp"));
    if (given("sumDriftDown")) request.set_sum_drift_down(given("sumDriftDown"));
    return request;
}

Receipt receipt_of(const Case &one) {
    Receipt receipt(one.at("arguments.orderId"));
    const auto names = one.list("arguments.files", ".name"), types = one.list("arguments.files", ".content_type");
    const auto data = one.list("arguments.files", ".data");
    for (std::size_t at = 0; at < names.size(); ++at) receipt.add_bytes(names[at], types.at(at), data.at(at));
    return receipt;
}

HttpRequest prepare(const Case &one, const std::string &operation) {
    const Protocol protocol(config_of(one, true));
    if (operation == "getAvailableAmounts") return protocol.prepare_get_available_amounts(request_of(one));
    if (operation == "newPayment") return protocol.prepare_new_payment(request_of(one));
    if (operation == "newPaymentAsync") return protocol.prepare_new_payment_async(request_of(one));
    if (operation == "attachReceipt") return protocol.prepare_attach_receipt(receipt_of(one));
    const std::string order_id = one.text("arguments.orderId").value_or("o-1");
    if (operation == "confirm") return protocol.prepare_confirm(order_id);
    if (operation == "cancel") return protocol.prepare_cancel(order_id);
    if (operation == "getStatus") return protocol.prepare_get_status(order_id);
    throw std::runtime_error("an operation that this program does not know: " + operation);
}

std::string header(const HttpRequest &request, const std::string &name) {
    for (const auto &pair : request.headers())
        if (pair.first == name) return pair.second;
    throw std::runtime_error("no header " + name);
}

std::vector<std::pair<std::string, std::string>> headers_of(const Case &one, const std::string &path) {
    std::vector<std::pair<std::string, std::string>> headers;
    const auto names = one.list(path, ".0"), values = one.list(path, ".1");
    for (std::size_t at = 0; at < names.size(); ++at) headers.emplace_back(names[at], values.at(at));
    return headers;
}

void settings(const Case &one) {
    for (const auto &made : one.list("makes")) {
        CHECK(made == "protocol" || made == "verifier");
        const bool protocol = made == "protocol";
        const bool succeeded = ends_as_expected(one, [&one, protocol] {
            if (protocol) Protocol(config_of(one, true));
            else Verifier(config_of(one, false));
        });
        if (succeeded && protocol && one.has("expected.signature")) {
            const HttpRequest sent = Protocol(config_of(one, true)).prepare_confirm(one.at("expected.arguments.orderId"));
            is(header(sent, "X-Signature"), one.at("expected.signature"), "signature");
            is(sent.body(), one.at("expected.body"), "body");
        }
    }
}

void request(const Case &one) {
    ends_as_expected(one, [&one] {
        const HttpRequest sent = prepare(one, one.at("operation"));
        is(sent.url(), one.text("expected.url"), "url");
        is(sent.body(), one.text("expected.body"), "body");
        CHECK(sent.headers() == headers_of(one, "expected.headers"));
    });
}

std::string with_boundary(std::string text, const std::string &boundary) {
    const std::string mark = "@boundary@";
    for (std::size_t at = 0; (at = text.find(mark, at)) != std::string::npos; at += boundary.size())
        text.replace(at, mark.size(), boundary);
    return text;
}

void receipt(const Case &one) {
    ends_as_expected(one, [&one] {
        const HttpRequest sent = prepare(one, "attachReceipt");
        const std::string type = header(sent, "Content-Type"), start = "boundary=";
        const std::string boundary = type.substr(type.find(start) + start.size());
        is(sent.url(), one.text("expected.url"), "url");
        is(type, with_boundary(one.at("expected.headers.0.1"), boundary), "Content-Type");
        is(header(sent, "X-KeyId"), one.text("expected.headers.1.1"), "X-KeyId");
        is(sent.body(), with_boundary(one.at("expected.body"), boundary), "body");
        // As vectors.c says: signed by this key, but no webhook.
        Config config;
        config.add_server_public_key(one.at("settings.public_key"));
        const Verifier verifier(config);
        const auto verify = [&] { return verifier.verify_webhook(sent.body(), header(sent, "X-Signature"), nullptr); };
        CHECK(check::is(check::error_of(verify), Code::malformed, Outcome::unknown));
    });
}

void amount_text(const Case &one) {
    ends_as_expected(one, [&one] {
        const Protocol protocol(config_of(one, true));
        PaymentRequest request;
        request.set_payment_method("card").set_sum(one.at("text"));
        static_cast<void>(protocol.prepare_get_available_amounts(request));
    });
}

void payment_is(const Case &one, const Payment &payment, const std::string &body) {
    const std::map<std::string, Optional<std::string>> fields = {
        {"orderId", payment.order_id()},
        {"sum", payment.sum()},
        {"currency", payment.currency()},
        {"payeeAccount", payment.payee_account()},
        {"payeeAccountBank", payment.payee_account_bank()},
        {"payeeName", payment.payee_name()},
        {"dealSum", payment.deal_sum()},
        {"dealCurrency", payment.deal_currency()},
        {"dealRate", payment.deal_rate()},
        {"deeplink", payment.deeplink()},
        {"status", payment.status()},
    };
    const std::string start = "expected.payment.";
    for (const auto &field : fields) is(field.second, one.text(start + field.first), field.first.c_str());
    for (const auto &value : one.values)
        CHECK(value.first.compare(0, start.size(), start) != 0 || fields.count(value.first.substr(start.size())));
    CHECK(payment.is_final() == one.flag("expected.final"));
    is(payment.json(), body, "json");
    if (one.has("expected.sum_minor")) CHECK(payment.sum_minor() == std::stoll(one.at("expected.sum_minor")));
    if (one.nulls.count("expected.sum_minor")) CHECK(payment.sum_minor() == nullptr);
}

HttpResponse response_of(const Case &one) {
    HttpResponse response;
    response.set_status(std::stoi(one.at("reply.status"))).set_body(one.at("reply.body"));
    for (const auto &pair : headers_of(one, "reply.headers")) response.add_header(pair.first, pair.second);
    return response;
}

void reply(const Case &one) {
    const std::string operation = one.at("operation"), &body = one.at("reply.body");
    const HttpRequest sent = prepare(one, operation);
    const HttpResponse response = response_of(one);
    ends_as_expected(
        one,
        [&] {
            if (operation == "getAvailableAmounts") {
                const AvailableAmounts amounts = sent.open_get_available_amounts(response);
                const auto wanted = one.list("expected.amounts");
                CHECK(amounts.count() == wanted.size());
                for (std::size_t at = 0; at < wanted.size(); ++at) is(amounts.get(at), wanted[at], "an amount");
                CHECK(amounts.other_possible() == one.flag("expected.other_amounts_possible"));
                is(amounts.json(), body, "json");
            } else if (operation == "newPayment") {
                payment_is(one, sent.open_new_payment(response), body);
            } else if (operation == "newPaymentAsync") {
                payment_is(one, sent.open_new_payment_async(response), body);
            } else if (operation == "getStatus") {
                payment_is(one, sent.open_get_status(response), body);
            } else if (operation == "confirm") {
                sent.open_confirm(response);
            } else if (operation == "cancel") {
                sent.open_cancel(response);
            } else {
                sent.open_attach_receipt(response);
            }
        },
        &body);
}

void status(const Case &one) {
    const Payment payment = prepare(one, "getStatus").open_get_status(response_of(one));
    is(payment.status(), one.at("text"), "status");
    CHECK(payment.is_final() == one.flag("final"));
}

void webhook(const Case &one) {
    const std::string &body = one.at("webhook.body");
    const Verifier verifier(config_of(one, false));
    ends_as_expected(
        one,
        [&] {
            const Event event = verifier.verify_webhook(body, one.at("webhook.signature"), one.text("webhook.key_id"));
            const char *const kinds[] = {"", "credentials", "credentials_failed", "status"};
            is(std::string(kinds[static_cast<int>(event.kind())]), one.at("expected.event"), "event");
            payment_is(one, event.payment(), body);
        },
        &body);
}

} // namespace

int main() {
    const std::map<std::string, void (*)(const Case &)> kinds = {
        {"settings", settings}, {"request", request}, {"receipt", receipt}, {"amount_text", amount_text},
        {"reply", reply},       {"status", status},   {"webhook", webhook},
    };
    std::map<std::string, int> counts;
    int broken = 0;
    Case one;
    while (next(one)) {
        try {
            const auto kind = kinds.find(one.at("kind"));
            if (kind == kinds.end()) throw std::runtime_error("a kind that this program does not know");
            ++counts[kind->first];
            kind->second(one);
        } catch (const std::exception &error) {
            std::cerr << one.at("file") << ": " << one.at("name") << ": " << error.what() << '\n';
            ++broken;
        }
    }
    for (const auto &count : counts) std::cout << count.first << ' ' << count.second << '\n';
    std::cout << "unsaid 0\n";
    return broken == 0 && std::cin.eof() ? EXIT_SUCCESS : EXIT_FAILURE;
}
