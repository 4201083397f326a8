/* The functions of merchantpay_bindings.h return together what the getters return. */
#include "../../contract/adapters/c/fields.h"
#include "check.h"

#include <stdio.h>
#include <string.h>

/* Reads the next of the texts. Returns 1 if it equals the getter's result; an absent text is the byte 0xFF. */
static int next_is(const char **at, const char *end, const char *text) {
    const char *wanted = text ? text : "\xff";
    size_t len = strlen(wanted);
    int is = (size_t)(end - *at) >= len && memcmp(*at, wanted, len) == 0 && (*at + len == end || (*at)[len] == '\0');
    *at += is && *at + len < end ? len + 1 : len;
    return is;
}

static const char *digits(long long number) {
    static char text[32];
    snprintf(text, sizeof text, "%lld", number);
    return text;
}

void the_fields_are_those_of_the_getters(const mpay_payment *payment) {
    size_t len = 0;
    const char *at = mpay_payment_fields(payment, &len), *end = at + len;
    CHECK(mpay_payment_fields(payment, NULL) == at && next_is(&at, end, digits(mpay_payment_is_final(payment))));
    CHECK(next_is(&at, end, mpay_payment_json(payment)));
#define OF_PAYMENT(KIND, name, getter) CHECK(next_is(&at, end, mpay_payment_##getter(payment)));
    PAYMENT_FIELDS(OF_PAYMENT)
    CHECK(at == end);
}

void the_fields_of_an_event_are_those_of_the_getters(const mpay_event *event) {
    size_t of_payment = 0, len = 0;
    const char *payment = mpay_payment_fields(mpay_event_payment(event), &of_payment), *fields = mpay_event_fields(event, &len);
    CHECK(fields && len == of_payment + 2 && same(fields, digits(mpay_event_kind(event))) && memcmp(fields + 2, payment, of_payment) == 0);
    the_fields_are_those_of_the_getters(mpay_event_payment(event));
}

void the_fields_of_an_error_are_those_of_the_getters(const mpay_error *error) {
    size_t len = 0;
    const char *at = mpay_error_fields(error, &len), *end = at + len;
    CHECK(next_is(&at, end, mpay_error_code_name(error)) && next_is(&at, end, mpay_error_outcome_name(error)));
    CHECK(next_is(&at, end, digits(mpay_error_is_transient(error))) && next_is(&at, end, digits(mpay_error_http_status(error))));
    CHECK(next_is(&at, end, mpay_error_message(error)) && next_is(&at, end, mpay_error_description(error)));
    CHECK(next_is(&at, end, mpay_error_reason(error)) && next_is(&at, end, mpay_error_order_id(error)));
    CHECK(next_is(&at, end, mpay_error_content_type(error)) && next_is(&at, end, mpay_error_excerpt(error)));
    CHECK(next_is(&at, end, digits((long long)mpay_error_retry_after_ms(error))) && at == end);
}

void the_head_is_that_of_the_getters(const mpay_http_request *request) {
    size_t i, len = 0;
    const char *at = mpay_http_request_head(request, &len), *end = at + len;
    int is = next_is(&at, end, mpay_http_request_url(request));
    for (i = 0; is && i < mpay_http_request_header_count(request); i++)
        is = next_is(&at, end, mpay_http_request_header_name(request, i)) && next_is(&at, end, mpay_http_request_header_value(request, i));
    CHECK(is && at == end);
}

void the_fields_of_an_entry_are_those_of_the_getters(const mpay_entry *entry) {
    size_t len = 0;
    const char *at = mpay_entry_fields(entry, &len), *end = at + len;
    CHECK(next_is(&at, end, mpay_entry_json(entry)) && next_is(&at, end, mpay_outcome_name(mpay_entry_error_outcome(entry))));
    CHECK(next_is(&at, end, mpay_entry_error_description(entry)) && next_is(&at, end, digits(mpay_entry_is_orphan(entry))));
    CHECK(next_is(&at, end, mpay_entry_unreadable(entry)));
    at += strlen(at) + 1; /* the details as JSON */
    CHECK(next_is(&at, end, mpay_entry_reference(entry)));
    CHECK(next_is(&at, end, mpay_entry_attempt(entry) ? digits(mpay_entry_attempt(entry)) : NULL));
    CHECK(next_is(&at, end, mpay_entry_standing_name(entry)) && next_is(&at, end, mpay_entry_order_id(entry)));
    CHECK(next_is(&at, end, mpay_entry_status(entry)) && next_is(&at, end, mpay_entry_sum_asked(entry)));
    CHECK(next_is(&at, end, mpay_entry_sum_paid(entry)) && at < end);
}
