#ifndef JOURNAL_HPP
#define JOURNAL_HPP

#include "callbacks.hpp"

#include <memory>
#include <vector>

namespace journal {

using namespace merchantpay;

// The entries that were returned, by number.
struct State {
    std::unique_ptr<Journal> journal;
    std::vector<Entry> entries;
};

inline State &state() {
    static State state;
    return state;
}

inline json open(const json &command) {
    JournalConfig settings;
    settings.set_place(text(command, "place"));
    set_all(settings, command.at("settings"),
            [](JournalConfig &config, const std::string &name, const std::string &value) { config.set(name.c_str(), value); });
    state().journal.reset(new Journal(Client(config(command, "client")), settings));
    return json::object();
}

inline json error_of(const Entry &entry) {
    json error = {{"code", static_cast<int>(entry.error_code())}, {"outcome", static_cast<int>(entry.error_outcome())}};
    put(error, "description", entry.error_description());
    return error;
}

// A list's value is a number here; 0 means absent.
inline json shown(const Entry &entry) {
    json fields;
#define WORD(name, value) \
    if (static_cast<int>(value) != 0) fields[#name] = static_cast<int>(value);
#define OF_ENTRY(KIND, name, getter) KIND(name, entry.getter())
    ENTRY_FIELDS(OF_ENTRY)
    fields["news"] = entry.news(); // 0 before its first ones.
#undef WORD
    fields["attention"] = json::array();
    for (const Attention reason : entry.attention()) fields["attention"].push_back(name(reason));
    if (entry.has_credentials()) fields["credentials"] = fields_of(entry.credentials());
    if (entry.error_code() != Code::ok) fields["error"] = error_of(entry);
    fields["is_orphan"] = entry.is_orphan();
    fields["details"] = entry.details();
    put(fields, "unreadable", entry.unreadable());
    state().entries.push_back(entry);
    return {{"entry", state().entries.size() - 1}, {"fields", fields}, {"json", entry.json()}};
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

inline json resolve(const Journal &journal, const Entry &item, const json &command) {
    const std::string note = command["note"];
    const Resolution resolution = command.contains("order_id")     ? Resolution::order_id
                                  : command.contains("no_payment") ? Resolution::no_payment
                                  : command.contains("trusted")    ? Resolution::trusted
                                                                   : Resolution::seen;
    return one(journal.resolve(item, resolution, note, text(command, "order_id"), text(command, "sum")));
}

// The place of a name in a list, counted from 1; 0 if there is no name.
template <class Word>
Word word(const Optional<std::string> &name, const std::vector<std::string> &list) {
    for (std::size_t i = 0; name && i < list.size(); ++i)
        if (list[i] == *name) return static_cast<Word>(i + 1);
    return static_cast<Word>(0);
}

inline json acknowledge_sql(const Entry &entry, const json &command) {
    const auto style = word<Style>(text(command, "style"), {"question", "dollar", "percent", "colon", "at"});
    const AcknowledgeSql sql = entry.acknowledge_sql(style);
    json parameters = {sql.reference, sql.attempt, sql.news};
    if (style == Style::colon || style == Style::at)
        parameters = {{"reference", sql.reference}, {"attempt", sql.attempt}, {"news", sql.news}};
    return {{"text", sql.text}, {"parameters", parameters}};
}

inline json answer(const json &command) {
    const std::string name = command["do"], reference = command.value("reference", "");
    if (name == "journal_open") return open(command);
    if (name == "journal_close") return state() = State(), json::object();
    // A derived journal can be interrupted, and the journal still works.
    const Journal journal = state().journal->derive();
    const bool is_entry = command.contains("entry");
    const Entry on = is_entry ? state().entries.at(command["entry"]) : Entry();
    const std::uint32_t limit = command.value("limit", 100U), attempt = command.value("attempt", 0U);
    if (name == "pay") return one(journal.pay(reference, request(command["request"])));
    if (name == "pay_async") return one(journal.pay_async(reference, request(command["request"])));
    if (name == "replace") return one(journal.replace(reference, attempt, request(command["request"])));
    if (name == "confirm") return one(is_entry ? journal.confirm(on) : journal.confirm(reference, attempt));
    if (name == "cancel") return one(is_entry ? journal.cancel(on) : journal.cancel(reference, attempt));
    if (name == "resolve") return resolve(journal, on, command);
    if (name == "wait") {
        const Until until = word<Until>(text(command, "until"), {"credentials", "final"});
        return interrupted(command, journal, [&] { return one(journal.wait(reference, command["timeout_ms"].get<int>(), until)); });
    }
    if (name == "find") return one(journal.find(reference));
    if (name == "list") {
        const auto standing = word<Standing>(text(command, "standing"), {"sending", "unknown", "refused", "open", "final", "superseded"});
        return many(journal.list(standing, limit, command.contains("before") ? state().entries.at(command["before"]) : Entry()));
    }
    if (name == "news") return many(journal.news(limit));
    if (name == "attention") return many(journal.attention(limit));
    if (name == "acknowledge")
        return {
            {"changed", is_entry ? journal.acknowledge(on) : journal.acknowledge(reference, attempt, command["news"].get<std::int64_t>())}};
    if (name == "acknowledge_sql") return acknowledge_sql(on, command);
    if (name == "stats") return {{"stats", json::parse(journal.stats().json())}};
    if (name == "receive") return receive(journal, command);
    if (name != "settle") throw std::invalid_argument(name);
    return interrupted(command, journal, [&] {
        const Settled settled = journal.settle(limit);
        json result = {{"done", settled.done}};
        if (settled.next_due_ms) result["next_due_ms"] = *settled.next_due_ms;
        return result;
    });
}

} // namespace journal

#endif
