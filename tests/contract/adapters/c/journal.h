/* The commands of a journal. */
#ifndef JOURNAL_H
#define JOURNAL_H

#include "objects.h"

/* What a command has made. It is kept until the journals are closed: the number of an entry is its address. */
struct made {
    struct values its;
    struct made *before;
};

static struct made *made;
static const mpay_journal *journal;

static void keep(struct values *its) {
    struct made *next = malloc(sizeof *next);
    if (next == NULL) abort();
    next->its = *its;
    next->before = made;
    made = next;
    memset(its, 0, sizeof *its);
}

static void close_journals(void) {
    while (made != NULL) {
        struct made *last = made;
        made = last->before;
        free_handles(&last->its);
        free(last);
    }
}

static int32_t open_journal(struct values *its, const cJSON *command, mpay_error **error) {
    int32_t code;
    its->config = mpay_config_new();
    code = set_all(its->config, by_name_mpay_config_set, part(command, "client"), error);
    its->journal_config = mpay_journal_config_new();
    mpay_journal_config_set_place(its->journal_config, text(command, "place"));
    if (code == MPAY_OK) code = call(its, "client", "_new", NULL, error);
    if (code == MPAY_OK) code = set_all(its->journal_config, by_name_mpay_journal_config_set, part(command, "settings"), error);
    if (code == MPAY_OK) code = call(its, "journal", "_open", NULL, error);
    if (code == MPAY_OK) journal = its->journal;
    return code;
}

/* The entry that a command names, or NULL. */
static const mpay_entry *named(const cJSON *command, const char *name) {
    return (const mpay_entry *)(uintptr_t)number(command, name);
}

static cJSON *error_of(const mpay_entry *entry) {
    cJSON *error = cJSON_CreateObject();
    put_number(error, "code", mpay_entry_error_code(entry));
    put_number(error, "outcome", mpay_entry_error_outcome(entry));
    put_text(error, "description", mpay_entry_error_description(entry));
    return error;
}

static cJSON *shown(const mpay_entry *entry) {
    cJSON *whole, *fields, *reasons, *details;
    size_t i;
    if (entry == NULL) return cJSON_CreateNull();
    whole = cJSON_CreateObject();
    put_number(whole, "entry", (int64_t)(uintptr_t)entry);
    fields = cJSON_AddObjectToObject(whole, "fields");
/* An entry's news are 0 before its first ones. */
#undef NUMBER
#define NUMBER(name, value) put_number(fields, #name, value);
#define WORD(name, value) put_some(fields, #name, value);
#define OF_ENTRY(KIND, name, getter) KIND(name, mpay_entry_##getter(entry))
    ENTRY_FIELDS(OF_ENTRY)
    if (mpay_entry_credentials(entry) != NULL) cJSON_AddItemToObject(fields, "credentials", fields_of(mpay_entry_credentials(entry)));
    if (mpay_entry_error_code(entry) != MPAY_OK) cJSON_AddItemToObject(fields, "error", error_of(entry));
    reasons = cJSON_AddArrayToObject(fields, "attention");
    for (i = 0; mpay_entry_attention(entry, i) != 0; i++)
        cJSON_AddItemToArray(reasons, cJSON_CreateString(mpay_attention_name(mpay_entry_attention(entry, i))));
    details = cJSON_AddArrayToObject(fields, "details");
    for (i = 0; mpay_entry_detail(entry, i) != NULL; i++) cJSON_AddItemToArray(details, cJSON_CreateString(mpay_entry_detail(entry, i)));
    cJSON_AddBoolToObject(fields, "is_orphan", mpay_entry_is_orphan(entry));
    put_text(fields, "unreadable", mpay_entry_unreadable(entry));
    put_text(whole, "json", mpay_entry_json(entry));
    return whole;
}

static void acknowledge_sql(const mpay_entry *entry, const char *name, cJSON *result) {
    static const char *const styles[] = {"question", "dollar", "percent", "colon", "at", NULL};
    put_text(result, "text", mpay_entry_acknowledge_sql(entry, place_of(name, styles)));
}

/* The function for a decision. A person who has seen an item names what there was to see. */
static const char *resolution(struct values *its, const cJSON *command, const mpay_entry *entry, char *reasons) {
    size_t i;
    if (its->order_id != NULL) return "resolve_order";
    if (part(command, "no_payment") != NULL) return "resolve_no_payment";
    if (part(command, "trusted") != NULL) return "resolve_trusted";
    its->order_id = mpay_entry_order_id(entry);
    its->status = mpay_entry_status(entry);
    if (mpay_entry_is_orphan(entry)) return "resolve_orphan";
    for (i = 0; mpay_entry_attention(entry, i) != 0; i++) strcat(strcat(reasons, ","), mpay_attention_name(mpay_entry_attention(entry, i)));
    its->reasons = reasons;
    return "resolve_seen";
}

static void put_results(struct values *its, const char *name, cJSON *result) {
    static const char *const without_entry[] = {"list", "news", "attention", "acknowledge", "settle", "stats", NULL};
    size_t i;
    if (place_of(name, without_entry) == 0) cJSON_AddItemToObject(result, "entry", shown(its->entry));
    if (its->entries != NULL) {
        cJSON *all = cJSON_AddArrayToObject(result, "entries");
        for (i = 0; i < mpay_entries_count(its->entries); i++) cJSON_AddItemToArray(all, shown(mpay_entries_get(its->entries, i)));
    }
    if (its->stats != NULL) cJSON_AddItemToObject(result, "stats", cJSON_Parse(mpay_stats_json(its->stats)));
    cJSON_AddBoolToObject(result, "changed", its->acknowledged);
    put_number(result, "done", its->done);
    if (strcmp(name, "settle") == 0 && its->next_due_ms >= 0) put_number(result, "next_due_ms", its->next_due_ms);
    put_some(result, "http_status", its->http_status);
}

static int32_t call_journal(struct values *its, const cJSON *command, cJSON *result, mpay_error **error) {
    static const char *const standings[] = {"sending", "unknown", "refused", "open", "final", "superseded", NULL};
    static const char *const untils[] = {"credentials", "final", NULL};
    const char *name = text(command, "do"), *function = name;
    const mpay_entry *entry = named(command, "entry"), *before = named(command, "before");
    char *body = text(command, "body") != NULL ? unhex(text(command, "body"), &its->len) : NULL, reasons[256] = {0};
    /* A derived journal can be interrupted, and the journal still works. */
    int32_t code = mpay_journal_derive(journal, &its->journal, error);
    take(its, command);
    its->body = body;
    its->standing = place_of(text(command, "standing"), standings);
    its->wanted = place_of(text(command, "until"), untils);
    if (part(command, "limit") == NULL) its->limit = 100;
    its->before_reference = mpay_entry_reference(before);
    its->before_created_at_ms = mpay_entry_created_at_ms(before);
    if (entry != NULL) {
        its->reference = mpay_entry_reference(entry);
        its->attempt = mpay_entry_attempt(entry);
        its->news = mpay_entry_news(entry);
    }
    if (strcmp(name, "resolve") == 0) function = resolution(its, command, entry, reasons);
    if (code == MPAY_OK && part(command, "request") != NULL)
        code = request(its, by_name_mpay_payment_request_set, part(command, "request"), error);
    if (code == MPAY_OK) code = call(its, "journal_", function, command, error);
    put_results(its, name, result);
    free(body);
    if (strcmp(name, "receive") != 0 || code == MPAY_OK) return code;
    /* The error of a webhook is a part of the answer. */
    cJSON_AddItemToObject(result, "error", failure(*error));
    mpay_error_free(*error);
    *error = NULL;
    return MPAY_OK;
}

static int32_t answer_of_journal(struct values *its, const cJSON *command, cJSON *result, mpay_error **error) {
    int32_t code = MPAY_OK;
    if (is(command, "do", "journal_close")) close_journals();
    else if (is(command, "do", "acknowledge_sql")) acknowledge_sql(named(command, "entry"), text(command, "style"), result);
    else if (is(command, "do", "journal_open")) code = open_journal(its, command, error);
    else code = call_journal(its, command, result, error);
    keep(its);
    return code;
}

#endif
