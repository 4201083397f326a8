/* NULL, empty and unreadable texts for every function's arguments, and the fields returned together compared
 * with the getters. */
#include "../../../../contract/adapters/c/fields.h"
#include "../suite.h"

#include <stdint.h>
#include <stdio.h>
#include <string.h>

static void freeing_null_does_nothing(void) {
    mpay_config_free(NULL);
    mpay_client_free(NULL);
    mpay_payment_request_free(NULL);
    mpay_receipt_free(NULL);
    mpay_payment_free(NULL);
    mpay_amounts_free(NULL);
    mpay_amount_free(NULL);
    mpay_event_free(NULL);
    mpay_verifier_free(NULL);
    mpay_keypair_free(NULL);
    mpay_error_free(NULL);
    mpay_protocol_free(NULL);
    mpay_http_request_free(NULL);
    mpay_http_response_free(NULL);
}

static void a_getter_of_null_gives_nothing(void) {
    const char *(*const of_error[])(const mpay_error *) = {
        mpay_error_code_name, mpay_error_outcome_name, mpay_error_message,      mpay_error_description,
        mpay_error_reason,    mpay_error_order_id,     mpay_error_content_type, mpay_error_excerpt,
    };
    const char *(*const of_attempt[])(const mpay_attempt *) = {mpay_attempt_operation, mpay_attempt_order_id, mpay_attempt_line};
    size_t i, len = 1;
    for (i = 0; i < sizeof payment_fields / sizeof *payment_fields; i++) CHECK(payment_fields[i].get(NULL) == NULL);
    CHECK(mpay_payment_json(NULL) == NULL);
    for (i = 0; i < sizeof of_error / sizeof *of_error; i++) CHECK(of_error[i](NULL) == NULL);
    for (i = 0; i < sizeof of_attempt / sizeof *of_attempt; i++) CHECK(of_attempt[i](NULL) == NULL);
    CHECK(mpay_payment_sum_minor(NULL) == MPAY_NO_MINOR && mpay_payment_is_final(NULL) == 0);
    CHECK(mpay_payment_paid(NULL, "1") == 0 && mpay_payment_paid(NULL, NULL) == 0);
    CHECK(mpay_payment_fields(NULL, &len) == NULL && len == 0 && mpay_payment_fields(NULL, NULL) == NULL);
    CHECK(mpay_error_code(NULL) == MPAY_OK && mpay_error_outcome(NULL) == 0 && mpay_error_http_status(NULL) == 0);
    CHECK(mpay_error_retry_after_ms(NULL) == 0);
    CHECK(mpay_error_body(NULL) == NULL && mpay_error_body_len(NULL) == 0 && mpay_error_is_transient(NULL) == 0);
    CHECK(mpay_attempt_number(NULL) == 0 && mpay_attempt_http_status(NULL) == 0 && mpay_attempt_elapsed_ms(NULL) == 0);
    CHECK(mpay_attempt_code(NULL) == 0 && mpay_attempt_outcome(NULL) == 0);
    CHECK(mpay_amounts_count(NULL) == 0 && mpay_amounts_get(NULL, 0) == NULL && mpay_amounts_get_minor(NULL, 0) == MPAY_NO_MINOR);
    CHECK(mpay_amounts_other_possible(NULL) == 0 && mpay_amounts_json(NULL) == NULL);
    CHECK(mpay_amount_text(NULL) == NULL && mpay_amount_minor(NULL) == MPAY_NO_MINOR);
    CHECK(mpay_event_kind(NULL) == 0 && mpay_event_payment(NULL) == NULL);
    CHECK(mpay_explanation_cause(NULL) == 0 && mpay_explanation_cause_name(NULL) == NULL && mpay_explanation_hint(NULL) == NULL);
    len = 1;
    CHECK(mpay_event_fields(NULL, &len) == NULL && len == 0 && mpay_event_fields(NULL, NULL) == NULL);
    CHECK(mpay_keypair_private_key(NULL) == NULL && mpay_keypair_public_key(NULL) == NULL);
    CHECK(mpay_http_request_url(NULL) == NULL && mpay_http_request_header_count(NULL) == 0);
    CHECK(mpay_http_request_header_name(NULL, 0) == NULL && mpay_http_request_header_value(NULL, 0) == NULL);
    CHECK(mpay_http_request_body(NULL) == NULL && mpay_http_request_body_len(NULL) == 0);
    len = 1;
    CHECK(mpay_http_request_head(NULL, &len) == NULL && len == 0 && mpay_http_request_head(NULL, NULL) == NULL);
}

/* Reads the next of the texts that the library returned together. Returns 1 if the text equals the getter's result. */
static int next_is(const char **at, const char *end, const char *text) {
    const char *wanted = text ? text : "\xff";
    size_t len = strlen(wanted);
    int is = (size_t)(end - *at) >= len && memcmp(*at, wanted, len) == 0 && (*at + len == end || (*at)[len] == '\0');
    *at += is && *at + len < end ? len + 1 : len;
    return is;
}

void the_fields_are_those_of_the_getters(const mpay_payment *payment) {
    size_t i, len = 0;
    const char *at = mpay_payment_fields(payment, &len), *end = at + len;
    int are = at != NULL && mpay_payment_fields(payment, NULL) == at;
    are = are && next_is(&at, end, mpay_payment_is_final(payment) ? "1" : "0") && next_is(&at, end, mpay_payment_json(payment));
    for (i = 0; are && i < sizeof payment_fields / sizeof *payment_fields; i++) {
        are = next_is(&at, end, payment_fields[i].get(payment));
    }
    CHECK(are && at == end);
}

void the_fields_of_an_event_are_those_of_the_getters(const mpay_event *event) {
    size_t of_payment = 0, len = 0;
    const char *payment = mpay_payment_fields(mpay_event_payment(event), &of_payment), *fields = mpay_event_fields(event, &len);
    char kind[16];
    snprintf(kind, sizeof kind, "%d", (int)mpay_event_kind(event));
    CHECK(fields && mpay_event_fields(event, NULL) == fields && len == of_payment + 1 + strlen(kind));
    CHECK(strcmp(fields, kind) == 0 && memcmp(fields + strlen(kind) + 1, payment, of_payment) == 0);
    the_fields_are_those_of_the_getters(mpay_event_payment(event));
}

void the_head_is_that_of_the_getters(const mpay_http_request *request) {
    size_t i, len = 0;
    const char *at = mpay_http_request_head(request, &len), *end = at + len;
    int is = at != NULL && mpay_http_request_head(request, NULL) == at && next_is(&at, end, mpay_http_request_url(request));
    for (i = 0; is && i < mpay_http_request_header_count(request); i++) {
        is = next_is(&at, end, mpay_http_request_header_name(request, i)) && next_is(&at, end, mpay_http_request_header_value(request, i));
    }
    CHECK(is && at == end);
}

static void a_setter_of_null_is_an_invalid_argument(void) {
    int32_t (*const of_config[])(mpay_config *, const char *) = {
        mpay_config_set_base_url,
        mpay_config_set_key_id,
        mpay_config_set_private_key,
        mpay_config_set_public_key,
        mpay_config_add_server_public_key,
        mpay_config_add_server_key_id,
        mpay_config_set_ca_file,
        mpay_config_set_ca_pem,
        mpay_config_set_proxy,
        mpay_config_set_user_agent,
        mpay_config_add_pin_spki,
    };
    size_t i;
    for (i = 0; i < sizeof of_config / sizeof *of_config; i++) {
        mpay_config *config = mpay_config_new();
        mpay_verifier *verifier = NULL;
        CHECK(of_config[i](NULL, "x") == MPAY_INVALID_ARGUMENT);
        CHECK(of_config[i](config, NOT_UTF8) == MPAY_INVALID_ARGUMENT);
        CHECK(of_config[i](config, NULL) == MPAY_OK);
        EXPECT(mpay_verifier_new(config, &verifier, ERROR), MPAY_INVALID_ARGUMENT, MPAY_OUTCOME_NOT_SENT);
        CHECK(verifier == NULL);
        mpay_config_free(config);
    }
    for (i = 0; i < sizeof request_fields / sizeof *request_fields; i++) {
        mpay_payment_request *request = mpay_payment_request_new();
        CHECK(request_fields[i].set(NULL, "x") == MPAY_INVALID_ARGUMENT);
        CHECK(request_fields[i].set(request, NOT_UTF8) == MPAY_INVALID_ARGUMENT);
        CHECK(request_fields[i].set(request, NULL) == MPAY_OK);
        mpay_payment_request_free(request);
    }
    CHECK(mpay_config_set_allow_http(NULL, 1) == MPAY_INVALID_ARGUMENT);
    CHECK(mpay_config_set_exclusive_ca(NULL, 1) == MPAY_INVALID_ARGUMENT);
    CHECK(mpay_config_set_client_certificate(NULL, NULL, NULL) == MPAY_INVALID_ARGUMENT);
    CHECK(mpay_config_set_timeout_ms(NULL, 1) == MPAY_INVALID_ARGUMENT);
    CHECK(mpay_config_set_connect_timeout_ms(NULL, 1) == MPAY_INVALID_ARGUMENT);
    CHECK(mpay_config_set_reuse_idle_ms(NULL, 1) == MPAY_INVALID_ARGUMENT);
    CHECK(mpay_config_set_connect_idle_ms(NULL, 1) == MPAY_INVALID_ARGUMENT);
    CHECK(mpay_config_set_max_retries(NULL, 1) == MPAY_INVALID_ARGUMENT);
    CHECK(mpay_config_set_max_reply_bytes(NULL, 1) == MPAY_INVALID_ARGUMENT);
    CHECK(mpay_config_set_log_callback(NULL, NULL, NULL, NULL) == MPAY_INVALID_ARGUMENT);
    CHECK(mpay_config_set_signer_callback(NULL, NULL, NULL, NULL) == MPAY_INVALID_ARGUMENT);
    CHECK(mpay_payment_request_set_sum_minor(NULL, 1) == MPAY_INVALID_ARGUMENT);
    CHECK(mpay_http_response_set_status(NULL, 200) == MPAY_INVALID_ARGUMENT);
    CHECK(mpay_http_response_add_header(NULL, "a", "b") == MPAY_INVALID_ARGUMENT);
    CHECK(mpay_http_response_set_body(NULL, "a", 1) == MPAY_INVALID_ARGUMENT);
}

static void null_where_a_value_is_needed_is_an_invalid_argument_and_nothing_is_sent(void) {
    mpay_client *client = sandbox_client(NULL);
    mpay_payment_request *request = good_request();
    mpay_receipt *receipt = mpay_receipt_new("order");
    mpay_payment *payment;
    mpay_amounts *amounts;
    mpay_client *other;
    REFUSED_AND_NULL(other, mpay_client_new(NULL, &other, ERROR));
    REFUSED_AND_NULL(other, mpay_client_derive(NULL, 1, &other, ERROR));
    REFUSED(mpay_client_derive(client, 1, NULL, ERROR));
    REFUSED_AND_NULL(payment, mpay_new_payment(NULL, request, &payment, ERROR));
    REFUSED_AND_NULL(payment, mpay_new_payment(client, NULL, &payment, ERROR));
    REFUSED(mpay_new_payment(client, request, NULL, ERROR));
    REFUSED_AND_NULL(payment, mpay_new_payment_async(NULL, request, &payment, ERROR));
    REFUSED_AND_NULL(payment, mpay_new_payment_async(client, NULL, &payment, ERROR));
    REFUSED(mpay_new_payment_async(client, request, NULL, ERROR));
    REFUSED_AND_NULL(amounts, mpay_get_available_amounts(NULL, request, &amounts, ERROR));
    REFUSED_AND_NULL(amounts, mpay_get_available_amounts(client, NULL, &amounts, ERROR));
    REFUSED(mpay_get_available_amounts(client, request, NULL, ERROR));
    REFUSED_AND_NULL(payment, mpay_get_status(NULL, "order", &payment, ERROR));
    REFUSED_AND_NULL(payment, mpay_get_status(client, NULL, &payment, ERROR));
    REFUSED_AND_NULL(payment, mpay_get_status(client, "", &payment, ERROR));
    REFUSED_AND_NULL(payment, mpay_get_status(client, NOT_UTF8, &payment, ERROR));
    REFUSED(mpay_get_status(client, "order", NULL, ERROR));
    REFUSED_AND_NULL(payment, mpay_wait(NULL, "order", 1, &payment, ERROR));
    REFUSED_AND_NULL(payment, mpay_wait(client, NULL, 1, &payment, ERROR));
    REFUSED(mpay_wait(client, "order", 1, NULL, ERROR));
    REFUSED(mpay_client_connect(NULL, ERROR));
    REFUSED(mpay_confirm(NULL, "order", ERROR));
    REFUSED(mpay_confirm(client, NULL, ERROR));
    REFUSED(mpay_confirm(client, NOT_UTF8, ERROR));
    REFUSED(mpay_cancel(NULL, "order", ERROR));
    REFUSED(mpay_cancel(client, NULL, ERROR));
    REFUSED(mpay_attach_receipt(NULL, receipt, ERROR));
    REFUSED(mpay_attach_receipt(client, NULL, ERROR));
    REFUSED(mpay_attach_receipt(client, receipt, ERROR)); /* the receipt has no file */
    REFUSED(mpay_receipt_add_file(NULL, "x.pdf", ERROR));
    REFUSED(mpay_receipt_add_file(receipt, NULL, ERROR));
    REFUSED(mpay_receipt_add_file(receipt, "no such file.pdf", ERROR));
    REFUSED(mpay_receipt_add_bytes(NULL, "x.pdf", "application/pdf", "x", 1, ERROR));
    REFUSED(mpay_receipt_add_bytes(receipt, NULL, "application/pdf", "x", 1, ERROR));
    REFUSED(mpay_receipt_add_bytes(receipt, "x.pdf", NULL, "x", 1, ERROR));
    REFUSED(mpay_receipt_add_bytes(receipt, "x.pdf", "text/plain", "%PDF-", 5, ERROR));
    REFUSED(mpay_receipt_add_bytes(receipt, "x.pdf", "image/png", "%PDF-", 5, ERROR));
    REFUSED(mpay_receipt_add_bytes(receipt, "x.pdf", "application/pdf", "x", 1, ERROR));
    REFUSED(mpay_receipt_add_bytes(receipt, "x.pdf", "application/pdf", NULL, 1, ERROR));
    REFUSED(mpay_receipt_add_bytes(receipt, "x.pdf", "application/pdf", NULL, 0, ERROR));
    REFUSED(mpay_receipt_add_bytes(receipt, "x.pdf", "application/pdf", "x", SIZE_MAX, ERROR));
    /* The call is refused without an error pointer too. */
    CHECK(mpay_confirm(client, NULL, NULL) == MPAY_INVALID_ARGUMENT);
    mpay_receipt_free(receipt);
    receipt = mpay_receipt_new(NULL);
    REFUSED(mpay_receipt_add_bytes(receipt, "x.pdf", "application/pdf", "x", 1, ERROR));
    REFUSED(mpay_attach_receipt(client, receipt, ERROR));
    mpay_receipt_free(receipt);
    mpay_payment_request_free(request);
    mpay_client_free(client);
}

static void an_empty_text_is_not_absent(void) {
    static const struct {
        int32_t (*set)(mpay_config *, const char *);
        int32_t code;
    } of_config[] = {
        {mpay_config_set_base_url, MPAY_INVALID_ARGUMENT},     {mpay_config_set_key_id, MPAY_INVALID_ARGUMENT},
        {mpay_config_set_private_key, MPAY_INVALID_KEY},       {mpay_config_set_public_key, MPAY_INVALID_KEY},
        {mpay_config_add_server_public_key, MPAY_INVALID_KEY}, {mpay_config_set_ca_file, MPAY_INVALID_ARGUMENT},
        {mpay_config_set_ca_pem, MPAY_INVALID_ARGUMENT},       {mpay_config_set_proxy, MPAY_INVALID_ARGUMENT},
        {mpay_config_set_user_agent, MPAY_INVALID_ARGUMENT},   {mpay_config_add_pin_spki, MPAY_INVALID_ARGUMENT},
    };
    mpay_client *client = sandbox_client(NULL);
    mpay_config *half = sandbox_config(NULL);
    mpay_receipt *receipt = mpay_receipt_new("");
    size_t i;
    for (i = 0; i < sizeof of_config / sizeof *of_config; i++) {
        mpay_config *config = sandbox_config(NULL);
        mpay_client *other = NULL;
        CHECK(of_config[i].set(config, NULL) == MPAY_OK);
        CHECK(of_config[i].set(config, "") == of_config[i].code);
        EXPECT(mpay_client_new(config, &other, ERROR), of_config[i].code, MPAY_OUTCOME_NOT_SENT);
        CHECK(other == NULL);
        mpay_config_free(config);
    }
    CHECK(mpay_config_add_server_key_id(half, "") == MPAY_OK); /* no key id */
    CHECK(mpay_config_set_client_certificate(half, "", "") == MPAY_INVALID_ARGUMENT);
    mpay_config_free(half);
    for (i = 0; i < sizeof request_fields / sizeof *request_fields; i++) {
        mpay_payment_request *request = good_request();
        mpay_payment *payment = NULL;
        mpay_amounts *amounts = NULL;
        int only_of_amounts = strstr(request_fields[i].name, "drift") != NULL;
        CHECK(request_fields[i].set(request, "") == MPAY_OK);
        if (only_of_amounts) {
            EXPECT(mpay_get_available_amounts(client, request, &amounts, ERROR), MPAY_INVALID_ARGUMENT, MPAY_OUTCOME_NOT_SENT);
        } else {
            EXPECT(mpay_new_payment(client, request, &payment, ERROR), MPAY_INVALID_ARGUMENT, MPAY_OUTCOME_NOT_SENT);
        }
        mpay_payment_request_free(request);
    }
    EXPECT(mpay_confirm(client, "", ERROR), MPAY_INVALID_ARGUMENT, MPAY_OUTCOME_NOT_SENT);
    EXPECT(mpay_cancel(client, "", ERROR), MPAY_INVALID_ARGUMENT, MPAY_OUTCOME_NOT_SENT);
    EXPECT(mpay_receipt_add_file(receipt, "", ERROR), MPAY_INVALID_ARGUMENT, MPAY_OUTCOME_NOT_SENT);
    EXPECT(mpay_receipt_add_bytes(receipt, "", "application/pdf", "x", 1, ERROR), MPAY_INVALID_ARGUMENT, MPAY_OUTCOME_NOT_SENT);
    EXPECT(mpay_receipt_add_bytes(receipt, "x.pdf", "application/pdf", "%PDF-", 5, ERROR), MPAY_OK, 0);
    EXPECT(mpay_attach_receipt(client, receipt, ERROR), MPAY_INVALID_ARGUMENT, MPAY_OUTCOME_NOT_SENT);
    mpay_receipt_free(receipt);
    mpay_client_free(client);
}

void suite_null(void) {
    RUN(freeing_null_does_nothing);
    RUN(a_getter_of_null_gives_nothing);
    RUN(a_setter_of_null_is_an_invalid_argument);
    RUN(null_where_a_value_is_needed_is_an_invalid_argument_and_nothing_is_sent);
    RUN(an_empty_text_is_not_absent);
}
