/* Runs the code of a page, which guides.py puts in. examples.py sets the environment. */
#include <merchantpay.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* docs/c.md */

int send_with_my_stack(const mpay_http_request *request, mpay_http_response *response) {
    (void)response;
    return mpay_http_request_url(request) == NULL;
}

static int shipped;

static void ship(const mpay_entry *entry) {
    printf("ship %s\n", mpay_entry_reference(entry));
    shipped++;
}

static void need(int32_t code, mpay_error **error) {
    if (code == MPAY_OK) return;
    fprintf(stderr, "%s\n", mpay_error_message(*error));
    exit(EXIT_FAILURE);
}

static void sell_by_journal(const mpay_client *client, const char *place) {
    mpay_journal *journal = NULL;
    mpay_error *error = NULL;
    mpay_payment_request *request = mpay_payment_request_new();
    mpay_payment_request_set_sum(request, "1500.50");
    mpay_payment_request_set_payment_method(request, "sbp");
    mpay_payment_request_set_customer_account(request, "79001234567");
    need(open_journal(client, place, &journal, &error), &error);
    need(sell(journal, request, &error), &error);
    need(customer_has_paid(journal, &error), &error);
    if (callback(journal, "/pay/callback/x", "{}", 2, "forged", NULL) != 400) exit(EXIT_FAILURE);
    while (shipped == 0) need(every_few_seconds(journal, ship, &error), &error);
}

int main(void) {
    mpay_client *client = NULL;
    mpay_payment *payment = NULL, *other = NULL;
    mpay_error *error = NULL;
    int exactly = 0;

    need(open_client(&client, &error), &error);
    need(mpay_client_connect(client, &error), &error);
    need(pay(client, &payment, &error), &error);
    need(money(payment, &error), &error);
    need(confirm(client, mpay_payment_order_id(payment), &exactly, &error), &error);
    if (!exactly) return EXIT_FAILURE;
    need(cancel(client, mpay_payment_order_id(payment), &error), &error);
    need(pay(client, &other, &error), &error);
    need(cancel(client, mpay_payment_order_id(other), &error), &error);
    need(attach(client, getenv("DISPUTED"), getenv("RECEIPT"), &error), &error);

    mpay_config *config = mpay_config_new();
    mpay_verifier *verifier = NULL;
    mpay_protocol *protocol = NULL;
    mpay_payment *unsent = NULL;
    need(mpay_config_from_env(config, &error), &error);
    need(mpay_verifier_new(config, &verifier, &error), &error);
    const char *body = getenv("WEBHOOK_BODY"), *signature = getenv("WEBHOOK_SIGNATURE"), *place = getenv("MERCHANTPAY_JOURNAL");
    if (body == NULL || receive(verifier, body, strlen(body), signature, NULL) != 200) return EXIT_FAILURE;
    if (receive(verifier, "{}", 2, signature, NULL) != 400) return EXIT_FAILURE;
    need(mpay_protocol_new(config, &protocol, &error), &error);
    if (status_of(protocol, mpay_payment_order_id(payment), &unsent, &error) != MPAY_TRANSPORT) return EXIT_FAILURE;
    if (place != NULL) sell_by_journal(client, place);
    printf("the end\n");
    return EXIT_SUCCESS;
}
