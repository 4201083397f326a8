// The classes of merchantpay.hpp without exceptions: functions that can fail return a Result.
#include "check.hpp"

using namespace merchantpay;
using check::config;
using check::request;

namespace {

template <class T>
bool fails(const Result<T> &result, Code code, Outcome outcome = Outcome::not_sent) {
    return !result && check::is(result.error(), code, outcome);
}

RULE(a_call_gives_a_value_or_an_error) {
    Result<Client> client = Client::create(config());
    CHECK(client.has_value() && client->connect().has_value());
    Result<Payment> made = client->new_payment(request());
    CHECK(made && made->sum() == "1500.50");
    const Payment payment = *std::move(made);
    CHECK(client->confirm(payment.order_id()).has_value());
    const Result<Payment> paid = client->wait(payment.order_id(), std::chrono::seconds(20));
    CHECK(paid && paid->status_code() == Status::done_success && client->get_status(payment.order_id()).value().is_final());
    CHECK(client->get_status("no-such-order").error().reason_code() == Reason::order_not_found);
    CHECK(fails(client->cancel(nullptr), Code::invalid_argument));
    CHECK(fails(client->confirm(std::string("o\0-1", 4)), Code::invalid_argument));
    CHECK(fails(client->derive(-1), Code::invalid_argument));
    CHECK(fails(client->wait("o-1", std::chrono::milliseconds(-1)), Code::invalid_argument));
    CHECK(fails(to_balance("x", "1", Balance::rub, 2, Rounding::down), Code::invalid_argument));
    CHECK(to_balance("1500.50", "2", Balance::usdt, 2, Rounding::down)->text() == "750.25");
    const Result<Client> derived = client->derive(20000);
    derived->interrupt();
    CHECK(fails(derived->get_status("o-1"), Code::cancelled) && Keypair::generate()->public_key().size() == 44);
}

RULE(what_a_setter_refused_fails_where_it_is_used) {
    CHECK(fails(Client::create(config().set_base_url(std::string("x\0y", 3))), Code::invalid_argument));
    CHECK(fails(Client::create(config().set_private_key("c2hvcnQ=")), Code::invalid_key));
    CHECK(fails(Protocol::create(config().set_timeout(std::chrono::hours(24 * 365))), Code::invalid_argument));
    CHECK(Client::create(config().set_timeout(std::chrono::seconds(-1)).set_timeout_ms(1000)).has_value());
    CHECK(fails(Verifier::create(Config()), Code::invalid_argument));
    const Result<Client> client = Client::create(config());
    CHECK(fails(client->new_payment(request().set_sum_minor(UINT64_MAX)), Code::invalid_argument));
    CHECK(fails(client->new_payment(request().set_merchant_id(std::string("x\0y", 3))), Code::invalid_argument));
    CHECK(client->new_payment(request().set_sum_minor(150051))->sum() == "1500.51");
}

RULE(other_objects_give_results_too) {
    Receipt receipt("no-such-order");
    CHECK(fails(receipt.add_file("/nowhere/receipt.pdf"), Code::invalid_argument));
    CHECK(receipt.add_bytes("a.png", "image/png", "\x89PNG\r\n\x1a\n").has_value());
    CHECK(fails(Client::create(config())->attach_receipt(receipt), Code::rejected, Outcome::rejected));
    const Result<Verifier> verifier = Verifier::create(config());
    CHECK(fails(verifier->verify_webhook("{}", std::string("x\0y", 3), nullptr), Code::unverified, Outcome::unknown));
    const Result<HttpRequest> prepared = Protocol::create(config())->prepare_confirm("o-1");
    HttpResponse response;
    response.set_status(200).add_header("X-Signature", "x").set_body("{}");
    CHECK(fails(prepared->open_confirm(response), Code::unverified, Outcome::unknown));
    int attempts = 0;
    Config logged = config();
    logged.set_log_callback([&](const Attempt &attempt) { attempts += attempt.code() == Code::ok; });
    CHECK(Client::create(logged)->new_payment(request()).has_value() && attempts == 1);
}

} // namespace
