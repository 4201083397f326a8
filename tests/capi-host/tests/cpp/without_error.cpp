// This program is linked with c/without_error.c: a call that fails without an error is not a success.
#include "check.hpp"

using namespace merchantpay;

namespace {

void a_call_that_fails_without_an_error_throws_an_unknown_outcome() {
    const Client client(check::config());
    const Verifier verifier(check::config());
    const Protocol protocol(check::config());
    const PaymentRequest request = check::request();
    Receipt receipt("o-1");
    receipt.add_bytes("a.pdf", "application/pdf", "%PDF-1.4");
    const std::vector<std::function<void()>> calls = {
        [&] { client.get_available_amounts(request); },
        [&] { client.new_payment(request); },
        [&] { client.new_payment_async(request); },
        [&] { client.confirm("o-1"); },
        [&] { client.cancel("o-1"); },
        [&] { client.get_status("o-1"); },
        [&] { client.attach_receipt(receipt); },
        [&] { client.wait("o-1", std::chrono::seconds(1)); },
        [&] { client.connect(); },
        [&] { verifier.verify_webhook("{}", "x", nullptr); },
        [&] { protocol.prepare_new_payment(request); },
    };
    for (const auto &call : calls) {
        const Error error = check::error_of(call);
        CHECK(check::is(error, Code::internal, Outcome::unknown));
        CHECK(!error.message().empty() && std::string(error.code_name()) == "internal");
    }
}

} // namespace

int main() {
    return check::run({
        {"a_call_that_fails_without_an_error_throws_an_unknown_outcome", a_call_that_fails_without_an_error_throws_an_unknown_outcome},
    });
}
