// Features of the standard library from C++17: optional, string_view.
#include "check.hpp"

#include <optional>
#include <string_view>

using namespace merchantpay;

namespace {

using namespace std::literals;

RULE(absent_value_is_std_optional) {
    const Client client(check::config());
    const Payment payment = client.new_payment(check::request());
    const std::optional<std::string> sum = payment.sum(), status = payment.status();
    const std::optional<std::int64_t> minor_units = payment.sum_minor();
    CHECK(sum == "1500.50" && !status && minor_units == 150050);
    CHECK(Optional<std::string>(std::optional<std::string>("x")) == "x" && !Optional<std::string>(std::optional<std::string>()));
}

RULE(a_text_is_a_view_that_needs_no_nul_behind_it) {
    const Client client(check::config());
    const std::string_view several = "1500.50sbp79001234567";
    PaymentRequest request;
    request.set_sum(several.substr(0, 7)).set_payment_method(several.substr(7, 3)).set_customer_account(several.substr(10));
    const std::string order_id = client.new_payment(request).order_id();
    CHECK(client.get_status(std::string_view(order_id + "xyz").substr(0, order_id.size())).order_id() == order_id);
}

RULE(view_with_nul_is_refused) {
    const Client client(check::config());
    CHECK(check::is(check::error_of([&] { client.confirm("o\0-1"sv); }), Code::invalid_argument, Outcome::not_sent));
    for (const std::string_view empty : {""sv, std::string_view()}) {
        Config config = check::config();
        CHECK(check::is(check::error_of([&] { config.set_ca_file(empty); }), Code::invalid_argument, Outcome::not_sent));
    }
    Config config = check::config();
    config.set_ca_file(std::nullopt).set_proxy(std::optional<std::string_view>()).set_user_agent(std::optional<std::string>("shop/1"));
    CHECK(!Client(config).new_payment(check::request()).order_id().empty());
}

RULE(bytes_are_a_view_with_anything_in_it) {
    const Verifier verifier(check::config());
    CHECK(check::is(check::error_of([&] { return verifier.verify_webhook("{\0}"sv, "x"sv, std::nullopt); }), Code::unverified,
                    Outcome::unknown));
    Receipt receipt("o-1"sv);
    receipt.add_bytes("a.png"sv, "image/png"sv, "\x89PNG\r\n\x1a\n\0"sv);
    HttpResponse response;
    response.set_body("\0"sv).set_body(std::string("x")).set_body("x");
}

} // namespace
