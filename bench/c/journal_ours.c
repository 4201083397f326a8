/* Takes a payment through the journal in a database. Another task makes the same call without the journal. */
#include "journal_database.h"

static mpay_client *client;
static mpay_journal *journal;

static void check(int32_t code, mpay_error **error) {
    if (code != MPAY_OK) fail(mpay_error_message(*error));
}

static mpay_payment_request *request(void) {
    mpay_payment_request *request = mpay_payment_request_new();
    mpay_payment_request_set_sum(request, "1500.50");
    mpay_payment_request_set_payment_method(request, "sbp");
    mpay_payment_request_set_customer_account(request, "79001234567");
    return request;
}

static void pay(void) {
    char reference[64];
    mpay_payment_request *payment = request();
    mpay_entry *entry;
    mpay_error *error;
    new_reference(reference, sizeof reference);
    check(mpay_journal_pay(journal, reference, payment, 0, &entry, &error), &error);
    if (!mpay_entry_credentials(entry)) fail("no credentials");
    mpay_entry_free(entry);
    mpay_payment_request_free(payment);
}

static void new_payment(void) {
    char reference[64];
    mpay_payment_request *payment = request();
    mpay_payment *made;
    mpay_error *error;
    new_reference(reference, sizeof reference);
    mpay_payment_request_set_merchant_id(payment, reference);
    mpay_payment_request_set_status_webhook_url(payment, "https://shop.example/pay/callback/00000000000000000000000000000000");
    check(mpay_new_payment(client, payment, &made, &error), &error);
    if (!mpay_payment_payee_account(made)) fail("no credentials");
    mpay_payment_free(made);
    mpay_payment_request_free(payment);
}

static void settle_nothing(void) {
    uint32_t done;
    mpay_error *error;
    check(mpay_journal_settle(journal, 1, &done, NULL, &error), &error);
    if (done) fail("something was due");
}

int main(int argc, char **argv) {
    static const struct task tasks[] = {
        {"pay", pay}, {"new", new_payment}, {"settle-nothing", settle_nothing}, {"status", new_payment}, {NULL, NULL}};
    mpay_config *config = mpay_config_new();
    mpay_journal_config *settings = mpay_journal_config_new();
    mpay_error *error;
    open_database();
    mpay_config_set_base_url(config, setting("BENCH_URL"));
    mpay_config_set_key_id(config, KEY_ID);
    mpay_config_set_private_key(config, setting("BENCH_PRIVATE_KEY"));
    mpay_config_add_server_public_key(config, setting("BENCH_SERVER_PUBLIC_KEY"));
    check(mpay_client_new(config, &client, &error), &error);
    if (is_mariadb())
        mpay_journal_config_set_database(settings, MPAY_DIALECT_MYSQL, MPAY_PLACEHOLDERS_QUESTION, mariadb_run, &mariadb, NULL);
    else mpay_journal_config_set_database(settings, MPAY_DIALECT_POSTGRESQL, MPAY_PLACEHOLDERS_NUMBERED, postgresql_run, postgresql, NULL);
    mpay_journal_config_set_callback_url(settings, "https://shop.example/pay/callback");
    mpay_journal_config_set_create(settings, 1);
    check(mpay_journal_open(client, settings, &journal, &error), &error);
    return serve(argc, argv, tasks);
}
