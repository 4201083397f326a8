// The seven operations, and every field of their results.
#include "check.hpp"

#include <cstdio>
#include <fstream>

using namespace merchantpay;

namespace {

const std::string pdf = std::string("%PDF-1.4\n") + '\0' + "binary\n%%EOF\n";

void available_amounts_are_exact() {
    const Client client(check::config());
    PaymentRequest request;
    request.set_sum("1500.50").set_payment_method("sbp").set_sum_drift_up("100").set_sum_drift_down("100.25");
    const AvailableAmounts amounts = client.get_available_amounts(request);
    CHECK(amounts.count() == 3 && amounts.all().size() == 3);
    CHECK(amounts.get(0) == "1400.25" && amounts.get_minor(0) == 140025);
    CHECK(amounts.all()[2] == "1600.50");
    std::vector<std::string> seen;
    for (const std::string &amount : amounts) seen.push_back(amount);
    CHECK(seen == amounts.all() && amounts.size() == 3);
    CHECK(!amounts.get(3) && !amounts.get_minor(3));
    CHECK(amounts.other_possible());
    CHECK(amounts.json().find("\"availableAmounts\"") != std::string::npos);
    // The sandbox has no offer for such a sum.
    CHECK(client.get_available_amounts(std::move(request.set_sum("10.02"))).count() == 0);
}

void an_absent_field_has_no_value_and_is_never_read_as_one() {
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

void a_confirmed_payment_becomes_final() {
    const Client client(check::config());
    const std::string order_id = client.new_payment(check::request("pays-less")).order_id();
    CHECK(check::is(check::error_of([&] { return client.wait(order_id, 0); }), Code::timeout, Outcome::unknown));
    client.connect();
    client.confirm(order_id);
    const Payment paid = client.wait(order_id, 20000);
    CHECK(paid.is_final() && paid.sum_minor() == 135045 && !paid.currency());
    CHECK(paid.status_code() == Status::done_success && std::string(name(paid.status_code())) == "doneSuccess");
    CHECK(paid.paid("1500.50") == Paid::less && paid.paid("1350.450") == Paid::exactly && paid.paid("1350.44") == Paid::more);
    CHECK(paid.paid("1500,50") == Paid::unknown && paid.paid(nullptr) == Paid::unknown &&
          paid.paid(std::string("1\0", 2)) == Paid::unknown);
}

void receipts_settle_an_arbitration() {
    const Client client(check::config());
    const std::string path = check::setting("SCRATCH") + "/receipt.pdf";
    std::ofstream(path, std::ios::binary) << pdf;
    const std::string order_id = client.new_payment(check::request("arbitration")).order_id();
    client.confirm(order_id);
    check::until(client, order_id, "receiptRequired");
    Receipt receipt(order_id);
    receipt.add_file(path)
        .add_bytes("second.png", "image/png", "\x89PNG\r\n\x1a\n")
        .add_bytes("third.pdf", "application/pdf", pdf.data(), pdf.size());
    client.attach_receipt(receipt);
    check::until(client, order_id, "doneSuccess");
}

void kopecks_and_texts_are_the_same_sum() {
    const Client client(check::config());
    CHECK(client.new_payment(check::request().set_sum_minor(150051)).sum() == "1500.51");
}

void a_sum_is_converted_exactly() {
    CHECK(to_balance("1500.50", "92.45", Balance::usdt, 6, Rounding::half_even).text() == "16.230395");
    const Amount rubles = to_balance("10.05", "0.5", Balance::rub, 2, Rounding::half_up);
    CHECK(rubles.text() == "5.03" && rubles.in_minor() == 503);
    CHECK(!to_balance("1", "3", Balance::usdt, 5, Rounding::down).in_minor());
    CHECK(to_balance("1", "3", Balance::usdt, 2, Rounding::up).text() == "0.34");
}

void a_new_pair_of_keys_signs() {
    const Keypair pair = Keypair::generate();
    CHECK(pair.public_key().size() == 44 && std::string(pair.private_key()).size() == 88);
    Client client(check::unsigned_config().set_private_key(pair.private_key()).set_public_key(pair.public_key()));
    CHECK(check::is(check::error_of([&] { return client.get_status("o-1"); }), Code::rejected, Outcome::rejected));
}

void every_setting_can_be_set() {
    Config config = check::config();
    config.set_ca_file(nullptr).set_ca_pem(nullptr).set_proxy(nullptr).set_user_agent("shop/1").set_timeout_ms(20000);
    config.set_connect_timeout_ms(5000).set_reuse_idle_ms(0).set_connect_idle_ms(5000).set_max_retries(1).set_max_reply_bytes(100000);
    CHECK(!Client(config).new_payment(check::request()).order_id().empty());
}

void a_time_is_a_duration_or_whole_milliseconds() {
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

void keys_of_the_service_can_be_taken_back() {
    Config config = check::config();
    CHECK(check::is(check::error_of([&] { config.add_server_public_key("c2hvcnQ="); }), Code::invalid_key, Outcome::not_sent));
    CHECK(check::is(check::error_of([&] { return Client(config); }), Code::invalid_key, Outcome::not_sent));
    config.clear_server_keys().add_server_public_key(check::setting("MERCHANTPAY_SERVER_PUBLIC_KEY"));
    CHECK(!Client::create(config).new_payment(check::request()).order_id().empty());
}

void the_library_knows_its_version() {
    CHECK(version() == MPAY_HEADER_VERSION && version_number() == MPAY_HEADER_VERSION_NUMBER && abi_version() == MPAY_HEADER_ABI);
}

} // namespace

int main() {
    return check::run({
        {"available amounts are exact", available_amounts_are_exact},
        {"an absent field has no value and is never read as one", an_absent_field_has_no_value_and_is_never_read_as_one},
        {"a confirmed payment becomes final", a_confirmed_payment_becomes_final},
        {"receipts settle an arbitration", receipts_settle_an_arbitration},
        {"kopecks and texts are the same sum", kopecks_and_texts_are_the_same_sum},
        {"a sum is converted exactly", a_sum_is_converted_exactly},
        {"a new pair of keys signs", a_new_pair_of_keys_signs},
        {"every setting can be set", every_setting_can_be_set},
        {"a time is a duration or whole milliseconds", a_time_is_a_duration_or_whole_milliseconds},
        {"keys of the service can be taken back", keys_of_the_service_can_be_taken_back},
        {"the library knows its version", the_library_knows_its_version},
    });
}
