/* The results of calls as an answer shows them. */
#ifndef ANSWERS_H
#define ANSWERS_H

#include "fields.h"
#include "values.h"

static cJSON *fields_of(const mpay_payment *payment) {
    cJSON *fields = cJSON_CreateObject();
#define OF_PAYMENT(KIND, name, getter) KIND(name, mpay_payment_##getter(payment))
    PAYMENT_FIELDS(OF_PAYMENT)
    return fields;
}

static void put_payment(cJSON *result, const mpay_payment *payment) {
    char minor[32];
    snprintf(minor, sizeof minor, "%lld", (long long)mpay_payment_sum_minor(payment));
    cJSON_AddItemToObject(result, "payment", fields_of(payment));
    cJSON_AddBoolToObject(result, "final", mpay_payment_is_final(payment));
    cJSON_AddBoolToObject(result, "known", mpay_payment_status_code(payment) != 0);
    put_text(result, "json", mpay_payment_json(payment));
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
#define NUMBER(name, value) put_some(fields, #name, (int64_t)(value));
#define OF_ERROR(KIND, name, getter) KIND(name, mpay_error_##getter(error))
    ERROR_FIELDS(OF_ERROR)
#undef NUMBER
    if (mpay_error_body(error) != NULL)
        cJSON_AddItemToObject(fields, "body", hex(mpay_error_body(error), mpay_error_body_len(error)));
    return fields;
}

#endif
