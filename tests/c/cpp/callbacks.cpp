// A function lives exactly as long as C can call it.
#include "check.hpp"

using namespace merchantpay;

namespace {

RULE(callback_lives_as_long_as_last_client) {
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

RULE(signer_lives_as_long_as_last_user) {
    const std::shared_ptr<int> alive = std::make_shared<int>(0);
    std::unique_ptr<Config> config(new Config(check::unsigned_config()));
    config->set_public_key(Keypair::generate().public_key()).set_signer_callback([alive](const void *, std::size_t) {
        return std::array<unsigned char, 64>();
    });
    std::unique_ptr<Client> client(new Client(*config));
    std::unique_ptr<Protocol> protocol(new Protocol(*config));
    config.reset();
    CHECK(check::is(check::error_of([&] { return client->get_status("o-1"); }), Code::invalid_key, Outcome::not_sent));
    client.reset();
    CHECK(alive.use_count() == 2);
    protocol.reset();
    CHECK(alive.use_count() == 1);
}

RULE(an_empty_function_is_nobody) {
    Config config = check::config();
    config.set_log_callback(LogCallback()).set_signer_callback(SignerCallback());
    CHECK(!Client(config).new_payment(check::request()).order_id().empty());
}

} // namespace
