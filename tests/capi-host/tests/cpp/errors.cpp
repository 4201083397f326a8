// Every code and outcome, and the fields of an error.
#include "check.hpp"

#include <future>
#include <thread>

using namespace merchantpay;

namespace {

const std::string with_nul = std::string("79001") + '\0' + "234567";

static_assert(std::is_same<std::underlying_type<Code>::type, std::int32_t>::value, "any number that C gives is a code");
static_assert(std::is_same<std::underlying_type<Outcome>::type, std::int32_t>::value, "any number that C gives is an outcome");
static_assert(std::is_nothrow_copy_constructible<Error>::value, "an exception is copied without throwing");
static_assert(std::is_base_of<std::runtime_error, Error>::value, "whoever catches standard exceptions catches ours");
static_assert(!std::is_convertible<double, Text>::value && !std::is_convertible<int, Text>::value, "money has no float");
static_assert(std::is_convertible<const char *, Text>::value && std::is_convertible<std::string, Text>::value, "a text is a text");
static_assert(std::is_convertible<std::nullptr_t, Text>::value, "nullptr is absent");

void a_text_with_a_nul_inside_is_refused_and_never_cut() {
    const Client client(check::config());
    PaymentRequest request;
    Config config;
    const std::vector<std::pair<const char *, std::function<void()>>> calls = {
        {"a setting", [&] { config.set_base_url(with_nul); }},
        {"a field", [&] { request.set_customer_account(with_nul); }},
        {"an order", [&] { client.confirm(with_nul); }},
        {"a status", [&] { return client.get_status(with_nul); }},
        {"a receipt", [&] { Receipt receipt(with_nul); }},
        {"a pin", [&] { config.add_pin_spki(with_nul); }},
        {"a certificate", [&] { config.set_client_certificate("client.pem", with_nul); }},
        {"a path", [&] { Receipt("o-1").add_file(with_nul); }},
        {"a file name", [&] { Receipt("o-1").add_bytes(with_nul, "image/png", "x"); }},
        {"an amount", [&] { return to_balance(with_nul, "1", Balance::rub, 2, Rounding::down); }},
        {"a prepared order", [&] { return Protocol(check::config()).prepare_cancel(with_nul); }},
    };
    for (const auto &call : calls) {
        const Error error = check::error_of(call.second);
        if (!check::is(error, Code::invalid_argument, Outcome::not_sent)) throw std::runtime_error(call.first);
        CHECK(std::string(error.code_name()) == "invalid_argument" && std::string(error.outcome_name()) == "not_sent");
        CHECK(error.message().find("NUL") != std::string::npos && error.http_status() == 0 && !error.description() && !error.body());
    }
    CHECK(check::is(check::error_of([&] { config.set_private_key(with_nul); }), Code::invalid_key, Outcome::not_sent));
}

void what_came_from_outside_with_a_nul_says_nothing_of_the_payment() {
    const Verifier verifier(check::config());
    HttpResponse response;
    CHECK(check::is(check::error_of([&] { return verifier.verify_webhook("{}", with_nul, nullptr); }), Code::unverified, Outcome::unknown));
    CHECK(check::is(check::error_of([&] { return verifier.verify_webhook("{}", "x", with_nul); }), Code::unverified, Outcome::unknown));
    CHECK(check::is(check::error_of([&] { response.add_header("X-Signature", with_nul); }), Code::unverified, Outcome::unknown));
    CHECK(check::is(check::error_of([&] { response.set_status(7); }), Code::invalid_argument, Outcome::unknown));
}

void a_setter_throws_at_once_and_its_handle_stays_refused() {
    Config config = check::config();
    const Error error = check::error_of([&] { config.set_private_key("c2hvcnQ="); });
    CHECK(check::is(error, Code::invalid_key, Outcome::not_sent));
    CHECK(std::string(error.code_name()) == "invalid_key" && error.message().find("private_key") != std::string::npos);
    CHECK(check::is(check::error_of([&] { Client client(config); }), Code::invalid_key, Outcome::not_sent));
    config.set_private_key(check::setting("MERCHANTPAY_PRIVATE_KEY"));
    Client client(config);

    PaymentRequest request = check::request();
    CHECK(check::is(check::error_of([&] { request.set_customer_account("\xff"); }), Code::invalid_argument, Outcome::not_sent));
    CHECK(check::is(check::error_of([&] { return client.new_payment(request); }), Code::invalid_argument, Outcome::not_sent));
}

void a_text_that_was_refused_does_not_leave_the_one_before_in_its_place() {
    const std::string cut = std::string("200") + '\0';
    const Client client(check::config());
    PaymentRequest request = check::request();
    request.set_sum("100");
    CHECK(check::is(check::error_of([&] { request.set_sum(cut); }), Code::invalid_argument, Outcome::not_sent));
    CHECK(check::is(check::error_of([&] { return client.new_payment(request); }), Code::invalid_argument, Outcome::not_sent));

    Config config = check::config();
    CHECK(check::is(check::error_of([&] { config.set_private_key(cut); }), Code::invalid_key, Outcome::not_sent));
    CHECK(check::is(check::error_of([&] { Client wrong(config); }), Code::invalid_key, Outcome::not_sent));

    HttpResponse response;
    response.set_status(200);
    CHECK(check::is(check::error_of([&] { response.add_header("X-Signature", cut); }), Code::unverified, Outcome::unknown));
    const HttpRequest prepared = Protocol(check::config()).prepare_confirm("o-1");
    CHECK(check::is(check::error_of([&] { prepared.open_confirm(response); }), Code::invalid_argument, Outcome::unknown));
}

template <class Number>
auto takes_minor(int) -> decltype(std::declval<PaymentRequest &>().set_sum_minor(std::declval<Number>()), std::true_type());
template <class Number>
std::false_type takes_minor(...);

struct Fraction {
    operator double() const { return 150050.99; }
};

template <class Bool>
auto takes_flag(int) -> decltype(std::declval<Config &>().set_allow_http(std::declval<Bool>()), std::true_type());
template <class Bool>
std::false_type takes_flag(...);

static_assert(decltype(takes_flag<bool>(0))::value, "a flag is a flag");
static_assert(!decltype(takes_flag<const char *>(0))::value && !decltype(takes_flag<int>(0))::value, "\"false\" would be true");

static_assert(decltype(takes_minor<int>(0))::value && decltype(takes_minor<unsigned long long>(0))::value, "kopecks are whole");
static_assert(!decltype(takes_minor<double>(0))::value && !decltype(takes_minor<bool>(0))::value, "a fraction would be cut");
static_assert(!decltype(takes_minor<Fraction>(0))::value, "so would one in disguise");
static_assert(!std::is_constructible<Optional<std::int64_t>, double>::value, "a fraction would be cut");

void a_number_is_taken_whole_or_not_at_all() {
    PaymentRequest request = check::request();
    Config config = check::config();
    const Client client(config);
    for (const auto &call : std::vector<std::function<void()>>{
             [&] { request.set_sum_minor(UINT64_MAX); },
             [&] { config.set_timeout_ms(-1); },
             [&] { config.set_timeout_ms(std::int64_t(1) << 32); },
             [&] { return client.derive(-1); },
             [&] { return client.derive(std::int64_t(1) << 32); },
             [&] { config.set_max_retries(-1); },
             [&] { config.set_max_reply_bytes(-1); },
         })
        CHECK(check::is(check::error_of(call), Code::invalid_argument, Outcome::not_sent));
    request.set_sum_minor(150050).set_sum_minor(150050u).set_sum_minor(INT64_MAX);
    config.set_timeout_ms(20000).set_max_retries(0u).set_max_reply_bytes(UINT64_MAX).set_connect_timeout_ms(1000L);
    CHECK(Optional<std::int64_t>(150050) == 150050 && Optional<std::int64_t>(150050) != 150051);
    CHECK(Optional<std::string>() == nullptr && Optional<std::string>("") != nullptr);
}

void an_error_says_the_same_wherever_it_comes_from_and_after_a_move() {
    const Error made(Code::rejected, Outcome::rejected, "made by a program");
    CHECK(std::string(made.code_name()) == "rejected" && std::string(made.outcome_name()) == "rejected");
    CHECK(std::string(Error(Code::timeout, Outcome::unknown, "").code_name()) == "timeout");
    CHECK(std::string(Error(Code::signer, Outcome::not_sent, "").code_name()) == "signer");
    const Client client(check::config());
    Error error = check::error_of([&] { return client.get_status("no-such-order"); });
    const Error other(std::move(error));
    for (const Error *each : {static_cast<const Error *>(&error), &other})
        CHECK(std::string(each->outcome_name()) == "rejected" && each->reason() == "order_not_found");
}

void wrong_arguments_are_found_before_anything_is_sent() {
    const Client client(check::config());
    PaymentRequest request = check::request();
    request.set_sum("0");
    CHECK(check::is(check::error_of([&] { return client.new_payment(request); }), Code::invalid_argument, Outcome::not_sent));
    request.set_sum(nullptr);
    CHECK(check::is(check::error_of([&] { return client.new_payment(request); }), Code::invalid_argument, Outcome::not_sent));
    CHECK(check::is(check::error_of([&] { client.confirm(nullptr); }), Code::invalid_argument, Outcome::not_sent));
    CHECK(check::is(check::error_of([&] { client.attach_receipt(Receipt(nullptr)); }), Code::invalid_argument, Outcome::not_sent));
    CHECK(check::is(check::error_of([&] { Receipt("o-1").add_file("/nowhere/receipt.pdf"); }), Code::invalid_argument, Outcome::not_sent));
}

void a_refusal_reports_what_the_service_said() {
    const Client client(check::config());
    const std::string order_id = client.new_payment(check::request()).order_id();
    client.cancel(order_id);
    const Error error = check::error_of([&] { client.cancel(order_id); });
    CHECK(check::is(error, Code::rejected, Outcome::rejected));
    CHECK(!error.is_transient());
    CHECK(error.reason_code() == Reason::payment_could_not_be_canceled && std::string(name(error.reason_code())) == *error.reason());
    CHECK(error.reason() == "payment_could_not_be_canceled" && error.description() == "payment could not be canceled");
    CHECK(error.http_status() == 403 && error.order_id() == order_id);
    CHECK(error.body().value().find("\"success\":false") != std::string::npos && !error.excerpt() && !error.content_type());
    CHECK(std::string(error.what()) == error.message() && !error.message().empty());
}

// The sandbox answers the first confirm with a proxy's page.
void a_page_of_a_proxy_is_no_refusal() {
    const Error error = check::error_of([] { Client(check::config()).confirm("o-1"); });
    CHECK(check::is(error, Code::unverified, Outcome::unknown));
    CHECK(error.http_status() == 502 && error.order_id() == "o-1" && !error.body() && error.is_transient());
    CHECK(error.content_type().value().find("text/html") == 0 && !error.excerpt().value().empty());
}

// The sandbox answers the first attachReceipt with a reply about another order.
void a_reply_about_another_order_is_malformed() {
    const Client client(check::config());
    const std::string order_id = client.new_payment(check::request("arbitration")).order_id();
    client.confirm(order_id);
    check::until(client, order_id, "receiptRequired");
    Receipt receipt(order_id);
    receipt.add_bytes("receipt.png", "image/png", "\x89PNG\r\n\x1a\n");
    const Error error = check::error_of([&] { client.attach_receipt(receipt); });
    CHECK(check::is(error, Code::malformed, Outcome::unknown));
    CHECK(error.body().has_value());
}

void nobody_who_listens_is_not_sent() {
    Config config = check::config();
    config.set_base_url("http://127.0.0.1:1").set_max_retries(0);
    CHECK(check::is(check::error_of([&] { Client(config).confirm("o-1"); }), Code::transport, Outcome::not_sent));
}

void plain_http_goes_to_another_machine_only_where_it_is_allowed() {
    Config config = check::config();
    config.set_base_url("http://pay.example");
    CHECK(check::is(check::error_of([&] { Client client(config); }), Code::invalid_argument, Outcome::not_sent));
    Client allowed(config.set_allow_http(true));
    CHECK(check::is(check::error_of([&] { Protocol protocol(config.set_allow_http(false)); }), Code::invalid_argument, Outcome::not_sent));
}

void a_wrong_setting_of_tls_is_refused() {
    const auto refused = [](const std::function<void(Config &)> &change) {
        Config config = check::config();
        const auto made = [&] {
            change(config.set_base_url("https://pay.example"));
            Client client(config);
        };
        return check::is(check::error_of(made), Code::invalid_argument, Outcome::not_sent);
    };
    CHECK(refused([](Config &config) { config.set_exclusive_ca(true); }));
    CHECK(refused([](Config &config) { config.add_pin_spki("sha256/short"); }));
    CHECK(refused([](Config &config) { config.set_client_certificate("/nowhere/client.pem", "/nowhere/client.key"); }));
    Config config = check::config();
    config.add_pin_spki(nullptr).set_client_certificate(nullptr, nullptr).set_exclusive_ca(false);
    CHECK(check::is(check::error_of([&] { config.set_client_certificate("client.pem", nullptr); }), Code::invalid_argument,
                    Outcome::not_sent));
}

void a_deadline_that_passes_leaves_it_unknown() {
    const Client client(check::config());
    const Error error = check::error_of([&] { return client.derive(50).new_payment(check::request("stays-free")); });
    CHECK(check::is(error, Code::timeout, Outcome::unknown));
}

void an_interruption_ends_the_calls_that_run_and_lets_no_more_start() {
    const Client client(check::config());
    const std::string order_id = client.new_payment(check::request()).order_id();
    const Client sale = client.derive(), hurried = sale.derive(20000);
    std::promise<void> asked;
    std::unique_ptr<Error> ended;
    std::thread asking([&] {
        static_cast<void>(hurried.get_status(order_id));
        asked.set_value();
        ended.reset(new Error(check::error_of([&] {
            for (;;) static_cast<void>(hurried.get_status(order_id));
        })));
    });
    asked.get_future().wait();
    sale.interrupt();
    asking.join();
    CHECK(ended->code() == Code::cancelled && std::string(ended->code_name()) == "cancelled" && ended->order_id() == order_id);
    for (const Client *each : {&sale, &hurried})
        CHECK(check::is(check::error_of([&] { return each->get_status(order_id); }), Code::cancelled, Outcome::not_sent));
    CHECK(check::is(check::error_of([&] { return sale.derive().get_status(order_id); }), Code::cancelled, Outcome::not_sent));
    CHECK(client.get_status(order_id).order_id() == order_id);
    CHECK(std::string(Error(Code::cancelled, Outcome::unknown, "").code_name()) == "cancelled");
}

void a_copy_of_an_error_reports_the_same_after_the_first_is_gone() {
    std::unique_ptr<Error> first(new Error(check::error_of([] { return Client(check::config()).get_status("no-such-order"); })));
    const Error copy = *first;
    first.reset();
    CHECK(copy.reason() == "order_not_found" && copy.message() == copy.what());
}

void numbers_of_a_later_version_are_kept() {
    const Error error(static_cast<Code>(4711), static_cast<Outcome>(42), "from the future");
    CHECK(static_cast<std::int32_t>(error.code()) == 4711 && static_cast<std::int32_t>(error.outcome()) == 42);
}

} // namespace

int main() {
    return check::run({
        {"a text with a NUL inside is refused and never cut", a_text_with_a_nul_inside_is_refused_and_never_cut},
        {"what came from outside with a NUL says nothing of the payment", what_came_from_outside_with_a_nul_says_nothing_of_the_payment},
        {"a setter throws at once and its handle stays refused", a_setter_throws_at_once_and_its_handle_stays_refused},
        {"a text that was refused does not leave the one before in its place",
         a_text_that_was_refused_does_not_leave_the_one_before_in_its_place},
        {"a number is taken whole or not at all", a_number_is_taken_whole_or_not_at_all},
        {"an error says the same wherever it comes from and after a move", an_error_says_the_same_wherever_it_comes_from_and_after_a_move},
        {"wrong arguments are found before anything is sent", wrong_arguments_are_found_before_anything_is_sent},
        {"a refusal reports what the service said", a_refusal_reports_what_the_service_said},
        {"a page of a proxy is no refusal", a_page_of_a_proxy_is_no_refusal},
        {"a reply about another order is malformed", a_reply_about_another_order_is_malformed},
        {"nobody who listens is not sent", nobody_who_listens_is_not_sent},
        {"plain http goes to another machine only where it is allowed", plain_http_goes_to_another_machine_only_where_it_is_allowed},
        {"a wrong setting of TLS is refused", a_wrong_setting_of_tls_is_refused},
        {"a deadline that passes leaves it unknown", a_deadline_that_passes_leaves_it_unknown},
        {"an interruption ends the calls that run and lets no more start", an_interruption_ends_the_calls_that_run_and_lets_no_more_start},
        {"a copy of an error reports the same after the first is gone", a_copy_of_an_error_reports_the_same_after_the_first_is_gone},
        {"numbers of a later version are kept", numbers_of_a_later_version_are_kept},
    });
}
