// Shows what to do about each of the three outcomes of a call that failed.
#include "example.hpp"

// Makes a call that must fail, and prints what to do about its error.
template <class Call>
void print_outcome(Call call) {
    try {
        call();
    } catch (const merchantpay::Error &error) {
        std::cout << error.outcome_name() << ' ' << error.code_name();
        if (error.reason()) std::cout << ' ' << *error.reason();
        switch (error.outcome()) {
        case merchantpay::Outcome::not_sent:
            std::cout << ": safe to send again\n";
            break;
        case merchantpay::Outcome::rejected:
            std::cout << ": nothing took effect\n";
            break;
        default: // Outcome::unknown, and any outcome that a later version adds.
            std::cout << ": ask for the status\n";
            break;
        }
        return;
    }
    throw std::runtime_error("a call succeeded that had to fail");
}

int main() {
    return example::run([] {
        const merchantpay::Client client(example::config());
        merchantpay::PaymentRequest request;
        request.set_sum("1500.55").set_payment_method("sbp").set_customer_account("79001234567");

        // No server listens at this URL, so no byte was sent.
        merchantpay::Config unreachable = example::config();
        unreachable.set_base_url("http://127.0.0.1:1").set_max_retries(0);
        const merchantpay::Client unreachable_client(unreachable);
        print_outcome([&] { return unreachable_client.new_payment(request); });

        // The service refuses the request, and signs its refusal.
        print_outcome([&] { client.cancel("no-such-order"); });

        // A client with a wrong service key cannot verify a reply. The service still executes the client's requests.
        const merchantpay::Payment payment = client.new_payment(request);
        std::cout << "order " << payment.order_id() << '\n';
        const merchantpay::Keypair other = merchantpay::Keypair::generate();
        merchantpay::Config suspicious;
        suspicious.set_base_url(std::getenv("MERCHANTPAY_BASE_URL"))
            .set_key_id(std::getenv("MERCHANTPAY_KEY_ID"))
            .set_private_key(std::getenv("MERCHANTPAY_PRIVATE_KEY"))
            .add_server_public_key(other.public_key());
        const merchantpay::Client suspicious_client(suspicious);
        print_outcome([&] { suspicious_client.confirm(payment.order_id()); });

        // Do not guess and confirm again: the status shows whether the first confirm took effect.
        example::wait(client, payment.order_id());
    });
}
