/* Takes a payment through arbitration: arbitrate FILE, where FILE is a receipt (PDF, JPEG or PNG). */
#include "example.h"

int main(int argc, char **argv) {
    if (argc != 2) {
        fprintf(stderr, "usage: arbitrate FILE\n");
        return 2;
    }
    mpay_config *config = example_config();
    mpay_payment_request *request = mpay_payment_request_new();
    mpay_client *client = NULL;
    mpay_payment *payment = NULL, *disputed = NULL, *settled = NULL;
    mpay_receipt *receipt = NULL;
    mpay_error *error = NULL;

    mpay_payment_request_set_sum(request, "1500.55");
    mpay_payment_request_set_payment_method(request, "card");
    /* This is a test account of the sandbox: its payments go to arbitration. */
    mpay_payment_request_set_customer_account(request, "arbitration");

    if (mpay_client_new(config, &client, &error) != MPAY_OK) goto done;
    if (mpay_new_payment(client, request, &payment, &error) != MPAY_OK) goto done;
    const char *order_id = mpay_payment_order_id(payment);
    printf("order %s\n", order_id);

    /* Reads the file before the customer pays, so that a wrong file is found in time. */
    receipt = mpay_receipt_new(order_id);
    if (mpay_receipt_add_file(receipt, argv[1], &error) != MPAY_OK) goto done;

    if (mpay_confirm(client, order_id, &error) != MPAY_OK) goto done;
    printf("confirmed\n");

    if (example_wait(client, order_id, "receiptRequired", &disputed, &error) != MPAY_OK) goto done;
    if (mpay_payment_is_final(disputed)) goto done;

    if (mpay_attach_receipt(client, receipt, &error) != MPAY_OK) goto done;
    printf("receipt attached\n");

    if (example_wait(client, order_id, NULL, &settled, &error) != MPAY_OK) goto done;

done:
    mpay_receipt_free(receipt);
    mpay_payment_free(settled);
    mpay_payment_free(disputed);
    mpay_payment_free(payment);
    mpay_client_free(client);
    mpay_payment_request_free(request);
    mpay_config_free(config);
    return example_end(error);
}
