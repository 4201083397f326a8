// Verifiers and events. The vectors test which webhooks are accepted. The test that runs this program passes
// the bodies and their signatures.
#include "check.hpp"

using namespace merchantpay;

namespace {

Event verify(const Verifier &verifier, const std::string &name) {
    const std::string body = check::setting(("WEBHOOK_" + name).c_str());
    return verifier.verify_webhook(body, check::setting(("SIGNATURE_" + name).c_str()), check::setting("MERCHANTPAY_SERVER_KEY_ID"));
}

void a_verifier_needs_the_services_key_alone() {
    Config config;
    config.add_server_public_key(check::setting("MERCHANTPAY_SERVER_PUBLIC_KEY"));
    const Verifier verifier(config);
    const std::string body = check::setting("WEBHOOK_STATUS");
    const Optional<std::string> no_key_id;
    CHECK(verifier.verify_webhook(body.data(), body.size(), check::setting("SIGNATURE_STATUS"), no_key_id).kind() == EventKind::status);
}

void a_payment_outlives_its_event() {
    const Verifier verifier(check::config());
    std::unique_ptr<Event> event(new Event(verify(verifier, "STATUS")));
    const Payment payment = std::move(*event).payment();
    event.reset();
    CHECK(payment.order_id() == "o-1" && payment.json() == check::setting("WEBHOOK_STATUS"));
}

void an_event_that_was_moved_from_has_nothing() {
    const Verifier verifier(check::config());
    Event event = verify(verifier, "STATUS");
    const Event taken = std::move(event);
    CHECK(event.kind() == EventKind::none && event.payment().order_id().empty() && taken.payment().order_id() == "o-1");
}

} // namespace

int main() {
    return check::run({
        {"a verifier needs the service's key alone", a_verifier_needs_the_services_key_alone},
        {"a payment outlives its event", a_payment_outlives_its_event},
        {"an event that was moved from has nothing", an_event_that_was_moved_from_has_nothing},
    });
}
