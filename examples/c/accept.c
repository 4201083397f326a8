/* Accepts a payment: accept [customer-account]. */
#include "example.h"

int main(int argc, char **argv) {
    mpay_config *config = example_config();
    mpay_payment_request *request = mpay_payment_request_new();
    mpay_client *client = NULL;
    mpay_amounts *amounts = NULL;
    mpay_payment *payment = NULL, *paid = NULL;
    mpay_error *error = NULL;

    /* Money is decimal text or whole kopecks, never a float. */
    mpay_payment_request_set_sum(request, "1500.55");
    mpay_payment_request_set_payment_method(request, "sbp");
    mpay_payment_request_set_customer_account(request, argc > 1 ? argv[1] : "79001234567");

    if (mpay_client_new(config, &client, &error) != MPAY_OK) goto done;

    if (mpay_get_available_amounts(client, request, &amounts, &error) != MPAY_OK) goto done;
    for (size_t i = 0; i < mpay_amounts_count(amounts); i++) printf("available %s RUB\n", mpay_amounts_get(amounts, i));
    printf("others possible %s\n", mpay_amounts_other_possible(amounts) ? "yes" : "no");

    if (mpay_new_payment(client, request, &payment, &error) != MPAY_OK) goto done;
    /* A shop stores the order id before it does anything else. */
    printf("order %s\n", mpay_payment_order_id(payment));
    printf("pay %s %s to %s\n", example_shown(mpay_payment_sum(payment)), example_shown(mpay_payment_currency(payment)),
           example_shown(mpay_payment_payee_account(payment)));
    example_print("bank", mpay_payment_payee_account_bank(payment));
    example_print("holder", mpay_payment_payee_name(payment));
    example_print("link", mpay_payment_deeplink(payment));

    /* The customer has reported the transfer, so the shop reports it to the service. */
    if (mpay_confirm(client, mpay_payment_order_id(payment), &error) != MPAY_OK) goto done;
    printf("confirmed\n");

    if (example_wait(client, mpay_payment_order_id(payment), NULL, &paid, &error) != MPAY_OK) goto done;
    /* A failed payment also has a sum. The paid sum can differ from the requested sum. */
    if (strcmp(mpay_payment_status(paid), "doneSuccess") == 0) example_print("paid", mpay_payment_sum(paid));

done:
    mpay_payment_free(paid);
    mpay_payment_free(payment);
    mpay_amounts_free(amounts);
    mpay_client_free(client);
    mpay_payment_request_free(request);
    mpay_config_free(config);
    return example_end(error);
}
