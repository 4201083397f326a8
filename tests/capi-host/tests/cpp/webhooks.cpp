// What a verifier accepts. The bodies and their signatures come from the test that runs this.
#include "check.hpp"

using namespace merchantpay;

namespace {

Event verify(const Verifier &verifier, const std::string &name) {
    const std::string body = check::setting(("WEBHOOK_" + name).c_str());
    return verifier.verify_webhook(body, check::setting(("SIGNATURE_" + name).c_str()), check::setting("MERCHANTPAY_SERVER_KEY_ID"));
}

void a_webhook_is_an_event_with_a_payment() {
    const Verifier verifier(check::config());
    const Event credentials = verify(verifier, "CREDENTIALS");
    CHECK(credentials.kind() == EventKind::credentials);
    CHECK(credentials.payment().order_id() == "o-1" && credentials.payment().sum_minor() == 150050);
    const Event failed = verify(verifier, "CREDENTIALS_FAILED");
    CHECK(failed.kind() == EventKind::credentials_failed && failed.payment().order_id() == "o-1" && !failed.payment().sum());
    const Event status = verify(verifier, "STATUS");
    CHECK(status.kind() == EventKind::status && status.payment().status() == "doneSuccess" && status.payment().is_final());
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

void what_is_not_the_services_is_refused() {
    const Verifier verifier(check::config());
    const std::string body = check::setting("WEBHOOK_STATUS"), signature = check::setting("SIGNATURE_STATUS");
    const std::string cut = body + std::string(1, '\0');
    const std::string key_id = check::setting("MERCHANTPAY_SERVER_KEY_ID"), own = check::setting("MERCHANTPAY_KEY_ID");
    const auto refused = [&](const std::string &bytes, Text by, Text key) {
        return check::is(check::error_of([&] { return verifier.verify_webhook(bytes, by, key); }), Code::unverified, Outcome::unknown);
    };
    CHECK(refused(body, nullptr, key_id));
    CHECK(refused(body, "", key_id));
    CHECK(refused(body, signature, own));
    CHECK(refused(body, check::setting("SIGNATURE_CREDENTIALS"), key_id));
    // All of the bytes count, also behind a NUL.
    CHECK(refused(cut, signature, key_id));
}

void what_is_the_services_but_no_webhook_is_malformed() {
    const Error error = check::error_of([] { verify(Verifier(check::config()), "PENDING"); });
    CHECK(check::is(error, Code::malformed, Outcome::unknown));
    CHECK(error.body() == check::setting("WEBHOOK_PENDING"));
}

} // namespace

int main() {
    return check::run({
        {"a webhook is an event with a payment", a_webhook_is_an_event_with_a_payment},
        {"a verifier needs the service's key alone", a_verifier_needs_the_services_key_alone},
        {"a payment outlives its event", a_payment_outlives_its_event},
        {"an event that was moved from has nothing", an_event_that_was_moved_from_has_nothing},
        {"what is not the service's is refused", what_is_not_the_services_is_refused},
        {"what is the service's but no webhook is malformed", what_is_the_services_but_no_webhook_is_malformed},
    });
}
