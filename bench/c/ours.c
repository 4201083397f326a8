/* Makes the measured calls with the C library. */
#include "command.h"

#include <merchantpay.h>

static mpay_verifier *verifier;
static mpay_protocol *protocol;
static mpay_config *config;
static mpay_client *client;
static const char *order_id, *signature;

static void check(int32_t code, mpay_error **error) {
    if (code != MPAY_OK) fail(mpay_error_message(*error));
}

static void read_payment(const mpay_payment *payment) {
    if (strcmp(mpay_payment_order_id(payment), order_id) || !mpay_payment_is_final(payment) || !mpay_payment_sum(payment)) fail("payment");
}

static void webhook(void) {
    mpay_event *event;
    mpay_error *error;
    check(mpay_verify_webhook(verifier, webhook_body, webhook_size, signature, SERVER_KEY_ID, &event, &error), &error);
    read_payment(mpay_event_payment(event));
    mpay_event_free(event);
}

static void status(void) {
    mpay_payment *payment;
    mpay_error *error;
    check(mpay_get_status(client, order_id, &payment, &error), &error);
    read_payment(payment);
    mpay_payment_free(payment);
}

static void use(mpay_http_request *request) {
    size_t i, count = mpay_http_request_header_count(request);
    for (i = 0; i < count; i++)
        if (!mpay_http_request_header_name(request, i) || !mpay_http_request_header_value(request, i)) fail("header");
    if (!mpay_http_request_body(request) || !mpay_http_request_body_len(request)) fail("body");
    mpay_http_request_free(request);
}

static mpay_payment_request *payment_request(void) {
    mpay_payment_request *request = mpay_payment_request_new();
    mpay_payment_request_set_sum(request, "1500.50");
    mpay_payment_request_set_payment_method(request, "sbp");
    mpay_payment_request_set_customer_account(request, "79001234567");
    return request;
}

static void prepare(void) {
    mpay_payment_request *payment = payment_request();
    mpay_http_request *request;
    mpay_error *error;
    check(mpay_prepare_new_payment(protocol, payment, &request, &error), &error);
    use(request);
    mpay_payment_request_free(payment);
}

static void new_payment(void) {
    mpay_payment_request *request = payment_request();
    mpay_payment *payment;
    mpay_error *error;
    check(mpay_new_payment(client, request, &payment, &error), &error);
    read_payment(payment);
    mpay_payment_free(payment);
    mpay_payment_request_free(request);
}

/* Makes the three calls of a payment one after another. */
static void sale(void) {
    mpay_payment_request *request = payment_request();
    mpay_amounts *amounts;
    mpay_error *error;
    check(mpay_get_available_amounts(client, request, &amounts, &error), &error);
    if (!mpay_amounts_count(amounts)) fail("amounts");
    mpay_amounts_free(amounts);
    mpay_payment_request_free(request);
    new_payment();
    check(mpay_confirm(client, order_id, &error), &error);
}

static void new_client(void) {
    mpay_error *error;
    mpay_client_free(client);
    check(mpay_client_new(config, &client, &error), &error);
}

static void cold(void) {
    new_client();
    new_payment();
}

static void connect_ahead(void) {
    mpay_error *error;
    new_client();
    check(mpay_client_connect(client, &error), &error);
}

static void receipt(void) {
    mpay_receipt *receipt = mpay_receipt_new(order_id);
    mpay_http_request *request;
    mpay_error *error;
    check(mpay_receipt_add_file(receipt, setting("BENCH_RECEIPT"), &error), &error);
    check(mpay_prepare_attach_receipt(protocol, receipt, &request, &error), &error);
    use(request);
    mpay_receipt_free(receipt);
}

int main(int argc, char **argv) {
    static const struct task tasks[] = {
        {"webhook", webhook}, {"status", status}, {"prepare", prepare},       {"receipt", receipt}, {"new", new_payment},
        {"sale", sale},       {"cold", cold},     {"connect", connect_ahead}, {NULL, NULL},
    };
    mpay_error *error;
    config = mpay_config_new();
    order_id = setting("BENCH_ORDER_ID");
    signature = setting("BENCH_SIGNATURE");
    mpay_config_set_base_url(config, setting("BENCH_URL"));
    mpay_config_set_key_id(config, KEY_ID);
    mpay_config_set_private_key(config, setting("BENCH_PRIVATE_KEY"));
    mpay_config_add_server_public_key(config, setting("BENCH_SERVER_PUBLIC_KEY"));
    mpay_config_set_ca_file(config, getenv("BENCH_CA"));
    mpay_config_set_proxy(config, getenv("BENCH_PROXY"));
    check(mpay_verifier_new(config, &verifier, &error), &error);
    check(mpay_protocol_new(config, &protocol, &error), &error);
    new_client();
    return serve(argc, argv, tasks);
}
