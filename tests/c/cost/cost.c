/* Runs one kind of work COUNT times on constant inputs, so that callgrind can count the instructions: cost WORK COUNT BODY SIGNATURE. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <merchantpay.h>

/* The public test keys of RFC 8032, section 7.1. */
#define MERCHANT "nWGxne/9WmC6hEr0kuwsxERJxWl7MmkZcDusAxyuf2DXWpgBgrEKt9VL/tPJZAc6DuFy89qmIyWvAhpo9wdRGg=="
#define SERVICE "PUAXw+hDiVqStwqnTRt+vJyYLM8uxJaMwM1V8Sr0Zgw="
#define ORDER "sb-5ee20e98cd733ce5b7e3976b"

static void expect(int holds, const char *what) {
    if (!holds) {
        fprintf(stderr, "%s went wrong\n", what);
        exit(1);
    }
}

int main(int argc, char **argv) {
    mpay_config *config = mpay_config_new();
    mpay_payment_request *payment_request = mpay_payment_request_new();
    mpay_http_response *response = mpay_http_response_new();
    mpay_http_request *asked = NULL;
    mpay_protocol *protocol = NULL;
    mpay_verifier *verifier = NULL;
    const char *work, *body, *signature;
    size_t len;
    long count;

    expect(argc == 5, "the command line");
    work = argv[1];
    count = atol(argv[2]);
    body = argv[3];
    len = strlen(body);
    signature = argv[4];

    mpay_config_set_base_url(config, "https://pay.example");
    mpay_config_set_key_id(config, "merchant-1");
    mpay_config_set_private_key(config, MERCHANT);
    mpay_config_add_server_public_key(config, SERVICE);
    expect(mpay_protocol_new(config, &protocol, NULL) == MPAY_OK, "the protocol");
    expect(mpay_verifier_new(config, &verifier, NULL) == MPAY_OK, "the verifier");
    mpay_payment_request_set_sum(payment_request, "1500.50");
    mpay_payment_request_set_payment_method(payment_request, "sbp");
    mpay_payment_request_set_customer_account(payment_request, "79001234567");
    expect(mpay_prepare_get_status(protocol, ORDER, &asked, NULL) == MPAY_OK, "a request");
    mpay_http_response_set_status(response, 200);
    mpay_http_response_add_header(response, "Content-Type", "application/json");
    mpay_http_response_add_header(response, "X-KeyId", "service-1");
    mpay_http_response_add_header(response, "X-Signature", signature);
    mpay_http_response_set_body(response, body, len);

    for (; count > 0; count--) {
        if (strcmp(work, "prepare") == 0) {
            mpay_http_request *request = NULL;
            expect(mpay_prepare_new_payment(protocol, payment_request, &request, NULL) == MPAY_OK, work);
            mpay_http_request_free(request);
        } else if (strcmp(work, "open") == 0) {
            mpay_payment *payment = NULL;
            expect(mpay_open_get_status(asked, response, &payment, NULL) == MPAY_OK, work);
            mpay_payment_free(payment);
        } else if (strcmp(work, "explain") == 0) {
            mpay_explanation *explanation = NULL;
            expect(mpay_explain_webhook(verifier, body, len, signature, "service-1", &explanation, NULL) == MPAY_OK, work);
            mpay_explanation_free(explanation);
        } else {
            mpay_event *event = NULL;
            expect(mpay_verify_webhook(verifier, body, len, signature, "service-1", &event, NULL) == MPAY_OK, work);
            mpay_event_free(event);
        }
    }

    mpay_http_request_free(asked);
    mpay_http_response_free(response);
    mpay_payment_request_free(payment_request);
    mpay_verifier_free(verifier);
    mpay_protocol_free(protocol);
    mpay_config_free(config);
    return 0;
}
