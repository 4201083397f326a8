/* Uses the installed library: verifies a signed and an unsigned message, and makes a call that fails. This
 * file is valid C89 and C++98. */
#include <merchantpay.h>

#include <stdio.h>

/* Signs with `own` and verifies with `other`. */
static mpay_protocol *side(const char *key_id, const mpay_keypair *own, const mpay_keypair *other) {
    mpay_protocol *protocol = NULL;
    mpay_config *config = mpay_config_new();
    mpay_config_set_base_url(config, "https://pay.example");
    mpay_config_set_key_id(config, key_id);
    mpay_config_set_private_key(config, mpay_keypair_private_key(own));
    mpay_config_add_server_public_key(config, mpay_keypair_public_key(other));
    if (mpay_protocol_new(config, &protocol, NULL) != MPAY_OK) fprintf(stderr, "%s has no protocol\n", key_id);
    mpay_config_free(config);
    return protocol;
}

/* Opens the signed body of a request as the reply to another. The whole body verifies, but it is no reply
 * (MPAY_MALFORMED); without its last byte it does not verify (MPAY_UNVERIFIED). */
static int32_t open_reply(const mpay_http_request *request, const mpay_http_request *signed_request, size_t len) {
    size_t index;
    mpay_payment *payment = NULL;
    mpay_http_response *response = mpay_http_response_new();
    int32_t code;
    mpay_http_response_set_status(response, 200);
    for (index = 0; index < mpay_http_request_header_count(signed_request); index++) {
        mpay_http_response_add_header(response, mpay_http_request_header_name(signed_request, index),
                                      mpay_http_request_header_value(signed_request, index));
    }
    mpay_http_response_set_body(response, mpay_http_request_body(signed_request), len);
    code = mpay_open_get_status(request, response, &payment, NULL);
    mpay_payment_free(payment);
    mpay_http_response_free(response);
    return code;
}

int main(void) {
    mpay_keypair *merchant = NULL, *service = NULL;
    mpay_protocol *here, *there;
    mpay_http_request *request = NULL, *reply = NULL;
    mpay_config *config = mpay_config_new();
    mpay_client *client = NULL;
    mpay_payment *payment = NULL;
    mpay_error *error = NULL;
    int32_t verified, unverified, invalid, failed;

    if (mpay_abi_version() != MPAY_HEADER_ABI || mpay_keypair_generate(&merchant, NULL) != MPAY_OK ||
        mpay_keypair_generate(&service, NULL) != MPAY_OK) {
        return 1;
    }
    here = side("merchant", merchant, service);
    there = side("service", service, merchant);
    if (mpay_prepare_get_status(here, "order-1", &request, NULL) != MPAY_OK ||
        mpay_prepare_get_status(there, "order-1", &reply, NULL) != MPAY_OK) {
        return 1;
    }
    verified = open_reply(request, reply, mpay_http_request_body_len(reply));
    unverified = open_reply(request, reply, mpay_http_request_body_len(reply) - 1);

    /* A name that must be looked up, and a port without a listener. */
    mpay_config_set_base_url(config, "http://localhost:1");
    mpay_config_set_key_id(config, "merchant");
    mpay_config_set_private_key(config, mpay_keypair_private_key(merchant));
    mpay_config_add_server_public_key(config, mpay_keypair_public_key(service));
    mpay_config_set_timeout_ms(config, 5000);
    if (mpay_client_new(config, &client, &error) != MPAY_OK) {
        fprintf(stderr, "%s\n", mpay_error_message(error));
        return 1;
    }
    invalid = mpay_new_payment(client, NULL, &payment, NULL);
    failed = mpay_cancel(client, "order-1", &error);
    printf("%s %d %d %d %d %s\n", mpay_version(), (int)verified, (int)unverified, (int)invalid, (int)failed,
           mpay_error_outcome_name(error));

    mpay_error_free(error);
    mpay_client_free(client);
    mpay_config_free(config);
    mpay_http_request_free(request);
    mpay_http_request_free(reply);
    mpay_protocol_free(here);
    mpay_protocol_free(there);
    mpay_keypair_free(merchant);
    mpay_keypair_free(service);
    return 0;
}
