/* Makes exactly one payment, whatever fails: recover FILE [PORT]. FILE is the journal: a path, postgresql:// or mysql://. The
   program receives webhooks on PORT; without PORT, on any free port. Kill the program, lose its replies, and run it again with the same
   arguments: it continues the same payment. */
#include "example.h"
#include "receiver.h"

static unsigned int receive(void *context, const struct webhook *hook) {
    mpay_journal *journal = *(mpay_journal **)context;
    int32_t status = 0;
    if (mpay_journal_receive(journal, hook->path, hook->body, hook->len, hook->signature, hook->key_id, &status, NULL, NULL) != MPAY_OK)
        fprintf(stderr, "answered with %d\n", (int)status);
    return (unsigned int)status;
}

/* Asks the service about what is due, and acts on all news. News that were read before a crash come again after a minute. */
static int32_t settle(const mpay_journal *journal, mpay_error **error) {
    mpay_entries *news = NULL;
    int32_t code = mpay_journal_settle(journal, 100, NULL, NULL, error);
    if (code == MPAY_OK) code = mpay_journal_news(journal, 100, &news, error);
    for (size_t i = 0; code == MPAY_OK && i < mpay_entries_count(news); i++) {
        const mpay_entry *entry = mpay_entries_get(news, i);
        const char *task = mpay_entry_credentials(entry) ? ": show the credentials" : "";
        if (mpay_entry_succeeded(entry)) task = ": ship it";
        printf("%s %s%s\n", mpay_entry_reference(entry), mpay_entry_standing_name(entry), task);
        code =
            mpay_journal_acknowledge(journal, mpay_entry_reference(entry), mpay_entry_attempt(entry), mpay_entry_news(entry), NULL, error);
    }
    mpay_entries_free(news);
    return code;
}

static void sell(const mpay_journal *journal, const struct receiver *receiver, const char *reference, mpay_error **error) {
    mpay_payment_request *request = example_request("1500.55");
    mpay_entry *entry = NULL;
    /* A repeated call returns the same payment. If the reply is lost, a webhook still brings the credentials. */
    int32_t code = mpay_journal_pay_async(journal, reference, request, &entry, error);
    if (code == MPAY_OK) printf("%s %s\n", reference, mpay_entry_standing_name(entry));
    for (int over = 0; code == MPAY_OK && !over;) {
        mpay_entry_free(entry), entry = NULL;
        receiver_serve(receiver, 100);
        code = settle(journal, error);
        if (code == MPAY_OK) code = mpay_journal_find(journal, reference, &entry, error);
        over = mpay_entry_standing(entry) == MPAY_STANDING_FINAL || mpay_entry_standing(entry) == MPAY_STANDING_REFUSED;
        over = over && mpay_entry_acknowledged(entry);
    }
    mpay_payment_request_free(request);
    mpay_entry_free(entry);
}

int main(int argc, char **argv) {
    if (argc < 2) return example_usage("recover FILE [PORT]");
    mpay_error *error = NULL;
    mpay_client *client = example_client(&error);
    mpay_journal *journal = NULL;
    struct receiver receiver = {receive, (void *)&journal, 0, 0, NULL, ""};
    mpay_journal_config *config = mpay_journal_config_new();
    mpay_journal_config_set_place(config, argv[1]);
    mpay_journal_config_set_callback_url(config, receiver_listen(&receiver, argv[2]));
    if (error == NULL && mpay_journal_open(client, config, &journal, &error) == MPAY_OK) sell(journal, &receiver, "order-1017", &error);
    MHD_stop_daemon(receiver.server);
    mpay_journal_free(journal);
    mpay_journal_config_free(config);
    mpay_client_free(client);
    return example_end(error);
}
