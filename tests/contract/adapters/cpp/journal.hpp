// The commands of a journal, over a file or over SQLite with a std::function.
#ifndef JOURNAL_HPP
#define JOURNAL_HPP

#include "values.hpp"

#include <sqlite3.h>

#include <memory>
#include <vector>

namespace journal {

using namespace merchantpay;

// The open journal, and the returned entries by number.
struct State {
    std::unique_ptr<Journal> journal;
    std::vector<Entry> entries;
};

inline State &state() {
    static State state;
    return state;
}

inline DatabaseResult run_statement(sqlite3 *database, const char *sql, const char *const *parameters, std::size_t count,
                                    DatabaseRows &rows) {
    sqlite3_stmt *statement = nullptr;
    if (sqlite3_prepare_v2(database, sql, -1, &statement, nullptr) != SQLITE_OK) return DatabaseResult::failed;
    for (std::size_t i = 0; i < count; ++i) sqlite3_bind_text(statement, static_cast<int>(i) + 1, parameters[i], -1, SQLITE_TRANSIENT);
    int step = SQLITE_ROW;
    while ((step = sqlite3_step(statement)) == SQLITE_ROW) {
        std::vector<const char *> row;
        for (int column = 0; column < sqlite3_column_count(statement); ++column)
            row.push_back(reinterpret_cast<const char *>(sqlite3_column_text(statement, column)));
        rows.add(row.data(), row.size());
    }
    sqlite3_finalize(statement);
    if (step == SQLITE_CONSTRAINT) return DatabaseResult::duplicate;
    if (step != SQLITE_DONE) return DatabaseResult::failed;
    rows.set_affected(static_cast<std::uint64_t>(sqlite3_changes(database)));
    return DatabaseResult::ok;
}

inline std::shared_ptr<sqlite3> opened(const std::string &file) {
    sqlite3 *database = nullptr;
    sqlite3_open(file.c_str(), &database);
    sqlite3_exec(database, "PRAGMA journal_mode = WAL", nullptr, nullptr, nullptr);
    return std::shared_ptr<sqlite3>(database, sqlite3_close);
}

inline json open(const json &command) {
    const json &place = command["place"];
    JournalConfig settings;
    for (const auto &setting : command["settings"].items()) settings.set(setting.key().c_str(), setting.value().get<std::string>());
    if (place.contains("file")) {
        settings.set_file(place["file"].get<std::string>());
    } else {
        const std::shared_ptr<sqlite3> database = opened(place["dsn"].get<std::string>());
        settings.set_database(Dialect::sqlite, Placeholders::question,
                              [database](const char *sql, const char *const *parameters, std::size_t count, DatabaseRows &rows) {
                                  return run_statement(database.get(), sql, parameters, count, rows);
                              });
    }
    state().journal.reset(new Journal(Client(config(command["client"])), settings));
    return json::object();
}

// Standings and levels are numbers here; 0 means absent, except for levels.
inline json shown(const Entry &entry) {
    json fields = {{"attempt", entry.attempt()},
                   {"succeeded", entry.succeeded()},
                   {"reported", static_cast<int>(entry.reported())},
                   {"acknowledged", static_cast<int>(entry.acknowledged())},
                   {"attention", json::array()}};
    const auto put_text = [&](const char *name, const Optional<std::string> &text) {
        if (text) fields[name] = *text;
    };
    const auto put_number = [&](const char *name, std::uint64_t number) {
        if (number != 0) fields[name] = number;
    };
    put_text("reference", entry.reference());
    put_text("order_id", entry.order_id());
    put_text("sum_asked", entry.sum_asked());
    put_number("standing", static_cast<std::uint64_t>(entry.standing()));
    put_number("paid", static_cast<std::uint64_t>(entry.paid()));
    put_number("confirm", static_cast<std::uint64_t>(entry.confirm()));
    put_number("cancel", static_cast<std::uint64_t>(entry.cancel()));
    put_number("created_at", entry.created_at_ms());
    put_number("updated_at", entry.updated_at_ms());
    put_number("due_at", entry.due_at_ms());
    for (const Attention reason : entry.attention()) fields["attention"].push_back(static_cast<int>(reason));
    if (entry.has_credentials()) fields["credentials"] = ::fields(entry.credentials());
    if (entry.has_payment()) fields["payment"] = ::fields(entry.payment());
    if (entry.error_code() != Code::ok) {
        fields["error"] = {{"code", static_cast<int>(entry.error_code())}, {"outcome", static_cast<int>(entry.error_outcome())}};
        if (entry.error_description()) fields["error"]["description"] = *entry.error_description();
    }
    json whole = {{"entry", state().entries.size()}, {"fields", fields}, {"is_orphan", entry.is_orphan()}, {"json", entry.json()}};
    state().entries.push_back(entry);
    whole["earlier"] = json::array();
    for (const Entry &before : entry.earlier()) whole["earlier"].push_back(shown(before));
    return whole;
}

inline json one(const Optional<Entry> &entry) {
    return {{"entry", entry ? shown(*entry) : json()}};
}

inline json many(const std::vector<Entry> &entries) {
    json all = json::array();
    for (const Entry &entry : entries) all.push_back(shown(entry));
    return {{"entries", all}};
}

inline json receive(const Journal &journal, const json &command) {
    const std::string body = unhex(command["body"]);
    const std::string path = command["path"], signature = command["signature"], key_id = command["key_id"];
    const Received received = journal.receive(path, body.data(), body.size(), signature, key_id);
    json result = one(received.entry);
    result["http_status"] = received.http_status;
    if (received.code != Code::ok) result["error"] = {{"code", static_cast<int>(received.code)}};
    return result;
}

inline json resolve(const Journal &journal, const Entry &entry, const json &command) {
    const std::string note = command["note"], order_id = command.value("order_id", "");
    if (command.contains("seen")) journal.resolve(entry, Resolution::seen, note);
    else if (command.contains("no_payment")) journal.resolve(entry, Resolution::no_payment, note);
    else journal.resolve(entry, Resolution::order_id, note, order_id);
    return json::object();
}

inline Standing standing(const std::string &name) {
    const std::vector<std::string> names = {"", "sending", "unknown", "refused", "open", "final", "superseded"};
    for (std::size_t i = 0; i < names.size(); ++i)
        if (names[i] == name) return static_cast<Standing>(i);
    return static_cast<Standing>(-1);
}

/* The commands of an operator; null for another command. */
inline json upkeep(const Journal &journal, const json &command) {
    const std::string name = command["do"], note = command.value("note", "");
    if (name == "stats") return {{"stats", json::parse(journal.stats().json())}};
    if (name == "purge") return {{"count", journal.purge(command["before_ms"].get<std::int64_t>())}};
    if (name == "forget") return {{"count", journal.forget(command["reference"].get<std::string>())}};
    if (name == "import") return {{"changed", journal.import_line(command["line"].get<std::string>())}};
    if (name == "pause") return journal.pause(note), json::object();
    if (name == "resume") return journal.resume(note), json::object();
    if (name == "backup") return journal.backup(command["file"].get<std::string>()), json::object();
    if (name != "export") return nullptr;
    Export lines = journal.export_lines();
    json all = json::array();
    while (const Optional<std::string> line = lines.next()) all.push_back(*line);
    return {{"lines", all}};
}

inline json answer(const json &command) {
    const std::string name = command["do"], reference = command.value("reference", "");
    if (name == "journal_open") return open(command);
    if (name == "journal_close") return state() = State(), json::object();
    const Journal &journal = *state().journal;
    const json done = upkeep(journal, command);
    if (!done.is_null()) return done;
    const auto given = [&](const char *entry) { return command.contains(entry) ? state().entries.at(command[entry]) : Entry(); };
    const auto number = [&](const char *number, std::uint32_t otherwise) { return command.value(number, otherwise); };
    if (name == "pay") return one(journal.pay(reference, request(command["request"]), number("replace", 0)));
    if (name == "pay_async") return one(journal.pay_async(reference, request(command["request"]), number("replace", 0)));
    if (name == "confirm") return one(journal.confirm(given("entry")));
    if (name == "cancel") return one(journal.cancel(given("entry")));
    if (name == "resolve") return resolve(journal, given("entry"), command);
    if (name == "wait")
        return one(journal.wait(reference, number("timeout_ms", 0), command["until"] == "final" ? Until::final : Until::credentials));
    if (name == "find") return one(journal.find(reference));
    if (name == "list") return many(journal.list(standing(command.value("standing", "")), number("limit", 100), given("before")));
    if (name == "news") return many(journal.news(number("limit", 100), number("claim_ms", 0)));
    if (name == "attention") return many(journal.attention(number("limit", 100)));
    if (name == "acknowledge") return {{"changed", journal.acknowledge(given("entry"))}};
    if (name == "receive") return receive(journal, command);
    if (name != "settle") throw std::invalid_argument(name);
    const Settled settled = journal.settle(number("limit", 100));
    json result = {{"done", settled.done}};
    if (settled.next_due_ms) result["next_due_ms"] = *settled.next_due_ms;
    return result;
}

} // namespace journal

#endif
