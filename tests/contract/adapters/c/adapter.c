/* The adapter in C: reads one command per line from stdin, and writes one result per line to stdout. See
 * ../../README.md. */
#define _POSIX_C_SOURCE 200809L
#include "journal.h"

static int32_t operate(struct values *its, const cJSON *command, cJSON *result, mpay_error **error) {
    const cJSON *arguments = part(command, "arguments");
    const char *operation = text(command, "operation");
    const int is_call = is(command, "do", "call");
    int32_t code = call(its, is_call ? "client" : "protocol", "_new", NULL, error);
    int left;
    take(its, arguments);
    if (code == MPAY_OK)
        code = part(arguments, "files") == NULL ? request(its, set_field, arguments, error) : receipt(its, arguments, error);
    for (left = part(command, "times") != NULL ? (int)number(command, "times") : 1; code == MPAY_OK && left > 0; left--) {
        mpay_payment_free(its->payment);
        mpay_amounts_free(its->amounts);
        code = call(its, is_call ? "" : "prepare_", operation, command, error);
    }
    if (is(command, "do", "open") && code == MPAY_OK) {
        response(its, part(command, "reply"));
        code = call(its, "open_", operation, NULL, error);
    } else if (its->http_request != NULL) {
        put_request(result, its->http_request);
    }
    if (its->payment != NULL) put_payment(result, its->payment);
    if (its->amounts != NULL) put_amounts(result, its->amounts);
    return code;
}

static int32_t verify(struct values *its, const cJSON *command, cJSON *result, mpay_error **error) {
    char *body = unhex(text(command, "body"), &its->len);
    int32_t code = call(its, "verifier", "_new", NULL, error);
    take(its, command);
    its->body = body;
    if (code == MPAY_OK) code = call(its, text(command, "do"), "_webhook", NULL, error);
    if (its->event != NULL) put_event(result, its->event);
    if (code == MPAY_OK && is(command, "do", "explain"))
        put_text(result, "cause", its->explanation == NULL ? "" : mpay_explanation_cause_name(its->explanation));
    put_text(result, "hint", mpay_explanation_hint(its->explanation));
    free(body);
    return code;
}

static int32_t answer(struct values *its, const cJSON *command, struct host *host, cJSON *result, mpay_error **error) {
    int32_t code;
    if (part(command, "settings") == NULL || part(command, "place") != NULL) return answer_of_journal(its, command, result, error);
    code = configure(its, command, host, error);
    if (code != MPAY_OK) return code;
    if (text(command, "operation") != NULL) return operate(its, command, result, error);
    if (is(command, "do", "settings")) return call(its, text(command, "makes"), "_new", NULL, error);
    return verify(its, command, result, error);
}

static void answer_line(const char *line) {
    cJSON *command = cJSON_Parse(line), *written = cJSON_CreateObject(), *result = cJSON_CreateObject();
    struct host host = {part(command, "signer"), NULL, NULL};
    struct values its = {0};
    mpay_error *error = NULL;
    char *printed;
    int32_t code;
    if (host.signer != NULL) host.messages = cJSON_CreateArray();
    if (part(command, "logger") != NULL) host.events = cJSON_CreateArray();
    code = answer(&its, command, &host, result, &error);
    free_handles(&its);
    if (code != MPAY_OK) {
        cJSON_Delete(result);
        result = failure(error);
        mpay_error_free(error);
    }
    cJSON_AddItemToObject(result, "signed", host.messages);
    cJSON_AddItemToObject(result, "log", host.events);
    cJSON_AddItemToObject(written, code == MPAY_OK ? "ok" : "error", result);
    printed = cJSON_PrintUnformatted(written);
    puts(printed);
    fflush(stdout);
    free(printed);
    cJSON_Delete(written);
    cJSON_Delete(command);
}

int main(void) {
    char *line = NULL;
    size_t room = 0;
    while (getline(&line, &room, stdin) != -1) answer_line(line);
    free(line);
    return 0;
}
