/* The code of docs/c.md, which shows the lines between two marks. tests/docs runs it with a sandbox: guide RECEIPT */
#include <merchantpay.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* [client] */
static int32_t open_client(mpay_client **client, mpay_error **error) {
    mpay_config *config = mpay_config_new();
    int32_t code = mpay_config_from_env(config, error); /* or mpay_config_set_base_url and the other setters */
    if (code == MPAY_OK) code = mpay_client_new(config, client, error);
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

/* [journal] */
static int32_t open_journal(const mpay_client *client, const char *place, mpay_journal **journal, mpay_error **error) {
    mpay_journal_config *config = mpay_journal_config_new();
    mpay_journal_config_set_place(config, place); /* a file's absolute path, postgresql:// or mysql:// */
    mpay_journal_config_set_callback_url(config, "https://shop.example/pay/callback");
    int32_t code = mpay_journal_open(client, config, journal, error);
    mpay_journal_config_free(config);
    return code;
}

/* Repeated with the same order number, it returns the same payment: after a lost reply, a second click or a crash. */
static int32_t sell(const mpay_journal *journal, const mpay_payment_request *request, mpay_error **error) {
    mpay_entry *entry = NULL;
    int32_t code = mpay_journal_pay(journal, "order-1017", request, &entry, error);
    const mpay_payment *credentials = mpay_entry_credentials(entry); /* NULL unless the customer can pay now */
    if (credentials != NULL) printf("pay %s to %s\n", mpay_payment_sum(credentials), mpay_payment_payee_account(credentials));
    mpay_entry_free(entry);
    return code;
}

static int32_t customer_has_paid(const mpay_journal *journal, mpay_error **error) {
    mpay_entry *entry = NULL;
    int32_t code = mpay_journal_confirm(journal, "order-1017", 1, &entry, error); /* the order's first attempt */
    mpay_entry_free(entry);
    return code;
}

/* Returns the HTTP status of the answer to a webhook. */
static int callback(const mpay_journal *journal, const char *path, const void *body, size_t len, const char *signature,
                    const char *key_id) {
    int32_t status = 503;
    mpay_error *error = NULL;
    if (mpay_journal_receive(journal, path, body, len, signature, key_id, &status, NULL, &error) != MPAY_OK) {
        fprintf(stderr, "webhook refused: %s\n", mpay_error_message(error)); /* for your log, not for the sender */
    }
    mpay_error_free(error);
    return (int)status;
}

static int32_t every_few_seconds(const mpay_journal *journal, void (*ship)(const mpay_entry *), mpay_error **error) {
    mpay_entries *news = NULL;
    int32_t code = mpay_journal_settle(journal, 100, NULL, NULL, error);       /* asks the service about open attempts that are due */
    if (code == MPAY_OK) code = mpay_journal_news(journal, 100, &news, error); /* unacknowledged changes, also from before a crash */
    for (size_t i = 0; code == MPAY_OK && i < mpay_entries_count(news); i++) {
        const mpay_entry *entry = mpay_entries_get(news, i);
        if (mpay_entry_succeeded(entry)) ship(entry); /* doneSuccess, and exactly the requested sum was paid */
        code =
            mpay_journal_acknowledge(journal, mpay_entry_reference(entry), mpay_entry_attempt(entry), mpay_entry_news(entry), NULL, error);
    }
    mpay_entries_free(news);
    return code;
}
/* [/journal] */

/* [protocol] */
/* Sends the signed body once and unchanged, with these headers, and fills in status, headers and body of the response. */
int send_with_my_stack(const mpay_http_request *request, mpay_http_response *response);

static int32_t status_of(const mpay_protocol *protocol, const char *order_id, mpay_payment **payment, mpay_error **error) {
    mpay_http_request *request = NULL;
    int32_t code = mpay_prepare_get_status(protocol, order_id, &request, error);
    if (code != MPAY_OK) return code;
    mpay_http_response *response = mpay_http_response_new();
    if (send_with_my_stack(request, response)) code = mpay_open_get_status(request, response, payment, error);
    else code = MPAY_TRANSPORT; /* only your HTTP client knows whether the request was sent */
    mpay_http_response_free(response);
    mpay_http_request_free(request);
    return code;
}
/* [/protocol] */

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

static void dispute(const mpay_client *client, const char *file) {
    mpay_payment_request *request = mpay_payment_request_new();
    mpay_payment *payment = NULL, *waiting = NULL;
    mpay_error *error = NULL;
    mpay_payment_request_set_sum(request, "1500.50");
    mpay_payment_request_set_payment_method(request, "card");
    mpay_payment_request_set_customer_account(request, "arbitration");
    need(mpay_new_payment(client, request, &payment, &error), &error);
    need(mpay_confirm(client, mpay_payment_order_id(payment), &error), &error);
    while (mpay_payment_status_code(waiting) != MPAY_STATUS_RECEIPT_REQUIRED) {
        mpay_payment_free(waiting);
        need(mpay_get_status(client, mpay_payment_order_id(payment), &waiting, &error), &error);
    }
    need(attach(client, mpay_payment_order_id(payment), file, &error), &error);
    mpay_payment_free(waiting);
    mpay_payment_free(payment);
    mpay_payment_request_free(request);
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
    mpay_payment_request_free(request);
    mpay_journal_free(journal);
}

int main(int argc, char **argv) {
    mpay_client *client = NULL;
    mpay_payment *payment = NULL, *other = NULL;
    mpay_error *error = NULL;
    int exactly = 0;
    if (argc != 2) return 2;

    need(open_client(&client, &error), &error);
    need(mpay_client_connect(client, &error), &error);
    need(pay(client, &payment, &error), &error);
    need(money(payment, &error), &error);
    need(confirm(client, mpay_payment_order_id(payment), &exactly, &error), &error);
    if (!exactly) return EXIT_FAILURE;
    need(cancel(client, mpay_payment_order_id(payment), &error), &error);
    need(pay(client, &other, &error), &error);
    need(cancel(client, mpay_payment_order_id(other), &error), &error);
    dispute(client, argv[1]);

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

    mpay_protocol_free(protocol);
    mpay_verifier_free(verifier);
    mpay_config_free(config);
    mpay_payment_free(other);
    mpay_payment_free(payment);
    mpay_client_free(client);
    return EXIT_SUCCESS;
}
