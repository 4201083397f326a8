/* Shows what to do about each of the three outcomes of a call that failed. */
#include "example.h"

/* Prints what to do about an error, and frees the error. */
static void print_outcome(mpay_error **error) {
    printf("%s %s", mpay_error_outcome_name(*error), mpay_error_code_name(*error));
    if (mpay_error_reason(*error) != NULL) printf(" %s", mpay_error_reason(*error));
    switch (mpay_error_outcome(*error)) {
    case MPAY_OUTCOME_NOT_SENT:
        printf(": safe to send again\n");
        break;
    case MPAY_OUTCOME_REJECTED:
        printf(": nothing took effect\n");
        break;
    default: /* MPAY_OUTCOME_UNKNOWN, and any outcome that a later version adds. */
        printf(": ask for the status\n");
        break;
    }
    mpay_error_free(*error);
    *error = NULL;
}

int main(void) {
    mpay_config *config = example_config(), *unreachable = example_config(), *mistaken = mpay_config_new();
    mpay_payment_request *request = mpay_payment_request_new();
    mpay_keypair *other = NULL;
    mpay_client *client = NULL, *unreachable_client = NULL, *mistaken_client = NULL;
    mpay_payment *payment = NULL, *status = NULL;
    int exit_status = EXIT_FAILURE;
    mpay_error *error = NULL;

    mpay_payment_request_set_sum(request, "1500.55");
    mpay_payment_request_set_payment_method(request, "sbp");
    mpay_payment_request_set_customer_account(request, "79001234567");
    if (mpay_client_new(config, &client, &error) != MPAY_OK) goto done;

    /* No server listens at this URL, so no byte was sent. */
    mpay_config_set_base_url(unreachable, "http://127.0.0.1:1");
    mpay_config_set_max_retries(unreachable, 0);
    if (mpay_client_new(unreachable, &unreachable_client, &error) != MPAY_OK) goto done;
    if (mpay_new_payment(unreachable_client, request, &payment, &error) == MPAY_OK) goto done;
    print_outcome(&error);

    /* The service refuses the request, and signs its refusal. */
    if (mpay_cancel(client, "no-such-order", &error) == MPAY_OK) goto done;
    print_outcome(&error);

    /* A client with a wrong service key cannot verify a reply. The service still executes the client's requests. */
    if (mpay_keypair_generate(&other, &error) != MPAY_OK) goto done;
    if (mpay_new_payment(client, request, &payment, &error) != MPAY_OK) goto done;
    printf("order %s\n", mpay_payment_order_id(payment));

    mpay_config_set_base_url(mistaken, getenv("MERCHANTPAY_BASE_URL"));
    mpay_config_set_key_id(mistaken, getenv("MERCHANTPAY_KEY_ID"));
    mpay_config_set_private_key(mistaken, getenv("MERCHANTPAY_PRIVATE_KEY"));
    mpay_config_add_server_public_key(mistaken, mpay_keypair_public_key(other));
    if (mpay_client_new(mistaken, &mistaken_client, &error) != MPAY_OK) goto done;
    if (mpay_confirm(mistaken_client, mpay_payment_order_id(payment), &error) == MPAY_OK) goto done;
    print_outcome(&error);

    /* Do not guess and confirm again: the status shows whether the first confirm took effect. */
    if (example_wait(client, mpay_payment_order_id(payment), NULL, &status, &error) != MPAY_OK) goto done;
    exit_status = EXIT_SUCCESS;

done:
    mpay_payment_free(status);
    mpay_payment_free(payment);
    mpay_client_free(mistaken_client);
    mpay_client_free(unreachable_client);
    mpay_client_free(client);
    mpay_keypair_free(other);
    mpay_payment_request_free(request);
    mpay_config_free(mistaken);
    mpay_config_free(unreachable);
    mpay_config_free(config);
    /* If a call succeeds although it should fail, the program fails. */
    return example_end(error) == EXIT_SUCCESS ? exit_status : EXIT_FAILURE;
}
