/* The seven operations with the sandbox. */
#include "../suite.h"

#include <stdint.h>
#include <stdio.h>
#include <string.h>

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
    mpay_client_free(client); /* the second handle still works */

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
    enum { ANY = -1 }; /* any HTTP status */
    /* The name of the variable with the service's URL, and the expected results of its /status and
     * /confirm. */
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

void suite_calls(void) {
    RUN(a_payment_goes_from_amounts_to_done);
    RUN(arbitration_ends_with_a_receipt);
    RUN(a_wait_ends_with_its_time);
    RUN(a_payment_can_be_cancelled_once);
    RUN(credentials_can_come_later);
    RUN(a_request_with_a_field_that_cannot_be_read_is_not_sent);
    RUN(what_a_faulty_service_does_is_reported_with_its_outcome);
}
