/* The code of the guides in docs/: guide RECEIPT. A test runs this program with a sandbox. A page shows the lines between two marks. */
#include "example.h"

/* [client] */
static int32_t open_client(mpay_client **client, mpay_error **error) {
    mpay_config *config = mpay_config_new();
    mpay_config_set_base_url(config, getenv("MERCHANTPAY_BASE_URL"));
    mpay_config_set_key_id(config, getenv("MERCHANTPAY_KEY_ID"));
    mpay_config_set_private_key(config, getenv("MERCHANTPAY_PRIVATE_KEY"));
    mpay_config_add_server_public_key(config, getenv("MERCHANTPAY_SERVER_PUBLIC_KEY"));
    int32_t code = mpay_client_new(config, client, error);
    mpay_config_free(config); /* the client has its own copy */
    return code;
}
/* [/client] */

/* [pay] */
static int32_t pay(const mpay_client *client, mpay_payment **payment, mpay_error **error) {
    mpay_payment_request *request = mpay_payment_request_new();
    mpay_payment_request_set_sum(request, "1500.50");
    mpay_payment_request_set_payment_method(request, "sbp");
    mpay_payment_request_set_customer_account(request, "79001234567");
    mpay_payment_request_set_merchant_id(request, "order-1017");
    int32_t code = mpay_new_payment(client, request, payment, error);
    mpay_payment_request_free(request);

    if (code == MPAY_OK) {
        const char *link = mpay_payment_deeplink(*payment); /* every field but the order id may be NULL */
        printf("%s: pay at %s\n", mpay_payment_order_id(*payment), link ? link : "-");
    } else if (mpay_error_outcome(*error) == MPAY_OUTCOME_NOT_SENT) {
        printf("nothing was sent: %s\n", mpay_error_message(*error));
    } else if (mpay_error_outcome(*error) == MPAY_OUTCOME_REJECTED) {
        printf("refused: %s\n", mpay_error_message(*error));
    } else {
        printf("a payment may exist, do not send again: %s\n", mpay_error_message(*error));
    }
    return code;
}
/* [/pay] */

/* [available] */
static int32_t available(const mpay_client *client, mpay_error **error) {
    mpay_payment_request *request = mpay_payment_request_new();
    mpay_amounts *amounts = NULL;
    mpay_payment_request_set_sum(request, "1500");
    mpay_payment_request_set_payment_method(request, "sbp");
    int32_t code = mpay_get_available_amounts(client, request, &amounts, error);
    for (size_t i = 0; i < mpay_amounts_count(amounts); i++) printf("available: %s RUB\n", mpay_amounts_get(amounts, i));
    printf("other amounts may succeed too: %d\n", (int)mpay_amounts_other_possible(amounts));
    mpay_amounts_free(amounts);
    mpay_payment_request_free(request);
    return code;
}
/* [/available] */

/* [confirm] */
static int32_t confirm(const mpay_client *client, const char *order_id, int *exactly, mpay_error **error) {
    mpay_payment *payment = NULL;
    int32_t code = mpay_confirm(client, order_id, error); /* the customer says that the money was sent */
    /* Asks getStatus until the status is final. */
    if (code == MPAY_OK) code = mpay_wait(client, order_id, 60000, &payment, error);
    *exactly = mpay_payment_status_code(payment) == MPAY_STATUS_DONE_SUCCESS && mpay_payment_paid(payment, "1500.50") == MPAY_PAID_EXACTLY;
    mpay_payment_free(payment);
    return code;
}
/* [/confirm] */

/* [cancel] */
static int32_t cancel(const mpay_client *client, const char *order_id, mpay_error **error) {
    mpay_payment *payment = NULL;
    int32_t code = mpay_cancel(client, order_id, error);
    if (code != MPAY_REJECTED) return code;
    mpay_error_free(*error); /* too late to cancel: the status shows why */
    code = mpay_get_status(client, order_id, &payment, error);
    const char *status = mpay_payment_status(payment); /* NULL if there is no payment or no status */
    if (code == MPAY_OK) printf("%s: %s\n", order_id, status ? status : "-");
    mpay_payment_free(payment);
    return code;
}
/* [/cancel] */

/* [receipt] */
static int32_t attach(const mpay_client *client, const char *order_id, const char *file, mpay_error **error) {
    mpay_receipt *receipt = mpay_receipt_new(order_id);
    /* a PDF, JPEG or PNG by its content; mpay_receipt_add_bytes for a file in memory. */
    int32_t code = mpay_receipt_add_file(receipt, file, error);
    if (code == MPAY_OK) code = mpay_attach_receipt(client, receipt, error);
    mpay_receipt_free(receipt);
    return code;
}
/* [/receipt] */

/* [money] */
static int32_t money(const mpay_payment *payment, mpay_error **error) {
    mpay_amount *converted = NULL;
    int32_t code = mpay_to_balance("1500.50", "92.45", MPAY_BALANCE_USDT, 6, MPAY_ROUNDING_HALF_EVEN, &converted, error);
    if (code == MPAY_OK) printf("%s\n", mpay_amount_text(converted)); /* 16.230395 */
    /* dealCurrency is the currency of the merchant's balance. mpay_payment_paid returns MPAY_PAID_EXACTLY, _LESS or _MORE. */
    const char *balance = mpay_payment_deal_currency(payment); /* NULL if the service has not reported it */
    printf("paid %d, balance %s\n", (int)mpay_payment_paid(payment, "1500.50"), balance ? balance : "-");
    mpay_amount_free(converted);
    return code;
}
/* [/money] */

/* [keys] */
static int32_t keys(mpay_error **error) {
    mpay_keypair *pair = NULL;
    int32_t code = mpay_keypair_generate(&pair, error);
    if (code == MPAY_OK) printf("for the service: %s\n", mpay_keypair_public_key(pair));
    /* Keep mpay_keypair_private_key(pair) only in a secret store. */
    mpay_keypair_free(pair);
    return code;
}
/* [/keys] */

/* [rotation] */
static void rotate(mpay_config *config, const char *old_key, const char *new_key) {
    mpay_config_clear_server_keys(config);
    mpay_config_add_server_public_key(config, old_key);
    mpay_config_add_server_public_key(config, new_key); /* responses and webhooks verify with either key */
}
/* [/rotation] */

/* [webhook] */
/* Takes the unchanged body, and the headers X-Signature and X-KeyId; an absent header is NULL. Returns the HTTP status of the answer. */
static int receive(const mpay_verifier *verifier, const void *body, size_t len, const char *signature, const char *key_id) {
    mpay_event *event = NULL;
    if (mpay_verify_webhook(verifier, body, len, signature, key_id, &event, NULL) != MPAY_OK) {
        mpay_explanation *why = NULL; /* for your log, not for the sender */
        if (mpay_explain_webhook(verifier, body, len, signature, key_id, &why, NULL) == MPAY_OK && why != NULL) {
            fprintf(stderr, "webhook refused: %s\n", mpay_explanation_hint(why));
        }
        mpay_explanation_free(why);
        return 400;
    }
    const mpay_payment *payment = mpay_event_payment(event);
    switch (mpay_event_kind(event)) {
    case MPAY_EVENT_CREDENTIALS:
        printf("%s: show the credentials\n", mpay_payment_order_id(payment));
        break;
    case MPAY_EVENT_CREDENTIALS_FAILED:
        printf("%s: no payee\n", mpay_payment_order_id(payment));
        break;
    case MPAY_EVENT_STATUS:
        printf("%s: %s\n", mpay_payment_order_id(payment), mpay_payment_status(payment));
        break;
    default:
        break; /* a kind that a later version added */
    }
    mpay_event_free(event);
    return 200; /* only when the event is stored */
}
/* [/webhook] */

/* If a call failed, ends the program with the call's error. The error is passed by its address, because C can evaluate `error` before the
   call in the same argument list. */
static void need(int32_t code, mpay_error **error) {
    if (code != MPAY_OK) exit(example_end(*error));
}

static void arbitrate(const mpay_client *client, const char *file) {
    mpay_payment_request *request = mpay_payment_request_new();
    mpay_payment *payment = NULL, *waiting = NULL;
    mpay_error *error = NULL;
    mpay_payment_request_set_sum(request, "1500.50");
    mpay_payment_request_set_payment_method(request, "card");
    mpay_payment_request_set_customer_account(request, "arbitration");
    need(mpay_new_payment(client, request, &payment, &error), &error);
    need(mpay_confirm(client, mpay_payment_order_id(payment), &error), &error);
    need(example_wait(client, mpay_payment_order_id(payment), "receiptRequired", &waiting, &error), &error);
    need(attach(client, mpay_payment_order_id(payment), file, &error), &error);
    mpay_payment_free(waiting);
    mpay_payment_free(payment);
    mpay_payment_request_free(request);
}

int main(int argc, char **argv) {
    mpay_client *client = NULL;
    mpay_payment *payment = NULL, *other = NULL;
    mpay_error *error = NULL;
    int exactly = 0;
    if (argc != 2) return 2;

    need(open_client(&client, &error), &error);
    need(mpay_client_connect(client, &error), &error);
    need(available(client, &error), &error);
    need(pay(client, &payment, &error), &error);
    need(money(payment, &error), &error);
    need(confirm(client, mpay_payment_order_id(payment), &exactly, &error), &error);
    if (!exactly) return EXIT_FAILURE;
    need(cancel(client, mpay_payment_order_id(payment), &error), &error);
    need(pay(client, &other, &error), &error);
    need(cancel(client, mpay_payment_order_id(other), &error), &error);
    arbitrate(client, argv[1]);
    need(keys(&error), &error);

    mpay_config *config = mpay_config_new();
    mpay_verifier *verifier = NULL;
    rotate(config, getenv("MERCHANTPAY_SERVER_PUBLIC_KEY"), getenv("MERCHANTPAY_SERVER_PUBLIC_KEY"));
    need(mpay_verifier_new(config, &verifier, &error), &error);
    const char *body = getenv("WEBHOOK_BODY"), *signature = getenv("WEBHOOK_SIGNATURE");
    if (body == NULL || receive(verifier, body, strlen(body), signature, NULL) != 200) return EXIT_FAILURE;
    if (receive(verifier, "{}", 2, signature, NULL) != 400) return EXIT_FAILURE;
    printf("the end\n");

    mpay_verifier_free(verifier);
    mpay_config_free(config);
    mpay_payment_free(other);
    mpay_payment_free(payment);
    mpay_client_free(client);
    return EXIT_SUCCESS;
}
