// Receives webhooks: webhook [COUNT]. The program ends after COUNT webhooks; without COUNT, or with 0, it does not end.
#include "receiver.hpp"

namespace {

void print_event(const merchantpay::Event &event) {
    const merchantpay::Payment &payment = event.payment();
    switch (event.kind()) {
    case merchantpay::EventKind::credentials:
        std::cout << "credentials " << payment.order_id() << " pay " << example::shown(payment.sum()) << " RUB to "
                  << example::shown(payment.payee_account()) << std::endl;
        break;
    case merchantpay::EventKind::credentials_failed:
        std::cout << "credentials_failed " << payment.order_id() << std::endl;
        break;
    case merchantpay::EventKind::status:
        std::cout << "status " << payment.order_id() << ' ' << example::shown(payment.status()) << std::endl;
        break;
    default: // A later version of the library may know more kinds.
        std::cout << "event " << payment.order_id() << std::endl;
        break;
    }
}

// Verifies one webhook or refuses it. The same event may come again: a shop must handle an event only once.
unsigned int receive(const merchantpay::Verifier &verifier, const example::Webhook &webhook) {
    if (webhook.too_large) {
        std::cout << "refused too_large" << std::endl;
        return 400;
    }
    try {
        // Uses the unchanged bytes: a parsed and rewritten body does not verify.
        print_event(verifier.verify_webhook(webhook.body, webhook.signature, webhook.key_id));
        return 200;
    } catch (const merchantpay::Error &error) {
        std::cout << "refused " << error.code_name() << std::endl;
        const auto why = verifier.explain(webhook.body, webhook.signature, webhook.key_id);
        const std::string cause = why ? why->cause_name() + ": " + why->hint() : error.what();
        std::cerr << "webhook refused: " << cause << '\n'; // for your log, not for the sender
        return 400;
    }
}

} // namespace

int main(int argc, char **argv) {
    return example::run([&] {
        const unsigned long count = argc > 1 ? std::strtoul(argv[1], nullptr, 10) : 0; // With 0 the program does not end.
        // A verifier needs only the service's public key. The other settings make the verifier stricter.
        const merchantpay::Verifier verifier(example::config());
        example::Receiver receiver(0, [&](const example::Webhook &webhook) { return receive(verifier, webhook); });
        while (count == 0 || receiver.received() < count) receiver.serve(-1);
    });
}
