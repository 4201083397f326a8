/* The objects that a command needs, and its calls. */
#ifndef OBJECTS_H
#define OBJECTS_H

#include "calls.h"
#include "values.h"

#include <pthread.h>

static void take(struct values *its, const cJSON *command) {
#define TAKE_TEXT(name) its->name = text(command, #name);
#define TAKE_NUMBER(type, name) its->name = (type)number(command, #name);
    TEXTS(TAKE_TEXT)
    NUMBERS(TAKE_NUMBER)
}

/* The callbacks of a command, and what they got. */
struct host {
    const cJSON *signer;
    cJSON *messages, *events;
};

static int32_t MPAY_CALL sign(void *user_data, const void *message, size_t len, void *signature) {
    const struct host *host = user_data;
    const char *returns = text(host->signer, "returns");
    size_t size;
    char *bytes = returns != NULL ? unhex(returns, &size) : NULL;
    cJSON_AddItemToArray(host->messages, hex(message, len));
    if (bytes != NULL) memcpy(signature, bytes, 64);
    free(bytes);
    return returns == NULL;
}

static void MPAY_CALL log_attempt(void *user_data, const mpay_attempt *attempt) {
    cJSON *fields = cJSON_CreateObject();
#define WORD(name, value) put_text(fields, #name, mpay_##name##_name(value));
#define OF_ATTEMPT(KIND, name, getter) KIND(name, mpay_attempt_##getter(attempt))
    ATTEMPT_FIELDS(OF_ATTEMPT)
#undef WORD
    cJSON_AddItemToArray(((const struct host *)user_data)->events, fields);
}

/* Sets a value by its name. A function for one setting or field returns no error: the use of the object does. */
typedef int32_t (*setter)(void *object, const char *name, const char *value, mpay_error **error);

static int32_t set_setting(void *config, const char *name, const char *value, mpay_error **error) {
#define SETTING(verb, setting) \
    if (strcmp(name, #setting) == 0) return mpay_config_##verb##_##setting(config, value), MPAY_OK;
    SETTINGS(SETTING)
    return mpay_config_set(config, name, value, error);
}

static int32_t set_field(void *request, const char *name, const char *value, mpay_error **error) {
#define FIELD(field) \
    if (strcmp(name, #field) == 0) return mpay_payment_request_set_##field(request, value), MPAY_OK;
    REQUEST_FIELDS(FIELD)
    return strcmp(name, "order_id") == 0 ? MPAY_OK : mpay_payment_request_set(request, name, value, error);
}

static int32_t set_one(void *object, setter set, const char *name, const cJSON *value, mpay_error **error) {
    size_t len;
    char *bytes = cJSON_IsObject(value) ? unhex(text(value, "hex"), &len) : NULL;
    const int32_t code = set(object, name, bytes != NULL ? bytes : value->valuestring, error);
    free(bytes);
    return code;
}

/* A list has several values for one name. */
static int32_t set_all(void *object, setter set, const cJSON *values, mpay_error **error) {
    const cJSON *value, *one;
    int32_t code = MPAY_OK;
    cJSON_ArrayForEach(value, values) {
        if (code == MPAY_OK && !cJSON_IsArray(value)) code = set_one(object, set, value->string, value, error);
        if (!cJSON_IsArray(value)) continue;
        cJSON_ArrayForEach(one, value) if (code == MPAY_OK) code = set_one(object, set, value->string, one, error);
    }
    return code;
}

/* A journal and what it needs are made by the functions that take a name. */
#define BY_NAME(set)                                                                                      \
    static int32_t by_name_##set(void *object, const char *name, const char *value, mpay_error **error) { \
        return set(object, name, value, error);                                                           \
    }
BY_NAME(mpay_config_set)
BY_NAME(mpay_journal_config_set)
BY_NAME(mpay_payment_request_set)

static int32_t configure(struct values *its, const cJSON *command, struct host *host, mpay_error **error) {
    int32_t code = MPAY_OK;
    its->config = mpay_config_new();
    if (part(command, "from_environment") != NULL) code = mpay_config_from_env(its->config, error);
    if (part(command, "signer") != NULL) mpay_config_set_signer_callback(its->config, sign, host, NULL);
    if (part(command, "logger") != NULL) mpay_config_set_log_callback(its->config, log_attempt, host, NULL);
    return code == MPAY_OK ? set_all(its->config, set_setting, part(command, "settings"), error) : code;
}

static int32_t request(struct values *its, setter set, const cJSON *fields, mpay_error **error) {
    its->payment_request = mpay_payment_request_new();
    return set_all(its->payment_request, set, fields, error);
}

static int32_t receipt(struct values *its, const cJSON *arguments, mpay_error **error) {
    const cJSON *file;
    int32_t code = MPAY_OK;
    its->receipt = mpay_receipt_new(text(arguments, "order_id"));
    cJSON_ArrayForEach(file, part(arguments, "files")) {
        if (code != MPAY_OK) break;
        if (text(file, "path") != NULL) {
            code = mpay_receipt_add_file(its->receipt, text(file, "path"), error);
        } else {
            size_t len;
            char *data = unhex(text(file, "data"), &len);
            code = mpay_receipt_add_bytes(its->receipt, text(file, "name"), text(file, "content_type"), data, len, error);
            free(data);
        }
    }
    return code;
}

static void response(struct values *its, const cJSON *reply) {
    const cJSON *pair;
    size_t len;
    char *body = unhex(text(reply, "body"), &len);
    its->http_response = mpay_http_response_new();
    mpay_http_response_set_status(its->http_response, (int32_t)number(reply, "status"));
    mpay_http_response_set_body(its->http_response, body, len);
    cJSON_ArrayForEach(pair, part(reply, "headers")) mpay_http_response_add_header(
        its->http_response, cJSON_GetArrayItem(pair, 0)->valuestring, cJSON_GetArrayItem(pair, 1)->valuestring);
    free(body);
}

static void interrupt(const struct values *its) {
    mpay_client_interrupt(its->client);
    mpay_journal_interrupt(its->journal);
}

static void *interrupt_when_told(void *its) {
    char *line = NULL;
    size_t room = 0;
    if (getline(&line, &room, stdin) != -1) interrupt(its);
    free(line);
    return NULL;
}

/* `name` comes behind `mpay_`. Interrupts the call if the command says so. */
static int32_t call(struct values *its, const char *prefix, const char *name, const cJSON *command, mpay_error **error) {
    const int is_interrupted = is(command, "interrupt", "during");
    pthread_t thread;
    int32_t code = MPAY_INTERNAL;
    size_t i;
    char whole[64];
    snprintf(whole, sizeof whole, "mpay_%s%s", prefix, name);
    if (is(command, "interrupt", "before")) interrupt(its);
    if (is_interrupted && pthread_create(&thread, NULL, interrupt_when_told, its) != 0) abort();
    for (i = 0; i < sizeof functions / sizeof *functions; i++) {
        if (strcmp(functions[i].name, whole) == 0) code = functions[i].call(its, error);
    }
    if (is_interrupted) pthread_join(thread, NULL);
    return code;
}

#endif
