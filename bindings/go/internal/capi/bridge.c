#include "bridge.h"

#include "_cgo_export.h"

#include <string.h>

static void measure(const char *const *texts, size_t *lens, int count) {
    for (int i = 0; i < count; i++) lens[i] = texts[i] == NULL ? 0 : strlen(texts[i]);
}

/* Takes over an error, and gives the code back. */
static int32_t fail(int32_t code, mpay_error *failure, struct bridge_error *error) {
    error->owner = failure;
    error->code = mpay_error_code(failure);
    error->outcome = mpay_error_outcome(failure);
    error->http_status = mpay_error_http_status(failure);
    error->texts[BRIDGE_ERROR_CODE_NAME] = mpay_error_code_name(failure);
    error->texts[BRIDGE_ERROR_OUTCOME_NAME] = mpay_error_outcome_name(failure);
    error->texts[BRIDGE_ERROR_MESSAGE] = mpay_error_message(failure);
    error->texts[BRIDGE_ERROR_DESCRIPTION] = mpay_error_description(failure);
    error->texts[BRIDGE_ERROR_REASON] = mpay_error_reason(failure);
    error->texts[BRIDGE_ERROR_ORDER_ID] = mpay_error_order_id(failure);
    error->texts[BRIDGE_ERROR_CONTENT_TYPE] = mpay_error_content_type(failure);
    error->texts[BRIDGE_ERROR_EXCERPT] = mpay_error_excerpt(failure);
    measure(error->texts, error->lens, BRIDGE_ERROR_TEXTS);
    error->body = mpay_error_body(failure);
    error->body_len = mpay_error_body_len(failure);
    return code;
}

static void read_payment(const mpay_payment *payment, struct bridge_payment *out) {
    out->texts[BRIDGE_PAYMENT_ORDER_ID] = mpay_payment_order_id(payment);
    out->texts[BRIDGE_PAYMENT_SUM] = mpay_payment_sum(payment);
    out->texts[BRIDGE_PAYMENT_CURRENCY] = mpay_payment_currency(payment);
    out->texts[BRIDGE_PAYMENT_PAYEE_ACCOUNT] = mpay_payment_payee_account(payment);
    out->texts[BRIDGE_PAYMENT_PAYEE_ACCOUNT_BANK] = mpay_payment_payee_account_bank(payment);
    out->texts[BRIDGE_PAYMENT_PAYEE_NAME] = mpay_payment_payee_name(payment);
    out->texts[BRIDGE_PAYMENT_DEAL_SUM] = mpay_payment_deal_sum(payment);
    out->texts[BRIDGE_PAYMENT_DEAL_CURRENCY] = mpay_payment_deal_currency(payment);
    out->texts[BRIDGE_PAYMENT_DEAL_RATE] = mpay_payment_deal_rate(payment);
    out->texts[BRIDGE_PAYMENT_DEEPLINK] = mpay_payment_deeplink(payment);
    out->texts[BRIDGE_PAYMENT_STATUS] = mpay_payment_status(payment);
    out->texts[BRIDGE_PAYMENT_JSON] = mpay_payment_json(payment);
    measure(out->texts, out->lens, BRIDGE_PAYMENT_TEXTS);
    out->is_final = mpay_payment_is_final(payment);
}

static int32_t own_payment(mpay_payment *payment, struct bridge_payment *out) {
    out->payment_owner = payment;
    read_payment(payment, out);
    return MPAY_OK;
}

static int32_t own_amounts(mpay_amounts *amounts, struct bridge_amounts *out) {
    out->owner = amounts;
    out->count = mpay_amounts_count(amounts);
    out->other_possible = mpay_amounts_other_possible(amounts);
    out->json = mpay_amounts_json(amounts);
    return MPAY_OK;
}

void bridge_payment_free(struct bridge_payment *payment) {
    mpay_payment_free(payment->payment_owner);
    mpay_event_free(payment->event_owner);
}

static const char *text(const char *base, const int64_t *at, int i) {
    return at[i] < 0 ? NULL : base + at[i];
}

/* A wrong text is told by whatever uses the request. */
static mpay_payment_request *read_request(const char *base, const int64_t *at) {
    mpay_payment_request *request = mpay_payment_request_new();
    mpay_payment_request_set_sum(request, text(base, at, BRIDGE_SUM));
    mpay_payment_request_set_currency(request, text(base, at, BRIDGE_CURRENCY));
    mpay_payment_request_set_payment_method(request, text(base, at, BRIDGE_PAYMENT_METHOD));
    mpay_payment_request_set_customer_account(request, text(base, at, BRIDGE_CUSTOMER_ACCOUNT));
    mpay_payment_request_set_payer_bank(request, text(base, at, BRIDGE_PAYER_BANK));
    mpay_payment_request_set_merchant_id(request, text(base, at, BRIDGE_MERCHANT_ID));
    mpay_payment_request_set_status_webhook_url(request, text(base, at, BRIDGE_STATUS_WEBHOOK_URL));
    mpay_payment_request_set_credentials_webhook_url(request, text(base, at, BRIDGE_CREDENTIALS_WEBHOOK_URL));
    mpay_payment_request_set_sum_drift_up(request, text(base, at, BRIDGE_SUM_DRIFT_UP));
    mpay_payment_request_set_sum_drift_down(request, text(base, at, BRIDGE_SUM_DRIFT_DOWN));
    return request;
}

/* The client itself, or a second handle with another deadline that *own then has. */
static int32_t with_timeout(const mpay_client **client, uint32_t timeout_ms, mpay_client **own, mpay_error **failure) {
    if (timeout_ms == 0) return MPAY_OK;
    const int32_t code = mpay_client_with_timeout_ms(*client, timeout_ms, own, failure);
    *client = *own;
    return code;
}

int32_t bridge_client_pay(const mpay_client *client, uint32_t timeout_ms, int32_t what, const char *base, const int64_t *at,
                          struct bridge_payment *out, struct bridge_error *error) {
    mpay_client *own = NULL;
    mpay_payment *payment = NULL;
    mpay_error *failure = NULL;
    mpay_payment_request *request = read_request(base, at);
    int32_t code = with_timeout(&client, timeout_ms, &own, &failure);
    if (code == MPAY_OK) {
        code = what == BRIDGE_NEW_PAYMENT ? mpay_new_payment(client, request, &payment, &failure)
                                          : mpay_new_payment_async(client, request, &payment, &failure);
    }
    mpay_payment_request_free(request);
    mpay_client_free(own);
    return code == MPAY_OK ? own_payment(payment, out) : fail(code, failure, error);
}

int32_t bridge_client_amounts(const mpay_client *client, uint32_t timeout_ms, const char *base, const int64_t *at,
                              struct bridge_amounts *out, struct bridge_error *error) {
    mpay_client *own = NULL;
    mpay_amounts *amounts = NULL;
    mpay_error *failure = NULL;
    mpay_payment_request *request = read_request(base, at);
    int32_t code = with_timeout(&client, timeout_ms, &own, &failure);
    if (code == MPAY_OK) code = mpay_get_available_amounts(client, request, &amounts, &failure);
    mpay_payment_request_free(request);
    mpay_client_free(own);
    return code == MPAY_OK ? own_amounts(amounts, out) : fail(code, failure, error);
}

int32_t bridge_client_order(const mpay_client *client, uint32_t timeout_ms, int32_t what, const char *order_id,
                            struct bridge_payment *out, struct bridge_error *error) {
    mpay_client *own = NULL;
    mpay_payment *payment = NULL;
    mpay_error *failure = NULL;
    int32_t code = with_timeout(&client, timeout_ms, &own, &failure);
    if (code == MPAY_OK) {
        code = what == BRIDGE_CONFIRM  ? mpay_confirm(client, order_id, &failure)
               : what == BRIDGE_CANCEL ? mpay_cancel(client, order_id, &failure)
                                       : mpay_get_status(client, order_id, &payment, &failure);
    }
    mpay_client_free(own);
    if (code != MPAY_OK) return fail(code, failure, error);
    return payment != NULL ? own_payment(payment, out) : MPAY_OK;
}

int32_t bridge_client_attach(const mpay_client *client, uint32_t timeout_ms, const mpay_receipt *receipt,
                             struct bridge_error *error) {
    mpay_client *own = NULL;
    mpay_error *failure = NULL;
    int32_t code = with_timeout(&client, timeout_ms, &own, &failure);
    if (code == MPAY_OK) code = mpay_attach_receipt(client, receipt, &failure);
    mpay_client_free(own);
    return code == MPAY_OK ? code : fail(code, failure, error);
}

int32_t bridge_client_new(const mpay_config *config, mpay_client **out, struct bridge_error *error) {
    mpay_error *failure = NULL;
    const int32_t code = mpay_client_new(config, out, &failure);
    return code == MPAY_OK ? code : fail(code, failure, error);
}

int32_t bridge_verifier_new(const mpay_config *config, mpay_verifier **out, struct bridge_error *error) {
    mpay_error *failure = NULL;
    const int32_t code = mpay_verifier_new(config, out, &failure);
    return code == MPAY_OK ? code : fail(code, failure, error);
}

int32_t bridge_verify(const mpay_verifier *verifier, const void *body, size_t len, const char *signature, const char *key_id,
                      struct bridge_payment *out, struct bridge_error *error) {
    mpay_event *event = NULL;
    mpay_error *failure = NULL;
    const int32_t code = mpay_verify_webhook(verifier, body, len, signature, key_id, &event, &failure);
    if (code != MPAY_OK) return fail(code, failure, error);
    out->event_owner = event;
    out->event_kind = mpay_event_kind(event);
    read_payment(mpay_event_payment(event), out);
    return code;
}

void bridge_read_http_request(const mpay_http_request *request, struct bridge_http_request *out) {
    out->header_count = mpay_http_request_header_count(request);
    out->texts[0] = mpay_http_request_url(request);
    /* One that it does not have is NULL. */
    for (size_t i = 0; i < BRIDGE_HTTP_HEADERS; i++) {
        out->texts[1 + 2 * i] = mpay_http_request_header_name(request, i);
        out->texts[2 + 2 * i] = mpay_http_request_header_value(request, i);
    }
    measure(out->texts, out->lens, 1 + 2 * BRIDGE_HTTP_HEADERS);
    out->body = mpay_http_request_body(request);
    out->body_len = mpay_http_request_body_len(request);
}

int32_t bridge_protocol_new(const mpay_config *config, mpay_protocol **out, struct bridge_error *error) {
    mpay_error *failure = NULL;
    const int32_t code = mpay_protocol_new(config, out, &failure);
    return code == MPAY_OK ? code : fail(code, failure, error);
}

int32_t bridge_prepare_request(const mpay_protocol *protocol, int32_t what, const char *base, const int64_t *at,
                               mpay_http_request **out, struct bridge_error *error) {
    mpay_error *failure = NULL;
    mpay_payment_request *request = read_request(base, at);
    const int32_t code = what == BRIDGE_NEW_PAYMENT         ? mpay_prepare_new_payment(protocol, request, out, &failure)
                         : what == BRIDGE_NEW_PAYMENT_ASYNC ? mpay_prepare_new_payment_async(protocol, request, out, &failure)
                                                            : mpay_prepare_get_available_amounts(protocol, request, out, &failure);
    mpay_payment_request_free(request);
    return code == MPAY_OK ? code : fail(code, failure, error);
}

int32_t bridge_prepare_order(const mpay_protocol *protocol, int32_t what, const char *order_id, mpay_http_request **out,
                             struct bridge_error *error) {
    mpay_error *failure = NULL;
    const int32_t code = what == BRIDGE_CONFIRM  ? mpay_prepare_confirm(protocol, order_id, out, &failure)
                         : what == BRIDGE_CANCEL ? mpay_prepare_cancel(protocol, order_id, out, &failure)
                                                 : mpay_prepare_get_status(protocol, order_id, out, &failure);
    return code == MPAY_OK ? code : fail(code, failure, error);
}

int32_t bridge_prepare_receipt(const mpay_protocol *protocol, const mpay_receipt *receipt, mpay_http_request **out,
                               struct bridge_error *error) {
    mpay_error *failure = NULL;
    const int32_t code = mpay_prepare_attach_receipt(protocol, receipt, out, &failure);
    return code == MPAY_OK ? code : fail(code, failure, error);
}

int32_t bridge_open_request(const mpay_http_request *request, const mpay_http_response *response, int32_t what,
                            struct bridge_payment *payment, struct bridge_amounts *amounts, struct bridge_error *error) {
    mpay_payment *paid = NULL;
    mpay_amounts *available = NULL;
    mpay_error *failure = NULL;
    const int32_t code = what == BRIDGE_NEW_PAYMENT         ? mpay_open_new_payment(request, response, &paid, &failure)
                         : what == BRIDGE_NEW_PAYMENT_ASYNC ? mpay_open_new_payment_async(request, response, &paid, &failure)
                                                            : mpay_open_get_available_amounts(request, response, &available, &failure);
    if (code != MPAY_OK) return fail(code, failure, error);
    return paid != NULL ? own_payment(paid, payment) : own_amounts(available, amounts);
}

int32_t bridge_open_order(const mpay_http_request *request, const mpay_http_response *response, int32_t what,
                          struct bridge_payment *out, struct bridge_error *error) {
    mpay_payment *payment = NULL;
    mpay_error *failure = NULL;
    const int32_t code = what == BRIDGE_CONFIRM  ? mpay_open_confirm(request, response, &failure)
                         : what == BRIDGE_CANCEL ? mpay_open_cancel(request, response, &failure)
                                                 : mpay_open_get_status(request, response, &payment, &failure);
    if (code != MPAY_OK) return fail(code, failure, error);
    return payment != NULL ? own_payment(payment, out) : MPAY_OK;
}

int32_t bridge_open_receipt(const mpay_http_request *request, const mpay_http_response *response, struct bridge_error *error) {
    mpay_error *failure = NULL;
    const int32_t code = mpay_open_attach_receipt(request, response, &failure);
    return code == MPAY_OK ? code : fail(code, failure, error);
}

int32_t bridge_receipt_add_file(mpay_receipt *receipt, const char *path, struct bridge_error *error) {
    mpay_error *failure = NULL;
    const int32_t code = mpay_receipt_add_file(receipt, path, &failure);
    return code == MPAY_OK ? code : fail(code, failure, error);
}

int32_t bridge_receipt_add_bytes(mpay_receipt *receipt, const char *name, const char *type, const void *data, size_t len,
                                 struct bridge_error *error) {
    mpay_error *failure = NULL;
    const int32_t code = mpay_receipt_add_bytes(receipt, name, type, data, len, &failure);
    return code == MPAY_OK ? code : fail(code, failure, error);
}

int32_t bridge_keypair(struct bridge_keypair *out, struct bridge_error *error) {
    mpay_error *failure = NULL;
    const int32_t code = mpay_keypair_generate(&out->owner, &failure);
    if (code != MPAY_OK) return fail(code, failure, error);
    out->private_key = mpay_keypair_private_key(out->owner);
    out->public_key = mpay_keypair_public_key(out->owner);
    return code;
}

int32_t bridge_to_balance(const char *sum, const char *rate, int32_t balance, uint32_t scale, int32_t rounding, mpay_amount **out,
                          const char **text, struct bridge_error *error) {
    mpay_error *failure = NULL;
    const int32_t code = mpay_to_balance(sum, rate, balance, scale, rounding, out, &failure);
    if (code != MPAY_OK) return fail(code, failure, error);
    *text = mpay_amount_text(*out);
    return code;
}

static void on_attempt(void *user_data, const mpay_attempt *attempt) {
    struct bridge_attempt told;
    told.operation = mpay_attempt_operation(attempt);
    told.order_id = mpay_attempt_order_id(attempt);
    told.elapsed_ms = mpay_attempt_elapsed_ms(attempt);
    told.number = mpay_attempt_number(attempt);
    told.http_status = mpay_attempt_http_status(attempt);
    told.code = mpay_attempt_code(attempt);
    told.outcome = mpay_attempt_outcome(attempt);
    merchantpayGoAttempt((uintptr_t)user_data, &told);
}

static int32_t on_sign(void *user_data, const void *message, size_t len, void *signature) {
    return merchantpayGoSign((uintptr_t)user_data, (void *)message, len, signature);
}

int32_t bridge_config_set_log(mpay_config *config, uintptr_t handle) {
    return mpay_config_set_log_callback(config, on_attempt, (void *)handle);
}

int32_t bridge_config_set_signer(mpay_config *config, uintptr_t handle) {
    return mpay_config_set_signer_callback(config, on_sign, (void *)handle);
}
