// Texts, numbers, times, absent values and errors.
#include "check.hpp"

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

RULE(text_with_nul_is_refused) {
    Config config;
    for (const auto &call : std::vector<std::function<void()>>{
             [&] { config.add_pin_spki(with_nul); },
             [&] { config.set_client_certificate("client.pem", with_nul); },
             [&] { Receipt receipt(with_nul); },
             [&] { Receipt("o-1").add_file(with_nul); },
             [&] { Receipt("o-1").add_bytes(with_nul, "image/png", "x"); },
             [&] { return to_balance(with_nul, "1", Balance::rub, 2, Rounding::down); },
         }) {
        const Error error = check::error_of(call);
        CHECK(check::is(error, Code::invalid_argument, Outcome::not_sent) && error.message().find("NUL") != std::string::npos);
        CHECK(error.http_status() == 0 && !error.description() && !error.body());
    }
}

RULE(setter_throws_and_handle_stays_refused) {
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

RULE(refused_text_replaces_the_one_before) {
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

RULE(a_number_is_taken_whole_or_not_at_all) {
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

RULE(a_time_is_a_duration_or_whole_milliseconds) {
    using namespace std::chrono;
    Config config = check::config();
    config.set_timeout(seconds(20)).set_connect_timeout(milliseconds(5000)).set_reuse_idle(microseconds(1)).set_connect_idle(minutes(1));
    const Client client(config);
    CHECK(!client.derive(seconds(20)).new_payment(check::request()).order_id().empty());
    const std::string order_id = client.new_payment(check::request()).order_id();
    client.confirm(order_id);
    CHECK(client.wait(order_id, seconds(20)).is_final() && client.wait(order_id, duration<double>(20.5)).is_final());
    // A deadline of zero milliseconds is refused. A fraction of a millisecond is not zero.
    CHECK(
        check::is(check::error_of([&] { return Client(config.set_timeout(nanoseconds(0))); }), Code::invalid_argument, Outcome::not_sent));
    Client short_time(config.set_timeout(nanoseconds(1)));
    for (const auto &call : std::vector<std::function<void()>>{
             [&] { config.set_timeout(seconds(-1)); },
             [&] { return client.derive(hours(24 * 365)); },
             [&] { return client.wait(order_id, milliseconds(-1)); },
         })
        CHECK(check::is(check::error_of(call), Code::invalid_argument, Outcome::not_sent));
    CHECK(check::is(check::error_of([&] { return Client(config); }), Code::invalid_argument, Outcome::not_sent));
    Client again(config.set_timeout_ms(20000));
}

RULE(absent_field_has_no_value) {
    const Client client(check::config());
    const Payment payment = client.new_payment(check::request());
    CHECK(!payment.status() && !payment.status().has_value() && payment.status() != "pending");
    CHECK(payment.status().value_or("none") == "none" && payment.sum().value_or("none") == "1500.50");
    bool thrown = false;
    try {
        *payment.status();
    } catch (const std::logic_error &) {
        thrown = true;
    }
    CHECK(thrown && !client.get_status(payment.order_id()).currency());
}

RULE(amounts_are_a_range_of_texts) {
    const Client client(check::config());
    const AvailableAmounts amounts = client.get_available_amounts(check::request().set_sum_drift_up("100").set_sum_drift_down("100.25"));
    std::vector<std::string> seen;
    for (const std::string &amount : amounts) seen.push_back(amount);
    CHECK(seen == amounts.all() && seen.size() == amounts.size() && amounts.count() == 3);
    CHECK(amounts.get(0) == "1400.25" && amounts.get_minor(0) == 140025 && !amounts.get(3) && !amounts.get_minor(3));
}

RULE(a_paid_sum_is_compared_exactly) {
    const Client client(check::config());
    const Payment payment = client.new_payment(check::request().set_sum_minor(150051));
    CHECK(payment.sum() == "1500.51" && payment.sum_minor() == 150051 && payment.status_code() == Status::unknown);
    CHECK(payment.paid("1500.52") == Paid::less && payment.paid("1500.510") == Paid::exactly && payment.paid("1500.5") == Paid::more);
    CHECK(payment.paid("1500,50") == Paid::unknown && payment.paid(nullptr) == Paid::unknown &&
          payment.paid(std::string("1\0", 2)) == Paid::unknown);
}

RULE(a_sum_is_converted_exactly) {
    CHECK(to_balance("1500.50", "92.45", Balance::usdt, 6, Rounding::half_even).text() == "16.230395");
    const Amount rubles = to_balance("10.05", "0.5", Balance::rub, 2, Rounding::half_up);
    CHECK(rubles.text() == "5.03" && rubles.in_minor() == 503);
    CHECK(!to_balance("1", "3", Balance::usdt, 5, Rounding::down).in_minor());
    CHECK(to_balance("1", "3", Balance::usdt, 2, Rounding::up).text() == "0.34");
}

RULE(a_new_pair_of_keys_signs) {
    const Keypair pair = Keypair::generate();
    CHECK(pair.public_key().size() == 44 && std::string(pair.private_key()).size() == 88);
    Client client(check::unsigned_config().set_private_key(pair.private_key()).set_public_key(pair.public_key()));
}

RULE(settings_and_fields_have_names) {
    Config config = check::config();
    config.set("timeout_ms", "20000").set_client_certificate(nullptr, nullptr).set_allow_http(false).set_exclusive_ca(false);
    CHECK(check::is(check::error_of([&] { config.add_server_public_key("c2hvcnQ="); }), Code::invalid_key, Outcome::not_sent));
    CHECK(check::is(check::error_of([&] { return Client(config); }), Code::invalid_key, Outcome::not_sent));
    config.clear_server_keys().add_server_public_key(check::setting("MERCHANTPAY_SERVER_PUBLIC_KEY"));
    CHECK(!Client(config).new_payment(check::request().set("payer_bank", "1")).order_id().empty());
    CHECK(check::is(check::error_of([&] { config.set("time_out", "1"); }), Code::invalid_argument, Outcome::not_sent));
    CHECK(check::is(check::error_of([&] { config.set_client_certificate("a.pem", nullptr); }), Code::invalid_argument, Outcome::not_sent));
}

RULE(the_library_knows_its_version) {
    CHECK(version() == MPAY_HEADER_VERSION && version_number() == MPAY_HEADER_VERSION_NUMBER && abi_version() == MPAY_HEADER_ABI);
}

RULE(moved_error_says_the_same) {
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

RULE(copied_error_outlives_the_first) {
    std::unique_ptr<Error> first(new Error(check::error_of([] { return Client(check::config()).get_status("no-such-order"); })));
    const Error copy = *first;
    first.reset();
    CHECK(copy.reason() == "order_not_found" && copy.message() == copy.what());
}

RULE(numbers_of_a_later_version_are_kept) {
    const Error error(static_cast<Code>(4711), static_cast<Outcome>(42), "from the future");
    CHECK(static_cast<std::int32_t>(error.code()) == 4711 && static_cast<std::int32_t>(error.outcome()) == 42);
}

} // namespace
