/* The bridge between Go and merchantpay.h. A call crosses between Go and C as few times as possible. A function
   that can fail returns its error, or NULL after a success. A function that reads a handle copies the handle's
   texts to the caller's buffer and frees the handle. If the texts do not fit, the function keeps the handle. Go
   then repeats the call with a buffer of the size in the result's field "total". Structs that Go passes have
   few pointers or none, because cgo checks each pointer. */
#ifndef MERCHANTPAY_GO_BRIDGE_H
#define MERCHANTPAY_GO_BRIDGE_H

#include <merchantpay_bindings.h>

#include "request.h"

#if MPAY_HEADER_ABI != 0
#error "this package is written for ABI 0 of libmerchantpay"
#endif

/* The operations that need a payment request. */
enum { BRIDGE_NEW_PAYMENT, BRIDGE_NEW_PAYMENT_ASYNC, BRIDGE_GET_AVAILABLE_AMOUNTS };

/* The operations that need an order id. */
enum { BRIDGE_CONFIRM, BRIDGE_CANCEL, BRIDGE_GET_STATUS };

/* The fields of a payment, in the format of mpay_payment_fields. */
struct bridge_payment {
    size_t total;
    mpay_payment *left; /* Set only if the fields did not fit into the buffer. */
};

/* The fields of an event, in the format of mpay_event_fields. */
struct bridge_event {
    size_t total;
    mpay_event *left;
    mpay_error *failure;
};

struct bridge_amounts {
    mpay_amounts *owner;
    const char *json;
    size_t count;
    int32_t other_possible;
};

struct bridge_http_request {
    size_t head_len, body_len; /* The body follows the head. The head has the format of mpay_http_request_head. */
};

struct bridge_prepared {
    mpay_http_request *request;
    mpay_error *failure;
};

struct bridge_keypair {
    mpay_keypair *owner;
    const char *private_key, *public_key;
};

/* The error of a call that returned this code; NULL only if the code is MPAY_OK. If the library could not make
 * the error (for example without memory), this function returns a substitute. */
mpay_error *bridge_failure(int32_t code, mpay_error *failure);
/* The code of a substitute that bridge_failure returned; MPAY_OK for an error that the library made. */
int32_t bridge_unmade(const mpay_error *failure);
struct bridge_payment bridge_take_payment(mpay_payment *payment, char *buffer, size_t size);
struct bridge_event bridge_take_event(mpay_event *event, char *buffer, size_t size);

/* A timeout of 0 means the client's timeout. */
mpay_error *bridge_client_derive(const mpay_client *client, uint32_t timeout_ms, mpay_client **out);
/* The request's texts are in the format of bridge_set_request. */
mpay_error *bridge_client_pay(const mpay_client *client, int32_t what, const char *base, const int64_t *at, mpay_payment **out);
mpay_error *bridge_client_amounts(const mpay_client *client, const char *base, const int64_t *at, struct bridge_amounts *out);
mpay_error *bridge_client_order(const mpay_client *client, int32_t what, const char *order_id, mpay_payment **out);
mpay_error *bridge_client_attach(const mpay_client *client, const mpay_receipt *receipt);
mpay_error *bridge_client_connect(const mpay_client *client);
mpay_error *bridge_client_wait(const mpay_client *client, const char *order_id, uint32_t timeout_ms, mpay_payment **out);
mpay_error *bridge_client_new(const mpay_config *config, mpay_client **out);

mpay_error *bridge_verifier_new(const mpay_config *config, mpay_verifier **out);
/* Verifies a webhook and reads the event. */
struct bridge_event bridge_verify(const mpay_verifier *verifier, const void *body, size_t len, const char *signature, const char *key_id,
                                  char *buffer, size_t size);

/* The texts are valid until the owner is freed. The owner is NULL if the signature and the key id are accepted. */
struct bridge_explanation {
    mpay_explanation *owner;
    int32_t cause;
    const char *hint;
    mpay_error *failure;
};

struct bridge_explanation bridge_explain(const mpay_verifier *verifier, const void *body, size_t len, const char *signature,
                                         const char *key_id);

/* Copies all texts, or nothing if the buffer is too small. The caller still owns the request. */
struct bridge_http_request bridge_read_http_request(const mpay_http_request *request, char *buffer, size_t size);
mpay_error *bridge_protocol_new(const mpay_config *config, mpay_protocol **out);
struct bridge_prepared bridge_prepare_request(const mpay_protocol *protocol, int32_t what, const char *base, const int64_t *at);
struct bridge_prepared bridge_prepare_order(const mpay_protocol *protocol, int32_t what, const char *order_id);
struct bridge_prepared bridge_prepare_receipt(const mpay_protocol *protocol, const mpay_receipt *receipt);
mpay_error *bridge_open_request(const mpay_http_request *request, const mpay_http_response *response, int32_t what, mpay_payment **payment,
                                struct bridge_amounts *amounts);
mpay_error *bridge_open_order(const mpay_http_request *request, const mpay_http_response *response, int32_t what, mpay_payment **out);
mpay_error *bridge_open_receipt(const mpay_http_request *request, const mpay_http_response *response);

mpay_error *bridge_receipt_add_file(mpay_receipt *receipt, const char *path);
mpay_error *bridge_receipt_add_bytes(mpay_receipt *receipt, const char *name, const char *type, const void *data, size_t len);

mpay_error *bridge_keypair(struct bridge_keypair *out);
mpay_error *bridge_to_balance(const char *sum, const char *rate, int32_t balance, uint32_t scale, int32_t rounding, mpay_amount **out,
                              const char **text);

mpay_error *bridge_config_set(mpay_config *config, const char *name, const char *text);
/* Deletes the cgo.Handle that is the user data of a callback. The handle is a number, never a Go pointer. */
void MPAY_CALL bridge_release(void *user_data);
int32_t bridge_config_set_log(mpay_config *config, uintptr_t handle);
int32_t bridge_config_set_signer(mpay_config *config, uintptr_t handle);

#endif
