// The client without I/O. The vectors test its requests and replies.
#include "check.hpp"

using namespace merchantpay;

namespace {

void a_reply_that_is_not_signed_leaves_it_unknown() {
    const HttpRequest request = Protocol(check::config()).prepare_confirm("o-1");
    HttpResponse response;
    CHECK(check::is(check::error_of([&] { request.open_confirm(response); }), Code::invalid_argument, Outcome::unknown));
    response.set_status(200).set_body("{\"success\":true,\"orderId\":\"o-1\"}");
    CHECK(check::is(check::error_of([&] { request.open_confirm(response); }), Code::unverified, Outcome::unknown));
}

void what_was_prepared_outlives_its_protocol() {
    std::unique_ptr<Protocol> protocol(new Protocol(check::config()));
    const HttpRequest request = protocol->prepare_get_status("no-such-order");
    protocol.reset();
    CHECK(request.url() == check::setting("MERCHANTPAY_BASE_URL") + "/api/v1/merchant/pay/status");
    HttpResponse unsigned_reply;
    unsigned_reply.set_status(502);
    CHECK(check::is(check::error_of([&] { return request.open_get_status(unsigned_reply); }), Code::unverified, Outcome::unknown));
}

} // namespace

int main() {
    return check::run({
        {"a reply that is not signed leaves it unknown", a_reply_that_is_not_signed_leaves_it_unknown},
        {"what was prepared outlives its protocol", what_was_prepared_outlives_its_protocol},
    });
}
