/* NULL, empty and unreadable texts for every function's arguments. */
#include "../../../contract/adapters/c/calls.h"
#include "../../../contract/adapters/c/fields.h"
#include "../check.h"

#include <stdint.h>

enum { FUNCTIONS = sizeof functions / sizeof *functions };

RULE(freeing_null_does_nothing) {
    struct values none;
    memset(&none, 0, sizeof none);
    free_handles(&none);
    mpay_client_interrupt(NULL);
    mpay_journal_interrupt(NULL);
}

RULE(missing_values_are_refused) {
    size_t len = 1;
#define CODE(call) CHECK((call) == MPAY_INVALID_ARGUMENT);
#define VALUE(call, none) CHECK((call) == none);
    WITHOUT_VALUES(CODE, VALUE)
    CHECK(!mpay_payment_fields(NULL, &len) && len == 0 && !mpay_payment_fields(NULL, NULL));
    CHECK(!mpay_error_fields(NULL, NULL) && !mpay_attempt_fields(NULL, NULL) && !mpay_event_fields(NULL, NULL));
    CHECK(!mpay_entry_fields(NULL, NULL) && !mpay_http_request_head(NULL, NULL));
}

/* A setter remembers the error of a text that is not UTF-8. */
RULE(a_setter_refuses_text_that_is_not_utf8) {
    mpay_config *config = mpay_config_new();
    mpay_verifier *verifier = NULL;
    mpay_payment_request *request = mpay_payment_request_new();
#define SETTING(verb, name)                                                        \
    CHECK(mpay_config_##verb##_##name(config, NOT_UTF8) == MPAY_INVALID_ARGUMENT); \
    REFUSED(mpay_verifier_new(config, &verifier, ERROR));                          \
    mpay_config_free(config);                                                      \
    config = mpay_config_new();                                                    \
    CHECK(mpay_config_##verb##_##name(config, NULL) == MPAY_OK && verifier == NULL);
#define FIELD(name)                                                                     \
    CHECK(mpay_payment_request_set_##name(request, NOT_UTF8) == MPAY_INVALID_ARGUMENT); \
    CHECK(mpay_payment_request_set_##name(request, NULL) == MPAY_OK);
    SETTINGS(SETTING)
    REQUEST_FIELDS(FIELD)
    mpay_config_free(config);
    mpay_payment_request_free(request);
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

RULE(null_in_place_of_every_handle_is_refused) {
    size_t i;
    for (i = 0; i < FUNCTIONS; i++) {
        struct values none;
        memset(&none, 0, sizeof none);
        EXPECT(functions[i].call(&none, ERROR), MPAY_INVALID_ARGUMENT, outcome_of(functions[i].name));
    }
}

RULE(needed_text_is_checked) {
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

RULE(a_receipt_needs_files_and_an_order) {
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
RULE(a_result_needs_a_place) {
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
