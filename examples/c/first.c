#include <merchantpay.h>
#include <stdio.h>
#include <stdlib.h>

int main(void) {
    mpay_config *config = mpay_config_new();
    mpay_config_set_base_url(config, getenv("MERCHANTPAY_BASE_URL"));
    mpay_config_set_key_id(config, getenv("MERCHANTPAY_KEY_ID"));
    mpay_config_set_private_key(config, getenv("MERCHANTPAY_PRIVATE_KEY"));
    mpay_config_add_server_public_key(config, getenv("MERCHANTPAY_SERVER_PUBLIC_KEY"));
    mpay_payment_request *request = mpay_payment_request_new();
    mpay_payment_request_set_sum(request, "1500.50");
    mpay_payment_request_set_payment_method(request, "sbp");
    mpay_payment_request_set_customer_account(request, "79001234567");

    mpay_client *client = NULL;
    mpay_payment *payment = NULL;
    mpay_error *error = NULL; /* a program that continues frees each object by its mpay_…_free */
    if (mpay_client_new(config, &client, &error) != MPAY_OK || mpay_new_payment(client, request, &payment, &error) != MPAY_OK) {
        fprintf(stderr, "%s\n", mpay_error_message(error));
        return EXIT_FAILURE;
    }
    const char *link = mpay_payment_deeplink(payment);
    printf("%s: pay 1500.50 RUB at %s\n", mpay_payment_order_id(payment), link ? link : "-");
    return EXIT_SUCCESS;
}
