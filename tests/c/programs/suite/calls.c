/* Every kind of call once, so that the tools that check memory see it. The cases of tests/contract check the results. */
#include "../check.h"

#include <stdint.h>
#include <stdio.h>
#include <string.h>

#define UNVERIFIED(call) EXPECT(call, MPAY_UNVERIFIED, MPAY_OUTCOME_UNKNOWN)
/* The request was already sent, so an error at opening the reply must not have the outcome not_sent. */
#define TOO_LATE(call) EXPECT(call, MPAY_INVALID_ARGUMENT, MPAY_OUTCOME_UNKNOWN)

RULE(a_payment_goes_from_amounts_to_done) {
    mpay_client *client = sandbox_client(NULL), *patient = NULL;
    mpay_payment_request *request = good_request();
    mpay_amounts *amounts = NULL;
    mpay_payment *payment = NULL;
    char order_id[128];
    CHECK(mpay_payment_request_set_sum_drift_up(request, "500") == MPAY_OK);
    EXPECT(mpay_get_available_amounts(client, request, &amounts, ERROR), MPAY_OK, 0);
    CHECK(mpay_amounts_count(amounts) > 0 && mpay_amounts_get_minor(amounts, 0) > 0);
    CHECK(mpay_amounts_get(amounts, mpay_amounts_count(amounts)) == NULL && mpay_amounts_get(amounts, SIZE_MAX) == NULL);
    CHECK(mpay_amounts_get_minor(amounts, SIZE_MAX) == MPAY_NO_MINOR);
    mpay_amounts_free(amounts);

    CHECK(mpay_payment_request_set_sum_minor(request, 150050) == MPAY_OK);
    EXPECT(mpay_client_derive(client, 20000, &patient, ERROR), MPAY_OK, 0);
    mpay_client_free(client); /* the derived client still works */
    EXPECT(mpay_client_connect(patient, ERROR), MPAY_OK, 0);
    EXPECT(mpay_new_payment(patient, request, &payment, ERROR), MPAY_OK, 0);
    CHECK(same(mpay_payment_sum(payment), "1500.50") && mpay_payment_sum_minor(payment) == 150050);
    CHECK(mpay_payment_paid(payment, "1500.5") == MPAY_PAID_EXACTLY && mpay_payment_paid(payment, "1500.51") == MPAY_PAID_LESS);
    CHECK(mpay_payment_paid(payment, "1500.499") == MPAY_PAID_MORE && mpay_payment_paid(payment, "1500,50") == 0);
    CHECK(mpay_payment_paid(payment, NULL) == 0 && mpay_payment_paid(payment, NOT_UTF8) == 0);
    the_fields_are_those_of_the_getters(payment);
    snprintf(order_id, sizeof order_id, "%s", mpay_payment_order_id(payment));
    mpay_payment_free(payment);

    EXPECT(mpay_confirm(patient, order_id, ERROR), MPAY_OK, 0);
    EXPECT(mpay_wait(patient, order_id, 20000, &payment, ERROR), MPAY_OK, 0);
    CHECK(mpay_payment_is_final(payment) == 1 && mpay_payment_status_code(payment) == MPAY_STATUS_DONE_SUCCESS);
    the_fields_are_those_of_the_getters(payment);
    mpay_payment_free(payment);

    CHECK(mpay_payment_request_set_credentials_webhook_url(request, "http://127.0.0.1:9/hook") == MPAY_OK);
    EXPECT(mpay_new_payment_async(patient, request, &payment, ERROR), MPAY_OK, 0);
    CHECK(mpay_payment_sum_minor(payment) == MPAY_NO_MINOR && mpay_payment_paid(payment, "1500.50") == 0);
    mpay_payment_free(payment);
    mpay_payment_request_free(request);
    mpay_client_free(patient);
}

RULE(an_arbitration_gets_a_receipt) {
    mpay_client *client = sandbox_client(NULL);
    mpay_receipt *receipt;
    char order_id[128];
    mpay_payment *payment = NULL;
    new_order(client, "arbitration", order_id, sizeof order_id);
    EXPECT(mpay_confirm(client, order_id, ERROR), MPAY_OK, 0);
    do {
        mpay_payment_free(payment);
        EXPECT(mpay_get_status(client, order_id, &payment, ERROR), MPAY_OK, 0);
    } while (payment && !same(mpay_payment_status(payment), "receiptRequired"));
    mpay_payment_free(payment);
    receipt = mpay_receipt_new(order_id);
    EXPECT(mpay_receipt_add_file(receipt, setting("RECEIPT"), ERROR), MPAY_OK, 0);
    EXPECT(mpay_receipt_add_bytes(receipt, "второй.png", "image/png", "\x89PNG\r\n\x1a\n\0\0", 10, ERROR), MPAY_OK, 0);
    EXPECT(mpay_attach_receipt(client, receipt, ERROR), MPAY_OK, 0);
    mpay_receipt_free(receipt);
    mpay_client_free(client);
}

RULE(errors_say_what_happened) {
    mpay_client *client = sandbox_client(NULL), *faulty = sandbox_client(setting("SERVICE_BAD_GATEWAY"));
    char order_id[128];
    mpay_payment *payment;
    mpay_error *error = NULL;
    new_order(client, "stays-pending", order_id, sizeof order_id);
    memset(&payment, 0x55, sizeof payment);
    CHECK(mpay_wait(client, order_id, 0, &payment, &error) == MPAY_TIMEOUT && payment == NULL);
    CHECK(same(mpay_error_order_id(error), order_id) && strstr(mpay_error_message(error), "pending"));
    the_fields_of_an_error_are_those_of_the_getters(error);
    mpay_error_free(error);
    EXPECT(mpay_cancel(client, order_id, ERROR), MPAY_OK, 0);
    CHECK(mpay_cancel(client, order_id, &error) == MPAY_REJECTED);
    CHECK(mpay_error_reason_code(error) == MPAY_REASON_PAYMENT_COULD_NOT_BE_CANCELED);
    CHECK(mpay_error_body(error) != NULL && strlen(mpay_error_body(error)) == mpay_error_body_len(error));
    the_fields_of_an_error_are_those_of_the_getters(error);
    mpay_error_free(error);
    CHECK(mpay_confirm(faulty, order_id, &error) == MPAY_UNVERIFIED);
    CHECK(mpay_error_content_type(error) && mpay_error_excerpt(error));
    the_fields_of_an_error_are_those_of_the_getters(error);
    mpay_error_free(error);
    mpay_client_interrupt(client);
    EXPECT(mpay_wait(client, order_id, UINT32_MAX, &payment, ERROR), MPAY_CANCELLED, MPAY_OUTCOME_NOT_SENT);
    EXPECT(mpay_client_connect(client, ERROR), MPAY_CANCELLED, MPAY_OUTCOME_NOT_SENT);
    mpay_client_free(faulty);
    mpay_client_free(client);
}

RULE(an_event_owns_its_payment) {
    const char *body = setting("WEBHOOK_BODY"), *signature = setting("WEBHOOK_SIGNATURE");
    const size_t len = strlen(body);
    mpay_config *config = sandbox_config(NULL);
    mpay_verifier *verifier = NULL;
    mpay_event *event = NULL;
    mpay_explanation *explanation = NULL;
    EXPECT(mpay_verifier_new(config, &verifier, ERROR), MPAY_OK, 0);
    mpay_config_free(config);
    EXPECT(mpay_verify_webhook(verifier, body, len, signature, NULL, &event, ERROR), MPAY_OK, 0);
    the_fields_of_an_event_are_those_of_the_getters(event);
    mpay_event_free(event);
    UNVERIFIED(mpay_verify_webhook(verifier, NULL, 0, signature, NULL, &event, ERROR));
    UNVERIFIED(mpay_verify_webhook(verifier, body, len, NOT_UTF8, NULL, &event, ERROR));
    UNVERIFIED(mpay_verify_webhook(verifier, body, len, signature, NOT_UTF8, &event, ERROR));
    CHECK(event == NULL);
    TOO_LATE(mpay_verify_webhook(verifier, NULL, 1, signature, NULL, &event, ERROR));
    TOO_LATE(mpay_verify_webhook(verifier, body, SIZE_MAX, signature, NULL, &event, ERROR));
    TOO_LATE(mpay_verify_webhook(verifier, body, len, signature, NULL, NULL, ERROR));
    EXPECT(mpay_explain_webhook(verifier, body, len, signature, NULL, &explanation, ERROR), MPAY_OK, 0);
    CHECK(explanation == NULL);
    EXPECT(mpay_explain_webhook(verifier, body, len - 1, signature, NULL, &explanation, ERROR), MPAY_OK, 0);
    CHECK(mpay_explanation_cause(explanation) != 0 && strchr(mpay_explanation_hint(explanation), '.') != NULL);
    mpay_explanation_free(explanation);
    mpay_verifier_free(verifier);
}

static mpay_http_response *response(const char *signature) {
    const char *confirmed = setting("CONFIRMED_BODY");
    mpay_http_response *made = mpay_http_response_new();
    CHECK(mpay_http_response_set_status(made, 200) == MPAY_OK);
    CHECK(mpay_http_response_add_header(made, "x-signature", signature) == MPAY_OK);
    CHECK(mpay_http_response_add_header(made, "x-keyid", setting("MERCHANTPAY_SERVER_KEY_ID")) == MPAY_OK);
    CHECK(mpay_http_response_set_body(made, confirmed, strlen(confirmed)) == MPAY_OK);
    return made;
}

RULE(incomplete_response_is_not_opened) {
    const char *signature = setting("CONFIRMED_SIGNATURE");
    mpay_config *config = sandbox_config(NULL);
    mpay_protocol *protocol = NULL;
    mpay_http_request *prepared = NULL;
    mpay_http_response *good = response(signature), *empty = mpay_http_response_new(), *headless = response(signature);
    EXPECT(mpay_protocol_new(config, &protocol, ERROR), MPAY_OK, 0);
    EXPECT(mpay_prepare_confirm(protocol, "order-1", &prepared, ERROR), MPAY_OK, 0);
    mpay_config_free(config);
    mpay_protocol_free(protocol); /* the prepared request stays valid */
    the_head_is_that_of_the_getters(prepared);
    CHECK(mpay_http_request_header_name(prepared, 3) == NULL && mpay_http_request_header_value(prepared, SIZE_MAX) == NULL);
    EXPECT(mpay_open_confirm(prepared, good, ERROR), MPAY_OK, 0);
    TOO_LATE(mpay_open_confirm(prepared, NULL, ERROR));
    TOO_LATE(mpay_open_cancel(prepared, good, ERROR));   /* the request is a confirm */
    TOO_LATE(mpay_open_confirm(prepared, empty, ERROR)); /* there is no status */
    CHECK(mpay_http_response_set_status(empty, 99) == MPAY_INVALID_ARGUMENT);
    CHECK(mpay_http_response_set_status(empty, INT32_MIN) == MPAY_INVALID_ARGUMENT);
    CHECK(mpay_http_response_set_status(empty, 200) == MPAY_OK);
    CHECK(mpay_http_response_add_header(empty, NOT_UTF8, NOT_UTF8) == MPAY_OK);
    CHECK(mpay_http_response_set_body(empty, NULL, 1) == MPAY_INVALID_ARGUMENT);
    TOO_LATE(mpay_open_confirm(prepared, empty, ERROR)); /* setting the body failed */
    CHECK(mpay_http_response_set_body(empty, NULL, 0) == MPAY_OK);
    UNVERIFIED(mpay_open_confirm(prepared, empty, ERROR));
    CHECK(mpay_http_response_add_header(headless, NULL, "x") == MPAY_INVALID_ARGUMENT);
    TOO_LATE(mpay_open_confirm(prepared, headless, ERROR)); /* adding a header failed */
    mpay_http_request_free(prepared);
    mpay_http_response_free(good);
    mpay_http_response_free(empty);
    mpay_http_response_free(headless);
}
