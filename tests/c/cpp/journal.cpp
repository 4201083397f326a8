// The journal in C++: what owns what, moves and settings. The contract's cases test what its methods do.
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

// As invalid input, before anything took effect.
template <class Call>
bool is_refused(Call call) {
    return check::is(check::error_of(call), Code::invalid_argument, Outcome::not_sent);
}

RULE(entries_outlive_their_journal) {
    Entry first;
    std::vector<Entry> news;
    {
        Journal journal = journal_in("entries.db");
        first = journal.pay("order-1", check::request());
        journal.confirm(first);
        CHECK(journal.wait("order-1", std::chrono::seconds(20), Until::final).succeeded());
        CHECK(journal.wait("order-1", 0).standing() == Standing::final && !journal.acknowledge(first));
        news = journal.news();
        CHECK(news.size() == 1 && journal.acknowledge(news[0]) && !journal.acknowledge("order-1", 1, news[0].news()));
        CHECK(journal.list().size() == 1 && journal.list(Standing::final, 1, news[0]).empty() && !journal.find("order-2"));
        CHECK(journal.stats().count(Standing::open) == 0 && !journal.stats().pause_note() && !journal.settle().next_due_ms);
        for (const std::string &path : {std::string("/hooks/token"), std::string("/hooks\0", 7)}) {
            const Received received = journal.receive(path, "{}", "AAAA", nullptr);
            CHECK(received.http_status == 400 && !received.entry && received.code == Code::unverified);
        }
    }
    const Entry copy = first;
    first = Entry();
    CHECK(copy.reference() == "order-1" && copy.attempt() == 1 && copy.standing_name() == "open" && !copy.is_orphan());
    CHECK(copy.credentials().order_id() == *copy.order_id() && news[0].sum_paid() == std::string("1500.50"));
    CHECK(news[0].attention().empty() && news[0].details().empty() && copy.acknowledge_sql(Style::at).news == copy.news());
}

RULE(empty_entry_names_no_attempt) {
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

RULE(a_journal_that_was_moved_from_is_refused) {
    Journal journal = journal_in("moved.db");
    const Journal moved = std::move(journal);
    CHECK(is_refused([&] { static_cast<void>(journal.find("order")); }) && is_refused([&] { static_cast<void>(journal.derive()); }));
    CHECK(!moved.find("order") && moved.attention().empty());
}

RULE(wrong_setting_is_refused_until_right) {
    const Client client(check::config());
    JournalConfig config;
    config.set_place(file("settings.db")).set_create(true).set("connections", "2").add_durability_vouched("fuse");
    config.set_timeout(std::chrono::seconds(15)).set_pay_wait(std::chrono::seconds(0));
    CHECK(Journal(client, config).attention().empty());
    CHECK(is_refused([&] { config.set_pay_wait(std::chrono::seconds(-1)); }) && is_refused([&] { Journal(client, config); }));
    config.set_pay_wait_ms(100);
    CHECK(Journal(client, config).attention().empty());
}

} // namespace
