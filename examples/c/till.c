/* A point of sale's whole sale, with the journal in PostgreSQL: till CONNINFO REFERENCE SUM. No callback URL: the till asks. After a
   power cut, run it again with the same words, on this till or on another one: it is the same payment, and it goes on. */
#include "example.h"

#include <libpq-fe.h>

/* Runs one statement of the journal on a connection that is the journal's own. The tables are made by a migration of what
   `merchantpay journal schema postgresql` prints. */
static int32_t run_statement(void *user_data, const char *sql, const char *const *parameters, size_t count, mpay_rows *out) {
    PGconn *connection = user_data;
    if (PQstatus(connection) != CONNECTION_OK) PQreset(connection);
    if (PQstatus(connection) != CONNECTION_OK) {
        mpay_rows_set_message(out, PQerrorMessage(connection));
        return MPAY_DATABASE_FAILED; /* Nothing was sent. */
    }
    /* No named statement: pgbouncer in transaction mode would break it. */
    PGresult *result = PQexecParams(connection, sql, (int)count, NULL, parameters, NULL, NULL, 0);
    int32_t code = MPAY_DATABASE_OK;
    const char *values[64];
    const char *state = PQresultErrorField(result, PG_DIAG_SQLSTATE);
    switch (PQresultStatus(result)) {
    case PGRES_COMMAND_OK:
        mpay_rows_set_affected(out, strtoull(PQcmdTuples(result), NULL, 10));
        break;
    case PGRES_TUPLES_OK:
        for (int row = 0; row < PQntuples(result); row++) {
            const int columns = PQnfields(result) < 64 ? PQnfields(result) : 64;
            for (int column = 0; column < columns; column++)
                values[column] = PQgetisnull(result, row, column) ? NULL : PQgetvalue(result, row, column);
            mpay_rows_add(out, values, (size_t)columns);
        }
        break;
    default:
        mpay_rows_set_message(out, PQresultErrorMessage(result));
        /* Without a state, or with one of a connection that ended, nobody knows whether it took effect. */
        if (state == NULL || strncmp(state, "08", 2) == 0 || strncmp(state, "57P", 3) == 0) code = MPAY_DATABASE_UNCLEAR;
        else code = strcmp(state, "23505") == 0 ? MPAY_DATABASE_DUPLICATE : MPAY_DATABASE_FAILED;
    }
    PQclear(result);
    return code;
}

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
    if (mpay_entry_standing(entry) == MPAY_STANDING_OPEN && mpay_entry_confirm(entry) == 0) {
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
    if (argc != 4) {
        fprintf(stderr, "usage: till CONNINFO REFERENCE SUM\n");
        return 2;
    }
    mpay_error *error = NULL;
    mpay_client *client = NULL;
    mpay_journal *journal = NULL;
    int sold = 0;
    PGconn *connection = PQconnectdb(argv[1]);
    mpay_config *config = example_config();
    mpay_journal_config *settings = mpay_journal_config_new();
    mpay_journal_config_set_database(settings, MPAY_DIALECT_POSTGRESQL, MPAY_PLACEHOLDERS_NUMBERED, run_statement, connection);
    mpay_payment_request *request = mpay_payment_request_new();
    mpay_payment_request_set_sum(request, argv[3]);
    mpay_payment_request_set_payment_method(request, "sbp");
    mpay_payment_request_set_customer_account(request, "79001234567");
    if (mpay_client_new(config, &client, &error) == MPAY_OK && mpay_journal_open(client, settings, &journal, &error) == MPAY_OK)
        sold = sell(journal, argv[2], request, &error);
    mpay_payment_request_free(request);
    mpay_journal_free(journal);
    mpay_journal_config_free(settings);
    mpay_client_free(client);
    mpay_config_free(config);
    PQfinish(connection);
    return error != NULL ? example_end(error) : sold ? EXIT_SUCCESS : EXIT_FAILURE;
}
