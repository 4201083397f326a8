// The journal: payments by order number, over a file and over a host's database with a std::function.
#include "check.hpp"

#include <sqlite3.h>

#include <cstdio>
#include <memory>

using namespace merchantpay;

namespace {

std::string file(const char *name) {
    const std::string path = check::setting("SCRATCH") + "/" + name;
    for (const char *end : {"", "-wal", "-shm"}) std::remove((path + end).c_str());
    return path;
}

// A host's own database.
struct Host {
    sqlite3 *database = nullptr;
    int statements = 0;
    // The callback throws at the next `left` statements that begin with `thrown_at`.
    std::string thrown_at;
    int left = 0;

    // By default the database is durable, as the journal requires.
    explicit Host(const char *pragma = "PRAGMA journal_mode = WAL") {
        static int count = 0;
        CHECK(sqlite3_open(file(("host-" + std::to_string(count++) + ".db").c_str()).c_str(), &database) == SQLITE_OK);
        CHECK(sqlite3_exec(database, pragma, nullptr, nullptr, nullptr) == SQLITE_OK);
    }
    ~Host() { sqlite3_close(database); }
    Host(const Host &) = delete;
    Host &operator=(const Host &) = delete;

    DatabaseResult run(const char *sql, const char *const *parameters, std::size_t count, DatabaseRows &rows) {
        ++statements;
        sqlite3_stmt *statement = nullptr;
        // Within a transaction SQLite refuses the journal's PRAGMA here: so the journal detects the transaction.
        if (sqlite3_prepare_v2(database, sql, -1, &statement, nullptr) != SQLITE_OK)
            return rows.set_message(sqlite3_errmsg(database)), DatabaseResult::failed;
        for (std::size_t i = 0; i < count; ++i) sqlite3_bind_text(statement, static_cast<int>(i) + 1, parameters[i], -1, SQLITE_TRANSIENT);
        int step = SQLITE_ROW;
        while ((step = sqlite3_step(statement)) == SQLITE_ROW) {
            std::vector<Optional<std::string>> row;
            for (int column = 0; column < sqlite3_column_count(statement); ++column) {
                const unsigned char *text = sqlite3_column_text(statement, column);
                row.push_back(text ? Optional<std::string>(reinterpret_cast<const char *>(text)) : Optional<std::string>());
            }
            rows.add(row);
        }
        const int code = sqlite3_extended_errcode(database);
        sqlite3_finalize(statement);
        // The exception is thrown after the statement ran, so the statement took effect.
        if (left > 0 && std::string(sql).compare(0, thrown_at.size(), thrown_at) == 0) {
            --left;
            if (left % 2 == 0) throw std::runtime_error("the host's database is gone");
            throw 42;
        }
        if (step != SQLITE_DONE) {
            rows.set_message(sqlite3_errmsg(database));
            return merchantpay::database_failure(merchantpay::Dialect::sqlite, std::to_string(code).c_str());
        }
        rows.set_affected(static_cast<std::uint64_t>(sqlite3_changes(database)));
        return DatabaseResult::ok;
    }
};

JournalConfig over(const std::shared_ptr<Host> &host) {
    JournalConfig config;
    config.set_database(Dialect::sqlite, Placeholders::question,
                        [host](const char *sql, const char *const *parameters, std::size_t count, DatabaseRows &rows) {
                            return host->run(sql, parameters, count, rows);
                        });
    config.set_create(true).set_timeout_ms(15000);
    return config;
}

// Takes a payment from its order number to its end.
void take(const Journal &journal, const std::string &reference) {
    Entry entry = journal.pay(reference, check::request());
    CHECK(entry.standing() == Standing::open && entry.attempt() == 1 && entry.has_credentials() && !entry.is_orphan());
    CHECK(entry.reference() == reference && entry.sum_asked() == std::string("1500.50") && entry.standing_name() == "open");
    CHECK(entry.credentials().order_id() == *entry.order_id());
    CHECK(*journal.pay(reference, check::request()).order_id() == *entry.order_id());
    entry = journal.confirm(entry);
    CHECK(entry.confirm() == Intent::accepted && entry.cancel() == Intent::none);
    entry = journal.wait(reference, std::chrono::seconds(20), Until::final);
    CHECK(entry.succeeded() && entry.paid() == Paid::exactly && entry.reported() == Level::final && entry.error_code() == Code::ok);
    const std::vector<Entry> news = journal.news(10);
    CHECK(news.size() == 1 && journal.acknowledge(news[0]) && !journal.acknowledge(news[0]));
    CHECK(journal.list(Standing::final, 10).size() == 1 && journal.list(Standing::open, 10).empty());
    CHECK(journal.find(reference)->succeeded() && !journal.find("another") && journal.attention(10).empty());
}

void a_payment_is_taken_once_in_a_file() {
    const Client client(check::config());
    JournalConfig config;
    config.set_file(file("journal.db")).set_create(true);
    take(Journal(client, config), "file-1");
}

void a_payment_is_taken_once_in_the_hosts_database() {
    auto host = std::make_shared<Host>();
    std::weak_ptr<Host> watched = host;
    {
        // The journal keeps the callback and its captured objects.
        Journal journal = [&] {
            const Client client(check::config());
            return Journal(client, over(host));
        }();
        host.reset();
        CHECK(!watched.expired());
        take(journal, "host-1");
    }
    CHECK(watched.expired());
}

void what_the_callback_throws_is_unclear_and_nothing_is_sent_twice() {
    int number = 0;
    for (const char *thrown_at : {"INSERT", "UPDATE", "SELECT"}) {
        auto host = std::make_shared<Host>();
        const Client client(check::config());
        const Journal journal(client, over(host));
        host->thrown_at = thrown_at;
        host->left = 3;
        const std::string reference = "thrown-" + std::to_string(++number);
        const Entry entry = journal.pay(reference, check::request());
        CHECK(entry.standing() == Standing::open && entry.attempt() == 1 && host->left == 0);
        CHECK(*journal.pay(reference, check::request()).order_id() == *entry.order_id());
    }
}

void a_database_that_is_gone_is_a_storage_error_that_says_why() {
    auto host = std::make_shared<Host>();
    const Client client(check::config());
    const Journal journal(client, over(host));
    host->thrown_at = "SELECT";
    host->left = 1;
    const Error error = check::error_of([&] { static_cast<void>(journal.find("any")); });
    CHECK(check::is(error, Code::storage, Outcome::not_sent) && error.message().find("is gone") != std::string::npos);
}

void an_acknowledgement_within_the_hosts_transaction_fails_the_second_time() {
    auto host = std::make_shared<Host>();
    const Client client(check::config());
    const Journal journal(client, over(host));
    const Entry entry = journal.pay("transaction-1", check::request());
    const DatabaseCallback within = [host](const char *sql, const char *const *parameters, std::size_t count, DatabaseRows &rows) {
        return host->run(sql, parameters, count, rows);
    };
    CHECK(check::is(check::error_of([&] { journal.acknowledge_with(entry, within); }), Code::invalid_argument,
                    Outcome::not_sent)); // The connection is in autocommit mode.
    CHECK(sqlite3_exec(host->database, "BEGIN", nullptr, nullptr, nullptr) == SQLITE_OK);
    journal.acknowledge_with(entry, within);
    CHECK(check::is(check::error_of([&] { journal.acknowledge_with(entry, within); }), Code::conflict, Outcome::not_sent));
    CHECK(check::is(check::error_of([&] { journal.acknowledge_with(entry, nullptr); }), Code::invalid_argument, Outcome::not_sent));
    CHECK(sqlite3_exec(host->database, "COMMIT", nullptr, nullptr, nullptr) == SQLITE_OK);
}

void a_webhook_that_does_not_verify_is_answered_with_400_and_not_thrown() {
    auto host = std::make_shared<Host>();
    const Client client(check::config());
    const Journal journal(client, over(host));
    const Received received = journal.receive("/hooks/token", "{}", "AAAA", nullptr);
    CHECK(received.http_status == 400 && !received.entry && received.code == Code::unverified);
    const Settled settled = journal.settle(10);
    CHECK(settled.done == 0 && !settled.next_due_ms);
}

void an_attempt_is_acknowledged_and_cancelled_by_value() {
    const Client client(check::config());
    const Journal journal(client, over(std::make_shared<Host>()));
    CHECK(journal.pay("value-1", check::request()).attempt() == 1);
    CHECK(
        check::is(check::error_of([&] { journal.acknowledge_by("value-1", 1, Level::final); }), Code::invalid_argument, Outcome::not_sent));
    CHECK(journal.acknowledge_by("value-1", 1, Level::credentials) && !journal.acknowledge_by("value-1", 1, Level::credentials));
    CHECK(journal.confirm_by("value-1", 1).confirm() == Intent::accepted);
    CHECK(journal.pay("value-2", check::request()).attempt() == 1);
    CHECK(journal.cancel_by("value-2", 1).cancel() == Intent::accepted);
}

// Returns true if the input of a call is refused as invalid, before anything took effect.
template <class Call>
bool is_refused(Call call) {
    return check::is(check::error_of(call), Code::invalid_argument, Outcome::not_sent);
}

void an_operator_counts_copies_stops_and_erases() {
    const Client client(check::config());
    JournalConfig config;
    config.set_file(file("upkeep.db")).set_create(true);
    const Journal journal(client, config);
    CHECK(journal.pay("upkeep-1", check::request()).has_credentials());
    CHECK(is_refused([&] { journal.forget("upkeep-1"); }) && is_refused([&] { journal.forget(std::string("a\0b", 3)); }));
    CHECK(is_refused([&] { journal.purge(-1); }) && journal.purge(4102444800000) == 0);
    CHECK(is_refused([&] { journal.pause(""); }) && is_refused([&] { journal.backup("copy.db"); }));
    journal.pause("looking");
    CHECK(check::is(check::error_of([&] { (void)journal.pay("upkeep-2", check::request()); }), Code::storage, Outcome::not_sent));
    Stats read = journal.stats();
    const Stats stats = std::move(read);
    CHECK(read.json().empty() && !read.pause_note() && read.count(Standing::open) == 0);
    CHECK(stats.count(Standing::open) == 1 && stats.count(Standing::final) == 0 && stats.attention() == 0);
    // The attempt's next query becomes due after a short time.
    CHECK((stats.due() == 1 || stats.overdue_ms() == 0) && *stats.pause_note() == "looking" &&
          stats.json().find("\"open\":1") != std::string::npos);
    const std::string copy = file("upkeep-copy.db");
    journal.backup(copy);
    CHECK(check::is(check::error_of([&] { journal.backup(copy); }), Code::storage, Outcome::not_sent));
    journal.resume("looked");
    CHECK(!journal.stats().pause_note() && journal.pay("upkeep-2", check::request()).has_credentials());
}

void an_export_outlives_its_journal_and_keeps_the_hosts_database() {
    const Client client(check::config());
    auto host = std::make_shared<Host>();
    std::weak_ptr<Host> watched = host;
    {
        Export made = [&] {
            const Journal journal(client, over(host));
            CHECK(journal.pay("export-1", check::request()).has_credentials());
            CHECK(is_refused([&] { journal.backup(file("host-copy.db")); })); // The journal is in a database.
            return Export(journal.export_lines());
        }();
        host.reset();
        Export lines = std::move(made);
        CHECK(is_refused([&] { made.next(); }));
        const Optional<std::string> line = lines.next();
        CHECK(line && line->find("export-1") != std::string::npos && !lines.next() && !lines.next());
        const Journal copy(client, over(std::make_shared<Host>()));
        CHECK(copy.import_line(*line) && !copy.import_line(*line) && copy.stats().count(Standing::open) == 1);
        CHECK(is_refused([&] { copy.import_line("{}"); }));
    }
    CHECK(watched.expired());
}

void settings_are_names_and_texts() {
    Config config;
    const Error unknown = check::error_of([&] { config.set("time_out", "1"); });
    CHECK(check::is(unknown, Code::invalid_argument, Outcome::not_sent) &&
          std::string(unknown.what()).find("time_out") != std::string::npos);
    const Error wrong = check::error_of([&] { config.set("timeout_ms", "soon"); });
    CHECK(check::is(wrong, Code::invalid_argument, Outcome::not_sent) && std::string(wrong.what()).find("timeout_ms") != std::string::npos);
    CHECK(check::is(check::error_of([&] { config.set("key_id", std::string("a\0b", 3)); }), Code::invalid_argument, Outcome::not_sent));
    const Error field = check::error_of([&] { PaymentRequest().set("payment_method", "cash"); });
    CHECK(check::is(field, Code::invalid_argument, Outcome::not_sent));
    Config from_env;
    from_env.set_from_env();
    JournalConfig().set("pay_wait_ms", "100").set("create", "1");
}

void settings_that_cannot_be_right_are_refused() {
    const Client client(check::config());
    JournalConfig config;
    CHECK(check::is(check::error_of([&] { Journal(client, config); }), Code::invalid_argument, Outcome::not_sent));
    config.set_file(file("settings.db")).set_timeout(std::chrono::seconds(1));
    CHECK(check::is(check::error_of([&] { Journal(client, config); }), Code::invalid_argument, Outcome::not_sent));
    CHECK(check::is(check::error_of([&] { config.set_pay_wait(std::chrono::seconds(-1)); }), Code::invalid_argument, Outcome::not_sent));
    config.set_pay_wait(std::chrono::seconds(0)).set_pay_wait_ms(100);
    CHECK(check::is(check::error_of([&] { config.set_calls_per_second(-1); }), Code::invalid_argument, Outcome::not_sent));
    config.set_timeout(std::chrono::seconds(15)).set_calls_per_second(10);
    // The config keeps the error.
    CHECK(check::is(check::error_of([&] { Journal(client, config); }), Code::invalid_argument, Outcome::not_sent));
    CHECK(check::is(check::error_of([&] { config.set_file(""); }), Code::invalid_argument, Outcome::not_sent));
}

void a_file_that_is_not_a_journal_is_refused() {
    const Client client(check::config());
    JournalConfig missing, folder, relative;
    missing.set_file(file("missing.db"));
    CHECK(check::is(check::error_of([&] { Journal(client, missing); }), Code::storage, Outcome::not_sent));
    folder.set_file(check::setting("SCRATCH"));
    CHECK(check::is(check::error_of([&] { Journal(client, folder); }), Code::storage, Outcome::not_sent));
    relative.set_file("payments.db").set_create(true);
    CHECK(check::is(check::error_of([&] { Journal(client, relative); }), Code::invalid_argument, Outcome::not_sent));
}

void a_setting_that_can_lose_a_payment_is_refused_unless_it_is_vouched_for() {
    const Client client(check::config());
    JournalConfig config = over(std::make_shared<Host>("PRAGMA synchronous = NORMAL"));
    const Error error = check::error_of([&] { Journal(client, config); });
    CHECK(check::is(error, Code::storage, Outcome::not_sent) && !error.is_transient());
    CHECK(error.message().find("synchronous is NORMAL (1) and must be FULL (2): ") != std::string::npos);
    CHECK(error.message().find("durability_vouched=synchronous accepts this risk") != std::string::npos);
    config.add_durability_vouched("synchronous");
    CHECK(Journal(client, config).pay("vouched-1", check::request()).has_credentials());
    config.add_durability_vouched("synchronously");
    CHECK(check::is(check::error_of([&] { Journal(client, config); }), Code::invalid_argument, Outcome::not_sent));
}

} // namespace

int main() {
    return check::run({
        {"a payment is taken once in a file", a_payment_is_taken_once_in_a_file},
        {"a payment is taken once in the host's database", a_payment_is_taken_once_in_the_hosts_database},
        {"what the callback throws is unclear and nothing is sent twice", what_the_callback_throws_is_unclear_and_nothing_is_sent_twice},
        {"a database that is gone is a storage error that says why", a_database_that_is_gone_is_a_storage_error_that_says_why},
        {"an acknowledgement within the host's transaction fails the second time",
         an_acknowledgement_within_the_hosts_transaction_fails_the_second_time},
        {"a webhook that does not verify is answered with 400 and not thrown",
         a_webhook_that_does_not_verify_is_answered_with_400_and_not_thrown},
        {"an attempt is acknowledged and cancelled by value", an_attempt_is_acknowledged_and_cancelled_by_value},
        {"an operator counts, copies, stops and erases", an_operator_counts_copies_stops_and_erases},
        {"an export outlives its journal and keeps the host's database", an_export_outlives_its_journal_and_keeps_the_hosts_database},
        {"settings are names and texts", settings_are_names_and_texts},
        {"settings that cannot be right are refused", settings_that_cannot_be_right_are_refused},
        {"a file that is not a journal is refused", a_file_that_is_not_a_journal_is_refused},
        {"a setting that can lose a payment is refused unless it is vouched for",
         a_setting_that_can_lose_a_payment_is_refused_unless_it_is_vouched_for},
    });
}
