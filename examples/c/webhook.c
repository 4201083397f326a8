/* Receives webhooks: webhook [COUNT]. The program ends after COUNT webhooks; without COUNT, or with 0, it does not end. */
#include "example.h"
#include "receiver.h"

static void print_event(const mpay_event *event) {
    const mpay_payment *payment = mpay_event_payment(event);
    const char *order_id = mpay_payment_order_id(payment);
    switch (mpay_event_kind(event)) {
    case MPAY_EVENT_CREDENTIALS:
        printf("credentials %s pay %s RUB to %s\n", order_id, example_shown(mpay_payment_sum(payment)),
               example_shown(mpay_payment_payee_account(payment)));
        break;
    case MPAY_EVENT_CREDENTIALS_FAILED:
        printf("credentials_failed %s\n", order_id);
        break;
    case MPAY_EVENT_STATUS:
        printf("status %s %s\n", order_id, example_shown(mpay_payment_status(payment)));
        break;
    default: /* A later version of the library may know more kinds. */
        printf("event %s\n", order_id);
        break;
    }
}

/* Verifies one webhook or refuses it. The same event may come again: a shop must handle an event only once. */
static unsigned int receive(void *verifier, const struct webhook *webhook) {
    mpay_event *event = NULL;
    mpay_error *error = NULL;
    if (webhook->too_large) {
        printf("refused too_large\n");
        return 400;
    }
    /* Uses the unchanged bytes: a parsed and rewritten body does not verify. */
    if (mpay_verify_webhook(verifier, webhook->body, webhook->len, webhook->signature, webhook->key_id, &event, &error) != MPAY_OK) {
        mpay_explanation *why = NULL; /* for your log, not for the sender */
        printf("refused %s\n", mpay_error_code_name(error));
        mpay_error_free(error);
        if (mpay_explain_webhook(verifier, webhook->body, webhook->len, webhook->signature, webhook->key_id, &why, NULL) == MPAY_OK &&
            why != NULL) {
            fprintf(stderr, "webhook refused: %s: %s\n", mpay_explanation_cause_name(why), mpay_explanation_hint(why));
        }
        mpay_explanation_free(why);
        return 400;
    }
    print_event(event);
    mpay_event_free(event);
    return 200;
}

int main(int argc, char **argv) {
    const unsigned long count = argc > 1 ? strtoul(argv[1], NULL, 10) : 0; /* With 0 the program does not end. */
    mpay_config *config = example_config();
    mpay_verifier *verifier = NULL;
    mpay_error *error = NULL;

    /* A verifier needs only the service's public key. The other settings make the verifier stricter. */
    if (mpay_verifier_new(config, &verifier, &error) == MPAY_OK) {
        struct receiver receiver = {receive, verifier, 0, 0, NULL, ""};
        receiver_listen(&receiver, NULL);
        while (count == 0 || receiver.received < count) receiver_serve(&receiver, -1);
        MHD_stop_daemon(receiver.server);
    }

    mpay_verifier_free(verifier);
    mpay_config_free(config);
    return example_end(error);
}
