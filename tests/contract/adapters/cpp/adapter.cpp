// The adapter in C++: reads one command per line from stdin, and writes one result per line to stdout. See
// ../../README.md.
#include "journal.hpp"

#include <iostream>

namespace {

merchantpay::Receipt receipt(const json &arguments) {
    merchantpay::Receipt receipt(text(arguments, "order_id"));
    for (const auto &file : arguments.at("files")) {
        if (const auto path = text(file, "path")) receipt.add_file(*path);
        else receipt.add_bytes(text(file, "name"), text(file, "content_type"), unhex(file.at("data")));
    }
    return receipt;
}

json shown(const merchantpay::Payment &payment) {
    json result = {{"payment", fields_of(payment)}, {"final", payment.is_final()}, {"json", payment.json()}};
    result["known"] = static_cast<int>(payment.status_code()) != 0;
    const auto minor = payment.sum_minor();
    result["sum_minor"] = minor ? json(std::to_string(*minor)) : json(nullptr);
    return result;
}

json shown(const merchantpay::AvailableAmounts &amounts) {
    json list = json::array();
    for (const auto &amount : amounts) list.push_back(amount);
    return {{"amounts", list}, {"other_amounts_possible", amounts.other_possible()}, {"json", amounts.json()}};
}

json shown(const merchantpay::HttpRequest &request) {
    json headers = json::array();
    for (const auto &pair : request.headers()) headers.push_back({pair.first, pair.second});
    return {{"url", request.url()}, {"headers", headers}, {"body", hex(request.body())}};
}

merchantpay::HttpRequest prepare(const json &command) {
    const merchantpay::Protocol protocol(config(command));
    const std::string operation = command.at("operation");
    const json &arguments = command.at("arguments");
    if (operation == "get_available_amounts") return protocol.prepare_get_available_amounts(request(arguments));
    if (operation == "new_payment") return protocol.prepare_new_payment(request(arguments));
    if (operation == "new_payment_async") return protocol.prepare_new_payment_async(request(arguments));
    if (operation == "attach_receipt") return protocol.prepare_attach_receipt(receipt(arguments));
    if (operation == "confirm") return protocol.prepare_confirm(text(arguments, "order_id"));
    if (operation == "cancel") return protocol.prepare_cancel(text(arguments, "order_id"));
    return protocol.prepare_get_status(text(arguments, "order_id"));
}

json open(const json &command) {
    const merchantpay::HttpRequest sent = prepare(command);
    const std::string operation = command.at("operation");
    const json &reply = command.at("reply");
    merchantpay::HttpResponse response;
    response.set_status(reply.at("status")).set_body(unhex(reply.at("body")));
    for (const auto &pair : reply.at("headers")) response.add_header(pair.at(0).get<std::string>(), pair.at(1).get<std::string>());
    if (operation == "get_available_amounts") return shown(sent.open_get_available_amounts(response));
    if (operation == "new_payment") return shown(sent.open_new_payment(response));
    if (operation == "new_payment_async") return shown(sent.open_new_payment_async(response));
    if (operation == "get_status") return shown(sent.open_get_status(response));
    if (operation == "attach_receipt") sent.open_attach_receipt(response);
    else if (operation == "confirm") sent.open_confirm(response);
    else sent.open_cancel(response);
    return json::object();
}

json call(const merchantpay::Client &client, const std::string &operation, const json &arguments) {
    if (operation == "get_available_amounts") return shown(client.get_available_amounts(request(arguments)));
    if (operation == "new_payment") return shown(client.new_payment(request(arguments)));
    if (operation == "new_payment_async") return shown(client.new_payment_async(request(arguments)));
    if (operation == "get_status") return shown(client.get_status(text(arguments, "order_id")));
    if (operation == "attach_receipt") client.attach_receipt(receipt(arguments));
    else if (operation == "confirm") client.confirm(text(arguments, "order_id"));
    else client.cancel(text(arguments, "order_id"));
    return json::object();
}

json verify(const json &command) {
    const char *const kinds[] = {"", "credentials", "credentials_failed", "status"};
    const merchantpay::Verifier verifier(config(command));
    const auto event = verifier.verify_webhook(unhex(command.at("body")), text(command, "signature"), text(command, "key_id"));
    json result = shown(event.payment());
    result["kind"] = kinds[static_cast<int>(event.kind())];
    return result;
}

json explain(const json &command) {
    const merchantpay::Verifier verifier(config(command));
    const auto explanation = verifier.explain(unhex(command.at("body")), text(command, "signature"), text(command, "key_id"));
    if (!explanation) return {{"cause", ""}};
    return {{"cause", explanation->cause_name()}, {"hint", explanation->hint()}};
}

json answer(const json &command) {
    const std::string what = command.at("do");
    if (what == "prepare") return shown(prepare(command));
    if (what == "open") return open(command);
    if (what == "verify") return verify(command);
    if (what == "explain") return explain(command);
    if (what == "settings") {
        if (command.at("makes") == "protocol") merchantpay::Protocol(config(command));
        else if (command.at("makes") == "client") merchantpay::Client(config(command));
        else merchantpay::Verifier(config(command));
        return json::object();
    }
    if (what != "call") return journal::answer(command);
    const merchantpay::Client client(config(command));
    json result;
    for (int left = command.value("times", 1); left > 0; --left)
        result = interrupted(command, client, [&] { return call(client, command.at("operation"), command.at("arguments")); });
    return result;
}

json failure(const merchantpay::Error &error) {
    json fields;
#define OF_ERROR(KIND, name, getter) KIND(name, error.getter())
    ERROR_FIELDS(OF_ERROR)
    if (const auto body = error.body()) fields["body"] = hex(*body);
    return fields;
}

} // namespace

int main() {
    for (std::string line; std::getline(std::cin, line);) {
        json written, command;
        got() = Got();
        try {
            command = json::parse(line);
            // Before C++17 a compiler may make the member "ok" first, and leave it there if the call throws.
            json done = answer(command);
            written["ok"] = std::move(done);
        } catch (const merchantpay::Error &error) {
            written["error"] = failure(error);
        } catch (const std::exception &error) {
            written["crash"] = error.what();
        }
        for (const char *part : {"ok", "error"}) {
            if (written.count(part) && command.count("signer")) written[part]["signed"] = got().messages;
            if (written.count(part) && command.count("logger")) written[part]["log"] = got().events;
        }
        std::cout << written.dump() << std::endl;
    }
}
