// The code of docs/cpp.md, which shows the lines between two marks. tests/docs runs it with a sandbox: guide RECEIPT
#include <merchantpay.hpp>

#include <chrono>
#include <cstdlib>
#include <functional>
#include <iostream>
#include <stdexcept>
#include <string>
#include <thread>

// [client]
static merchantpay::Client open_client() {
    merchantpay::Config config;
    config.set_from_env(); // or config.set_base_url(…) and the other setters
    return merchantpay::Client(config);
}
// [/client]

// [pay]
static merchantpay::Payment pay(const merchantpay::Client &client) {
    merchantpay::PaymentRequest request;
    request.set_sum("1500.50").set_payment_method("sbp").set_customer_account("79001234567").set_merchant_id("order-1017");
    try {
        const merchantpay::Payment payment = client.new_payment(request);
        std::cout << payment.order_id() << ": pay at " << payment.deeplink().value_or("-") << '\n';
        return payment;
    } catch (const merchantpay::Error &error) {
        if (error.outcome() == merchantpay::Outcome::not_sent) std::cout << "nothing was sent: " << error.what() << '\n';
        else if (error.outcome() == merchantpay::Outcome::rejected) std::cout << "refused: " << error.what() << '\n';
        else std::cout << "a payment may exist, do not send again: " << error.what() << '\n';
        throw;
    }
}
// [/pay]

// [confirm]
static bool confirm(const merchantpay::Client &client, const std::string &order_id) {
    client.confirm(order_id);                                                            // the customer says that the money was sent
    const merchantpay::Payment payment = client.wait(order_id, std::chrono::minutes(1)); // asks getStatus until the status is final
    return payment.status_code() == merchantpay::Status::done_success && payment.paid("1500.50") == merchantpay::Paid::exactly;
}
// [/confirm]

// [cancel]
static void cancel(const merchantpay::Client &client, const std::string &order_id) {
    try {
        client.cancel(order_id);
        std::cout << order_id << ": cancelled\n";
    } catch (const merchantpay::Error &error) {
        if (error.outcome() != merchantpay::Outcome::rejected) throw;
        // It is too late to cancel: the status shows why.
        std::cout << order_id << ": " << client.get_status(order_id).status().value_or("-") << '\n';
    }
}
// [/cancel]

// [receipt]
static void attach(const merchantpay::Client &client, const std::string &order_id, const std::string &file) {
    merchantpay::Receipt receipt(order_id);
    receipt.add_file(file); // a PDF, JPEG or PNG by its content; add_bytes for a file in memory
    client.attach_receipt(receipt);
}
// [/receipt]

// [money]
static void money(const merchantpay::Payment &payment) {
    const merchantpay::Amount converted =
        merchantpay::to_balance("1500.50", "92.45", merchantpay::Balance::usdt, 6, merchantpay::Rounding::half_even);
    std::cout << converted.text() << '\n'; // 16.230395
    // The payment's dealCurrency is the currency of the merchant's balance:
    const bool exactly = payment.paid("1500.50") == merchantpay::Paid::exactly;
    std::cout << "paid exactly: " << exactly << ", balance " << payment.deal_currency().value_or("-") << '\n';
}
// [/money]

// [webhook]
// Takes the unchanged body, and the headers X-Signature and X-KeyId. Returns the HTTP status of the answer.
static int receive(const merchantpay::Verifier &verifier, const std::string &body, const char *signature, const char *key_id) {
    try {
        const merchantpay::Event event = verifier.verify_webhook(body.data(), body.size(), signature, key_id);
        const std::string order_id = event.payment().order_id();
        switch (event.kind()) {
        case merchantpay::EventKind::credentials:
            std::cout << order_id << ": show the credentials\n";
            break;
        case merchantpay::EventKind::credentials_failed:
            std::cout << order_id << ": no payee\n";
            break;
        case merchantpay::EventKind::status:
            std::cout << order_id << ": " << event.payment().status().value_or("-") << '\n';
            break;
        default:
            break; // a kind that a later version added
        }
    } catch (const merchantpay::Error &error) {
        const auto why = verifier.explain(body, signature, key_id);
        std::cerr << "webhook refused: " << (why ? why->hint() : error.what()) << '\n'; // for your log, not for the sender
        return 400;
    }
    return 200; // only when the event is stored
}
// [/webhook]

// [journal]
static merchantpay::Journal open_journal(const merchantpay::Client &client, const std::string &place) {
    merchantpay::JournalConfig config;
    config.set_place(place).set_callback_url("https://shop.example/pay/callback"); // a file's absolute path, postgresql:// or mysql://
    return merchantpay::Journal(client, config);
}

// Repeated with the same order number, it returns the same payment: after a lost reply, a second click or a crash.
static void sell(const merchantpay::Journal &journal, const merchantpay::PaymentRequest &request) {
    const merchantpay::Entry entry = journal.pay("order-1017", request);
    if (entry.has_credentials()) { // only if the customer can pay now
        const merchantpay::Payment credentials = entry.credentials();
        std::cout << "pay " << credentials.sum().value_or("-") << " to " << credentials.payee_account().value_or("-") << '\n';
    }
}

static void customer_has_paid(const merchantpay::Journal &journal) {
    journal.confirm("order-1017", 1); // the order's first attempt
}

static int callback(const merchantpay::Journal &journal, const std::string &path, const std::string &body, const char *signature,
                    const char *key_id) {
    return journal.receive(path, body.data(), body.size(), signature, key_id).http_status; // the HTTP status of the answer
}

static void every_few_seconds(const merchantpay::Journal &journal, const std::function<void(const merchantpay::Entry &)> &ship) {
    journal.settle();                                        // asks the service about open attempts that are due
    for (const merchantpay::Entry &entry : journal.news()) { // unacknowledged changes, also from before a crash
        if (entry.succeeded()) ship(entry);                  // doneSuccess, and exactly the requested sum was paid
        journal.acknowledge(entry);
    }
}
// [/journal]

static std::string setting(const char *name) {
    const char *value = std::getenv(name);
    return value ? value : "";
}

static void need(bool holds) {
    if (!holds) throw std::runtime_error("the guide is wrong");
}

static void run(const std::string &receipt) {
    const merchantpay::Client client = open_client();
    client.connect();
    const merchantpay::Payment payment = pay(client);
    money(payment);
    need(confirm(client, payment.order_id()));
    cancel(client, payment.order_id());
    cancel(client, pay(client).order_id());

    merchantpay::PaymentRequest request;
    request.set_sum("1500.50").set_payment_method("card").set_customer_account("arbitration");
    const std::string disputed = client.new_payment(request).order_id();
    client.confirm(disputed);
    while (client.get_status(disputed).status_code() != merchantpay::Status::receipt_required) {
        std::this_thread::sleep_for(std::chrono::milliseconds(50));
    }
    attach(client, disputed, receipt);

    merchantpay::Config config;
    config.set_from_env();
    const merchantpay::Verifier verifier(config);
    const std::string signature = setting("WEBHOOK_SIGNATURE");
    need(receive(verifier, setting("WEBHOOK_BODY"), signature.c_str(), nullptr) == 200);
    need(receive(verifier, "{}", signature.c_str(), nullptr) == 400);

    if (!setting("MERCHANTPAY_JOURNAL").empty()) {
        const merchantpay::Journal journal = open_journal(client, setting("MERCHANTPAY_JOURNAL"));
        request.set_payment_method("sbp").set_customer_account("79001234567");
        sell(journal, request);
        customer_has_paid(journal);
        need(callback(journal, "/pay/callback/x", "{}", signature.c_str(), nullptr) == 400);
        bool shipped = false;
        while (!shipped) every_few_seconds(journal, [&](const merchantpay::Entry &) { shipped = true; });
    }
    std::cout << "the end\n";
}

int main(int argc, char **argv) {
    if (argc != 2) return 2;
    try {
        run(argv[1]);
        return 0;
    } catch (const std::exception &error) {
        std::cerr << error.what() << '\n';
        return 1;
    }
}
