// C++ functions that C calls: no function throws into C, and each function lives exactly as long as C can call it.
#include "check.hpp"

#include <atomic>
#include <thread>

using namespace merchantpay;

namespace {

// The signature of a body, made by a client with the private key: equal bytes have equal signatures.
std::array<unsigned char, 64> signature_of(const HttpRequest &request) {
    const std::string digits = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    std::string text;
    for (const auto &header : request.headers()) {
        if (header.first == "X-Signature") text = header.second;
    }
    std::array<unsigned char, 64> signature = {{0}};
    std::uint32_t bits = 0;
    for (std::size_t i = 0, byte = 0, held = 0; byte < signature.size(); ++i) {
        bits = (bits << 6 | static_cast<std::uint32_t>(digits.find(text.at(i)))) & 0xffffff;
        held += 6;
        if (held >= 8) {
            held -= 8;
            signature[byte++] = static_cast<unsigned char>(bits >> held);
        }
    }
    return signature;
}

// The public key of the merchant's key pair.
std::string public_key() {
    return check::setting("MERCHANT_PUBLIC_KEY");
}

void a_log_gets_every_attempt() {
    std::vector<std::string> lines;
    Config config = check::config();
    config.set_log_callback([&](const Attempt &attempt) {
        lines.push_back(attempt.operation() + " " + attempt.order_id().value_or("-") + " " + std::to_string(attempt.number()) + " " +
                        std::to_string(attempt.http_status()));
        CHECK(attempt.elapsed_ms() < 30000 && !attempt.line().empty());
        if (attempt.http_status() == 404) {
            CHECK(attempt.code() == Code::rejected && attempt.outcome() == Outcome::rejected);
        } else {
            CHECK(attempt.code() == Code::ok && attempt.outcome() == Outcome::none);
        }
        lines.push_back("end");
    });
    const Client client(config);
    const std::string order_id = client.new_payment(check::request()).order_id();
    check::error_of([&] { client.confirm("no-such-order"); });
    CHECK((lines == std::vector<std::string>{"newPayment " + order_id + " 1 200", "end", "confirm no-such-order 1 404", "end"}));
}

void what_a_log_throws_never_reaches_the_call() {
    Config config = check::config();
    int calls = 0;
    config.set_log_callback([&](const Attempt &) {
        ++calls;
        if (calls == 1) throw std::runtime_error("the disk is full");
        throw 42;
    });
    const Client client(config);
    const std::string order_id = client.new_payment(check::request()).order_id();
    client.confirm(order_id);
    CHECK(calls == 2);
}

void a_callback_lives_as_long_as_its_last_client_and_no_longer() {
    const std::shared_ptr<int> calls = std::make_shared<int>(0);
    std::unique_ptr<Config> config(new Config(check::config()));
    config->set_log_callback([calls](const Attempt &) { ++*calls; });
    std::unique_ptr<Client> client(new Client(*config));
    CHECK(calls.use_count() == 2);
    // The settings release the callback; the client keeps it.
    config->set_log_callback(nullptr);
    config.reset();
    static_cast<void>(client->new_payment(check::request()));
    CHECK(*calls == 1);
    std::unique_ptr<Client> hurried(new Client(client->derive(20000)));
    client.reset();
    static_cast<void>(hurried->new_payment(check::request()));
    CHECK(*calls == 2 && calls.use_count() == 2);
    Client moved = std::move(*hurried);
    hurried.reset();
    static_cast<void>(moved.new_payment(check::request()));
    CHECK(*calls == 3 && calls.use_count() == 2);
    moved = Client(check::config());
    CHECK(calls.use_count() == 1);
}

void a_log_may_be_called_by_several_threads_at_once() {
    std::atomic<int> calls(0);
    Config config = check::config();
    config.set_log_callback([&](const Attempt &) { ++calls; });
    const Client client(config);
    const std::string order_id = client.new_payment(check::request()).order_id();
    std::vector<std::thread> threads;
    for (int i = 0; i < 4; ++i) {
        threads.emplace_back([&] {
            for (int call = 0; call < 5; ++call) static_cast<void>(client.get_status(order_id));
        });
    }
    for (std::thread &thread : threads) thread.join();
    CHECK(calls == 21);
}

void a_function_signs_in_place_of_a_key() {
    const std::string order_id = Client(check::config()).new_payment(check::request()).order_id();
    const auto signature = signature_of(Protocol(check::config()).prepare_get_status(order_id));
    std::string seen;
    const std::shared_ptr<int> alive = std::make_shared<int>(0);
    std::unique_ptr<Config> config(new Config(check::unsigned_config()));
    config->set_public_key(public_key()).set_signer_callback([&, alive](const void *message, std::size_t len) {
        seen.assign(static_cast<const char *>(message), len);
        return signature;
    });
    std::unique_ptr<Client> client(new Client(*config));
    std::unique_ptr<Protocol> protocol(new Protocol(*config));
    config.reset();
    CHECK(client->get_status(order_id).order_id() == order_id);
    CHECK(seen == "{\"orderId\":\"" + order_id + "\"}");
    // Client and protocol share one function, which lives until both objects are freed.
    client.reset();
    std::unique_ptr<HttpRequest> request(new HttpRequest(protocol->prepare_get_status(order_id)));
    CHECK(alive.use_count() == 2);
    protocol.reset();
    CHECK(alive.use_count() == 1 && signature_of(*request) == signature);
}

void a_signer_that_throws_sends_nothing() {
    Config config = check::unsigned_config();
    config.set_public_key(public_key()).set_signer_callback([](const void *, std::size_t) -> std::array<unsigned char, 64> {
        throw std::runtime_error("the token was pulled out");
    });
    const Client client(config);
    CHECK(check::is(check::error_of([&] { return client.get_status("o-1"); }), Code::signer, Outcome::not_sent));
    const Protocol protocol(config);
    CHECK(check::is(check::error_of([&] { return protocol.prepare_get_status("o-1"); }), Code::signer, Outcome::not_sent));
}

void a_wrong_signature_is_not_sent() {
    Config config = check::unsigned_config();
    config.set_public_key(public_key()).set_signer_callback([](const void *, std::size_t) { return std::array<unsigned char, 64>(); });
    CHECK(check::is(check::error_of([&] { return Client(config).get_status("o-1"); }), Code::invalid_key, Outcome::not_sent));
}

void an_empty_function_is_nobody() {
    Config config = check::config();
    config.set_log_callback(LogCallback()).set_signer_callback(SignerCallback());
    CHECK(!Client(config).new_payment(check::request()).order_id().empty());
}

} // namespace

int main() {
    return check::run({
        {"a log gets every attempt", a_log_gets_every_attempt},
        {"what a log throws never reaches the call", what_a_log_throws_never_reaches_the_call},
        {"a callback lives as long as its last client and no longer", a_callback_lives_as_long_as_its_last_client_and_no_longer},
        {"a log may be called by several threads at once", a_log_may_be_called_by_several_threads_at_once},
        {"a function signs in place of a key", a_function_signs_in_place_of_a_key},
        {"a signer that throws sends nothing", a_signer_that_throws_sends_nothing},
        {"a wrong signature is not sent", a_wrong_signature_is_not_sent},
        {"an empty function is nobody", an_empty_function_is_nobody},
    });
}
