/* The adapter in C: reads one command per line from stdin, and writes one result per line to stdout. See
 * ../../README.md. */
#define _POSIX_C_SOURCE 200809L
#include "fields.h"
#include "journal.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const cJSON *command;

static const cJSON *part(const cJSON *of, const char *name) {
    return cJSON_GetObjectItemCaseSensitive(of, name);
}

static const char *text(const cJSON *of, const char *name) {
    return cJSON_GetStringValue(part(of, name));
}

static const char *argument(const char *name) {
    return text(part(command, "arguments"), name);
}

static int is(const char *name, const char *value) {
    const char *given = text(command, name);
    return given != NULL && strcmp(given, value) == 0;
}

/* The bytes of hex digits; the caller frees them. */
char *unhex(const char *hex, size_t *len) {
    size_t i;
    char *bytes = malloc(strlen(hex) / 2 + 1);
    *len = strlen(hex) / 2;
    for (i = 0; bytes != NULL && i < *len; i++) {
        const char digits[] = {hex[2 * i], hex[2 * i + 1], 0};
        bytes[i] = (char)strtoul(digits, NULL, 16);
    }
    return bytes;
}

static void put_text(cJSON *into, const char *name, const char *value) {
    if (value != NULL) cJSON_AddStringToObject(into, name, value);
}

static void put_bytes(cJSON *into, const char *name, const void *bytes, size_t len) {
    size_t i;
    char *hex = malloc(2 * len + 1);
    if (hex == NULL || bytes == NULL) return free(hex);
    hex[0] = '\0';
    for (i = 0; i < len; i++) sprintf(hex + 2 * i, "%02x", ((const unsigned char *)bytes)[i]);
    put_text(into, name, hex);
    free(hex);
}

static int32_t set(mpay_config *config, const cJSON *settings, mpay_error **error) {
    const cJSON *setting, *one;
    int32_t code = MPAY_OK;
    cJSON_ArrayForEach(setting, settings) {
        if (cJSON_IsString(setting) && code == MPAY_OK) code = mpay_config_set(config, setting->string, setting->valuestring, error);
        if (!cJSON_IsArray(setting)) continue;
        cJSON_ArrayForEach(one, setting) if (code == MPAY_OK) code = mpay_config_set(config, setting->string, one->valuestring, error);
    }
    return code;
}

mpay_config *config_of(const cJSON *settings, mpay_error **error) {
    mpay_config *config = mpay_config_new();
    if (set(config, settings, error) == MPAY_OK) return config;
    mpay_config_free(config);
    return NULL;
}

static int32_t fill(mpay_payment_request *request, const cJSON *arguments, mpay_error **error) {
    const cJSON *field;
    int32_t code = MPAY_OK;
    cJSON_ArrayForEach(field, arguments) {
        if (cJSON_IsString(field) && strcmp(field->string, "order_id") != 0 && code == MPAY_OK)
            code = mpay_payment_request_set(request, field->string, field->valuestring, error);
    }
    return code;
}

mpay_payment_request *request_of(const cJSON *arguments, mpay_error **error) {
    mpay_payment_request *request = mpay_payment_request_new();
    if (fill(request, arguments, error) == MPAY_OK) return request;
    mpay_payment_request_free(request);
    return NULL;
}

static int32_t add_files(mpay_receipt *receipt, mpay_error **error) {
    const cJSON *file;
    int32_t code = MPAY_OK;
    cJSON_ArrayForEach(file, part(part(command, "arguments"), "files")) {
        if (code != MPAY_OK) break;
        if (text(file, "path") != NULL) {
            code = mpay_receipt_add_file(receipt, text(file, "path"), error);
        } else {
            size_t len;
            char *data = unhex(text(file, "data"), &len);
            code = mpay_receipt_add_bytes(receipt, text(file, "name"), text(file, "content_type"), data, len, error);
            free(data);
        }
    }
    return code;
}

cJSON *fields_of(const mpay_payment *payment) {
    cJSON *fields = cJSON_CreateObject();
    size_t i;
    for (i = 0; i < sizeof payment_fields / sizeof *payment_fields; i++)
        put_text(fields, payment_fields[i].name, payment_fields[i].get(payment));
    return fields;
}

static void put_payment(cJSON *result, const mpay_payment *payment) {
    char minor[32];
    cJSON_AddItemToObject(result, "payment", fields_of(payment));
    cJSON_AddBoolToObject(result, "final", mpay_payment_is_final(payment));
    cJSON_AddBoolToObject(result, "known", mpay_payment_status_code(payment) != 0);
    put_text(result, "json", mpay_payment_json(payment));
    sprintf(minor, "%" PRId64, mpay_payment_sum_minor(payment));
    if (mpay_payment_sum_minor(payment) == MPAY_NO_MINOR) cJSON_AddNullToObject(result, "sum_minor");
    else put_text(result, "sum_minor", minor);
}

static void put_amounts(cJSON *result, const mpay_amounts *amounts) {
    cJSON *list = cJSON_AddArrayToObject(result, "amounts");
    size_t i;
    for (i = 0; i < mpay_amounts_count(amounts); i++) cJSON_AddItemToArray(list, cJSON_CreateString(mpay_amounts_get(amounts, i)));
    cJSON_AddBoolToObject(result, "other_amounts_possible", mpay_amounts_other_possible(amounts));
    put_text(result, "json", mpay_amounts_json(amounts));
}

static void put_request(cJSON *result, const mpay_http_request *request) {
    cJSON *headers = cJSON_AddArrayToObject(result, "headers");
    size_t i;
    for (i = 0; i < mpay_http_request_header_count(request); i++) {
        cJSON *pair = cJSON_CreateArray();
        cJSON_AddItemToArray(pair, cJSON_CreateString(mpay_http_request_header_name(request, i)));
        cJSON_AddItemToArray(pair, cJSON_CreateString(mpay_http_request_header_value(request, i)));
        cJSON_AddItemToArray(headers, pair);
    }
    put_text(result, "url", mpay_http_request_url(request));
    put_bytes(result, "body", mpay_http_request_body(request), mpay_http_request_body_len(request));
}

static int32_t prepare_with(const mpay_protocol *protocol, mpay_payment_request *request, mpay_receipt *receipt, mpay_http_request **out,
                            mpay_error **error) {
    int32_t code;
    if (is("operation", "confirm")) return mpay_prepare_confirm(protocol, argument("order_id"), out, error);
    if (is("operation", "cancel")) return mpay_prepare_cancel(protocol, argument("order_id"), out, error);
    if (is("operation", "get_status")) return mpay_prepare_get_status(protocol, argument("order_id"), out, error);
    if (is("operation", "attach_receipt")) {
        code = add_files(receipt, error);
        return code == MPAY_OK ? mpay_prepare_attach_receipt(protocol, receipt, out, error) : code;
    }
    if ((code = fill(request, part(command, "arguments"), error)) != MPAY_OK) return code;
    if (is("operation", "get_available_amounts")) return mpay_prepare_get_available_amounts(protocol, request, out, error);
    if (is("operation", "new_payment")) return mpay_prepare_new_payment(protocol, request, out, error);
    return mpay_prepare_new_payment_async(protocol, request, out, error);
}

static int32_t prepare(const mpay_config *config, mpay_http_request **out, mpay_error **error) {
    mpay_payment_request *request = mpay_payment_request_new();
    mpay_receipt *receipt = mpay_receipt_new(argument("order_id"));
    mpay_protocol *protocol = NULL;
    int32_t code = mpay_protocol_new(config, &protocol, error);
    if (code == MPAY_OK) code = prepare_with(protocol, request, receipt, out, error);
    mpay_protocol_free(protocol);
    mpay_receipt_free(receipt);
    mpay_payment_request_free(request);
    return code;
}

static mpay_http_response *reply(void) {
    const cJSON *given = part(command, "reply"), *pair;
    mpay_http_response *response = mpay_http_response_new();
    size_t len;
    char *body = unhex(text(given, "body"), &len);
    mpay_http_response_set_status(response, part(given, "status")->valueint);
    mpay_http_response_set_body(response, body, len);
    cJSON_ArrayForEach(pair, part(given, "headers")) {
        mpay_http_response_add_header(response, cJSON_GetArrayItem(pair, 0)->valuestring, cJSON_GetArrayItem(pair, 1)->valuestring);
    }
    free(body);
    return response;
}

static int32_t open_with(const mpay_http_request *request, const mpay_http_response *response, cJSON *result, mpay_error **error) {
    mpay_payment *payment = NULL;
    mpay_amounts *amounts = NULL;
    int32_t code;
    if (is("operation", "confirm")) code = mpay_open_confirm(request, response, error);
    else if (is("operation", "cancel")) code = mpay_open_cancel(request, response, error);
    else if (is("operation", "attach_receipt")) code = mpay_open_attach_receipt(request, response, error);
    else if (is("operation", "get_status")) code = mpay_open_get_status(request, response, &payment, error);
    else if (is("operation", "new_payment")) code = mpay_open_new_payment(request, response, &payment, error);
    else if (is("operation", "new_payment_async")) code = mpay_open_new_payment_async(request, response, &payment, error);
    else code = mpay_open_get_available_amounts(request, response, &amounts, error);
    if (payment != NULL) put_payment(result, payment);
    if (amounts != NULL) put_amounts(result, amounts);
    mpay_payment_free(payment);
    mpay_amounts_free(amounts);
    return code;
}

static int32_t prepare_or_open(const mpay_config *config, cJSON *result, mpay_error **error) {
    mpay_http_request *request = NULL;
    int32_t code = prepare(config, &request, error);
    if (code == MPAY_OK && is("do", "open")) {
        mpay_http_response *response = reply();
        code = open_with(request, response, result, error);
        mpay_http_response_free(response);
    } else if (code == MPAY_OK) {
        put_request(result, request);
    }
    mpay_http_request_free(request);
    return code;
}

static int32_t call(const mpay_client *client, cJSON *result, mpay_error **error) {
    mpay_payment_request *request = mpay_payment_request_new();
    mpay_receipt *receipt = mpay_receipt_new(argument("order_id"));
    mpay_payment *payment = NULL;
    mpay_amounts *amounts = NULL;
    int32_t code = fill(request, part(command, "arguments"), error);
    if (code == MPAY_OK) code = add_files(receipt, error);
    if (code != MPAY_OK) (void)0;
    else if (is("operation", "confirm")) code = mpay_confirm(client, argument("order_id"), error);
    else if (is("operation", "cancel")) code = mpay_cancel(client, argument("order_id"), error);
    else if (is("operation", "attach_receipt")) code = mpay_attach_receipt(client, receipt, error);
    else if (is("operation", "get_status")) code = mpay_get_status(client, argument("order_id"), &payment, error);
    else if (is("operation", "new_payment")) code = mpay_new_payment(client, request, &payment, error);
    else if (is("operation", "new_payment_async")) code = mpay_new_payment_async(client, request, &payment, error);
    else code = mpay_get_available_amounts(client, request, &amounts, error);
    if (payment != NULL) put_payment(result, payment);
    if (amounts != NULL) put_amounts(result, amounts);
    mpay_payment_free(payment);
    mpay_amounts_free(amounts);
    mpay_receipt_free(receipt);
    mpay_payment_request_free(request);
    return code;
}

/* Makes this many calls of one client, and returns the result of the last call. */
static int32_t calls(const mpay_config *config, cJSON **result, mpay_error **error) {
    const cJSON *times = part(command, "times");
    mpay_client *client = NULL;
    int32_t code = mpay_client_new(config, &client, error);
    int left;
    for (left = times != NULL ? times->valueint : 1; code == MPAY_OK && left > 0; left--) {
        cJSON_Delete(*result);
        *result = cJSON_CreateObject();
        code = call(client, *result, error);
    }
    mpay_client_free(client);
    return code;
}

static int32_t verify(const mpay_verifier *verifier, cJSON *result, mpay_error **error) {
    static const char *const kinds[] = {"", "credentials", "credentials_failed", "status"};
    mpay_event *event = NULL;
    size_t len;
    char *body = unhex(text(command, "body"), &len);
    int32_t code = mpay_verify_webhook(verifier, body, len, text(command, "signature"), text(command, "key_id"), &event, error);
    if (event != NULL) {
        put_text(result, "kind", kinds[mpay_event_kind(event)]);
        put_payment(result, mpay_event_payment(event));
    }
    mpay_event_free(event);
    free(body);
    return code;
}

static int32_t explain(const mpay_verifier *verifier, cJSON *result, mpay_error **error) {
    mpay_explanation *explanation = NULL;
    size_t len;
    char *body = unhex(text(command, "body"), &len);
    int32_t code = mpay_explain_webhook(verifier, body, len, text(command, "signature"), text(command, "key_id"), &explanation, error);
    put_text(result, "cause", explanation == NULL ? "" : mpay_explanation_cause_name(explanation));
    put_text(result, "hint", mpay_explanation_hint(explanation));
    mpay_explanation_free(explanation);
    free(body);
    return code;
}

static int32_t answer_of_journal(cJSON **result, mpay_error **error) {
    cJSON_Delete(*result);
    *result = journal_answer(command, error);
    return *error == NULL ? MPAY_OK : mpay_error_code(*error);
}

static int32_t answer(cJSON **result, mpay_error **error) {
    mpay_config *config;
    mpay_protocol *protocol = NULL;
    mpay_verifier *verifier = NULL;
    int32_t code;
    if (part(command, "operation") == NULL && !is("do", "settings") && !is("do", "verify") && !is("do", "explain"))
        return answer_of_journal(result, error);
    config = mpay_config_new();
    code = set(config, part(command, "settings"), error);
    if (code != MPAY_OK) (void)0;
    else if (is("do", "call")) code = calls(config, result, error);
    else if (is("do", "verify") || is("do", "explain") || is("makes", "verifier")) code = mpay_verifier_new(config, &verifier, error);
    else if (is("do", "settings")) code = mpay_protocol_new(config, &protocol, error);
    else code = prepare_or_open(config, *result, error);
    if (code == MPAY_OK && is("do", "verify")) code = verify(verifier, *result, error);
    if (code == MPAY_OK && is("do", "explain")) code = explain(verifier, *result, error);
    mpay_protocol_free(protocol);
    mpay_verifier_free(verifier);
    mpay_config_free(config);
    return code;
}

cJSON *failure(const mpay_error *error) {
    cJSON *fields = cJSON_CreateObject();
    put_text(fields, "code", mpay_error_code_name(error));
    put_text(fields, "outcome", mpay_error_outcome_name(error));
    cJSON_AddBoolToObject(fields, "is_transient", mpay_error_is_transient(error));
    put_text(fields, "description", mpay_error_description(error));
    put_text(fields, "reason", mpay_error_reason(error));
    if (mpay_error_http_status(error) != 0) cJSON_AddNumberToObject(fields, "http_status", mpay_error_http_status(error));
    if (mpay_error_retry_after_ms(error) != 0) cJSON_AddNumberToObject(fields, "retry_after_ms", (double)mpay_error_retry_after_ms(error));
    put_text(fields, "order_id", mpay_error_order_id(error));
    put_text(fields, "content_type", mpay_error_content_type(error));
    put_text(fields, "excerpt", mpay_error_excerpt(error));
    put_bytes(fields, "body", mpay_error_body(error), mpay_error_body_len(error));
    return fields;
}

static void answer_line(const char *line) {
    cJSON *parsed = cJSON_Parse(line), *written = cJSON_CreateObject(), *result = cJSON_CreateObject();
    mpay_error *error = NULL;
    char *printed;
    command = parsed;
    if (parsed == NULL) {
        put_text(written, "crash", "not JSON");
    } else if (strstr(line, "\\u0000") != NULL) {
        put_text(written, "cannot", "a text that contains NUL");
    } else if (answer(&result, &error) == MPAY_OK) {
        cJSON_AddItemToObject(written, "ok", result);
        result = NULL;
    } else {
        cJSON_AddItemToObject(written, "error", failure(error));
    }
    printed = cJSON_PrintUnformatted(written);
    puts(printed);
    fflush(stdout);
    free(printed);
    mpay_error_free(error);
    cJSON_Delete(result);
    cJSON_Delete(written);
    cJSON_Delete(parsed);
}

int main(void) {
    char *line = NULL;
    size_t room = 0;
    while (getline(&line, &room, stdin) != -1) answer_line(line);
    free(line);
    return 0;
}
