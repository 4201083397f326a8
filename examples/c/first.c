#include <merchantpay.h>
#include <stdio.h>
#include <stdlib.h>

/* Takes the error by its address: C may evaluate an argument before the call beside it. */
static void need(int32_t code, mpay_error **error) {
    if (code == MPAY_OK) return;
    fprintf(stderr, "%s\n", mpay_error_message(*error));
    exit(EXIT_FAILURE);
}

int main(void) {
    mpay_config *config = mpay_config_new();
    mpay_payment_request *request = mpay_payment_request_new();
    mpay_client *client = NULL;
    mpay_payment *payment = NULL, *paid = NULL;
    mpay_error *error = NULL;

    need(mpay_config_from_env(config, &error), &error);
    need(mpay_client_new(config, &client, &error), &error);
    mpay_payment_request_set_sum(request, "1500.50");
    mpay_payment_request_set_payment_method(request, "sbp");
    mpay_payment_request_set_customer_account(request, "79001234567");
    need(mpay_new_payment(client, request, &payment, &error), &error);
    printf("pay %s to %s\n", mpay_payment_sum(payment), mpay_payment_payee_account(payment));

    need(mpay_confirm(client, mpay_payment_order_id(payment), &error), &error);            /* the customer says that the money was sent */
    need(mpay_wait(client, mpay_payment_order_id(payment), 60000, &paid, &error), &error); /* until the status is final */
    printf("%s %s\n", mpay_payment_status(paid), mpay_payment_sum(paid));
    return EXIT_SUCCESS; /* a program that goes on frees each object by its mpay_…_free */
}
