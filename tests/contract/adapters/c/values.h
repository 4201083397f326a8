/* The values of a command, and of an answer. */
#ifndef VALUES_H
#define VALUES_H

#include "fields.h"

#include <cJSON.h>
#include <merchantpay.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const cJSON *part(const cJSON *of, const char *name) {
    return cJSON_GetObjectItemCaseSensitive(of, name);
}

static const char *text(const cJSON *of, const char *name) {
    return cJSON_GetStringValue(part(of, name));
}

static double number(const cJSON *of, const char *name) {
    const cJSON *found = part(of, name);
    return cJSON_IsNumber(found) ? found->valuedouble : 0;
}

static int is(const cJSON *of, const char *name, const char *value) {
    const char *given = text(of, name);
    return given != NULL && strcmp(given, value) == 0;
}

/* The place of a name in a list, counted from 1; 0 if there is no name. */
static int32_t place_of(const char *name, const char *const *list) {
    int32_t i;
    for (i = 0; name != NULL && list[i] != NULL; i++)
        if (strcmp(list[i], name) == 0) return i + 1;
    return 0;
}

/* The bytes of hex digits, and a NUL behind them; the caller frees them. */
static char *unhex(const char *hex, size_t *len) {
    size_t i;
    char *bytes = calloc(strlen(hex) / 2 + 1, 1);
    if (bytes == NULL) abort();
    *len = strlen(hex) / 2;
    for (i = 0; i < *len; i++) {
        const char digits[] = {hex[2 * i], hex[2 * i + 1], 0};
        bytes[i] = (char)strtoul(digits, NULL, 16);
    }
    return bytes;
}

static cJSON *hex(const void *bytes, size_t len) {
    size_t i;
    cJSON *item;
    char *digits = calloc(2 * len + 1, 1);
    if (digits == NULL) abort();
    for (i = 0; i < len; i++) sprintf(digits + 2 * i, "%02x", ((const unsigned char *)bytes)[i]);
    item = cJSON_CreateString(digits);
    free(digits);
    return item;
}

static void put_text(cJSON *into, const char *name, const char *value) {
    if (value != NULL) cJSON_AddStringToObject(into, name, value);
}

/* A number as text, until the next call. */
static const char *digits(int64_t number) {
    static char text[32];
    snprintf(text, sizeof text, "%lld", (long long)number);
    return text;
}

static void put_number(cJSON *into, const char *name, int64_t value) {
    cJSON_AddNumberToObject(into, name, (double)value);
}

/* A number that is absent if it is 0. */
static void put_some(cJSON *into, const char *name, int64_t value) {
    if (value != 0) put_number(into, name, value);
}

/* The lists of fields.h name these. The function that uses them has `fields`, and defines WORD. */
#define TEXT(name, value) put_text(fields, #name, value);
#define NUMBER(name, value) put_some(fields, #name, (int64_t)(value));
#define FLAG(name, value) cJSON_AddBoolToObject(fields, #name, value);

static cJSON *fields_of(const mpay_payment *payment) {
    cJSON *fields = cJSON_CreateObject();
#define OF_PAYMENT(KIND, name, getter) KIND(name, mpay_payment_##getter(payment))
    PAYMENT_FIELDS(OF_PAYMENT)
    return fields;
}

static void put_payment(cJSON *result, const mpay_payment *payment) {
    const int64_t minor = mpay_payment_sum_minor(payment);
    cJSON_AddItemToObject(result, "payment", fields_of(payment));
    cJSON_AddBoolToObject(result, "final", mpay_payment_is_final(payment));
    cJSON_AddBoolToObject(result, "known", mpay_payment_status_code(payment) != 0);
    put_text(result, "json", mpay_payment_json(payment));
    cJSON_AddItemToObject(result, "sum_minor", minor == MPAY_NO_MINOR ? cJSON_CreateNull() : cJSON_CreateString(digits(minor)));
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
        const char *const pair[] = {mpay_http_request_header_name(request, i), mpay_http_request_header_value(request, i)};
        cJSON_AddItemToArray(headers, cJSON_CreateStringArray(pair, 2));
    }
    put_text(result, "url", mpay_http_request_url(request));
    cJSON_AddItemToObject(result, "body", hex(mpay_http_request_body(request), mpay_http_request_body_len(request)));
}

static void put_event(cJSON *result, const mpay_event *event) {
    static const char *const kinds[] = {"", "credentials", "credentials_failed", "status"};
    put_text(result, "kind", kinds[mpay_event_kind(event)]);
    put_payment(result, mpay_event_payment(event));
}

static cJSON *failure(const mpay_error *error) {
    cJSON *fields = cJSON_CreateObject();
#define OF_ERROR(KIND, name, getter) KIND(name, mpay_error_##getter(error))
    ERROR_FIELDS(OF_ERROR)
    if (mpay_error_body(error) != NULL) cJSON_AddItemToObject(fields, "body", hex(mpay_error_body(error), mpay_error_body_len(error)));
    return fields;
}

#endif
