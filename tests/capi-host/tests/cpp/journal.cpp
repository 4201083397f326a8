// The journal in C++: what owns what, moves, settings, interruption. The contract's cases test what its methods do.
#include "check.hpp"

#include <cstdio>

using namespace merchantpay;

namespace {

static_assert(!std::is_copy_constructible<Journal>::value && std::is_nothrow_move_constructible<Journal>::value, "");
static_assert(!std::is_copy_constructible<JournalConfig>::value && std::is_nothrow_move_constructible<JournalConfig>::value, "");
static_assert(std::is_copy_assignable<Entry>::value && std::is_nothrow_move_constructible<Entry>::value, "");

std::string file(const char *name) {
    const std::string path = check::setting("SCRATCH") + "/" + name;
    for (const char *end : {"", "-wal", "-shm"}) std::remove((path + end).c_str());
    return path;
}

Journal journal_in(const char *name) {
    JournalConfig config;
    config.set_place(file(name)).set_create(true).set_timeout_ms(15000);
    return Journal(Client(check::config()), config);
}

// Returns true if the input of a call is refused as invalid, before anything took effect.
template <class Call>
bool is_refused(Call call) {
    return check::is(check::error_of(call), Code::invalid_argument, Outcome::not_sent);
}

void entries_outlive_their_journal_and_name_their_attempt() {
    Entry first;
    std::vector<Entry> news;
    {
        Journal journal = journal_in("entries.db");
        first = journal.pay("order-1", check::request());
        CHECK(journal.pay("order-1", check::request()).order_id() == *first.order_id());
        CHECK(journal.confirm(first).intent() == Intent::confirm);
        CHECK(journal.wait("order-1", std::chrono::seconds(20), Until::final).succeeded());
        CHECK(journal.wait("order-1", 0).standing() == Standing::final);
        CHECK(!journal.acknowledge(first));
        news = journal.news();
        CHECK(news.size() == 1 && journal.acknowledge(news[0]) && !journal.acknowledge("order-1", 1, news[0].news()));
        CHECK(journal.list().size() == 1 && journal.list(Standing::final, 1, news[0]).empty());
        CHECK(!journal.find("order-2") && journal.find("order-1")->acknowledged());
        CHECK(journal.pay("order-2", check::request()).has_credentials());
        CHECK(journal.cancel("order-2", 1).intent_state() == IntentState::accepted);
        CHECK(journal.replace("order-2", 1, check::request()).attempt() == 2);
        const Stats counts = journal.stats();
        CHECK(counts.count(Standing::open) >= 1 && counts.count(Standing::final) == 0);
        CHECK(!counts.pause_note() && counts.attention() == 0 && counts.json().find("standings") != std::string::npos);
    }
    const Entry copy = first;
    first = Entry();
    CHECK(copy.reference() == "order-1" && copy.attempt() == 1 && copy.standing_name() == "open" && !copy.is_orphan());
    CHECK(copy.credentials().order_id() == *copy.order_id() && copy.sum_asked() == std::string("1500.50") && !copy.sum_paid());
    CHECK(news[0].status() == std::string("doneSuccess") && news[0].sum_paid() == std::string("1500.50") && !news[0].has_credentials());
    CHECK(news[0].error_code() == Code::ok && news[0].attention().empty() && news[0].details().empty() && !news[0].unreadable());
    const AcknowledgeSql sql = copy.acknowledge_sql(Style::at);
    CHECK(sql.text.find("attempt = @attempt") != std::string::npos && sql.reference == "order-1" && sql.attempt == 1);
    CHECK(sql.news == copy.news());
}

void an_empty_entry_has_no_values_and_names_no_attempt() {
    const Journal journal = journal_in("empty.db");
    const Entry empty;
    CHECK(empty.reference().empty() && empty.attempt() == 0 && empty.standing() == Standing::any && !empty.order_id());
    CHECK(empty.acknowledge_sql(Style::question).text.empty() && empty.json().empty() && empty.created_at_ms() == 0);
    CHECK(is_refused([&] { journal.confirm(empty); }) && is_refused([&] { journal.cancel(empty); }));
    CHECK(is_refused([&] { journal.acknowledge(empty); }));
    for (const Resolution resolution : {Resolution::order_id, Resolution::no_payment, Resolution::seen, Resolution::trusted})
        CHECK(is_refused([&] { journal.resolve(empty, resolution, "support", "order"); }));
    CHECK(is_refused([&] { static_cast<void>(journal.pay(std::string("a\0b", 3), check::request())); }));
    CHECK(is_refused([&] { static_cast<void>(journal.wait("order", -1)); }));
}

void a_journal_that_was_moved_from_is_refused() {
    Journal journal = journal_in("moved.db");
    const Journal moved = std::move(journal);
    CHECK(is_refused([&] { static_cast<void>(journal.find("order")); }) && is_refused([&] { static_cast<void>(journal.derive()); }));
    CHECK(!moved.find("order") && moved.attention().empty());
}

void an_interrupt_ends_the_waits_of_derived_journals_only() {
    const Journal journal = journal_in("interrupted.db");
    CHECK(journal.pay("order", check::request()).has_credentials());
    const Journal derived = journal.derive();
    derived.interrupt();
    const Error error = check::error_of([&] { static_cast<void>(derived.wait("order", std::chrono::minutes(1), Until::final)); });
    CHECK(error.code() == Code::cancelled);
    CHECK(journal.wait("order", 1, Until::final).standing() == Standing::open);
}

void a_webhook_that_does_not_verify_is_answered_with_400_and_not_thrown() {
    const Journal journal = journal_in("webhooks.db");
    for (const std::string &path : {std::string("/hooks/token"), std::string("/hooks\0", 7)}) {
        const Received received = journal.receive(path, "{}", "AAAA", nullptr);
        CHECK(received.http_status == 400 && !received.entry && received.code == Code::unverified);
    }
    const Settled settled = journal.settle();
    CHECK(settled.done == 0 && !settled.next_due_ms);
}

void settings_are_names_and_texts() {
    Config config;
    const Error unknown = check::error_of([&] { config.set("time_out", "1"); });
    CHECK(check::is(unknown, Code::invalid_argument, Outcome::not_sent) &&
          std::string(unknown.what()).find("time_out") != std::string::npos);
    const Error wrong = check::error_of([&] { config.set("timeout_ms", "soon"); });
    CHECK(check::is(wrong, Code::invalid_argument, Outcome::not_sent) && std::string(wrong.what()).find("timeout_ms") != std::string::npos);
    CHECK(is_refused([&] { config.set("key_id", std::string("a\0b", 3)); }));
    CHECK(is_refused([&] { PaymentRequest().set("payment_method", "cash"); }));
    Config from_env;
    from_env.set_from_env();
    JournalConfig().set("pay_wait_ms", "100").set("create", "1").add_durability_vouched("fuse");
}

void a_setting_that_cannot_be_right_is_refused_until_it_is() {
    const Client client(check::config());
    JournalConfig config;
    CHECK(is_refused([&] { Journal(client, config); })); // There is no place.
    config.set_place(file("settings.db")).set_create(true).set_timeout(std::chrono::seconds(1));
    CHECK(is_refused([&] { Journal(client, config); }));
    config.set_timeout(std::chrono::seconds(15)).set_pay_wait(std::chrono::seconds(0)).set_connections(2);
    CHECK(Journal(client, config).attention().empty());
    CHECK(is_refused([&] { config.set_pay_wait(std::chrono::seconds(-1)); }));
    CHECK(is_refused([&] { Journal(client, config); })); // The config keeps the error until the setting is valid.
    config.set_pay_wait_ms(100);
    CHECK(Journal(client, config).attention().empty());
}

} // namespace

int main() {
    return check::run({
        {"entries outlive their journal and name their attempt", entries_outlive_their_journal_and_name_their_attempt},
        {"an empty entry has no values and names no attempt", an_empty_entry_has_no_values_and_names_no_attempt},
        {"a journal that was moved from is refused", a_journal_that_was_moved_from_is_refused},
        {"an interrupt ends the waits of derived journals only", an_interrupt_ends_the_waits_of_derived_journals_only},
        {"a webhook that does not verify is answered with 400 and not thrown",
         a_webhook_that_does_not_verify_is_answered_with_400_and_not_thrown},
        {"settings are names and texts", settings_are_names_and_texts},
        {"a setting that cannot be right is refused until it is", a_setting_that_cannot_be_right_is_refused_until_it_is},
    });
}
