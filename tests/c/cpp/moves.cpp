// Ownership, and the state of an object after a move.
#include "check.hpp"

using namespace merchantpay;

namespace {

template <class T>
constexpr bool moves_only() {
    return std::is_move_constructible<T>::value && std::is_move_assignable<T>::value && !std::is_copy_constructible<T>::value &&
           !std::is_copy_assignable<T>::value && std::is_nothrow_move_constructible<T>::value;
}

static_assert(moves_only<Client>() && moves_only<PaymentRequest>() && moves_only<AvailableAmounts>(), "");
static_assert(moves_only<Receipt>() && moves_only<Verifier>() && moves_only<Keypair>() && moves_only<Amount>(), "");
static_assert(moves_only<Protocol>() && moves_only<HttpRequest>() && moves_only<HttpResponse>() && moves_only<Config>(), "");

template <class T>
constexpr bool can_be_copied() {
    return std::is_copy_constructible<T>::value && std::is_copy_assignable<T>::value && std::is_nothrow_move_constructible<T>::value;
}

static_assert(can_be_copied<Payment>() && can_be_copied<Event>() && can_be_copied<Error>(), "");

// The new object is used and freed.
template <class T>
T taken(T &from) {
    return std::move(from);
}

RULE(moved_from_object_is_invalid_argument) {
    Config config = check::config();
    Client client(config);
    Protocol protocol(config);
    Verifier verifier(config);
    PaymentRequest request = check::request();
    Receipt receipt("o-1");
    const PaymentRequest kept_request = check::request();
    const Client kept_client(config);

    const Config config_2 = taken(config);
    const Client client_2 = taken(client);
    const Protocol protocol_2 = taken(protocol);
    const Verifier verifier_2 = taken(verifier);
    const PaymentRequest request_2 = taken(request);
    const Receipt receipt_2 = taken(receipt);
    const std::vector<std::pair<const char *, std::function<void()>>> calls = {
        {"a setting", [&] { config.set_key_id("x"); }},
        {"a log", [&] { config.set_log_callback([](const Attempt &) {}); }},
        {"a client of it", [&] { Client gone(config); }},
        {"a call", [&] { return client.new_payment(kept_request); }},
        {"a derived client", [&] { return client.derive(1); }},
        {"an order", [&] { client.confirm("o-1"); }},
        {"a preparation", [&] { return protocol.prepare_confirm("o-1"); }},
        {"a field", [&] { request.set_sum("1"); }},
        {"a request in a call", [&] { return kept_client.new_payment(request); }},
        {"a receipt", [&] { receipt.add_bytes("a.png", "image/png", "x"); }},
        {"a receipt in a call", [&] { kept_client.attach_receipt(receipt); }},
    };
    for (const auto &call : calls) {
        if (!check::is(check::error_of(call.second), Code::invalid_argument, Outcome::not_sent)) throw std::runtime_error(call.first);
    }
    // A webhook that could not be verified has no data about a payment.
    CHECK(
        check::is(check::error_of([&] { return verifier.verify_webhook("{}", "x", nullptr); }), Code::invalid_argument, Outcome::unknown));
    CHECK(!client_2.new_payment(request_2).order_id().empty());
}

RULE(moved_from_getter_is_empty) {
    const Client client(check::config());
    Payment payment = client.new_payment(check::request());
    const Payment payment_2 = taken(payment);
    CHECK(payment.order_id().empty() && !payment.sum() && !payment.sum_minor() && !payment.is_final() && payment.json().empty());
    CHECK(payment_2.sum() == "1500.50");

    AvailableAmounts amounts = client.get_available_amounts(check::request());
    const AvailableAmounts amounts_2 = taken(amounts);
    CHECK(amounts.count() == 0 && amounts.all().empty() && !amounts.get(0) && !amounts.other_possible());
    CHECK(amounts_2.count() == 1);

    Keypair pair = Keypair::generate();
    const Keypair pair_2 = taken(pair);
    CHECK(pair.private_key() == nullptr && pair.public_key().empty() && pair_2.private_key() != nullptr);

    Amount amount = to_balance("1", "1", Balance::rub, 2, Rounding::down);
    const Amount amount_2 = taken(amount);
    CHECK(amount.text().empty() && !amount.in_minor() && amount_2.in_minor() == 100);
}

RULE(moved_from_request_leaves_outcome_unknown) {
    const Protocol protocol(check::config());
    HttpRequest request = protocol.prepare_confirm("o-1");
    HttpResponse response;
    const HttpRequest request_2 = taken(request);
    CHECK(request.url().empty() && request.body().empty() && request.headers().empty());
    CHECK(check::is(check::error_of([&] { request.open_confirm(response); }), Code::invalid_argument, Outcome::unknown));
    const HttpResponse response_2 = taken(response);
    CHECK(check::is(check::error_of([&] { request_2.open_confirm(response); }), Code::invalid_argument, Outcome::unknown));
    CHECK(check::is(check::error_of([&] { response.set_body("x"); }), Code::invalid_argument, Outcome::unknown));
}

RULE(a_copy_of_a_payment_outlives_the_first) {
    const Client client(check::config());
    std::vector<Payment> payments;
    {
        const Payment payment = client.new_payment(check::request());
        payments.push_back(payment);
        payments.push_back(payments.front());
    }
    CHECK(!payments[0].order_id().empty() && payments[0].order_id() == payments[1].order_id() && payments[1].sum() == "1500.50");
}

RULE(assignment_frees_what_was_there) {
    Client client(check::config());
    client = Client(check::config());
    Payment payment = client.new_payment(check::request());
    payment = client.new_payment(check::request("pays-less"));
    Config config = check::config();
    config = check::config();
    CHECK(!payment.order_id().empty() && Client(config).get_status(payment.order_id()).order_id() == payment.order_id());
}

RULE(payment_outlives_its_event) {
    const Verifier verifier(check::config());
    const std::string body = check::setting("WEBHOOK_BODY"), signature = check::setting("WEBHOOK_SIGNATURE");
    std::unique_ptr<Event> event(new Event(verifier.verify_webhook(body.data(), body.size(), signature, Optional<std::string>())));
    const Event taken_event = taken(*event);
    CHECK(event->kind() == EventKind::none && event->payment().order_id().empty() && taken_event.kind() == EventKind::status);
    event.reset(new Event(taken_event));
    const Payment payment = std::move(*event).payment();
    event.reset();
    CHECK(payment.order_id() == "order-1" && payment.json() == body);
}

RULE(what_was_prepared_outlives_its_protocol) {
    std::unique_ptr<Protocol> protocol(new Protocol(check::config()));
    const HttpRequest request = protocol->prepare_get_status("no-such-order");
    protocol.reset();
    CHECK(request.url() == check::setting("MERCHANTPAY_BASE_URL") + "/api/v1/merchant/pay/status");
    HttpResponse unsigned_reply;
    unsigned_reply.set_status(502);
    CHECK(check::is(check::error_of([&] { return request.open_get_status(unsigned_reply); }), Code::unverified, Outcome::unknown));
}

} // namespace
