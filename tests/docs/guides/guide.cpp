// Runs the code of a page, which guides.py puts in. examples.py sets the environment.
#include <merchantpay.hpp>

#include <chrono>
#include <cstdlib>
#include <functional>
#include <iostream>
#include <stdexcept>
#include <string>

// docs/cpp.md

static std::string setting(const char *name) {
    const char *value = std::getenv(name);
    return value ? value : "";
}

static void need(bool holds) {
    if (!holds) throw std::runtime_error("the guide is wrong");
}

static void run() {
    const merchantpay::Client client = open_client();
    client.connect();
    const merchantpay::Payment payment = pay(client);
    money(payment);
    need(confirm(client, payment.order_id()));
    cancel(client, payment.order_id());
    cancel(client, pay(client).order_id());

    attach(client, setting("DISPUTED"), setting("RECEIPT"));

    merchantpay::Config config;
    config.set_from_env();
    const merchantpay::Verifier verifier(config);
    const std::string signature = setting("WEBHOOK_SIGNATURE");
    need(receive(verifier, setting("WEBHOOK_BODY"), signature.c_str(), nullptr) == 200);
    need(receive(verifier, "{}", signature.c_str(), nullptr) == 400);

    if (!setting("MERCHANTPAY_JOURNAL").empty()) {
        const merchantpay::Journal journal = open_journal(client, setting("MERCHANTPAY_JOURNAL"));
        merchantpay::PaymentRequest request;
        request.set_sum("1500.50").set_payment_method("sbp").set_customer_account("79001234567");
        sell(journal, request);
        customer_has_paid(journal);
        need(callback(journal, "/pay/callback/x", "{}", signature.c_str(), nullptr) == 400);
        bool shipped = false;
        while (!shipped) every_few_seconds(journal, [&](const merchantpay::Entry &) { shipped = true; });
    }
    std::cout << "the end\n";
}

int main() {
    try {
        run();
        return 0;
    } catch (const std::exception &error) {
        std::cerr << error.what() << '\n';
        return 1;
    }
}
