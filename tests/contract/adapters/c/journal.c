#include "journal.h"

#include <merchantpay_bindings.h>

#include <sqlite3.h>
#include <stdlib.h>
#include <string.h>

/* The open journal, the objects that it needs, and the returned entries by number. */
typedef void (*release)(void *);

static struct {
    mpay_journal *journal;
    const mpay_entry **entries;
    size_t entry_count;
    struct freed {
        void *object;
        release release;
    } *freed; /* These objects are freed at the end of a case, the last object first. */
    size_t freed_count;
    sqlite3 *database;
} state;

/* Makes room for one more element. */
static void *grown(void *array, size_t count, size_t size) {
    void *more = realloc(array, (count + 1) * size);
    if (more == NULL) abort();
    return more;
}

static void *kept(void *object, release release) {
    const struct freed freed = {object, release};
    state.freed = grown(state.freed, state.freed_count, sizeof freed);
    state.freed[state.freed_count++] = freed;
    return object;
}

static void journal_close(void) {
    while (state.freed_count > 0) {
        const struct freed last = state.freed[--state.freed_count];
        last.release(last.object);
    }
    free(state.freed);
    free(state.entries);
    if (state.database != NULL) sqlite3_close(state.database);
    memset(&state, 0, sizeof state);
}

/* Frees an object by its type: C has no generic function for handles. */
#define RELEASE(type)                          \
    static void release_##type(void *object) { \
        type##_free(object);                   \
    }
RELEASE(mpay_client)
RELEASE(mpay_config)
RELEASE(mpay_entries)
RELEASE(mpay_entry)
RELEASE(mpay_journal)
RELEASE(mpay_journal_config)

/* The callback that runs a journal's statements. In this adapter the merchant's own database is SQLite. */
static int32_t run_statement(void *user_data, const char *sql, const char *const *parameters, size_t count, mpay_rows *out) {
    sqlite3 *database = user_data;
    sqlite3_stmt *statement = NULL;
    const char *values[64];
    int step, column;
    size_t i;
    if (sqlite3_prepare_v2(database, sql, -1, &statement, NULL) != SQLITE_OK) {
        mpay_rows_set_message(out, sqlite3_errmsg(database));
        return MPAY_DATABASE_FAILED;
    }
    for (i = 0; i < count; i++) sqlite3_bind_text(statement, (int)i + 1, parameters[i], -1, SQLITE_TRANSIENT);
    while ((step = sqlite3_step(statement)) == SQLITE_ROW) {
        const int columns = sqlite3_column_count(statement);
        for (column = 0; column < columns; column++) values[column] = (const char *)sqlite3_column_text(statement, column);
        mpay_rows_add(out, values, (size_t)columns);
    }
    sqlite3_finalize(statement);
    if (step == SQLITE_CONSTRAINT) return MPAY_DATABASE_DUPLICATE;
    if (step != SQLITE_DONE) return MPAY_DATABASE_FAILED;
    mpay_rows_set_affected(out, (uint64_t)sqlite3_changes(database));
    return MPAY_DATABASE_OK;
}

static const char *text(const cJSON *command, const char *name) {
    return cJSON_GetStringValue(cJSON_GetObjectItem(command, name));
}

static uint32_t number(const cJSON *command, const char *name, uint32_t otherwise) {
    const cJSON *number = cJSON_GetObjectItem(command, name);
    return cJSON_IsNumber(number) ? (uint32_t)number->valuedouble : otherwise;
}

static const mpay_entry *given(const cJSON *command, const char *name) {
    const cJSON *number = cJSON_GetObjectItem(command, name);
    return cJSON_IsNumber(number) ? state.entries[number->valueint] : NULL;
}

static mpay_error *open_journal(const cJSON *command) {
    const cJSON *place = cJSON_GetObjectItem(command, "place"), *setting;
    mpay_journal_config *settings = kept(mpay_journal_config_new(), release_mpay_journal_config);
    mpay_client *client = NULL;
    mpay_journal *journal = NULL;
    mpay_error *error = NULL;
    mpay_config *config = config_of(cJSON_GetObjectItem(command, "client"), &error);
    if (error != NULL) return error;
    kept(config, release_mpay_config);
    if (mpay_client_new(config, &client, &error) != MPAY_OK) return error;
    kept(client, release_mpay_client);
    if (text(place, "file") != NULL) {
        mpay_journal_config_set_file(settings, text(place, "file"));
    } else {
        if (state.database == NULL && sqlite3_open(text(place, "dsn"), &state.database) == SQLITE_OK)
            sqlite3_exec(state.database, "PRAGMA journal_mode = WAL", NULL, NULL, NULL);
        mpay_journal_config_set_database(settings, MPAY_DIALECT_SQLITE, MPAY_PLACEHOLDERS_QUESTION, run_statement, state.database, NULL);
    }
    cJSON_ArrayForEach(setting, cJSON_GetObjectItem(command, "settings")) {
        if (mpay_journal_config_set(settings, setting->string, setting->valuestring, &error) != MPAY_OK) return error;
    }
    if (mpay_journal_open(client, settings, &journal, &error) != MPAY_OK) return error;
    state.journal = kept(journal, release_mpay_journal);
    return NULL;
}

/* The names of the fields of mpay_entry_fields after the first four texts. */
static const char *const names[] = {
    "reference", "attempt",  "standing",     "order_id", "sum_asked", "paid",       "succeeded",  "credentials", "payment", "confirm",
    "cancel",    "reported", "acknowledged", "error",    "attention", "created_at", "updated_at", "due_at",      NULL,
};

static int is_number(const char *name) {
    return strcmp(name, "attempt") == 0 || strstr(name, "_at") != NULL;
}

static void put_field(cJSON *fields, const char *name, const char *value, const mpay_entry *entry, const char *outcome, const char *why) {
    cJSON *part = NULL;
    if (strcmp(name, "credentials") == 0 || strcmp(name, "payment") == 0) {
        part = fields_of(*name == 'c' ? mpay_entry_credentials(entry) : mpay_entry_payment(entry));
    } else if (strcmp(name, "error") == 0) {
        part = cJSON_CreateObject();
        cJSON_AddStringToObject(part, "code", value);
        cJSON_AddStringToObject(part, "outcome", outcome);
        if (why != NULL) cJSON_AddStringToObject(part, "description", why);
    } else if (strcmp(name, "attention") == 0) {
        const char *end;
        part = cJSON_CreateArray();
        for (; *value != '\0'; value = *end == '\0' ? end : end + 1) {
            char reason[64] = {0};
            end = value + strcspn(value, ",");
            memcpy(reason, value, (size_t)(end - value) % sizeof reason);
            cJSON_AddItemToArray(part, cJSON_CreateString(reason));
        }
    } else if (strcmp(name, "succeeded") == 0) {
        part = cJSON_CreateBool(*value == '1');
    } else {
        part = is_number(name) ? cJSON_CreateRaw(value) : cJSON_CreateString(value);
    }
    cJSON_AddItemToObject(fields, name, part);
}

static cJSON *shown(const mpay_entry *entry) {
    cJSON *whole = cJSON_CreateObject(), *fields = cJSON_AddObjectToObject(whole, "fields");
    cJSON *earlier = cJSON_AddArrayToObject(whole, "earlier");
    const mpay_entry *before;
    const char *texts[4 + sizeof names / sizeof *names] = {0}, *next;
    size_t size = 0, i;
    if (entry == NULL) {
        cJSON_Delete(whole);
        return cJSON_CreateNull();
    }
    next = mpay_entry_fields(entry, &size);
    for (i = 0; i < sizeof texts / sizeof *texts - 1; i++, next += strlen(next) + 1) texts[i] = *next == '\xff' ? NULL : next;
    for (i = 0; names[i] != NULL; i++) {
        const int is_flag = strcmp(names[i], "credentials") == 0 || strcmp(names[i], "payment") == 0;
        if (texts[4 + i] != NULL && (!is_flag || *texts[4 + i] == '1'))
            put_field(fields, names[i], texts[4 + i], entry, texts[2], texts[3]);
    }
    cJSON_AddNumberToObject(whole, "entry", (double)state.entry_count);
    cJSON_AddBoolToObject(whole, "is_orphan", mpay_entry_is_orphan(entry));
    cJSON_AddStringToObject(whole, "json", mpay_entry_json(entry));
    state.entries = grown(state.entries, state.entry_count, sizeof entry);
    state.entries[state.entry_count++] = entry;
    for (i = 0; (before = mpay_entry_earlier(entry, i)) != NULL; i++) cJSON_AddItemToArray(earlier, shown(before));
    return whole;
}

static cJSON *one(mpay_entry *entry) {
    cJSON *result = cJSON_CreateObject();
    cJSON_AddItemToObject(result, "entry", shown(entry));
    kept(entry, release_mpay_entry);
    return result;
}

static cJSON *many(mpay_entries *entries) {
    cJSON *result = cJSON_CreateObject(), *all = cJSON_AddArrayToObject(result, "entries");
    size_t i;
    for (i = 0; i < mpay_entries_count(entries); i++) cJSON_AddItemToArray(all, shown(mpay_entries_get(entries, i)));
    kept(entries, release_mpay_entries);
    return result;
}

static cJSON *receive(const cJSON *command) {
    cJSON *result;
    mpay_entry *entry = NULL;
    mpay_error *error = NULL;
    int32_t status = 0, code;
    size_t size = 0;
    char *body = unhex(text(command, "body"), &size);
    code = mpay_journal_receive(state.journal, text(command, "path"), body, size, text(command, "signature"), text(command, "key_id"),
                                &status, &entry, &error);
    result = one(entry);
    cJSON_AddNumberToObject(result, "http_status", status);
    if (code != MPAY_OK) cJSON_AddItemToObject(result, "error", failure(error));
    mpay_error_free(error);
    free(body);
    return result;
}

static int32_t resolve(const cJSON *command, mpay_error **error) {
    const int32_t resolution = cJSON_HasObjectItem(command, "seen")         ? MPAY_RESOLUTION_SEEN
                               : cJSON_HasObjectItem(command, "no_payment") ? MPAY_RESOLUTION_NO_PAYMENT
                                                                            : MPAY_RESOLUTION_ORDER_ID;
    return mpay_journal_resolve(state.journal, given(command, "entry"), resolution, text(command, "order_id"), text(command, "note"),
                                error);
}

static int32_t standing(const char *name) {
    static const char *const standings[] = {"sending", "unknown", "refused", "open", "final", "superseded"};
    int32_t i;
    for (i = 0; name != NULL && i < 6; i++)
        if (strcmp(standings[i], name) == 0) return i + 1;
    return 0;
}

/* Adds the lines of an export to a result. */
static int32_t add_lines(cJSON *result, mpay_error **error) {
    cJSON *all = cJSON_AddArrayToObject(result, "lines");
    mpay_export *lines = NULL;
    int32_t found = 0, code = mpay_journal_export(state.journal, &lines, error);
    while (code == MPAY_OK && (code = mpay_export_next(lines, &found, error)) == MPAY_OK && found == 1)
        cJSON_AddItemToArray(all, cJSON_CreateString(mpay_export_line(lines)));
    mpay_export_free(lines);
    return code;
}

/* The commands of an operator. */
static cJSON *upkeep(const char *name, const cJSON *command, mpay_error **error) {
    cJSON *result = cJSON_CreateObject();
    mpay_stats *stats = NULL;
    uint64_t count = 0;
    int32_t changed = 0, code = MPAY_OK;
    if (strcmp(name, "stats") == 0) {
        code = mpay_journal_stats(state.journal, &stats, error);
        if (code == MPAY_OK) cJSON_AddItemToObject(result, "stats", cJSON_Parse(mpay_stats_json(stats)));
        mpay_stats_free(stats);
    } else if (strcmp(name, "purge") == 0) {
        code = mpay_journal_purge(state.journal, (int64_t)cJSON_GetObjectItem(command, "before_ms")->valuedouble, &count, error);
        cJSON_AddNumberToObject(result, "count", (double)count);
    } else if (strcmp(name, "forget") == 0) {
        code = mpay_journal_forget(state.journal, text(command, "reference"), &count, error);
        cJSON_AddNumberToObject(result, "count", (double)count);
    } else if (strcmp(name, "export") == 0) {
        code = add_lines(result, error);
    } else if (strcmp(name, "import") == 0) {
        code = mpay_journal_import(state.journal, text(command, "line"), &changed, error);
        cJSON_AddBoolToObject(result, "changed", changed);
    } else if (strcmp(name, "pause") == 0) {
        code = mpay_journal_pause(state.journal, text(command, "note"), error);
    } else if (strcmp(name, "resume") == 0) {
        code = mpay_journal_resume(state.journal, text(command, "note"), error);
    } else {
        code = mpay_journal_backup(state.journal, text(command, "file"), error);
    }
    if (code == MPAY_OK) return result;
    cJSON_Delete(result);
    return NULL;
}

static int is_upkeep(const char *name) {
    static const char *const names[] = {"stats", "purge", "forget", "export", "import", "pause", "resume", "backup"};
    size_t i;
    for (i = 0; i < sizeof names / sizeof *names; i++)
        if (strcmp(names[i], name) == 0) return 1;
    return 0;
}

cJSON *journal_answer(const cJSON *command, mpay_error **error) {
    const char *name = text(command, "do"), *reference = text(command, "reference");
    const mpay_entry *on = given(command, "entry");
    const mpay_journal *journal = state.journal;
    const uint32_t limit = number(command, "limit", 100);
    mpay_entry *entry = NULL;
    mpay_entries *entries = NULL;
    if (strcmp(name, "journal_open") == 0) {
        *error = open_journal(command);
        return *error == NULL ? cJSON_CreateObject() : NULL;
    } else if (strcmp(name, "journal_close") == 0) {
        journal_close();
        return cJSON_CreateObject();
    } else if (is_upkeep(name)) {
        return upkeep(name, command, error);
    } else if (strncmp(name, "pay", 3) == 0) {
        mpay_payment_request *request = request_of(cJSON_GetObjectItem(command, "request"), error);
        const uint32_t replace = number(command, "replace", 0);
        int32_t code = MPAY_OK;
        if (request != NULL && name[3] == '\0') code = mpay_journal_pay(journal, reference, request, replace, &entry, error);
        else if (request != NULL) code = mpay_journal_pay_async(journal, reference, request, replace, &entry, error);
        mpay_payment_request_free(request);
        return code == MPAY_OK && *error == NULL ? one(entry) : NULL;
    } else if (strcmp(name, "confirm") == 0) {
        return mpay_journal_confirm(journal, on, &entry, error) == MPAY_OK ? one(entry) : NULL;
    } else if (strcmp(name, "cancel") == 0) {
        return mpay_journal_cancel(journal, on, &entry, error) == MPAY_OK ? one(entry) : NULL;
    } else if (strcmp(name, "resolve") == 0) {
        return resolve(command, error) == MPAY_OK ? cJSON_CreateObject() : NULL;
    } else if (strcmp(name, "wait") == 0) {
        const int32_t until = strcmp(text(command, "until"), "final") == 0 ? MPAY_UNTIL_FINAL : MPAY_UNTIL_CREDENTIALS;
        return mpay_journal_wait(journal, reference, number(command, "timeout_ms", 0), until, &entry, error) == MPAY_OK ? one(entry) : NULL;
    } else if (strcmp(name, "find") == 0) {
        return mpay_journal_find(journal, reference, &entry, error) == MPAY_OK ? one(entry) : NULL;
    } else if (strcmp(name, "list") == 0) {
        const int32_t code =
            mpay_journal_list(journal, standing(text(command, "standing")), limit, given(command, "before"), &entries, error);
        return code == MPAY_OK ? many(entries) : NULL;
    } else if (strcmp(name, "news") == 0) {
        return mpay_journal_news(journal, limit, number(command, "claim_ms", 0), &entries, error) == MPAY_OK ? many(entries) : NULL;
    } else if (strcmp(name, "attention") == 0) {
        return mpay_journal_attention(journal, limit, &entries, error) == MPAY_OK ? many(entries) : NULL;
    } else if (strcmp(name, "receive") == 0) {
        return receive(command);
    } else if (strcmp(name, "acknowledge") == 0 || strcmp(name, "settle") == 0) {
        cJSON *result = cJSON_CreateObject();
        int32_t changed = 0;
        uint32_t done = 0;
        int64_t next = -1;
        if (*name == 'a') {
            if (mpay_journal_acknowledge(journal, on, &changed, error) == MPAY_OK) cJSON_AddBoolToObject(result, "changed", changed);
        } else if (mpay_journal_settle(journal, limit, &done, &next, error) == MPAY_OK) {
            cJSON_AddNumberToObject(result, "done", done);
            if (next >= 0) cJSON_AddNumberToObject(result, "next_due_ms", (double)next);
        }
        if (*error == NULL) return result;
        cJSON_Delete(result);
    }
    return NULL;
}
