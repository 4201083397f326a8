/* Webhooks, and operations whose bytes the host sends itself. */
#include "../suite.h"

#include <stdint.h>
#include <stdio.h>
#include <string.h>

static void a_webhook_is_believed_by_its_signature_alone(void) {
    const char *body = setting("WEBHOOK_BODY"), *signature = setting("WEBHOOK_SIGNATURE");
    char tampered[512];
    mpay_config *config = mpay_config_new();
    mpay_verifier *verifier = NULL;
    mpay_event *event = NULL;
    mpay_explanation *explanation = NULL;
    const mpay_payment *payment;
    size_t len = strlen(body);
    mpay_error *error = NULL;

    EXPECT(mpay_verifier_new(config, &verifier, ERROR), MPAY_INVALID_ARGUMENT, MPAY_OUTCOME_NOT_SENT);
    CHECK(mpay_config_add_server_public_key(config, setting("MERCHANTPAY_SERVER_PUBLIC_KEY")) == MPAY_OK);
    EXPECT(mpay_verifier_new(config, NULL, ERROR), MPAY_INVALID_ARGUMENT, MPAY_OUTCOME_NOT_SENT);
    EXPECT(mpay_verifier_new(NULL, &verifier, ERROR), MPAY_INVALID_ARGUMENT, MPAY_OUTCOME_NOT_SENT);
    EXPECT(mpay_verifier_new(config, &verifier, ERROR), MPAY_OK, 0); /* a verifier needs no private key */

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
    EXPECT(mpay_explain_webhook(verifier, body, len, signature, NULL, &explanation, ERROR), MPAY_OK, 0);
    CHECK(explanation == NULL);
    EXPECT(mpay_explain_webhook(verifier, tampered, len + 1, signature, NULL, &explanation, ERROR), MPAY_OK, 0);
    CHECK(mpay_explanation_cause(explanation) == MPAY_CAUSE_BODY_CHANGED);
    CHECK(same(mpay_explanation_cause_name(explanation), "body_changed") && strchr(mpay_explanation_hint(explanation), '.') != NULL);
    mpay_explanation_free(explanation);
    EXPECT(mpay_explain_webhook(verifier, body, len, NULL, NULL, &explanation, ERROR), MPAY_OK, 0);
    CHECK(mpay_explanation_cause(explanation) == MPAY_CAUSE_MISSING_SIGNATURE);
    mpay_explanation_free(explanation);
    EXPECT(mpay_explain_webhook(NULL, body, len, signature, NULL, &explanation, ERROR), MPAY_INVALID_ARGUMENT, MPAY_OUTCOME_UNKNOWN);
    EXPECT(mpay_explain_webhook(verifier, NULL, 1, signature, NULL, &explanation, ERROR), MPAY_INVALID_ARGUMENT, MPAY_OUTCOME_UNKNOWN);
    EXPECT(mpay_explain_webhook(verifier, body, len, signature, NULL, NULL, ERROR), MPAY_INVALID_ARGUMENT, MPAY_OUTCOME_UNKNOWN);
    EXPECT(mpay_verify_webhook(verifier, NULL, 1, signature, NULL, &event, ERROR), MPAY_INVALID_ARGUMENT, MPAY_OUTCOME_UNKNOWN);
    EXPECT(mpay_verify_webhook(verifier, body, SIZE_MAX, signature, NULL, &event, ERROR), MPAY_INVALID_ARGUMENT, MPAY_OUTCOME_UNKNOWN);
    EXPECT(mpay_verify_webhook(NULL, body, len, signature, NULL, &event, ERROR), MPAY_INVALID_ARGUMENT, MPAY_OUTCOME_UNKNOWN);
    EXPECT(mpay_verify_webhook(verifier, body, len, signature, NULL, NULL, ERROR), MPAY_INVALID_ARGUMENT, MPAY_OUTCOME_UNKNOWN);
    CHECK(mpay_verify_webhook(verifier, setting("PENDING_BODY"), strlen(setting("PENDING_BODY")), setting("PENDING_SIGNATURE"), NULL,
                              &event, &error) == MPAY_MALFORMED);
    CHECK(event == NULL && same(mpay_error_body(error), setting("PENDING_BODY")) && same(mpay_error_order_id(error), "order-1"));
    mpay_error_free(error);
    mpay_verifier_free(verifier);

    /* If key ids and the merchant's own key are set, they are checked. */
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
    mpay_protocol_free(prefixed); /* the prepared requests stay valid */
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

    /* The request was already sent, so an error at opening the reply must not have the outcome not_sent. */
#define TOO_LATE(call) EXPECT(call, MPAY_INVALID_ARGUMENT, MPAY_OUTCOME_UNKNOWN)
    TOO_LATE(mpay_open_confirm(NULL, good, ERROR));
    TOO_LATE(mpay_open_confirm(prepared[3], NULL, ERROR));
    TOO_LATE(mpay_open_confirm(prepared[3], empty, ERROR)); /* the response has no status */
    TOO_LATE(mpay_open_cancel(prepared[3], good, ERROR));   /* the request is a confirm, not a cancel */
    TOO_LATE(mpay_open_get_status(prepared[0], good, &payment, ERROR));
    TOO_LATE(mpay_open_get_available_amounts(prepared[1], good, &amounts, ERROR));
    TOO_LATE(mpay_open_new_payment(prepared[1], good, NULL, ERROR));
    CHECK(mpay_http_response_set_status(empty, 99) == MPAY_INVALID_ARGUMENT);
    CHECK(mpay_http_response_set_status(empty, INT32_MIN) == MPAY_INVALID_ARGUMENT);
    TOO_LATE(mpay_open_confirm(prepared[3], empty, ERROR));
    CHECK(mpay_http_response_set_status(empty, 200) == MPAY_OK);
    CHECK(mpay_http_response_add_header(empty, NOT_UTF8, NOT_UTF8) == MPAY_OK);
    CHECK(mpay_http_response_set_body(empty, NULL, 1) == MPAY_INVALID_ARGUMENT);
    TOO_LATE(mpay_open_confirm(prepared[3], empty, ERROR)); /* setting the body failed, so the response is incomplete */
    CHECK(mpay_http_response_set_body(empty, NULL, 0) == MPAY_OK);
    UNVERIFIED(mpay_open_confirm(prepared[3], empty, ERROR));
    CHECK(mpay_http_response_add_header(good, "X-Signature", signature) == MPAY_OK);
    UNVERIFIED(mpay_open_confirm(prepared[3], good, ERROR)); /* the response has two signatures */

    for (i = 0; i < 2; i++) {
        mpay_http_response *headless = response(200, signature, confirmed);
        EXPECT(mpay_open_confirm(prepared[3], headless, ERROR), MPAY_OK, 0);
        CHECK(mpay_http_response_add_header(headless, i ? "x-signature" : NULL, i ? NULL : "x") == MPAY_INVALID_ARGUMENT);
        TOO_LATE(mpay_open_confirm(prepared[3], headless, ERROR)); /* adding a header failed, so the response is incomplete */
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

void suite_protocol(void) {
    RUN(a_webhook_is_believed_by_its_signature_alone);
    RUN(every_operation_can_be_prepared_and_opened_without_io);
}
