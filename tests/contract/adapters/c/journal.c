#include "journal.h"

#include <merchantpay_bindings.h>

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
    const cJSON *setting, *one;
    int32_t code = MPAY_OK;
    mpay_journal_config *settings = kept(mpay_journal_config_new(), release_mpay_journal_config);
    mpay_client *client = NULL;
    mpay_journal *journal = NULL;
    mpay_error *error = NULL;
    mpay_config *config = config_of(cJSON_GetObjectItem(command, "client"), &error);
    if (error != NULL) return error;
    kept(config, release_mpay_config);
    if (mpay_client_new(config, &client, &error) != MPAY_OK) return error;
    kept(client, release_mpay_client);
    mpay_journal_config_set_place(settings, text(command, "place"));
    cJSON_ArrayForEach(setting, cJSON_GetObjectItem(command, "settings")) {
        if (cJSON_IsString(setting)) code = mpay_journal_config_set(settings, setting->string, setting->valuestring, &error);
        if (code != MPAY_OK) return error;
        if (!cJSON_IsArray(setting)) continue;
        cJSON_ArrayForEach(one, setting) {
            code = mpay_journal_config_set(settings, setting->string, one->valuestring, &error);
            if (code != MPAY_OK) return error;
        }
    }
    if (mpay_journal_open(client, settings, &journal, &error) != MPAY_OK) return error;
    state.journal = kept(journal, release_mpay_journal);
    return NULL;
}

/* The texts of mpay_entry_fields before the fields, and the names of the fields. */
enum { JSON_TEXT, OUTCOME, DESCRIPTION, IS_ORPHAN, UNREADABLE, DETAILS, BEFORE };
static const char *const names[] = {
    "reference", "attempt",      "standing", "order_id",     "status",    "sum_asked", "sum_paid",   "succeeded",  "credentials",
    "news",      "acknowledged", "intent",   "intent_state", "attention", "error",     "created_at", "updated_at",
};
enum { FIELDS = sizeof names / sizeof *names };

static int is_among(const char *name, const char *const *some) {
    for (; *some != NULL; some++)
        if (strcmp(name, *some) == 0) return 1;
    return 0;
}

static cJSON *split(const char *names) {
    cJSON *all = cJSON_CreateArray();
    const char *end;
    for (; *names != '\0'; names = *end == '\0' ? end : end + 1) {
        char name[64] = {0};
        end = names + strcspn(names, ",");
        memcpy(name, names, (size_t)(end - names) % sizeof name);
        cJSON_AddItemToArray(all, cJSON_CreateString(name));
    }
    return all;
}

static cJSON *field(const char *name, const mpay_entry *entry, const char *const *texts, const char *value) {
    static const char *const numbers[] = {"attempt", "news", "created_at", "updated_at", NULL};
    static const char *const flags[] = {"succeeded", "acknowledged", NULL};
    cJSON *error;
    if (is_among(name, numbers)) return cJSON_CreateRaw(value);
    if (is_among(name, flags)) return cJSON_CreateBool(*value == '1');
    if (strcmp(name, "credentials") == 0) return fields_of(mpay_entry_credentials(entry));
    if (strcmp(name, "attention") == 0) return split(value);
    if (strcmp(name, "error") != 0) return cJSON_CreateString(value);
    error = cJSON_CreateObject();
    cJSON_AddStringToObject(error, "code", value);
    cJSON_AddStringToObject(error, "outcome", texts[OUTCOME]);
    if (texts[DESCRIPTION] != NULL) cJSON_AddStringToObject(error, "description", texts[DESCRIPTION]);
    return error;
}

static cJSON *shown(const mpay_entry *entry) {
    cJSON *whole, *fields;
    const char *texts[BEFORE + FIELDS] = {0}, *next;
    size_t size = 0, i;
    if (entry == NULL) return cJSON_CreateNull();
    whole = cJSON_CreateObject();
    fields = cJSON_AddObjectToObject(whole, "fields");
    next = mpay_entry_fields(entry, &size);
    for (i = 0; i < BEFORE + FIELDS; i++, next += strlen(next) + 1) texts[i] = *next == '\xff' ? NULL : next;
    for (i = 0; i < FIELDS; i++) {
        if (texts[BEFORE + i] != NULL) cJSON_AddItemToObject(fields, names[i], field(names[i], entry, texts, texts[BEFORE + i]));
    }
    cJSON_AddNumberToObject(whole, "entry", (double)state.entry_count);
    cJSON_AddBoolToObject(whole, "is_orphan", *texts[IS_ORPHAN] == '1');
    if (texts[UNREADABLE] != NULL) cJSON_AddStringToObject(whole, "unreadable", texts[UNREADABLE]);
    cJSON_AddItemToObject(whole, "details", cJSON_CreateRaw(texts[DETAILS]));
    cJSON_AddStringToObject(whole, "json", texts[JSON_TEXT]);
    state.entries = grown(state.entries, state.entry_count, sizeof entry);
    state.entries[state.entry_count++] = entry;
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

static int32_t resolve(const cJSON *command, mpay_entry **entry, mpay_error **error) {
    const mpay_entry *item = given(command, "entry");
    const mpay_journal *journal = state.journal;
    const char *reference = mpay_entry_reference(item), *note = text(command, "note"), *order_id = text(command, "order_id");
    const uint32_t attempt = mpay_entry_attempt(item);
    char reasons[256] = {0};
    int32_t reason;
    size_t i;
    if (order_id != NULL)
        return mpay_journal_resolve_order(journal, reference, attempt, order_id, text(command, "sum"), note, entry, error);
    if (cJSON_HasObjectItem(command, "no_payment")) return mpay_journal_resolve_no_payment(journal, reference, attempt, note, entry, error);
    if (cJSON_HasObjectItem(command, "trusted")) return mpay_journal_resolve_trusted(journal, reference, attempt, note, entry, error);
    if (mpay_entry_is_orphan(item))
        return mpay_journal_resolve_orphan(journal, mpay_entry_order_id(item), mpay_entry_status(item), note, error);
    for (i = 0; (reason = mpay_entry_attention(item, i)) != 0; i++) strcat(strcat(reasons, ","), mpay_attention_name(reason));
    return mpay_journal_resolve_seen(journal, reference, attempt, reasons, note, entry, error);
}

/* The place of a name in a list, counted from 1; 0 if there is no name. */
static int32_t place_of(const char *name, const char *const *list) {
    int32_t i;
    for (i = 0; name != NULL && list[i] != NULL; i++)
        if (strcmp(list[i], name) == 0) return i + 1;
    return 0;
}

static cJSON *acknowledge_sql(const cJSON *command) {
    static const char *const styles[] = {"question", "dollar", "percent", "colon", "at", NULL};
    const int32_t style = place_of(text(command, "style"), styles);
    const int has_names = style == MPAY_STYLE_COLON || style == MPAY_STYLE_AT;
    const mpay_entry *entry = given(command, "entry");
    cJSON *result = cJSON_CreateObject(), *parameters = has_names ? cJSON_CreateObject() : cJSON_CreateArray();
    cJSON *fields[3];
    size_t i;
    fields[0] = cJSON_CreateString(mpay_entry_reference(entry));
    fields[1] = cJSON_CreateNumber(mpay_entry_attempt(entry));
    fields[2] = cJSON_CreateNumber((double)mpay_entry_news(entry));
    for (i = 0; i < 3; i++) {
        static const char *const parameter[] = {"reference", "attempt", "news"};
        if (has_names) cJSON_AddItemToObject(parameters, parameter[i], fields[i]);
        else cJSON_AddItemToArray(parameters, fields[i]);
    }
    cJSON_AddStringToObject(result, "text", mpay_entry_acknowledge_sql(entry, style));
    cJSON_AddItemToObject(result, "parameters", parameters);
    return result;
}

static int32_t acknowledge(const cJSON *command, const char *reference, uint32_t attempt, cJSON *result, mpay_error **error) {
    const cJSON *news = cJSON_GetObjectItem(command, "news");
    int32_t changed = 0;
    const int32_t code =
        mpay_journal_acknowledge(state.journal, reference, attempt,
                                 news != NULL ? (int64_t)news->valuedouble : mpay_entry_news(given(command, "entry")), &changed, error);
    cJSON_AddBoolToObject(result, "changed", changed);
    return code;
}

static int32_t settle(uint32_t limit, cJSON *result, mpay_error **error) {
    uint32_t done = 0;
    int64_t next = -1;
    const int32_t code = mpay_journal_settle(state.journal, limit, &done, &next, error);
    cJSON_AddNumberToObject(result, "done", done);
    if (next >= 0) cJSON_AddNumberToObject(result, "next_due_ms", (double)next);
    return code;
}

static int32_t stats(cJSON *result, mpay_error **error) {
    mpay_stats *stats = NULL;
    const int32_t code = mpay_journal_stats(state.journal, &stats, error);
    if (code == MPAY_OK) cJSON_AddItemToObject(result, "stats", cJSON_Parse(mpay_stats_json(stats)));
    mpay_stats_free(stats);
    return code;
}

/* pay, pay_async and replace. */
static int32_t pay(const cJSON *command, mpay_entry **entry, mpay_error **error) {
    const char *name = text(command, "do"), *reference = text(command, "reference");
    mpay_payment_request *request = request_of(cJSON_GetObjectItem(command, "request"), error);
    int32_t code = mpay_error_code(*error);
    if (request == NULL) return code;
    if (strcmp(name, "replace") == 0)
        code = mpay_journal_replace(state.journal, reference, number(command, "attempt", 0), request, entry, error);
    else if (strcmp(name, "pay") == 0) code = mpay_journal_pay(state.journal, reference, request, entry, error);
    else code = mpay_journal_pay_async(state.journal, reference, request, entry, error);
    mpay_payment_request_free(request);
    return code;
}

cJSON *journal_answer(const cJSON *command, mpay_error **error) {
    static const char *const standings[] = {"sending", "unknown", "refused", "open", "final", "superseded", NULL};
    static const char *const untils[] = {"credentials", "final", NULL};
    static const char *const payments[] = {"pay", "pay_async", "replace", NULL};
    const char *name = text(command, "do");
    const mpay_entry *on = given(command, "entry"), *before = given(command, "before");
    const char *reference = on != NULL ? mpay_entry_reference(on) : text(command, "reference");
    const uint32_t attempt = on != NULL ? mpay_entry_attempt(on) : number(command, "attempt", 0);
    const uint32_t limit = number(command, "limit", 100);
    const mpay_journal *journal = state.journal;
    mpay_entry *entry = NULL;
    mpay_entries *entries = NULL;
    cJSON *result = cJSON_CreateObject();
    int32_t code = MPAY_OK, has_entry = 1;
    if (is_among(name, payments)) {
        code = pay(command, &entry, error);
    } else if (strcmp(name, "confirm") == 0) {
        code = mpay_journal_confirm(journal, reference, attempt, &entry, error);
    } else if (strcmp(name, "cancel") == 0) {
        code = mpay_journal_cancel(journal, reference, attempt, &entry, error);
    } else if (strcmp(name, "resolve") == 0) {
        code = resolve(command, &entry, error);
    } else if (strcmp(name, "wait") == 0) {
        const int32_t until = place_of(text(command, "until"), untils);
        code = mpay_journal_wait(journal, reference, number(command, "timeout_ms", 0), until, &entry, error);
    } else if (strcmp(name, "find") == 0) {
        code = mpay_journal_find(journal, reference, &entry, error);
    } else {
        has_entry = 0;
        if (strcmp(name, "journal_open") == 0) {
            *error = open_journal(command);
            code = mpay_error_code(*error);
        } else if (strcmp(name, "journal_close") == 0) {
            journal_close();
        } else if (strcmp(name, "list") == 0) {
            code = mpay_journal_list(journal, place_of(text(command, "standing"), standings), limit, mpay_entry_reference(before),
                                     mpay_entry_created_at_ms(before), &entries, error);
        } else if (strcmp(name, "news") == 0) {
            code = mpay_journal_news(journal, limit, &entries, error);
        } else if (strcmp(name, "attention") == 0) {
            code = mpay_journal_attention(journal, limit, &entries, error);
        } else if (strcmp(name, "acknowledge") == 0) {
            code = acknowledge(command, reference, attempt, result, error);
        } else if (strcmp(name, "settle") == 0) {
            code = settle(limit, result, error);
        } else if (strcmp(name, "stats") == 0) {
            code = stats(result, error);
        } else {
            cJSON_Delete(result);
            return strcmp(name, "receive") == 0 ? receive(command) : strcmp(name, "acknowledge_sql") == 0 ? acknowledge_sql(command) : NULL;
        }
    }
    if (code == MPAY_OK && !has_entry && entries == NULL) return result;
    cJSON_Delete(result);
    return code != MPAY_OK ? NULL : has_entry ? one(entry) : many(entries);
}
