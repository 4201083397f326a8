/* Every function, with right and with wrong arguments. The driver (../c.rs) gives the services by environment variables and
   runs this plain, under valgrind and with sanitizers. */
#define _POSIX_C_SOURCE 200809L
#include "../../../conformance/programs/c/fields.h"
#include "check.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

static const char NOT_UTF8[] = "\xff\xfe";

/* ---- versions ---- */

static void the_versions_agree(void) {
    CHECK(same(mpay_version(), MPAY_VERSION));
    CHECK(mpay_version_number() == MPAY_VERSION_NUMBER);
    CHECK(mpay_abi_version() == MPAY_ABI_VERSION);
}

/* ---- NULL ---- */

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
    CHECK(mpay_error_body(NULL) == NULL && mpay_error_body_len(NULL) == 0 && mpay_error_is_transient(NULL) == 0);
    CHECK(mpay_attempt_number(NULL) == 0 && mpay_attempt_http_status(NULL) == 0 && mpay_attempt_elapsed_ms(NULL) == 0);
    CHECK(mpay_attempt_code(NULL) == 0 && mpay_attempt_outcome(NULL) == 0);
    CHECK(mpay_amounts_count(NULL) == 0 && mpay_amounts_get(NULL, 0) == NULL && mpay_amounts_get_minor(NULL, 0) == MPAY_NO_MINOR);
    CHECK(mpay_amounts_other_possible(NULL) == 0 && mpay_amounts_json(NULL) == NULL);
    CHECK(mpay_amount_text(NULL) == NULL && mpay_amount_minor(NULL) == MPAY_NO_MINOR);
    CHECK(mpay_event_kind(NULL) == 0 && mpay_event_payment(NULL) == NULL);
    len = 1;
    CHECK(mpay_event_fields(NULL, &len) == NULL && len == 0 && mpay_event_fields(NULL, NULL) == NULL);
    CHECK(mpay_keypair_private_key(NULL) == NULL && mpay_keypair_public_key(NULL) == NULL);
    CHECK(mpay_http_request_url(NULL) == NULL && mpay_http_request_header_count(NULL) == 0);
    CHECK(mpay_http_request_header_name(NULL, 0) == NULL && mpay_http_request_header_value(NULL, 0) == NULL);
    CHECK(mpay_http_request_body(NULL) == NULL && mpay_http_request_body_len(NULL) == 0);
    len = 1;
    CHECK(mpay_http_request_head(NULL, &len) == NULL && len == 0 && mpay_http_request_head(NULL, NULL) == NULL);
}

/* Takes a text from what is given all at once, and goes behind it; 1 if it is the one that the getter gives. */
static int next_is(const char **at, const char *end, const char *text) {
    const char *wanted = text ? text : "\xff";
    size_t len = strlen(wanted);
    int is = (size_t)(end - *at) >= len && memcmp(*at, wanted, len) == 0 && (*at + len == end || (*at)[len] == '\0');
    *at += is && *at + len < end ? len + 1 : len;
    return is;
}

static void the_fields_are_those_of_the_getters(const mpay_payment *payment) {
    size_t i, len = 0;
    const char *at = mpay_payment_fields(payment, &len), *end = at + len;
    int are = at != NULL && mpay_payment_fields(payment, NULL) == at;
    for (i = 0; are && i < sizeof payment_fields / sizeof *payment_fields; i++) {
        are = next_is(&at, end, payment_fields[i].get(payment));
    }
    CHECK(are && next_is(&at, end, mpay_payment_is_final(payment) ? "1" : "0"));
    CHECK(are && next_is(&at, end, mpay_payment_json(payment)) && at == end);
}

static void the_fields_of_an_event_are_those_of_the_getters(const mpay_event *event) {
    size_t of_payment = 0, len = 0;
    const char *payment = mpay_payment_fields(mpay_event_payment(event), &of_payment), *fields = mpay_event_fields(event, &len);
    char kind[16];
    snprintf(kind, sizeof kind, "%d", (int)mpay_event_kind(event));
    CHECK(fields && mpay_event_fields(event, NULL) == fields && len == of_payment + 1 + strlen(kind));
    CHECK(strcmp(fields, kind) == 0 && memcmp(fields + strlen(kind) + 1, payment, of_payment) == 0);
    the_fields_are_those_of_the_getters(mpay_event_payment(event));
}

static void the_head_is_that_of_the_getters(const mpay_http_request *request) {
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
    CHECK(mpay_config_set_log_callback(NULL, NULL, NULL) == MPAY_INVALID_ARGUMENT);
    CHECK(mpay_config_set_signer_callback(NULL, NULL, NULL) == MPAY_INVALID_ARGUMENT);
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
#define REFUSED(call) EXPECT(call, MPAY_INVALID_ARGUMENT, MPAY_OUTCOME_NOT_SENT)
#define REFUSED_AND_NULL(out, call)        \
    do {                                   \
        memset(&(out), 0x55, sizeof(out)); \
        REFUSED(call);                     \
        CHECK((out) == NULL);              \
    } while (0)
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
    REFUSED(mpay_attach_receipt(client, receipt, ERROR)); /* it has no file */
    REFUSED(mpay_receipt_add_file(NULL, "x.pdf", ERROR));
    REFUSED(mpay_receipt_add_file(receipt, NULL, ERROR));
    REFUSED(mpay_receipt_add_file(receipt, "no such file.pdf", ERROR));
    REFUSED(mpay_receipt_add_bytes(NULL, "x.pdf", "application/pdf", "x", 1, ERROR));
    REFUSED(mpay_receipt_add_bytes(receipt, NULL, "application/pdf", "x", 1, ERROR));
    REFUSED(mpay_receipt_add_bytes(receipt, "x.pdf", NULL, "x", 1, ERROR));
    REFUSED(mpay_receipt_add_bytes(receipt, "x.pdf", "text/plain", "x", 1, ERROR));
    REFUSED(mpay_receipt_add_bytes(receipt, "x.pdf", "application/pdf", NULL, 1, ERROR));
    REFUSED(mpay_receipt_add_bytes(receipt, "x.pdf", "application/pdf", NULL, 0, ERROR));
    REFUSED(mpay_receipt_add_bytes(receipt, "x.pdf", "application/pdf", "x", SIZE_MAX, ERROR));
    /* The same without anybody who listens. */
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
        {mpay_config_add_server_public_key, MPAY_INVALID_KEY}, {mpay_config_add_server_key_id, MPAY_INVALID_ARGUMENT},
        {mpay_config_set_ca_file, MPAY_INVALID_ARGUMENT},      {mpay_config_set_ca_pem, MPAY_INVALID_ARGUMENT},
        {mpay_config_set_proxy, MPAY_INVALID_ARGUMENT},        {mpay_config_set_user_agent, MPAY_INVALID_ARGUMENT},
        {mpay_config_add_pin_spki, MPAY_INVALID_ARGUMENT},
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
    EXPECT(mpay_receipt_add_bytes(receipt, "x.pdf", "application/pdf", "x", 1, ERROR), MPAY_OK, 0);
    EXPECT(mpay_attach_receipt(client, receipt, ERROR), MPAY_INVALID_ARGUMENT, MPAY_OUTCOME_NOT_SENT);
    mpay_receipt_free(receipt);
    mpay_client_free(client);
}

/* ---- settings ---- */

static void keys_of_the_service_can_be_taken_back(void) {
    mpay_config *config = sandbox_config(NULL);
    mpay_client *client = NULL;
    CHECK(mpay_config_add_server_public_key(config, "c2hvcnQ=") == MPAY_INVALID_KEY);
    CHECK(mpay_config_add_server_key_id(config, NOT_UTF8) == MPAY_INVALID_ARGUMENT);
    EXPECT(mpay_client_new(config, &client, ERROR), MPAY_INVALID_KEY, MPAY_OUTCOME_NOT_SENT);
    CHECK(mpay_config_clear_server_keys(config) == MPAY_OK && mpay_config_clear_server_keys(NULL) == MPAY_INVALID_ARGUMENT);
    EXPECT(mpay_client_new(config, &client, ERROR), MPAY_INVALID_ARGUMENT, MPAY_OUTCOME_NOT_SENT);
    CHECK(mpay_config_add_server_public_key(config, setting("MERCHANTPAY_SERVER_PUBLIC_KEY")) == MPAY_OK);
    EXPECT(mpay_client_new(config, &client, ERROR), MPAY_OK, 0);
    mpay_client_free(client);
    mpay_config_free(config);
}

static void a_number_has_its_name(void) {
    CHECK(same(mpay_code_name(MPAY_INVALID_ARGUMENT), "invalid_argument") && same(mpay_code_name(MPAY_INTERNAL), "internal"));
    CHECK(same(mpay_outcome_name(MPAY_OUTCOME_NOT_SENT), "not_sent") && same(mpay_outcome_name(MPAY_OUTCOME_UNKNOWN), "unknown"));
    CHECK(same(mpay_status_name(MPAY_STATUS_FREE), "free") && same(mpay_status_name(MPAY_STATUS_DONE_FAIL), "doneFail"));
    CHECK(same(mpay_reason_name(MPAY_REASON_INVALID_CURRENCY), "invalid_currency"));
    CHECK(mpay_code_name(MPAY_OK) == NULL && mpay_code_name(INT32_MIN) == NULL && mpay_outcome_name(0) == NULL);
    CHECK(mpay_status_name(0) == NULL && mpay_status_name(INT32_MAX) == NULL && mpay_reason_name(0) == NULL);
    CHECK(mpay_payment_status_code(NULL) == 0 && mpay_error_reason_code(NULL) == 0);
}

static void a_wrong_setting_is_told_at_once_and_once_more_when_it_is_used(void) {
    static const char STRAY_KEY[] = "c2hvcnQ=";
    mpay_config *config = sandbox_config(NULL);
    mpay_client *client = NULL;
    mpay_keypair *pair = NULL;

    CHECK(mpay_config_set_private_key(config, STRAY_KEY) == MPAY_INVALID_KEY);
    EXPECT(mpay_client_new(config, &client, ERROR), MPAY_INVALID_KEY, MPAY_OUTCOME_NOT_SENT);
    CHECK(mpay_config_set_private_key(config, setting("MERCHANTPAY_PRIVATE_KEY")) == MPAY_OK);

    CHECK(mpay_config_set_user_agent(config, NOT_UTF8) == MPAY_INVALID_ARGUMENT);
    EXPECT(mpay_client_new(config, &client, ERROR), MPAY_INVALID_ARGUMENT, MPAY_OUTCOME_NOT_SENT);
    CHECK(mpay_config_set_user_agent(config, "till/7") == MPAY_OK);

    CHECK(mpay_config_set_base_url(config, "ftp://x") == MPAY_OK);
    EXPECT(mpay_client_new(config, &client, ERROR), MPAY_INVALID_ARGUMENT, MPAY_OUTCOME_NOT_SENT);
    CHECK(mpay_config_set_base_url(config, setting("MERCHANTPAY_BASE_URL")) == MPAY_OK);

    CHECK(mpay_config_set_ca_file(config, "no such file") == MPAY_OK);
    EXPECT(mpay_client_new(config, &client, ERROR), MPAY_INVALID_ARGUMENT, MPAY_OUTCOME_NOT_SENT);
    CHECK(mpay_config_set_ca_file(config, NULL) == MPAY_OK);
    CHECK(mpay_config_set_ca_pem(config, "no certificate") == MPAY_OK);
    EXPECT(mpay_client_new(config, &client, ERROR), MPAY_INVALID_ARGUMENT, MPAY_OUTCOME_NOT_SENT);
    CHECK(mpay_config_set_ca_pem(config, NULL) == MPAY_OK);
    CHECK(mpay_config_set_proxy(config, "no proxy") == MPAY_OK);
    EXPECT(mpay_client_new(config, &client, ERROR), MPAY_INVALID_ARGUMENT, MPAY_OUTCOME_NOT_SENT);
    CHECK(mpay_config_set_proxy(config, NULL) == MPAY_OK);

    CHECK(mpay_config_set_timeout_ms(config, 0) == MPAY_OK);
    EXPECT(mpay_client_new(config, &client, ERROR), MPAY_INVALID_ARGUMENT, MPAY_OUTCOME_NOT_SENT);
    CHECK(mpay_config_set_timeout_ms(config, UINT32_MAX) == MPAY_OK);
    CHECK(mpay_config_set_connect_timeout_ms(config, 0) == MPAY_OK);
    EXPECT(mpay_client_new(config, &client, ERROR), MPAY_INVALID_ARGUMENT, MPAY_OUTCOME_NOT_SENT);
    CHECK(mpay_config_set_connect_timeout_ms(config, UINT32_MAX) == MPAY_OK);
    CHECK(mpay_config_set_reuse_idle_ms(config, UINT32_MAX) == MPAY_OK && mpay_config_set_connect_idle_ms(config, 0) == MPAY_OK);
    CHECK(mpay_config_set_max_retries(config, UINT32_MAX) == MPAY_OK);
    CHECK(mpay_config_set_max_reply_bytes(config, UINT64_MAX) == MPAY_OK);

    EXPECT(mpay_keypair_generate(&pair, ERROR), MPAY_OK, 0);
    CHECK(mpay_config_set_public_key(config, mpay_keypair_public_key(pair)) == MPAY_OK);
    EXPECT(mpay_client_new(config, &client, ERROR), MPAY_INVALID_KEY, MPAY_OUTCOME_NOT_SENT);
    CHECK(mpay_config_set_public_key(config, NULL) == MPAY_OK);
    CHECK(client == NULL);

    EXPECT(mpay_client_new(config, &client, ERROR), MPAY_OK, 0);
    CHECK(client != NULL);
    CHECK(mpay_config_add_server_public_key(config, mpay_keypair_public_key(pair)) == MPAY_OK); /* a second key: it rotates */
    mpay_client_free(client);
    EXPECT(mpay_client_new(config, &client, ERROR), MPAY_OK, 0);
    mpay_client_free(client);
    EXPECT(mpay_client_new(config, NULL, ERROR), MPAY_INVALID_ARGUMENT, MPAY_OUTCOME_NOT_SENT);
    mpay_keypair_free(pair);
    mpay_config_free(config);
}

static void plain_http_goes_to_another_machine_only_where_it_is_allowed(void) {
    mpay_config *config = sandbox_config(NULL);
    mpay_client *client = NULL;
    mpay_protocol *protocol = NULL;
    mpay_error *error = NULL;
    CHECK(mpay_config_set_base_url(config, "http://pay.example") == MPAY_OK);
    CHECK(mpay_client_new(config, &client, &error) == MPAY_INVALID_ARGUMENT && client == NULL);
    CHECK(strstr(mpay_error_message(error), "allow_http") != NULL);
    mpay_error_free(error);
    EXPECT(mpay_protocol_new(config, &protocol, ERROR), MPAY_INVALID_ARGUMENT, MPAY_OUTCOME_NOT_SENT);
    CHECK(mpay_config_set_allow_http(config, 1) == MPAY_OK);
    EXPECT(mpay_client_new(config, &client, ERROR), MPAY_OK, 0);
    EXPECT(mpay_protocol_new(config, &protocol, ERROR), MPAY_OK, 0);
    mpay_client_free(client);
    mpay_protocol_free(protocol);
    CHECK(mpay_config_set_allow_http(config, 2) == MPAY_INVALID_ARGUMENT);
    CHECK(mpay_config_set_base_url(config, "https://pay.example") == MPAY_OK);
    EXPECT(mpay_client_new(config, &client, ERROR), MPAY_INVALID_ARGUMENT, MPAY_OUTCOME_NOT_SENT);
    EXPECT(mpay_protocol_new(config, &protocol, ERROR), MPAY_INVALID_ARGUMENT, MPAY_OUTCOME_NOT_SENT);
    CHECK(mpay_config_set_allow_http(config, 0) == MPAY_OK);
    EXPECT(mpay_client_new(config, &client, ERROR), MPAY_OK, 0);
    mpay_client_free(client);
    mpay_config_free(config);
}

static void a_wrong_setting_of_tls_is_refused(void) {
    mpay_config *config = sandbox_config("https://pay.example");
    mpay_client *client = NULL;

    CHECK(mpay_config_set_ca_file(config, NULL) == MPAY_OK);
    CHECK(mpay_config_set_exclusive_ca(config, 1) == MPAY_OK);
    EXPECT(mpay_client_new(config, &client, ERROR), MPAY_INVALID_ARGUMENT, MPAY_OUTCOME_NOT_SENT); /* there is no authority */
    CHECK(mpay_config_set_exclusive_ca(config, -1) == MPAY_INVALID_ARGUMENT);
    EXPECT(mpay_client_new(config, &client, ERROR), MPAY_INVALID_ARGUMENT, MPAY_OUTCOME_NOT_SENT);
    CHECK(mpay_config_set_exclusive_ca(config, 0) == MPAY_OK);

    CHECK(mpay_config_set_client_certificate(config, "no such file", "no such file") == MPAY_OK);
    EXPECT(mpay_client_new(config, &client, ERROR), MPAY_INVALID_ARGUMENT, MPAY_OUTCOME_NOT_SENT);
    CHECK(mpay_config_set_client_certificate(config, setting("CLIENT_CERTIFICATE"), setting("CLIENT_CERTIFICATE")) == MPAY_OK);
    EXPECT(mpay_client_new(config, &client, ERROR), MPAY_INVALID_ARGUMENT, MPAY_OUTCOME_NOT_SENT); /* there is no key in it */
    CHECK(mpay_config_set_client_certificate(config, "no key", NULL) == MPAY_INVALID_ARGUMENT);
    CHECK(mpay_config_set_client_certificate(config, NULL, "no certificate") == MPAY_INVALID_ARGUMENT);
    CHECK(mpay_config_set_client_certificate(config, NOT_UTF8, "x") == MPAY_INVALID_ARGUMENT);
    EXPECT(mpay_client_new(config, &client, ERROR), MPAY_INVALID_ARGUMENT, MPAY_OUTCOME_NOT_SENT);
    CHECK(mpay_config_set_client_certificate(config, NULL, NULL) == MPAY_OK);

    CHECK(mpay_config_add_pin_spki(config, setting("SERVICE_PIN")) == MPAY_OK);
    EXPECT(mpay_client_new(config, &client, ERROR), MPAY_OK, 0);
    mpay_client_free(client);
    CHECK(mpay_config_add_pin_spki(config, "sha256/short") == MPAY_OK);
    EXPECT(mpay_client_new(config, &client, ERROR), MPAY_INVALID_ARGUMENT, MPAY_OUTCOME_NOT_SENT);
    mpay_config_free(config);
}

/* Asks the service about an order that it does not have. Gives the outcome: rejected where the connection was made. */
static int32_t ask(const mpay_config *config) {
    mpay_client *client = NULL;
    mpay_payment *payment = NULL;
    mpay_error *error = NULL;
    int32_t code, outcome;
    EXPECT(mpay_client_new(config, &client, ERROR), MPAY_OK, 0);
    code = mpay_get_status(client, "no-such-order", &payment, &error);
    outcome = mpay_error_outcome(error);
    CHECK(payment == NULL && code == (outcome == MPAY_OUTCOME_REJECTED ? MPAY_REJECTED : MPAY_TRANSPORT));
    /* Another attempt would meet the same certificate. */
    CHECK(outcome != MPAY_OUTCOME_NOT_SENT || mpay_error_is_transient(error) == 0);
    mpay_error_free(error);
    mpay_client_free(client);
    return outcome;
}

static void tls_is_with_whom_the_settings_say(void) {
    static const char OTHER_PIN[] = "sha256/AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA=";
    mpay_config *config = sandbox_config(setting("SERVICE_MUTUAL_TLS"));

    CHECK(mpay_config_set_ca_file(config, setting("AUTHORITY")) == MPAY_OK);
    CHECK(mpay_config_set_exclusive_ca(config, 1) == MPAY_OK);
    CHECK(mpay_config_set_client_certificate(config, setting("CLIENT_CERTIFICATE"), setting("CLIENT_KEY")) == MPAY_OK);
    CHECK(ask(config) == MPAY_OUTCOME_REJECTED);
    CHECK(mpay_config_set_client_certificate(config, NULL, NULL) == MPAY_OK);
    CHECK(ask(config) != MPAY_OUTCOME_REJECTED); /* the service may say so when the request is on its way */
    CHECK(mpay_config_set_client_certificate(config, setting("CLIENT_CERTIFICATE"), setting("CLIENT_KEY")) == MPAY_OK);

    CHECK(mpay_config_set_ca_file(config, setting("CLIENT_CERTIFICATE")) == MPAY_OK); /* of another authority */
    CHECK(ask(config) == MPAY_OUTCOME_NOT_SENT);
    CHECK(mpay_config_set_ca_file(config, setting("AUTHORITY")) == MPAY_OK);

    CHECK(mpay_config_add_pin_spki(config, OTHER_PIN) == MPAY_OK);
    CHECK(ask(config) == MPAY_OUTCOME_NOT_SENT);
    CHECK(mpay_config_add_pin_spki(config, setting("SERVICE_PIN")) == MPAY_OK);
    CHECK(ask(config) == MPAY_OUTCOME_REJECTED);
    mpay_config_free(config);
}

static void what_a_client_needs_is_named(void) {
    static const char *const names[] = {"server_public_key", "base_url", "key_id", "private_key"};
    size_t set;
    for (set = 0; set < 4; set++) {
        mpay_config *config = mpay_config_new();
        mpay_client *client = NULL;
        mpay_error *error = NULL;
        if (set > 0) mpay_config_add_server_public_key(config, setting("MERCHANTPAY_SERVER_PUBLIC_KEY"));
        if (set > 1) mpay_config_set_base_url(config, "https://pay.example");
        if (set > 2) mpay_config_set_key_id(config, "merchant");
        CHECK(mpay_client_new(config, &client, &error) == MPAY_INVALID_ARGUMENT && client == NULL);
        CHECK(strstr(mpay_error_message(error), names[set]) != NULL);
        mpay_error_free(error);
        mpay_config_free(config);
    }
}

/* ---- keys, amounts ---- */

static void a_pair_of_keys_is_of_the_contracts_sizes(void) {
    mpay_keypair *pair = NULL;
    EXPECT(mpay_keypair_generate(&pair, ERROR), MPAY_OK, 0);
    CHECK(strlen(mpay_keypair_private_key(pair)) == 88 && strlen(mpay_keypair_public_key(pair)) == 44);
    mpay_keypair_free(pair);
    EXPECT(mpay_keypair_generate(NULL, ERROR), MPAY_INVALID_ARGUMENT, MPAY_OUTCOME_NOT_SENT);
}

static void the_balance_is_exact(void) {
    static const struct {
        const char *sum, *rate;
        int32_t balance;
        uint32_t scale;
        int32_t rounding;
        const char *text;
        int64_t minor;
    } rows[] = {
        {"1500.50", "92.45", MPAY_BALANCE_USDT, 6, MPAY_ROUNDING_HALF_EVEN, "16.230395", MPAY_NO_MINOR},
        {"1500.50", "0.955", MPAY_BALANCE_RUB, 2, MPAY_ROUNDING_DOWN, "1432.97", 143297},
        {"1500.50", "0.955", MPAY_BALANCE_RUB, 2, MPAY_ROUNDING_UP, "1432.98", 143298},
        {"0.05", "0.1", MPAY_BALANCE_RUB, 2, MPAY_ROUNDING_HALF_UP, "0.01", 1},
        {"0.05", "0.1", MPAY_BALANCE_RUB, 2, 0, NULL, 0},
        {"0.05", "0.1", MPAY_BALANCE_RUB, 2, 5, NULL, 0},
        {"0.05", "0.1", MPAY_BALANCE_RUB, 2, INT32_MIN, NULL, 0},
        {"0.05", "0.1", 0, 2, MPAY_ROUNDING_UP, NULL, 0},
        {"0.05", "0.1", 3, 2, MPAY_ROUNDING_UP, NULL, 0},
        {"0.05", "0.1", INT32_MAX, 2, MPAY_ROUNDING_UP, NULL, 0},
        {"0.05", "0.1", MPAY_BALANCE_RUB, UINT32_MAX, MPAY_ROUNDING_UP, NULL, 0},
        {"0,05", "0.1", MPAY_BALANCE_RUB, 2, MPAY_ROUNDING_UP, NULL, 0},
        {"1e999999999999", "0.1", MPAY_BALANCE_RUB, 2, MPAY_ROUNDING_UP, NULL, 0},
        {"1", "0", MPAY_BALANCE_USDT, 2, MPAY_ROUNDING_UP, NULL, 0},
        {NULL, "1", MPAY_BALANCE_USDT, 2, MPAY_ROUNDING_UP, NULL, 0},
        {"1", NULL, MPAY_BALANCE_USDT, 2, MPAY_ROUNDING_UP, NULL, 0},
        {NOT_UTF8, "1", MPAY_BALANCE_USDT, 2, MPAY_ROUNDING_UP, NULL, 0},
    };
    size_t i;
    for (i = 0; i < sizeof rows / sizeof *rows; i++) {
        mpay_amount *amount = NULL;
        EXPECT(mpay_to_balance(rows[i].sum, rows[i].rate, rows[i].balance, rows[i].scale, rows[i].rounding, &amount, ERROR),
               rows[i].text ? MPAY_OK : MPAY_INVALID_ARGUMENT, rows[i].text ? 0 : MPAY_OUTCOME_NOT_SENT);
        CHECK(same(mpay_amount_text(amount), rows[i].text));
        CHECK(mpay_amount_minor(amount) == (rows[i].text ? rows[i].minor : MPAY_NO_MINOR));
        mpay_amount_free(amount);
    }
    EXPECT(mpay_to_balance("1", "1", MPAY_BALANCE_RUB, 2, MPAY_ROUNDING_UP, NULL, ERROR), MPAY_INVALID_ARGUMENT, MPAY_OUTCOME_NOT_SENT);
}

/* ---- calls ---- */

static mpay_payment *wait_for(const mpay_client *client, const char *order_id, const char *status) {
    for (;;) {
        mpay_payment *payment = NULL;
        EXPECT(mpay_get_status(client, order_id, &payment, ERROR), MPAY_OK, 0);
        if (!payment || same(mpay_payment_status(payment), status) || mpay_payment_is_final(payment)) return payment;
        mpay_payment_free(payment);
    }
}

static void a_payment_goes_from_amounts_to_done(void) {
    mpay_client *client = sandbox_client(NULL), *patient = NULL;
    mpay_payment_request *request = good_request();
    mpay_amounts *amounts = NULL;
    mpay_payment *payment = NULL;
    char order_id[128];
    size_t i;

    CHECK(mpay_payment_request_set_sum_drift_up(request, "500") == MPAY_OK);
    CHECK(mpay_payment_request_set_sum_drift_down(request, "500.00") == MPAY_OK);
    EXPECT(mpay_get_available_amounts(client, request, &amounts, ERROR), MPAY_OK, 0);
    CHECK(mpay_amounts_count(amounts) > 0 && mpay_amounts_json(amounts) != NULL);
    for (i = 0; i < mpay_amounts_count(amounts); i++) {
        CHECK(mpay_amounts_get(amounts, i) != NULL && mpay_amounts_get_minor(amounts, i) > 0);
    }
    CHECK(mpay_amounts_get(amounts, mpay_amounts_count(amounts)) == NULL && mpay_amounts_get(amounts, SIZE_MAX) == NULL);
    CHECK(mpay_amounts_get_minor(amounts, SIZE_MAX) == MPAY_NO_MINOR);
    CHECK(mpay_amounts_other_possible(amounts) == 0 || mpay_amounts_other_possible(amounts) == 1);
    mpay_amounts_free(amounts);

    CHECK(mpay_payment_request_set_sum_minor(request, 150050) == MPAY_OK);
    CHECK(mpay_payment_request_set_currency(request, "RUB") == MPAY_OK);
    CHECK(mpay_payment_request_set_payer_bank(request, "100000000111") == MPAY_OK);
    CHECK(mpay_payment_request_set_merchant_id(request, "till-7-000042") == MPAY_OK);
    CHECK(mpay_payment_request_set_status_webhook_url(request, "http://127.0.0.1:9/hook") == MPAY_OK);
    EXPECT(mpay_client_derive(client, 20000, &patient, ERROR), MPAY_OK, 0);
    EXPECT(mpay_new_payment(patient, request, &payment, ERROR), MPAY_OK, 0);
    CHECK(same(mpay_payment_sum(payment), "1500.50") && mpay_payment_sum_minor(payment) == 150050);
    CHECK(mpay_payment_paid(payment, "1500.5") == MPAY_PAID_EXACTLY && mpay_payment_paid(payment, "1500.51") == MPAY_PAID_LESS);
    CHECK(mpay_payment_paid(payment, "1500.499") == MPAY_PAID_MORE && mpay_payment_paid(payment, "1500,50") == 0);
    CHECK(mpay_payment_paid(payment, NULL) == 0 && mpay_payment_paid(payment, NOT_UTF8) == 0);
    CHECK(same(mpay_payment_currency(payment), "RUB") && mpay_payment_status(payment) == NULL && !mpay_payment_is_final(payment));
    CHECK(mpay_payment_status_code(payment) == 0);
    CHECK(mpay_payment_payee_account(payment) && mpay_payment_payee_account_bank(payment) && mpay_payment_payee_name(payment));
    CHECK(mpay_payment_deal_sum(payment) && mpay_payment_deal_currency(payment) && mpay_payment_deal_rate(payment));
    CHECK(mpay_payment_deeplink(payment) && strstr(mpay_payment_json(payment), "\"payeeAccount\"") != NULL);
    the_fields_are_those_of_the_getters(payment);
    snprintf(order_id, sizeof order_id, "%s", mpay_payment_order_id(payment));
    mpay_payment_free(payment);
    mpay_client_free(client); /* the second handle goes on */

    EXPECT(mpay_client_connect(patient, ERROR), MPAY_OK, 0);
    EXPECT(mpay_confirm(patient, order_id, ERROR), MPAY_OK, 0);
    EXPECT(mpay_wait(patient, order_id, 20000, &payment, ERROR), MPAY_OK, 0);
    CHECK(same(mpay_payment_status(payment), "doneSuccess") && mpay_payment_is_final(payment) == 1);
    CHECK(mpay_payment_status_code(payment) == MPAY_STATUS_DONE_SUCCESS);
    CHECK(same(mpay_payment_order_id(payment), order_id) && mpay_payment_currency(payment) == NULL);
    mpay_payment_free(payment);
    mpay_payment_request_free(request);
    mpay_client_free(patient);
}

static void arbitration_ends_with_a_receipt(void) {
    mpay_client *client = sandbox_client(NULL);
    char order_id[128];
    mpay_payment *payment;
    mpay_receipt *receipt;
    new_order(client, "arbitration", order_id, sizeof order_id);
    EXPECT(mpay_confirm(client, order_id, ERROR), MPAY_OK, 0);
    payment = wait_for(client, order_id, "receiptRequired");
    CHECK(same(mpay_payment_status(payment), "receiptRequired"));
    mpay_payment_free(payment);
    receipt = mpay_receipt_new(order_id);
    EXPECT(mpay_receipt_add_file(receipt, setting("RECEIPT"), ERROR), MPAY_OK, 0);
    EXPECT(mpay_receipt_add_bytes(receipt, "второй.png", "image/png", "\x89PNG\r\n\x1a\n\0\0", 10, ERROR), MPAY_OK, 0);
    EXPECT(mpay_attach_receipt(client, receipt, ERROR), MPAY_OK, 0);
    mpay_receipt_free(receipt);
    payment = wait_for(client, order_id, "doneSuccess");
    CHECK(same(mpay_payment_status(payment), "doneSuccess"));
    mpay_payment_free(payment);
    mpay_client_free(client);
}

static void a_wait_ends_with_its_time(void) {
    mpay_client *client = sandbox_client(NULL);
    char order_id[128];
    mpay_payment *payment;
    mpay_error *error = NULL;
    int32_t code;
    new_order(client, "stays-pending", order_id, sizeof order_id);
    memset(&payment, 0x55, sizeof payment);
    code = mpay_wait(client, order_id, 0, &payment, &error);
    CHECK(payment == NULL && same(mpay_error_order_id(error), order_id) && strstr(mpay_error_message(error), "pending"));
    expect(code, error, MPAY_TIMEOUT, MPAY_OUTCOME_UNKNOWN, __FILE__, __LINE__);
    mpay_client_interrupt(client);
    EXPECT(mpay_wait(client, order_id, UINT32_MAX, &payment, ERROR), MPAY_CANCELLED, MPAY_OUTCOME_NOT_SENT);
    EXPECT(mpay_client_connect(client, ERROR), MPAY_CANCELLED, MPAY_OUTCOME_NOT_SENT);
    mpay_client_free(client);
}

static void a_payment_can_be_cancelled_once(void) {
    mpay_client *client = sandbox_client(NULL);
    char order_id[128];
    mpay_error *error = NULL;
    new_order(client, "79001234567", order_id, sizeof order_id);
    EXPECT(mpay_cancel(client, order_id, ERROR), MPAY_OK, 0);
    CHECK(mpay_cancel(client, order_id, &error) == MPAY_REJECTED);
    CHECK(mpay_error_code(error) == MPAY_REJECTED && same(mpay_error_code_name(error), "rejected"));
    CHECK(mpay_error_outcome(error) == MPAY_OUTCOME_REJECTED && same(mpay_error_outcome_name(error), "rejected"));
    CHECK(same(mpay_error_description(error), "payment could not be canceled"));
    CHECK(same(mpay_error_reason(error), "payment_could_not_be_canceled"));
    CHECK(mpay_error_reason_code(error) == MPAY_REASON_PAYMENT_COULD_NOT_BE_CANCELED);
    CHECK(mpay_error_http_status(error) == 403 && same(mpay_error_order_id(error), order_id));
    CHECK(mpay_error_body(error) != NULL && strlen(mpay_error_body(error)) == mpay_error_body_len(error));
    CHECK(mpay_error_content_type(error) == NULL && mpay_error_excerpt(error) == NULL);
    mpay_error_free(error);
    mpay_client_free(client);
}

static void credentials_can_come_later(void) {
    mpay_client *client = sandbox_client(NULL);
    mpay_payment_request *request = good_request();
    mpay_payment *payment = NULL;
    EXPECT(mpay_new_payment_async(client, request, &payment, ERROR), MPAY_INVALID_ARGUMENT, MPAY_OUTCOME_NOT_SENT);
    CHECK(mpay_payment_request_set_credentials_webhook_url(request, "http://127.0.0.1:9/hook") == MPAY_OK);
    EXPECT(mpay_new_payment(client, request, &payment, ERROR), MPAY_INVALID_ARGUMENT, MPAY_OUTCOME_NOT_SENT);
    EXPECT(mpay_new_payment_async(client, request, &payment, ERROR), MPAY_OK, 0);
    CHECK(mpay_payment_order_id(payment) != NULL && mpay_payment_sum(payment) == NULL);
    CHECK(mpay_payment_sum_minor(payment) == MPAY_NO_MINOR && mpay_payment_paid(payment, "1500.50") == 0);
    mpay_payment_free(payment);
    mpay_payment_request_free(request);
    mpay_client_free(client);
}

static void a_request_with_a_field_that_cannot_be_read_is_not_sent(void) {
    mpay_client *client = sandbox_client(NULL);
    static const struct {
        int32_t (*set)(mpay_payment_request *, const char *);
        const char *value;
        int32_t code;
    } rows[] = {
        {mpay_payment_request_set_sum, "1500,50", MPAY_OK},
        {mpay_payment_request_set_sum, "0", MPAY_OK},
        {mpay_payment_request_set_sum, "-1", MPAY_OK},
        {mpay_payment_request_set_sum, NULL, MPAY_OK},
        {mpay_payment_request_set_sum, "0.12345678901234567890123456789", MPAY_OK},
        {mpay_payment_request_set_sum, NOT_UTF8, MPAY_INVALID_ARGUMENT},
        {mpay_payment_request_set_currency, "USD", MPAY_OK},
        {mpay_payment_request_set_payment_method, "cash", MPAY_OK},
        {mpay_payment_request_set_customer_account, "", MPAY_OK},
        {mpay_payment_request_set_customer_account, NOT_UTF8, MPAY_INVALID_ARGUMENT},
        {mpay_payment_request_set_payer_bank, NOT_UTF8, MPAY_INVALID_ARGUMENT},
        {mpay_payment_request_set_merchant_id, NOT_UTF8, MPAY_INVALID_ARGUMENT},
        {mpay_payment_request_set_status_webhook_url, "not a url", MPAY_OK},
    };
    size_t i;
    for (i = 0; i < sizeof rows / sizeof *rows; i++) {
        mpay_payment_request *request = good_request();
        mpay_payment *payment = NULL;
        CHECK(rows[i].set(request, rows[i].value) == rows[i].code);
        EXPECT(mpay_new_payment(client, request, &payment, ERROR), MPAY_INVALID_ARGUMENT, MPAY_OUTCOME_NOT_SENT);
        mpay_payment_request_free(request);
    }
    mpay_client_free(client);
}

static void what_a_faulty_service_does_is_reported_with_its_outcome(void) {
    enum { ANY = -1 }; /* some HTTP status, whatever it is */
    /* Name of the variable with the service's URL, and what its /status and /confirm come to. */
    static const struct {
        const char *service;
        int32_t code, outcome, http_status, is_transient;
    } rows[] = {
        {"SERVICE_UNSIGNED", MPAY_UNVERIFIED, MPAY_OUTCOME_UNKNOWN, ANY, 0},
        {"SERVICE_WRONG_KEY", MPAY_UNVERIFIED, MPAY_OUTCOME_UNKNOWN, ANY, 0},
        {"SERVICE_TAMPERED", MPAY_UNVERIFIED, MPAY_OUTCOME_UNKNOWN, ANY, 0},
        {"SERVICE_REFLECTED", MPAY_UNVERIFIED, MPAY_OUTCOME_UNKNOWN, ANY, 0},
        {"SERVICE_BAD_GATEWAY", MPAY_UNVERIFIED, MPAY_OUTCOME_UNKNOWN, 502, 1},
        {"SERVICE_WRONG_ORDER", MPAY_MALFORMED, MPAY_OUTCOME_UNKNOWN, ANY, 0},
        {"SERVICE_DUPLICATE_KEYS", MPAY_MALFORMED, MPAY_OUTCOME_UNKNOWN, ANY, 0},
        {"SERVICE_REDIRECT", MPAY_TRANSPORT, MPAY_OUTCOME_UNKNOWN, 307, 0},
        {"SERVICE_OVERSIZED", MPAY_TRANSPORT, MPAY_OUTCOME_UNKNOWN, ANY, 0},
        {"SERVICE_DROPS", MPAY_TRANSPORT, MPAY_OUTCOME_UNKNOWN, 0, 1},
        {"SERVICE_SLOW", MPAY_TIMEOUT, MPAY_OUTCOME_UNKNOWN, 0, 1},
        {"SERVICE_NOBODY", MPAY_TRANSPORT, MPAY_OUTCOME_NOT_SENT, 0, 1},
    };
    mpay_client *healthy = sandbox_client(NULL);
    char order_id[128];
    size_t i;
    new_order(healthy, "79001234567", order_id, sizeof order_id);
    for (i = 0; i < sizeof rows / sizeof *rows; i++) {
        mpay_config *config = sandbox_config(setting(rows[i].service));
        mpay_client *client = NULL;
        mpay_payment *payment;
        mpay_error *error = NULL;
        int32_t code;
        CHECK(mpay_config_set_max_retries(config, 0) == MPAY_OK);
        if (rows[i].code == MPAY_TIMEOUT) CHECK(mpay_config_set_timeout_ms(config, 300) == MPAY_OK);
        EXPECT(mpay_client_new(config, &client, ERROR), MPAY_OK, 0);
        memset(&payment, 0x55, sizeof payment);
        code = mpay_get_status(client, order_id, &payment, &error);
        if (code != rows[i].code) fprintf(stderr, "%s\n", rows[i].service);
        CHECK(payment == NULL && same(mpay_error_order_id(error), order_id));
        CHECK(mpay_error_is_transient(error) == rows[i].is_transient);
        CHECK(rows[i].http_status == ANY ? mpay_error_http_status(error) >= 200 : mpay_error_http_status(error) == rows[i].http_status);
        if (rows[i].http_status == 502) CHECK(mpay_error_content_type(error) && mpay_error_excerpt(error));
        expect(code, error, rows[i].code, rows[i].outcome, __FILE__, __LINE__);
        EXPECT(mpay_confirm(client, order_id, ERROR), rows[i].code, rows[i].outcome);
        mpay_client_free(client);
        mpay_config_free(config);
    }
    mpay_client_free(healthy);
}

/* ---- interruptions ---- */

/* Listens on this machine; nobody answers. */
static int listening(char *url, size_t size) {
    struct sockaddr_in address;
    socklen_t len = sizeof address;
    int listener = socket(AF_INET, SOCK_STREAM, 0);
    memset(&address, 0, sizeof address);
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    CHECK(bind(listener, (const struct sockaddr *)&address, len) == 0 && listen(listener, 8) == 0);
    CHECK(getsockname(listener, (struct sockaddr *)&address, &len) == 0);
    snprintf(url, size, "http://127.0.0.1:%d", ntohs(address.sin_port));
    return listener;
}

struct call {
    const mpay_client *client;
    mpay_error *error;
    int32_t code;
};

static void *confirm(void *pointer) {
    struct call *call = pointer;
    call->code = mpay_confirm(call->client, "o-1", &call->error);
    return NULL;
}

static void an_interruption_ends_the_calls_that_run_and_lets_no_more_start(void) {
    char url[64], byte;
    int listener = listening(url, sizeof url), i;
    mpay_client *client = sandbox_client(url), *sale = NULL, *hurried = NULL, *later = NULL;
    struct call calls[2] = {{NULL, NULL, 0}, {NULL, NULL, 0}};
    pthread_t threads[2];
    int connections[2];
    EXPECT(mpay_client_derive(client, 0, &sale, ERROR), MPAY_OK, 0);
    EXPECT(mpay_client_derive(sale, 20000, &hurried, ERROR), MPAY_OK, 0);
    calls[0].client = sale;
    calls[1].client = hurried;
    for (i = 0; i < 2; i++) CHECK(pthread_create(&threads[i], NULL, confirm, &calls[i]) == 0);
    for (i = 0; i < 2; i++) {
        connections[i] = accept(listener, NULL, NULL);
        CHECK(read(connections[i], &byte, 1) == 1); /* from here on it may take effect */
    }
    mpay_client_interrupt(NULL);
    mpay_client_interrupt(sale);
    for (i = 0; i < 2; i++) {
        CHECK(pthread_join(threads[i], NULL) == 0);
        CHECK(same(mpay_error_code_name(calls[i].error), "cancelled") && same(mpay_error_order_id(calls[i].error), "o-1"));
        expect(calls[i].code, calls[i].error, MPAY_CANCELLED, MPAY_OUTCOME_UNKNOWN, __FILE__, __LINE__);
        while (read(connections[i], &byte, 1) > 0) {
        }
        close(connections[i]); /* had the call gone on, read would wait for it */
    }
    mpay_client_interrupt(sale);
    EXPECT(mpay_client_derive(sale, 0, &later, ERROR), MPAY_OK, 0);
    EXPECT(mpay_confirm(sale, "o-1", ERROR), MPAY_CANCELLED, MPAY_OUTCOME_NOT_SENT);
    EXPECT(mpay_confirm(hurried, "o-1", ERROR), MPAY_CANCELLED, MPAY_OUTCOME_NOT_SENT);
    EXPECT(mpay_confirm(later, "o-1", ERROR), MPAY_CANCELLED, MPAY_OUTCOME_NOT_SENT);
    close(listener);
    EXPECT(mpay_confirm(client, "o-1", ERROR), MPAY_TRANSPORT, MPAY_OUTCOME_NOT_SENT); /* it goes on, and finds nobody */
    mpay_client_free(sale);
    mpay_client_free(hurried);
    mpay_client_free(later);
    mpay_client_free(client);
}

/* ---- callbacks ---- */

struct log_lines {
    char text[2048];
    int lines;
    int32_t code, outcome, http_status;
};

static void keep_line(void *user_data, const mpay_attempt *attempt) {
    struct log_lines *log = user_data;
    size_t used = strlen(log->text);
    CHECK(mpay_attempt_operation(attempt) != NULL && mpay_attempt_number(attempt) >= 1 && mpay_attempt_elapsed_ms(attempt) < 60000);
    snprintf(log->text + used, sizeof log->text - used, "%s %s\n", mpay_attempt_operation(attempt), mpay_attempt_line(attempt));
    log->lines++;
    log->code = mpay_attempt_code(attempt);
    log->outcome = mpay_attempt_outcome(attempt);
    log->http_status = mpay_attempt_http_status(attempt);
    if (same(mpay_attempt_operation(attempt), "getStatus")) CHECK(same(mpay_attempt_order_id(attempt), "no-such-order"));
}

static void the_log_is_told_of_every_attempt_and_of_no_secret(void) {
    struct log_lines log = {"", 0, 0, 0, 0};
    mpay_config *config = sandbox_config(NULL);
    mpay_client *client = NULL;
    mpay_payment *payment = NULL;
    char order_id[128];
    CHECK(mpay_config_set_log_callback(config, keep_line, &log) == MPAY_OK);
    EXPECT(mpay_client_new(config, &client, ERROR), MPAY_OK, 0);
    new_order(client, "79001234567", order_id, sizeof order_id);
    CHECK(log.lines == 1 && log.code == MPAY_OK && log.outcome == 0 && log.http_status == 200);
    EXPECT(mpay_get_status(client, "no-such-order", &payment, ERROR), MPAY_REJECTED, MPAY_OUTCOME_REJECTED);
    CHECK(log.lines == 2 && log.code == MPAY_REJECTED && log.outcome == MPAY_OUTCOME_REJECTED);
    CHECK(strstr(log.text, "newPayment") && strstr(log.text, "no-such-order") && strstr(log.text, "rejected"));
    CHECK(!strstr(log.text, "79001234567") && !strstr(log.text, setting("MERCHANTPAY_PRIVATE_KEY")));
    mpay_client_free(client);
    CHECK(mpay_config_set_log_callback(config, NULL, NULL) == MPAY_OK);
    EXPECT(mpay_client_new(config, &client, ERROR), MPAY_OK, 0);
    EXPECT(mpay_get_status(client, "no-such-order", &payment, ERROR), MPAY_REJECTED, MPAY_OUTCOME_REJECTED);
    CHECK(log.lines == 2);
    mpay_client_free(client);
    mpay_config_free(config);
}

/* An HSM that knows one signature. */
struct hsm {
    int32_t answer;
    unsigned char signature[64];
    char message[256];
    int calls;
};

static int32_t hsm_sign(void *user_data, const void *message, size_t len, void *signature) {
    struct hsm *hsm = user_data;
    hsm->calls++;
    if (len < sizeof hsm->message) {
        memcpy(hsm->message, message, len);
        hsm->message[len] = 0;
    }
    memcpy(signature, hsm->signature, 64);
    return hsm->answer;
}

static size_t from_base64(const char *text, unsigned char *bytes) {
    static const char alphabet[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    uint32_t bits = 0;
    unsigned held = 0;
    size_t length = 0;
    for (; *text && *text != '='; text++) {
        bits = (bits << 6 | (uint32_t)(strchr(alphabet, *text) - alphabet)) & 0xffff;
        held += 6;
        if (held >= 8) {
            held -= 8;
            bytes[length++] = (unsigned char)(bits >> held);
        }
    }
    return length;
}

static void a_callback_signs_and_its_signature_is_checked_before_anything_is_sent(void) {
    struct hsm hsm = {0, {0}, "", 0};
    mpay_config *config = mpay_config_new();
    mpay_client *client = NULL;
    mpay_protocol *protocol = NULL;
    mpay_http_request *request = NULL;
    mpay_payment *payment = NULL;

    set_service(config, setting("MERCHANTPAY_BASE_URL"));
    CHECK(mpay_config_set_key_id(config, setting("MERCHANTPAY_KEY_ID")) == MPAY_OK);
    CHECK(mpay_config_add_server_public_key(config, setting("MERCHANTPAY_SERVER_PUBLIC_KEY")) == MPAY_OK);
    CHECK(mpay_config_set_signer_callback(config, hsm_sign, &hsm) == MPAY_OK);
    EXPECT(mpay_client_new(config, &client, ERROR), MPAY_INVALID_ARGUMENT, MPAY_OUTCOME_NOT_SENT); /* whose key is it? */
    CHECK(mpay_config_set_public_key(config, setting("MERCHANT_PUBLIC_KEY")) == MPAY_OK);
    EXPECT(mpay_client_new(config, &client, ERROR), MPAY_OK, 0);
    EXPECT(mpay_protocol_new(config, &protocol, ERROR), MPAY_OK, 0);

    EXPECT(mpay_get_status(client, "no-such-order", &payment, ERROR), MPAY_INVALID_KEY, MPAY_OUTCOME_NOT_SENT);
    CHECK(hsm.calls == 1 && same(hsm.message, "{\"orderId\":\"no-such-order\"}"));
    CHECK(from_base64(setting("SIGNATURE_OF_NO_SUCH_ORDER"), hsm.signature) == 64);
    EXPECT(mpay_get_status(client, "no-such-order", &payment, ERROR), MPAY_REJECTED, MPAY_OUTCOME_REJECTED);
    EXPECT(mpay_prepare_get_status(protocol, "no-such-order", &request, ERROR), MPAY_OK, 0);
    mpay_http_request_free(request);
    hsm.answer = -7;
    EXPECT(mpay_get_status(client, "no-such-order", &payment, ERROR), MPAY_SIGNER, MPAY_OUTCOME_NOT_SENT);
    mpay_client_free(client);
    mpay_protocol_free(protocol);

    CHECK(mpay_config_set_private_key(config, setting("MERCHANTPAY_PRIVATE_KEY")) == MPAY_OK);
    EXPECT(mpay_client_new(config, &client, ERROR), MPAY_INVALID_ARGUMENT, MPAY_OUTCOME_NOT_SENT); /* who signs? */
    CHECK(mpay_config_set_signer_callback(config, NULL, NULL) == MPAY_OK);
    EXPECT(mpay_client_new(config, &client, ERROR), MPAY_OK, 0);
    mpay_client_free(client);
    mpay_config_free(config);
}

/* ---- webhooks ---- */

static void a_webhook_is_believed_by_its_signature_alone(void) {
    const char *body = setting("WEBHOOK_BODY"), *signature = setting("WEBHOOK_SIGNATURE");
    char tampered[512];
    mpay_config *config = mpay_config_new();
    mpay_verifier *verifier = NULL;
    mpay_event *event = NULL;
    const mpay_payment *payment;
    size_t len = strlen(body);
    mpay_error *error = NULL;

    EXPECT(mpay_verifier_new(config, &verifier, ERROR), MPAY_INVALID_ARGUMENT, MPAY_OUTCOME_NOT_SENT);
    CHECK(mpay_config_add_server_public_key(config, setting("MERCHANTPAY_SERVER_PUBLIC_KEY")) == MPAY_OK);
    EXPECT(mpay_verifier_new(config, NULL, ERROR), MPAY_INVALID_ARGUMENT, MPAY_OUTCOME_NOT_SENT);
    EXPECT(mpay_verifier_new(NULL, &verifier, ERROR), MPAY_INVALID_ARGUMENT, MPAY_OUTCOME_NOT_SENT);
    EXPECT(mpay_verifier_new(config, &verifier, ERROR), MPAY_OK, 0); /* no private key is needed */

    EXPECT(mpay_verify_webhook(verifier, body, len, signature, NULL, &event, ERROR), MPAY_OK, 0);
    CHECK(mpay_event_kind(event) == MPAY_EVENT_STATUS);
    payment = mpay_event_payment(event);
    CHECK(same(mpay_payment_order_id(payment), "order-1") && same(mpay_payment_status(payment), "doneSuccess"));
    CHECK(same(mpay_payment_sum(payment), "1500.50") && mpay_payment_is_final(payment) && same(mpay_payment_json(payment), body));
    the_fields_of_an_event_are_those_of_the_getters(event);
    mpay_event_free(event);
    EXPECT(mpay_verify_webhook(verifier, setting("CREDENTIALS_BODY"), strlen(setting("CREDENTIALS_BODY")), setting("CREDENTIALS_SIGNATURE"),
                               "server", &event, ERROR),
           MPAY_OK, 0);
    CHECK(mpay_event_kind(event) == MPAY_EVENT_CREDENTIALS);
    the_fields_of_an_event_are_those_of_the_getters(event);
    mpay_event_free(event);
    EXPECT(mpay_verify_webhook(verifier, setting("FAILED_BODY"), strlen(setting("FAILED_BODY")), setting("FAILED_SIGNATURE"), NULL, &event,
                               ERROR),
           MPAY_OK, 0);
    CHECK(mpay_event_kind(event) == MPAY_EVENT_CREDENTIALS_FAILED);
    the_fields_of_an_event_are_those_of_the_getters(event);
    mpay_event_free(event);

    snprintf(tampered, sizeof tampered, "%s ", body);
#define UNVERIFIED(call) EXPECT(call, MPAY_UNVERIFIED, MPAY_OUTCOME_UNKNOWN)
    UNVERIFIED(mpay_verify_webhook(verifier, tampered, len + 1, signature, NULL, &event, ERROR));
    UNVERIFIED(mpay_verify_webhook(verifier, body, len - 1, signature, NULL, &event, ERROR));
    UNVERIFIED(mpay_verify_webhook(verifier, NULL, 0, signature, NULL, &event, ERROR));
    UNVERIFIED(mpay_verify_webhook(verifier, body, len, NULL, NULL, &event, ERROR));
    UNVERIFIED(mpay_verify_webhook(verifier, body, len, "", NULL, &event, ERROR));
    UNVERIFIED(mpay_verify_webhook(verifier, body, len, NOT_UTF8, NULL, &event, ERROR));
    CHECK(event == NULL);
    EXPECT(mpay_verify_webhook(verifier, NULL, 1, signature, NULL, &event, ERROR), MPAY_INVALID_ARGUMENT, MPAY_OUTCOME_UNKNOWN);
    EXPECT(mpay_verify_webhook(verifier, body, SIZE_MAX, signature, NULL, &event, ERROR), MPAY_INVALID_ARGUMENT, MPAY_OUTCOME_UNKNOWN);
    EXPECT(mpay_verify_webhook(NULL, body, len, signature, NULL, &event, ERROR), MPAY_INVALID_ARGUMENT, MPAY_OUTCOME_UNKNOWN);
    EXPECT(mpay_verify_webhook(verifier, body, len, signature, NULL, NULL, ERROR), MPAY_INVALID_ARGUMENT, MPAY_OUTCOME_UNKNOWN);
    CHECK(mpay_verify_webhook(verifier, setting("PENDING_BODY"), strlen(setting("PENDING_BODY")), setting("PENDING_SIGNATURE"), NULL,
                              &event, &error) == MPAY_MALFORMED);
    CHECK(event == NULL && same(mpay_error_body(error), setting("PENDING_BODY")) && same(mpay_error_order_id(error), "order-1"));
    mpay_error_free(error);
    mpay_verifier_free(verifier);

    /* Where key ids and the merchant's own key are known, they count. */
    CHECK(mpay_config_add_server_key_id(config, "server") == MPAY_OK);
    CHECK(mpay_config_set_key_id(config, "merchant") == MPAY_OK);
    EXPECT(mpay_verifier_new(config, &verifier, ERROR), MPAY_OK, 0);
    EXPECT(mpay_verify_webhook(verifier, body, len, signature, "server", &event, ERROR), MPAY_OK, 0);
    mpay_event_free(event);
    UNVERIFIED(mpay_verify_webhook(verifier, body, len, signature, "merchant", &event, ERROR));
    UNVERIFIED(mpay_verify_webhook(verifier, body, len, signature, NOT_UTF8, &event, ERROR));
    mpay_verifier_free(verifier);
    CHECK(mpay_config_set_public_key(config, setting("MERCHANTPAY_SERVER_PUBLIC_KEY")) == MPAY_OK);
    EXPECT(mpay_verifier_new(config, &verifier, ERROR), MPAY_INVALID_KEY, MPAY_OUTCOME_NOT_SENT);
    mpay_config_free(config);
}

/* ---- without I/O ---- */

static mpay_http_response *response(int32_t status, const char *signature, const char *body) {
    mpay_http_response *made = mpay_http_response_new();
    CHECK(mpay_http_response_set_status(made, status) == MPAY_OK);
    CHECK(mpay_http_response_add_header(made, "content-type", "application/json") == MPAY_OK);
    if (signature) CHECK(mpay_http_response_add_header(made, "x-signature", signature) == MPAY_OK);
    CHECK(mpay_http_response_set_body(made, body, strlen(body)) == MPAY_OK);
    return made;
}

static void every_operation_can_be_prepared_and_opened_without_io(void) {
    const char *confirmed = setting("CONFIRMED_BODY"), *signature = setting("CONFIRMED_SIGNATURE");
    mpay_config *config = sandbox_config(NULL), *no_ids = mpay_config_new();
    mpay_protocol *protocol = NULL, *prefixed = NULL;
    mpay_payment_request *request = good_request(), *later = good_request();
    mpay_receipt *receipt = mpay_receipt_new("order-1");
    mpay_http_request *prepared[7] = {NULL, NULL, NULL, NULL, NULL, NULL, NULL}, *none;
    mpay_http_response *good, *bad, *amounts_reply, *credentials, *status, *empty = mpay_http_response_new();
    mpay_payment *payment = NULL;
    mpay_amounts *amounts = NULL;
    size_t i;

    CHECK(mpay_config_set_base_url(no_ids, "https://pay.example/prefix/") == MPAY_OK);
    CHECK(mpay_config_set_key_id(no_ids, "merchant") == MPAY_OK);
    CHECK(mpay_config_set_private_key(no_ids, setting("MERCHANTPAY_PRIVATE_KEY")) == MPAY_OK);
    CHECK(mpay_config_add_server_public_key(no_ids, setting("MERCHANTPAY_SERVER_PUBLIC_KEY")) == MPAY_OK);
    EXPECT(mpay_protocol_new(no_ids, &prefixed, ERROR), MPAY_OK, 0);
    EXPECT(mpay_protocol_new(NULL, &protocol, ERROR), MPAY_INVALID_ARGUMENT, MPAY_OUTCOME_NOT_SENT);
    EXPECT(mpay_protocol_new(config, NULL, ERROR), MPAY_INVALID_ARGUMENT, MPAY_OUTCOME_NOT_SENT);
    EXPECT(mpay_protocol_new(config, &protocol, ERROR), MPAY_OK, 0);

    CHECK(mpay_payment_request_set_credentials_webhook_url(later, "https://shop.example/hook") == MPAY_OK);
    EXPECT(mpay_receipt_add_bytes(receipt, "r.pdf", "application/pdf", "%PDF", 4, ERROR), MPAY_OK, 0);
    EXPECT(mpay_prepare_get_available_amounts(prefixed, request, &prepared[0], ERROR), MPAY_OK, 0);
    EXPECT(mpay_prepare_new_payment(prefixed, request, &prepared[1], ERROR), MPAY_OK, 0);
    EXPECT(mpay_prepare_new_payment_async(prefixed, later, &prepared[2], ERROR), MPAY_OK, 0);
    EXPECT(mpay_prepare_confirm(prefixed, "order-1", &prepared[3], ERROR), MPAY_OK, 0);
    EXPECT(mpay_prepare_cancel(prefixed, "order-1", &prepared[4], ERROR), MPAY_OK, 0);
    EXPECT(mpay_prepare_get_status(prefixed, "order-1", &prepared[5], ERROR), MPAY_OK, 0);
    EXPECT(mpay_prepare_attach_receipt(prefixed, receipt, &prepared[6], ERROR), MPAY_OK, 0);
    mpay_protocol_free(prefixed); /* what it prepared stays */
    for (i = 0; i < 7; i++) {
        size_t h;
        CHECK(strstr(mpay_http_request_url(prepared[i]), "https://pay.example/prefix/api/v1/merchant/pay/") != NULL);
        CHECK(mpay_http_request_header_count(prepared[i]) == 3);
        for (h = 0; h < mpay_http_request_header_count(prepared[i]); h++) {
            CHECK(mpay_http_request_header_name(prepared[i], h) && mpay_http_request_header_value(prepared[i], h));
        }
        CHECK(mpay_http_request_header_name(prepared[i], h) == NULL && mpay_http_request_header_value(prepared[i], h) == NULL);
        the_head_is_that_of_the_getters(prepared[i]);
        CHECK(mpay_http_request_body(prepared[i]) != NULL && mpay_http_request_body_len(prepared[i]) > 10);
    }
    CHECK(mpay_http_request_body_len(prepared[3]) == strlen("{\"orderId\":\"order-1\"}"));
    CHECK(memcmp(mpay_http_request_body(prepared[3]), "{\"orderId\":\"order-1\"}", 21) == 0);

    REFUSED_AND_NULL(none, mpay_prepare_get_available_amounts(NULL, request, &none, ERROR));
    REFUSED_AND_NULL(none, mpay_prepare_get_available_amounts(protocol, NULL, &none, ERROR));
    REFUSED_AND_NULL(none, mpay_prepare_new_payment(NULL, request, &none, ERROR));
    REFUSED_AND_NULL(none, mpay_prepare_new_payment(protocol, NULL, &none, ERROR));
    REFUSED_AND_NULL(none, mpay_prepare_new_payment_async(NULL, later, &none, ERROR));
    REFUSED_AND_NULL(none, mpay_prepare_new_payment_async(protocol, request, &none, ERROR));
    REFUSED_AND_NULL(none, mpay_prepare_confirm(NULL, "order-1", &none, ERROR));
    REFUSED_AND_NULL(none, mpay_prepare_confirm(protocol, NULL, &none, ERROR));
    REFUSED_AND_NULL(none, mpay_prepare_cancel(protocol, "", &none, ERROR));
    REFUSED_AND_NULL(none, mpay_prepare_get_status(protocol, NOT_UTF8, &none, ERROR));
    REFUSED_AND_NULL(none, mpay_prepare_attach_receipt(protocol, NULL, &none, ERROR));
    REFUSED(mpay_prepare_confirm(protocol, "order-1", NULL, ERROR));

    good = response(200, signature, confirmed);
    bad = response(502, NULL, "<html>bad gateway</html>");
    amounts_reply = response(200, setting("AMOUNTS_SIGNATURE"), setting("AMOUNTS_BODY"));
    credentials = response(200, setting("CREDENTIALS_SIGNATURE"), setting("CREDENTIALS_BODY"));
    status = response(200, setting("WEBHOOK_SIGNATURE"), setting("WEBHOOK_BODY"));
    EXPECT(mpay_open_get_available_amounts(prepared[0], amounts_reply, &amounts, ERROR), MPAY_OK, 0);
    CHECK(mpay_amounts_count(amounts) == 2 && same(mpay_amounts_get(amounts, 0), "1000") && mpay_amounts_other_possible(amounts) == 1);
    CHECK(same(mpay_amounts_get(amounts, 1), "1500.505") && mpay_amounts_get_minor(amounts, 1) == MPAY_NO_MINOR);
    mpay_amounts_free(amounts);
    EXPECT(mpay_open_new_payment(prepared[1], credentials, &payment, ERROR), MPAY_OK, 0);
    CHECK(same(mpay_payment_order_id(payment), "order-1"));
    mpay_payment_free(payment);
    EXPECT(mpay_open_new_payment_async(prepared[2], good, &payment, ERROR), MPAY_OK, 0);
    mpay_payment_free(payment);
    EXPECT(mpay_open_confirm(prepared[3], good, ERROR), MPAY_OK, 0);
    EXPECT(mpay_open_cancel(prepared[4], good, ERROR), MPAY_OK, 0);
    EXPECT(mpay_open_get_status(prepared[5], status, &payment, ERROR), MPAY_OK, 0);
    mpay_payment_free(payment);
    EXPECT(mpay_open_attach_receipt(prepared[6], good, ERROR), MPAY_OK, 0);

    UNVERIFIED(mpay_open_get_available_amounts(prepared[0], bad, &amounts, ERROR));
    UNVERIFIED(mpay_open_new_payment(prepared[1], bad, &payment, ERROR));
    UNVERIFIED(mpay_open_new_payment_async(prepared[2], bad, &payment, ERROR));
    UNVERIFIED(mpay_open_confirm(prepared[3], bad, ERROR));
    UNVERIFIED(mpay_open_cancel(prepared[4], bad, ERROR));
    UNVERIFIED(mpay_open_get_status(prepared[5], bad, &payment, ERROR));
    UNVERIFIED(mpay_open_attach_receipt(prepared[6], bad, ERROR));

    /* It was sent: a mistake that is made when the reply is opened does not say that it was not. */
#define TOO_LATE(call) EXPECT(call, MPAY_INVALID_ARGUMENT, MPAY_OUTCOME_UNKNOWN)
    TOO_LATE(mpay_open_confirm(NULL, good, ERROR));
    TOO_LATE(mpay_open_confirm(prepared[3], NULL, ERROR));
    TOO_LATE(mpay_open_confirm(prepared[3], empty, ERROR)); /* no status */
    TOO_LATE(mpay_open_cancel(prepared[3], good, ERROR));   /* prepared for confirm */
    TOO_LATE(mpay_open_get_status(prepared[0], good, &payment, ERROR));
    TOO_LATE(mpay_open_get_available_amounts(prepared[1], good, &amounts, ERROR));
    TOO_LATE(mpay_open_new_payment(prepared[1], good, NULL, ERROR));
    CHECK(mpay_http_response_set_status(empty, 99) == MPAY_INVALID_ARGUMENT);
    CHECK(mpay_http_response_set_status(empty, INT32_MIN) == MPAY_INVALID_ARGUMENT);
    TOO_LATE(mpay_open_confirm(prepared[3], empty, ERROR));
    CHECK(mpay_http_response_set_status(empty, 200) == MPAY_OK);
    CHECK(mpay_http_response_add_header(empty, NOT_UTF8, NOT_UTF8) == MPAY_OK);
    CHECK(mpay_http_response_set_body(empty, NULL, 1) == MPAY_INVALID_ARGUMENT);
    TOO_LATE(mpay_open_confirm(prepared[3], empty, ERROR)); /* the body that came is not there */
    CHECK(mpay_http_response_set_body(empty, NULL, 0) == MPAY_OK);
    UNVERIFIED(mpay_open_confirm(prepared[3], empty, ERROR));
    CHECK(mpay_http_response_add_header(good, "X-Signature", signature) == MPAY_OK);
    UNVERIFIED(mpay_open_confirm(prepared[3], good, ERROR)); /* two signatures */

    for (i = 0; i < 2; i++) {
        mpay_http_response *headless = response(200, signature, confirmed);
        EXPECT(mpay_open_confirm(prepared[3], headless, ERROR), MPAY_OK, 0);
        CHECK(mpay_http_response_add_header(headless, i ? "x-signature" : NULL, i ? NULL : "x") == MPAY_INVALID_ARGUMENT);
        TOO_LATE(mpay_open_confirm(prepared[3], headless, ERROR)); /* a header that came is not there */
        mpay_http_response_free(headless);
    }

    for (i = 0; i < 7; i++) mpay_http_request_free(prepared[i]);
    mpay_http_response_free(good);
    mpay_http_response_free(bad);
    mpay_http_response_free(empty);
    mpay_http_response_free(amounts_reply);
    mpay_http_response_free(credentials);
    mpay_http_response_free(status);
    mpay_receipt_free(receipt);
    mpay_payment_request_free(request);
    mpay_payment_request_free(later);
    mpay_protocol_free(protocol);
    mpay_config_free(config);
    mpay_config_free(no_ids);
}

static const struct {
    const char *name;
    void (*run)(void);
} tests[] = {
#define TEST(name) {#name, name}
    TEST(the_versions_agree),
    TEST(freeing_null_does_nothing),
    TEST(a_getter_of_null_gives_nothing),
    TEST(a_setter_of_null_is_an_invalid_argument),
    TEST(null_where_a_value_is_needed_is_an_invalid_argument_and_nothing_is_sent),
    TEST(an_empty_text_is_not_absent),
    TEST(keys_of_the_service_can_be_taken_back),
    TEST(a_number_has_its_name),
    TEST(a_wrong_setting_is_told_at_once_and_once_more_when_it_is_used),
    TEST(plain_http_goes_to_another_machine_only_where_it_is_allowed),
    TEST(a_wrong_setting_of_tls_is_refused),
    TEST(tls_is_with_whom_the_settings_say),
    TEST(what_a_client_needs_is_named),
    TEST(a_pair_of_keys_is_of_the_contracts_sizes),
    TEST(the_balance_is_exact),
    TEST(a_payment_goes_from_amounts_to_done),
    TEST(arbitration_ends_with_a_receipt),
    TEST(a_wait_ends_with_its_time),
    TEST(a_payment_can_be_cancelled_once),
    TEST(credentials_can_come_later),
    TEST(a_request_with_a_field_that_cannot_be_read_is_not_sent),
    TEST(what_a_faulty_service_does_is_reported_with_its_outcome),
    TEST(an_interruption_ends_the_calls_that_run_and_lets_no_more_start),
    TEST(the_log_is_told_of_every_attempt_and_of_no_secret),
    TEST(a_callback_signs_and_its_signature_is_checked_before_anything_is_sent),
    TEST(a_webhook_is_believed_by_its_signature_alone),
    TEST(every_operation_can_be_prepared_and_opened_without_io),
};

int main(void) {
    size_t i;
    for (i = 0; i < sizeof tests / sizeof *tests; i++) {
        int before = failures();
        tests[i].run();
        printf("%s %s\n", failures() == before ? "ok  " : "FAIL", tests[i].name);
        fflush(stdout);
    }
    return failures() ? 1 : 0;
}
