/* Makes the measured calls with the C library. */
#include "command.h"

#include <merchantpay.h>

static mpay_verifier *verifier;
static mpay_client *client;
static const char *order_id, *webhook_body, *signature;

static void check(int32_t code, mpay_error **error) {
    if (code != MPAY_OK) fail(mpay_error_message(*error));
}

static void read_payment(const mpay_payment *payment) {
    if (strcmp(mpay_payment_order_id(payment), order_id) || !mpay_payment_is_final(payment) || !mpay_payment_sum(payment)) fail("payment");
}

static void webhook(void) {
    mpay_event *event;
    mpay_error *error;
    check(mpay_verify_webhook(verifier, webhook_body, strlen(webhook_body), signature, "service-1", &event, &error), &error);
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

static void new_payment(void) {
    mpay_payment_request *request = mpay_payment_request_new();
    mpay_payment *payment;
    mpay_error *error;
    mpay_payment_request_set_sum(request, "1500.50");
    mpay_payment_request_set_payment_method(request, "sbp");
    mpay_payment_request_set_customer_account(request, "79001234567");
    check(mpay_new_payment(client, request, &payment, &error), &error);
    read_payment(payment);
    mpay_payment_free(payment);
    mpay_payment_request_free(request);
}

int main(void) {
    static const struct task tasks[] = {{"webhook", webhook}, {"status", status}, {"new", new_payment}, {NULL, NULL}};
    mpay_config *config = mpay_config_new();
    mpay_error *error;
    order_id = setting("BENCH_ORDER_ID");
    signature = setting("BENCH_SIGNATURE");
    webhook_body = setting("BENCH_WEBHOOK");
    mpay_config_set_base_url(config, setting("BENCH_URL"));
    mpay_config_set_key_id(config, KEY_ID);
    mpay_config_set_private_key(config, setting("BENCH_PRIVATE_KEY"));
    mpay_config_add_server_public_key(config, setting("BENCH_SERVER_PUBLIC_KEY"));
    mpay_config_set_ca_file(config, getenv("BENCH_CA"));
    check(mpay_verifier_new(config, &verifier, &error), &error);
    check(mpay_client_new(config, &client, &error), &error);
    return serve(tasks);
}
