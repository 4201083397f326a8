/* A point of sale's whole sale, with the journal in PostgreSQL: till CONNINFO REFERENCE SUM. No callback URL: the till asks. After a
   power cut, run it again with the same words, on this till or on another one: it is the same payment, and it goes on. */
#include "example.h"
#include "postgresql.h"

/* A line that is there also if the power fails behind it. */
static void say(const char *what, const char *value) {
    printf("%s %s\n", what, value);
    fflush(stdout);
}

/* Takes the place of an entry. */
static void become(mpay_entry **entry, mpay_entry *next) {
    mpay_entry_free(*entry);
    *entry = next;
}

/* Sells until there is an end, and gives whether it is a good one. */
static int sell(const mpay_journal *journal, const char *reference, const mpay_payment_request *request, mpay_error **error) {
    mpay_entry *entry = NULL, *next = NULL;
    mpay_entries *news = NULL;
    int sold = 0;
    if (mpay_journal_pay(journal, reference, request, 0, &entry, error) != MPAY_OK) goto end;
    /* A till that lost its power in the middle of the call: its row says so until the call would have ended. */
    if (mpay_entry_standing(entry) == MPAY_STANDING_SENDING) {
        if (mpay_journal_wait(journal, reference, 60000, MPAY_UNTIL_CREDENTIALS, &next, error) != MPAY_OK) goto end;
        become(&entry, next);
    }
    say(reference, mpay_entry_standing_name(entry));
    const mpay_payment *credentials = mpay_entry_credentials(entry);
    if (credentials != NULL) {
        printf("pay %s ", example_shown(mpay_payment_sum(credentials)));
        say("to", example_shown(mpay_payment_payee_account(credentials)));
    }
    /* The customer says that he has paid. It is stored first: after a power cut it is said again. */
    if (mpay_entry_standing(entry) == MPAY_STANDING_OPEN && mpay_entry_confirm_state(entry) == 0) {
        if (mpay_journal_confirm(journal, entry, &next, error) != MPAY_OK) goto end;
        become(&entry, next);
        say("confirmed", reference);
    }
    if (mpay_journal_wait(journal, reference, 600000, MPAY_UNTIL_FINAL, &next, error) != MPAY_OK) goto end;
    become(&entry, next);
    say("status", example_shown(mpay_payment_status(mpay_entry_payment(entry))));
    sold = mpay_entry_succeeded(entry);
    /* The receipts of everything that has ended, of this sale and of those before a power cut. */
    if (mpay_journal_news(journal, 100, 1, &news, error) != MPAY_OK) goto end;
    for (size_t i = 0; i < mpay_entries_count(news); i++) {
        const mpay_entry *ended = mpay_entries_get(news, i);
        if (mpay_entry_reported(ended) == MPAY_LEVEL_FINAL)
            say(mpay_entry_succeeded(ended) ? "sold" : "not sold", mpay_entry_reference(ended));
        if (mpay_journal_acknowledge(journal, ended, NULL, error) != MPAY_OK) goto end;
    }
end:
    mpay_entries_free(news);
    mpay_entry_free(entry);
    return sold;
}

int main(int argc, char **argv) {
    if (argc != 4) return example_usage("till CONNINFO REFERENCE SUM");
    mpay_error *error = NULL;
    mpay_client *client = example_client(&error);
    mpay_journal *journal = NULL, *sale = NULL;
    int sold = 0;
    PGconn *connection = PQconnectdb(argv[1]);
    mpay_journal_config *settings = mpay_journal_config_new();
    mpay_journal_config_set_database(settings, MPAY_DIALECT_POSTGRESQL, MPAY_PLACEHOLDERS_NUMBERED, postgresql_run, connection, NULL);
    mpay_payment_request *request = example_request(argv[3]);
    /* A handle for each sale: its button calls mpay_journal_interrupt(sale), which is for good, on a thread of its own. */
    if (error == NULL && mpay_journal_open(client, settings, &journal, &error) == MPAY_OK &&
        mpay_journal_derive(journal, &sale, &error) == MPAY_OK)
        sold = sell(sale, argv[2], request, &error);
    mpay_payment_request_free(request);
    mpay_journal_free(sale);
    mpay_journal_free(journal);
    mpay_journal_config_free(settings);
    mpay_client_free(client);
    PQfinish(connection);
    return error != NULL ? example_end(error) : sold ? EXIT_SUCCESS : EXIT_FAILURE;
}
