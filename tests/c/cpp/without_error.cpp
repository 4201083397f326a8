// This program is linked with programs/without_error.c: a call that fails without an error is not a success.
#include "check.hpp"

using namespace merchantpay;

namespace {

RULE(failure_without_error_is_unknown) {
    const Client client(check::config());
    const Verifier verifier(check::config());
    for (const auto &call : std::vector<std::function<void()>>{
             [&] { client.confirm("o-1"); },
             [&] { return client.get_status("o-1"); },
             [&] { return verifier.verify_webhook("{}", "x", nullptr); },
             [&] { return verifier.explain("{}", "x", nullptr); },
         }) {
        const Error error = check::error_of(call);
        CHECK(check::is(error, Code::internal, Outcome::unknown));
        CHECK(!error.message().empty() && std::string(error.code_name()) == "internal");
    }
}

} // namespace
