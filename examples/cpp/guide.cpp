// The code of the guides in docs/: guide RECEIPT. A test runs this program with a sandbox. A page shows the lines between two marks.
#include "example.hpp"

#include <chrono>
#include <thread>

// [client]
static std::string setting(const char *name) {
    const char *value = std::getenv(name);
    return value ? value : "";
}

static merchantpay::Client open_client() {
    merchantpay::Config config;
    config.set_base_url(setting("MERCHANTPAY_BASE_URL")).set_key_id(setting("MERCHANTPAY_KEY_ID"));
    config.set_private_key(setting("MERCHANTPAY_PRIVATE_KEY"));
    config.add_server_public_key(setting("MERCHANTPAY_SERVER_PUBLIC_KEY"));
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

// [available]
static void available(const merchantpay::Client &client) {
    merchantpay::PaymentRequest request;
    const merchantpay::AvailableAmounts amounts = client.get_available_amounts(request.set_sum("1500").set_payment_method("sbp"));
    for (const std::string &amount : amounts) std::cout << "available: " << amount << " RUB\n";
    std::cout << "other amounts may succeed too: " << amounts.other_possible() << '\n';
}
// [/available]

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

// [keys]
static void keys() {
    const merchantpay::Keypair pair = merchantpay::Keypair::generate();
    std::cout << "for the service: " << pair.public_key() << '\n';
    // Keep pair.private_key() only in a secret store.
}
// [/keys]

// [rotation]
static void rotate(merchantpay::Config &config, const std::string &old_key, const std::string &new_key) {
    // Responses and webhooks verify with either key.
    config.clear_server_keys().add_server_public_key(old_key).add_server_public_key(new_key);
}
// [/rotation]

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

int main(int argc, char **argv) {
    if (argc != 2) return 2;
    return example::run([&] {
        const merchantpay::Client client = open_client();
        client.connect();
        available(client);
        const merchantpay::Payment payment = pay(client);
        money(payment);
        if (!confirm(client, payment.order_id())) throw std::runtime_error("it was not paid exactly");
        cancel(client, payment.order_id());
        cancel(client, pay(client).order_id());

        merchantpay::PaymentRequest request;
        request.set_sum("1500.50").set_payment_method("card").set_customer_account("arbitration");
        const std::string disputed = client.new_payment(request).order_id();
        client.confirm(disputed);
        while (client.get_status(disputed).status_code() != merchantpay::Status::receipt_required) {
            std::this_thread::sleep_for(std::chrono::milliseconds(50));
        }
        attach(client, disputed, argv[1]);

        keys();
        merchantpay::Config config;
        rotate(config, setting("MERCHANTPAY_SERVER_PUBLIC_KEY"), setting("MERCHANTPAY_SERVER_PUBLIC_KEY"));
        const merchantpay::Verifier verifier(config);
        const std::string signature = setting("WEBHOOK_SIGNATURE");
        if (receive(verifier, setting("WEBHOOK_BODY"), signature.c_str(), nullptr) != 200) throw std::runtime_error("refused");
        if (receive(verifier, "{}", signature.c_str(), nullptr) != 400) throw std::runtime_error("not refused");
        std::cout << "the end\n";
    });
}
