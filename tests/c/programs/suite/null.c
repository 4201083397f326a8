/* NULL, empty and unreadable texts for every function's arguments. */
#include "../../../contract/adapters/c/calls.h"
#include "../../../contract/adapters/c/fields.h"
#include "../suite.h"

#include <stdint.h>

enum { FUNCTIONS = sizeof functions / sizeof *functions };

static void freeing_null_does_nothing(void) {
    struct values none;
    memset(&none, 0, sizeof none);
    free_handles(&none);
    mpay_client_interrupt(NULL);
    mpay_journal_interrupt(NULL);
}

static void a_getter_of_null_gives_nothing(void) {
    size_t len = 1;
#define TEXT(name, value) CHECK((value) == NULL);
#define FLAG(name, value) CHECK((value) == 0);
#define NUMBER FLAG
#define WORD FLAG
#define OF_PAYMENT(KIND, name, getter) KIND(name, mpay_payment_##getter(NULL))
#define OF_ERROR(KIND, name, getter) KIND(name, mpay_error_##getter(NULL))
#define OF_ATTEMPT(KIND, name, getter) KIND(name, mpay_attempt_##getter(NULL))
#define OF_ENTRY(KIND, name, getter) KIND(name, mpay_entry_##getter(NULL))
    PAYMENT_FIELDS(OF_PAYMENT)
    ERROR_FIELDS(OF_ERROR)
    ATTEMPT_FIELDS(OF_ATTEMPT)
    ENTRY_FIELDS(OF_ENTRY)
    CHECK(!mpay_payment_json(NULL) && mpay_payment_sum_minor(NULL) == MPAY_NO_MINOR && !mpay_payment_is_final(NULL));
    CHECK(!mpay_payment_paid(NULL, "1") && !mpay_payment_paid(NULL, NULL) && !mpay_payment_status_code(NULL));
    CHECK(!mpay_payment_fields(NULL, &len) && len == 0 && !mpay_payment_fields(NULL, NULL));
    CHECK(mpay_error_code(NULL) == MPAY_OK && !mpay_error_outcome(NULL) && !mpay_error_reason_code(NULL));
    CHECK(!mpay_error_body(NULL) && !mpay_error_body_len(NULL) && !mpay_error_fields(NULL, NULL));
    CHECK(!mpay_attempt_line(NULL) && !mpay_attempt_elapsed_ms(NULL) && !mpay_attempt_fields(NULL, NULL));
    CHECK(!mpay_amounts_count(NULL) && !mpay_amounts_get(NULL, 0) && mpay_amounts_get_minor(NULL, 0) == MPAY_NO_MINOR);
    CHECK(!mpay_amounts_other_possible(NULL) && !mpay_amounts_json(NULL));
    CHECK(!mpay_amount_text(NULL) && mpay_amount_minor(NULL) == MPAY_NO_MINOR);
    CHECK(!mpay_event_kind(NULL) && !mpay_event_payment(NULL) && !mpay_event_fields(NULL, NULL));
    CHECK(!mpay_explanation_cause(NULL) && !mpay_explanation_cause_name(NULL) && !mpay_explanation_hint(NULL));
    CHECK(!mpay_keypair_private_key(NULL) && !mpay_keypair_public_key(NULL));
    CHECK(!mpay_http_request_url(NULL) && !mpay_http_request_header_count(NULL) && !mpay_http_request_body(NULL));
    CHECK(!mpay_http_request_header_name(NULL, 0) && !mpay_http_request_header_value(NULL, 0) && !mpay_http_request_body_len(NULL));
    CHECK(!mpay_http_request_head(NULL, NULL));
    CHECK(!mpay_entry_standing_name(NULL) && !mpay_entry_json(NULL) && !mpay_entry_credentials(NULL) && !mpay_entry_is_orphan(NULL));
    CHECK(!mpay_entry_error_code(NULL) && !mpay_entry_error_outcome(NULL) && !mpay_entry_error_description(NULL));
    CHECK(!mpay_entry_attention(NULL, 0) && !mpay_entry_detail(NULL, 0) && !mpay_entries_count(NULL) && !mpay_entries_get(NULL, 0));
    CHECK(!mpay_entry_unreadable(NULL) && !mpay_entry_acknowledge_sql(NULL, MPAY_STYLE_AT) && !mpay_entry_fields(NULL, NULL));
    CHECK(!mpay_stats_count(NULL, MPAY_STANDING_OPEN) && !mpay_stats_attention(NULL) && !mpay_stats_due(NULL) && !mpay_stats_news(NULL));
    CHECK(!mpay_stats_overdue_ms(NULL) && !mpay_stats_pause_note(NULL) && !mpay_stats_json(NULL));
}

/* A setter remembers the error of a text that is not UTF-8. */
static void a_setter_of_null_is_an_invalid_argument(void) {
    mpay_config *config = mpay_config_new();
    mpay_verifier *verifier = NULL;
    mpay_payment_request *request = mpay_payment_request_new();
#define SETTING(verb, name)                                                        \
    CHECK(mpay_config_##verb##_##name(NULL, "x") == MPAY_INVALID_ARGUMENT);        \
    CHECK(mpay_config_##verb##_##name(config, NOT_UTF8) == MPAY_INVALID_ARGUMENT); \
    REFUSED(mpay_verifier_new(config, &verifier, ERROR));                          \
    mpay_config_free(config);                                                      \
    config = mpay_config_new();                                                    \
    CHECK(mpay_config_##verb##_##name(config, NULL) == MPAY_OK && verifier == NULL);
#define FIELD(name)                                                                     \
    CHECK(mpay_payment_request_set_##name(NULL, "x") == MPAY_INVALID_ARGUMENT);         \
    CHECK(mpay_payment_request_set_##name(request, NOT_UTF8) == MPAY_INVALID_ARGUMENT); \
    CHECK(mpay_payment_request_set_##name(request, NULL) == MPAY_OK);
    SETTINGS(SETTING)
    REQUEST_FIELDS(FIELD)
    mpay_config_free(config);
    mpay_payment_request_free(request);
#define REFUSES(call) CHECK((call) == MPAY_INVALID_ARGUMENT)
#define OTHER(of, verb, name) REFUSES(mpay_##of##_##verb##_##name(NULL, 0));
    OTHER_SETTINGS(OTHER)
    REFUSES(mpay_config_set_client_certificate(NULL, NULL, NULL));
    REFUSES(mpay_config_set_log_callback(NULL, NULL, NULL, NULL));
    REFUSES(mpay_config_set_signer_callback(NULL, NULL, NULL, NULL));
    REFUSES(mpay_config_clear_server_keys(NULL));
    REFUSES(mpay_payment_request_set_sum_minor(NULL, 1));
    REFUSES(mpay_http_response_set_status(NULL, 200));
    REFUSES(mpay_http_response_add_header(NULL, "a", "b"));
    REFUSES(mpay_http_response_set_body(NULL, "a", 1));
    REFUSED(mpay_config_set(NULL, "key_id", "x", ERROR));
    REFUSED(mpay_config_from_env(NULL, ERROR));
    REFUSED(mpay_journal_config_set(NULL, "place", "x", ERROR));
    REFUSED(mpay_payment_request_set(NULL, "sum", "1", ERROR));
}

/* The request of a reply was sent, and a webhook may be genuine. */
static int32_t outcome_of(const char *function) {
    static const char *const late[] = {"mpay_open_", "mpay_verify_", "mpay_explain_", "mpay_journal_receive"};
    size_t i;
    for (i = 0; i < sizeof late / sizeof *late; i++)
        if (strncmp(function, late[i], strlen(late[i])) == 0) return MPAY_OUTCOME_UNKNOWN;
    return MPAY_OUTCOME_NOT_SENT;
}

static void null_in_place_of_every_handle_is_refused(void) {
    size_t i;
    for (i = 0; i < FUNCTIONS; i++) {
        struct values none;
        memset(&none, 0, sizeof none);
        EXPECT(functions[i].call(&none, ERROR), MPAY_INVALID_ARGUMENT, outcome_of(functions[i].name));
        CHECK(functions[i].call(&none, NULL) == MPAY_INVALID_ARGUMENT);
    }
}

static void a_text_that_is_needed_is_not_null_empty_or_unreadable(void) {
    static const char *const needed[] = {"mpay_confirm",         "mpay_cancel",         "mpay_get_status",        "mpay_wait",
                                         "mpay_prepare_confirm", "mpay_prepare_cancel", "mpay_prepare_get_status"};
    static const char *const texts[] = {NULL, "", NOT_UTF8};
    mpay_config *config = sandbox_config(NULL);
    size_t i, name, text;
    struct values its;
    memset(&its, 0, sizeof its);
    its.config = config;
    EXPECT(call_mpay_client_new(&its, ERROR), MPAY_OK, 0);
    EXPECT(call_mpay_protocol_new(&its, ERROR), MPAY_OK, 0);
    for (i = 0; i < FUNCTIONS; i++) {
        for (name = 0; name < sizeof needed / sizeof *needed; name++) {
            if (!same(functions[i].name, needed[name])) continue;
            for (text = 0; text < sizeof texts / sizeof *texts; text++) {
                its.order_id = texts[text];
                REFUSED(functions[i].call(&its, ERROR));
                CHECK(its.payment == NULL && its.http_request == NULL);
            }
        }
    }
    free_handles(&its);
}

static void a_receipt_needs_files_and_an_order(void) {
    mpay_client *client = sandbox_client(NULL);
    mpay_receipt *receipt = mpay_receipt_new("order");
    REFUSED(mpay_attach_receipt(client, receipt, ERROR)); /* there is no file */
    REFUSED(mpay_receipt_add_file(NULL, "x.pdf", ERROR));
    REFUSED(mpay_receipt_add_file(receipt, NULL, ERROR));
    REFUSED(mpay_receipt_add_bytes(NULL, "x.pdf", "application/pdf", "x", 1, ERROR));
    REFUSED(mpay_receipt_add_bytes(receipt, NULL, "application/pdf", "x", 1, ERROR));
    REFUSED(mpay_receipt_add_bytes(receipt, "x.pdf", NULL, "x", 1, ERROR));
    REFUSED(mpay_receipt_add_bytes(receipt, "x.pdf", "application/pdf", NULL, 1, ERROR));
    REFUSED(mpay_receipt_add_bytes(receipt, "x.pdf", "application/pdf", "x", SIZE_MAX, ERROR));
    mpay_receipt_free(receipt);
    receipt = mpay_receipt_new(NULL);
    REFUSED(mpay_receipt_add_bytes(receipt, "x.pdf", "application/pdf", "%PDF-", 5, ERROR));
    REFUSED(mpay_attach_receipt(client, receipt, ERROR));
    mpay_receipt_free(receipt);
    mpay_client_free(client);
}

/* Nobody would know of the result. */
static void a_result_needs_a_place(void) {
    mpay_client *client = sandbox_client(NULL), *derived;
    mpay_payment_request *request = good_request();
    mpay_config *config = sandbox_config(NULL);
    REFUSED(mpay_client_new(config, NULL, ERROR));
    REFUSED(mpay_client_derive(client, 1, NULL, ERROR));
    REFUSED(mpay_new_payment(client, request, NULL, ERROR));
    REFUSED(mpay_new_payment_async(client, request, NULL, ERROR));
    REFUSED(mpay_get_available_amounts(client, request, NULL, ERROR));
    REFUSED(mpay_get_status(client, "order", NULL, ERROR));
    REFUSED(mpay_keypair_generate(NULL, ERROR));
    memset(&derived, 0x55, sizeof derived);
    REFUSED(mpay_client_derive(NULL, 1, &derived, ERROR));
    CHECK(derived == NULL);
    mpay_config_free(config);
    mpay_payment_request_free(request);
    mpay_client_free(client);
}

void suite_null(void) {
    RUN(freeing_null_does_nothing);
    RUN(a_getter_of_null_gives_nothing);
    RUN(a_setter_of_null_is_an_invalid_argument);
    RUN(null_in_place_of_every_handle_is_refused);
    RUN(a_text_that_is_needed_is_not_null_empty_or_unreadable);
    RUN(a_receipt_needs_files_and_an_order);
    RUN(a_result_needs_a_place);
}
