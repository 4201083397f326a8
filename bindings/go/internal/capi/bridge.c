#include "bridge.h"

#include "_cgo_export.h"

#include <string.h>

/* A pointer into this array represents an error that the library could not make; the index is the error's code.
 * The memory behind these pointers is never read or freed. */
static char unmade[256];

mpay_error *bridge_failure(int32_t code, mpay_error *failure) {
    if (code == MPAY_OK || failure != NULL) return failure;
    return (mpay_error *)&unmade[code & 255];
}

int32_t bridge_unmade(const mpay_error *failure) {
    const size_t place = (uintptr_t)failure - (uintptr_t)unmade;
    return place < sizeof unmade ? (int32_t)place : MPAY_OK;
}

struct bridge_payment bridge_take_payment(mpay_payment *payment, char *buffer, size_t size) {
    struct bridge_payment taken = {0, payment};
    const void *fields = mpay_payment_fields(payment, &taken.total);
    if (taken.total > size) return taken;
    memcpy(buffer, fields, taken.total);
    mpay_payment_free(payment);
    taken.left = NULL;
    return taken;
}

struct bridge_event bridge_take_event(mpay_event *event, char *buffer, size_t size) {
    struct bridge_event taken = {0, event, NULL};
    const void *fields = mpay_event_fields(event, &taken.total);
    if (taken.total > size) return taken;
    memcpy(buffer, fields, taken.total);
    mpay_event_free(event);
    taken.left = NULL;
    return taken;
}

static void own_amounts(mpay_amounts *amounts, struct bridge_amounts *out) {
    if (amounts == NULL) return;
    out->owner = amounts;
    out->count = mpay_amounts_count(amounts);
    out->other_possible = mpay_amounts_other_possible(amounts);
    out->json = mpay_amounts_json(amounts);
}

static mpay_payment_request *read_request(const char *base, const int64_t *at) {
    mpay_payment_request *request = mpay_payment_request_new();
    bridge_set_request(request, base, at);
    return request;
}

mpay_error *bridge_client_derive(const mpay_client *client, uint32_t timeout_ms, mpay_client **out) {
    mpay_error *failure = NULL;
    int32_t code = mpay_client_derive(client, timeout_ms, out, &failure);
    return bridge_failure(code, failure);
}

mpay_error *bridge_client_pay(const mpay_client *client, int32_t what, const char *base, const int64_t *at, mpay_payment **out) {
    mpay_error *failure = NULL;
    int32_t code;
    mpay_payment_request *request = read_request(base, at);
    if (what == BRIDGE_NEW_PAYMENT) code = mpay_new_payment(client, request, out, &failure);
    else code = mpay_new_payment_async(client, request, out, &failure);
    mpay_payment_request_free(request);
    return bridge_failure(code, failure);
}

mpay_error *bridge_client_amounts(const mpay_client *client, const char *base, const int64_t *at, struct bridge_amounts *out) {
    mpay_amounts *amounts = NULL;
    mpay_error *failure = NULL;
    mpay_payment_request *request = read_request(base, at);
    int32_t code = mpay_get_available_amounts(client, request, &amounts, &failure);
    mpay_payment_request_free(request);
    own_amounts(amounts, out);
    return bridge_failure(code, failure);
}

mpay_error *bridge_client_order(const mpay_client *client, int32_t what, const char *order_id, mpay_payment **out) {
    mpay_error *failure = NULL;
    int32_t code;
    if (what == BRIDGE_CONFIRM) code = mpay_confirm(client, order_id, &failure);
    else if (what == BRIDGE_CANCEL) code = mpay_cancel(client, order_id, &failure);
    else code = mpay_get_status(client, order_id, out, &failure);
    return bridge_failure(code, failure);
}

mpay_error *bridge_client_attach(const mpay_client *client, const mpay_receipt *receipt) {
    mpay_error *failure = NULL;
    int32_t code = mpay_attach_receipt(client, receipt, &failure);
    return bridge_failure(code, failure);
}

mpay_error *bridge_client_connect(const mpay_client *client) {
    mpay_error *failure = NULL;
    int32_t code = mpay_client_connect(client, &failure);
    return bridge_failure(code, failure);
}

mpay_error *bridge_client_wait(const mpay_client *client, const char *order_id, uint32_t timeout_ms, mpay_payment **out) {
    mpay_error *failure = NULL;
    int32_t code = mpay_wait(client, order_id, timeout_ms, out, &failure);
    return bridge_failure(code, failure);
}

mpay_error *bridge_client_new(const mpay_config *config, mpay_client **out) {
    mpay_error *failure = NULL;
    int32_t code = mpay_client_new(config, out, &failure);
    return bridge_failure(code, failure);
}

mpay_error *bridge_verifier_new(const mpay_config *config, mpay_verifier **out) {
    mpay_error *failure = NULL;
    int32_t code = mpay_verifier_new(config, out, &failure);
    return bridge_failure(code, failure);
}

struct bridge_event bridge_verify(const mpay_verifier *verifier, const void *body, size_t len, const char *signature, const char *key_id,
                                  char *buffer, size_t size) {
    struct bridge_event taken = {0, NULL, NULL};
    mpay_event *event = NULL;
    int32_t code = mpay_verify_webhook(verifier, body, len, signature, key_id, &event, &taken.failure);
    taken.failure = bridge_failure(code, taken.failure);
    return taken.failure == NULL ? bridge_take_event(event, buffer, size) : taken;
}

struct bridge_explanation bridge_explain(const mpay_verifier *verifier, const void *body, size_t len, const char *signature,
                                         const char *key_id) {
    struct bridge_explanation explained = {NULL, 0, NULL, NULL};
    int32_t code = mpay_explain_webhook(verifier, body, len, signature, key_id, &explained.owner, &explained.failure);
    explained.failure = bridge_failure(code, explained.failure);
    explained.cause = mpay_explanation_cause(explained.owner);
    explained.hint = mpay_explanation_hint(explained.owner);
    return explained;
}

struct bridge_http_request bridge_read_http_request(const mpay_http_request *request, char *buffer, size_t size) {
    struct bridge_http_request read = {0, mpay_http_request_body_len(request)};
    const void *head = mpay_http_request_head(request, &read.head_len);
    if (read.head_len > size || read.body_len > size - read.head_len) return read;
    memcpy(buffer, head, read.head_len);
    if (read.body_len > 0) memcpy(buffer + read.head_len, mpay_http_request_body(request), read.body_len);
    return read;
}

mpay_error *bridge_protocol_new(const mpay_config *config, mpay_protocol **out) {
    mpay_error *failure = NULL;
    int32_t code = mpay_protocol_new(config, out, &failure);
    return bridge_failure(code, failure);
}

struct bridge_prepared bridge_prepare_request(const mpay_protocol *protocol, int32_t what, const char *base, const int64_t *at) {
    struct bridge_prepared prepared = {NULL, NULL};
    int32_t code;
    mpay_payment_request *request = read_request(base, at);
    if (what == BRIDGE_NEW_PAYMENT) code = mpay_prepare_new_payment(protocol, request, &prepared.request, &prepared.failure);
    else if (what == BRIDGE_NEW_PAYMENT_ASYNC)
        code = mpay_prepare_new_payment_async(protocol, request, &prepared.request, &prepared.failure);
    else code = mpay_prepare_get_available_amounts(protocol, request, &prepared.request, &prepared.failure);
    mpay_payment_request_free(request);
    prepared.failure = bridge_failure(code, prepared.failure);
    return prepared;
}

struct bridge_prepared bridge_prepare_order(const mpay_protocol *protocol, int32_t what, const char *order_id) {
    struct bridge_prepared prepared = {NULL, NULL};
    int32_t code;
    if (what == BRIDGE_CONFIRM) code = mpay_prepare_confirm(protocol, order_id, &prepared.request, &prepared.failure);
    else if (what == BRIDGE_CANCEL) code = mpay_prepare_cancel(protocol, order_id, &prepared.request, &prepared.failure);
    else code = mpay_prepare_get_status(protocol, order_id, &prepared.request, &prepared.failure);
    prepared.failure = bridge_failure(code, prepared.failure);
    return prepared;
}

struct bridge_prepared bridge_prepare_receipt(const mpay_protocol *protocol, const mpay_receipt *receipt) {
    struct bridge_prepared prepared = {NULL, NULL};
    int32_t code = mpay_prepare_attach_receipt(protocol, receipt, &prepared.request, &prepared.failure);
    prepared.failure = bridge_failure(code, prepared.failure);
    return prepared;
}

mpay_error *bridge_open_request(const mpay_http_request *request, const mpay_http_response *response, int32_t what, mpay_payment **payment,
                                struct bridge_amounts *amounts) {
    mpay_amounts *available = NULL;
    mpay_error *failure = NULL;
    int32_t code;
    if (what == BRIDGE_NEW_PAYMENT) code = mpay_open_new_payment(request, response, payment, &failure);
    else if (what == BRIDGE_NEW_PAYMENT_ASYNC) code = mpay_open_new_payment_async(request, response, payment, &failure);
    else code = mpay_open_get_available_amounts(request, response, &available, &failure);
    own_amounts(available, amounts);
    return bridge_failure(code, failure);
}

mpay_error *bridge_open_order(const mpay_http_request *request, const mpay_http_response *response, int32_t what, mpay_payment **out) {
    mpay_error *failure = NULL;
    int32_t code;
    if (what == BRIDGE_CONFIRM) code = mpay_open_confirm(request, response, &failure);
    else if (what == BRIDGE_CANCEL) code = mpay_open_cancel(request, response, &failure);
    else code = mpay_open_get_status(request, response, out, &failure);
    return bridge_failure(code, failure);
}

mpay_error *bridge_open_receipt(const mpay_http_request *request, const mpay_http_response *response) {
    mpay_error *failure = NULL;
    int32_t code = mpay_open_attach_receipt(request, response, &failure);
    return bridge_failure(code, failure);
}

mpay_error *bridge_receipt_add_file(mpay_receipt *receipt, const char *path) {
    mpay_error *failure = NULL;
    int32_t code = mpay_receipt_add_file(receipt, path, &failure);
    return bridge_failure(code, failure);
}

mpay_error *bridge_receipt_add_bytes(mpay_receipt *receipt, const char *name, const char *type, const void *data, size_t len) {
    mpay_error *failure = NULL;
    int32_t code = mpay_receipt_add_bytes(receipt, name, type, data, len, &failure);
    return bridge_failure(code, failure);
}

mpay_error *bridge_keypair(struct bridge_keypair *out) {
    mpay_error *failure = NULL;
    int32_t code = mpay_keypair_generate(&out->owner, &failure);
    if (code != MPAY_OK) return bridge_failure(code, failure);
    out->private_key = mpay_keypair_private_key(out->owner);
    out->public_key = mpay_keypair_public_key(out->owner);
    return NULL;
}

mpay_error *bridge_to_balance(const char *sum, const char *rate, int32_t balance, uint32_t scale, int32_t rounding, mpay_amount **out,
                              const char **text) {
    mpay_error *failure = NULL;
    int32_t code = mpay_to_balance(sum, rate, balance, scale, rounding, out, &failure);
    if (code != MPAY_OK) return bridge_failure(code, failure);
    *text = mpay_amount_text(*out);
    return NULL;
}

void MPAY_CALL bridge_release(void *user_data) {
    merchantpayGoRelease((uintptr_t)user_data);
}

static void on_attempt(void *user_data, const mpay_attempt *attempt) {
    size_t len = 0;
    const void *fields = mpay_attempt_fields(attempt, &len);
    merchantpayGoAttempt((uintptr_t)user_data, (void *)fields, len);
}

static int32_t on_sign(void *user_data, const void *message, size_t len, void *signature) {
    return merchantpayGoSign((uintptr_t)user_data, (void *)message, len, signature);
}

mpay_error *bridge_config_set(mpay_config *config, const char *name, const char *text) {
    mpay_error *failure = NULL;
    int32_t code = mpay_config_set(config, name, text, &failure);
    return bridge_failure(code, failure);
}

int32_t bridge_config_set_log(mpay_config *config, uintptr_t handle) {
    return mpay_config_set_log_callback(config, on_attempt, (void *)handle, bridge_release);
}

int32_t bridge_config_set_signer(mpay_config *config, uintptr_t handle) {
    return mpay_config_set_signer_callback(config, on_sign, (void *)handle, bridge_release);
}
