/* A point of sale's whole sale: till FILE REFERENCE SUM [again]. FILE is a journal that `merchantpay journal init` has created. No
   callback URL: the till asks. Ctrl-C is the cashier's button that gives up waiting. After a power cut, run it again with the same
   words: it is the same payment, and it goes on. Compiled with -DWITH_POSTGRESQL, FILE is a connection string of libpq instead. */
#include "example.h"
#ifdef WITH_POSTGRESQL
#include "postgresql.h"
#endif
#ifndef _WIN32
#include <pthread.h>
#include <signal.h>
#endif

/* The handle of this sale, which the button interrupts. */
static const mpay_journal *sale;

#ifdef _WIN32
/* Windows calls it on a thread of its own. */
static BOOL WINAPI on_button(DWORD event) {
    if (event != CTRL_C_EVENT) return FALSE;
    mpay_journal_interrupt(sale);
    return TRUE;
}

static void watch_button(void) {
    SetConsoleCtrlHandler(on_button, TRUE);
}

static void leave_button(void) {
    SetConsoleCtrlHandler(on_button, FALSE);
}
#else
static pthread_t button;
static sigset_t signals;

static void *wait_for_button(void *unused) {
    int signal = 0;
    (void)unused;
    if (sigwait(&signals, &signal) == 0 && signal == SIGINT) mpay_journal_interrupt(sale);
    return NULL;
}

/* A handler of a signal may not interrupt; a thread that waits for the signal may. It is the first thread, so that each thread leaves
   the signals to it. */
static void watch_button(void) {
    sigemptyset(&signals);
    sigaddset(&signals, SIGINT);
    sigaddset(&signals, SIGUSR1);
    pthread_sigmask(SIG_BLOCK, &signals, NULL);
    if (pthread_create(&button, NULL, wait_for_button, NULL) != 0) abort();
}

static void leave_button(void) {
    pthread_kill(button, SIGUSR1);
    pthread_join(button, NULL);
}
#endif

/* Prints a line at once, so that it is there if the power fails after it. */
static void say(const char *what, const char *value) {
    printf("%s %s\n", what, value);
    fflush(stdout);
}

/* Replaces an entry. */
static void become(mpay_entry **entry, mpay_entry *next) {
    mpay_entry_free(*entry);
    *entry = next;
}

/* The payment of this sale: the one that exists, or a new one. */
static int32_t pay(const char *reference, const mpay_payment_request *request, int again, mpay_entry **entry, mpay_error **error) {
    mpay_entry *next = NULL;
    int32_t code = mpay_journal_pay(sale, reference, request, 0, entry, error);
    /* The cashier has decided: nobody has seen the old credentials, so nobody can pay them. */
    if (code == MPAY_OK && again && mpay_entry_credentials(*entry) == NULL) {
        code = mpay_journal_pay(sale, reference, request, mpay_entry_attempt(*entry), &next, error);
        if (code == MPAY_OK) become(entry, next);
    }
    /* A till that lost its power during the call: its row says so until the call would have ended. */
    if (code == MPAY_OK && mpay_entry_standing(*entry) == MPAY_STANDING_SENDING) {
        code = mpay_journal_wait(sale, reference, 60000, MPAY_UNTIL_CREDENTIALS, &next, error);
        if (code == MPAY_OK) become(entry, next);
    }
    return code;
}

/* Prints the receipts of everything that has ended, of this sale and of those before a power cut. */
static int32_t print_receipts(mpay_error **error) {
    mpay_entries *news = NULL;
    /* There is one till, so nobody else must be kept from its news. */
    int32_t code = mpay_journal_news(sale, 100, 1, &news, error);
    for (size_t i = 0; code == MPAY_OK && i < mpay_entries_count(news); i++) {
        const mpay_entry *ended = mpay_entries_get(news, i);
        if (mpay_entry_reported(ended) == MPAY_LEVEL_FINAL)
            say(mpay_entry_succeeded(ended) ? "sold" : "not sold", mpay_entry_reference(ended));
        code = mpay_journal_acknowledge(sale, ended, NULL, error);
    }
    mpay_entries_free(news);
    return code;
}

/* Sells until there is an end. Returns the exit status of a sale without an error. */
static int sell(const char *reference, const mpay_payment_request *request, int again, mpay_error **error) {
    mpay_entry *entry = NULL, *next = NULL;
    int status = EXIT_FAILURE;
    if (pay(reference, request, again, &entry, error) != MPAY_OK) goto end;
    say(reference, mpay_entry_standing_name(entry));
    if (mpay_entry_standing(entry) == MPAY_STANDING_UNKNOWN) {
        puts("nobody knows whether there is a payment: try again, or ask support");
        status = 4;
        goto end;
    }
    const mpay_payment *credentials = mpay_entry_credentials(entry);
    if (credentials != NULL) {
        printf("pay %s ", example_shown(mpay_payment_sum(credentials)));
        say("to", example_shown(mpay_payment_payee_account(credentials)));
    }
    /* The customer reports the payment. It is stored first: after a power cut it is reported again. */
    if (mpay_entry_standing(entry) == MPAY_STANDING_OPEN && mpay_entry_confirm_state(entry) == 0) {
        if (mpay_journal_confirm(sale, entry, &next, error) != MPAY_OK) goto end;
        become(&entry, next);
        say("confirmed", reference);
    }
    if (mpay_journal_wait(sale, reference, 600000, MPAY_UNTIL_FINAL, &next, error) != MPAY_OK) goto end;
    become(&entry, next);
    const mpay_payment *payment = mpay_entry_payment(entry);
    say("status", payment != NULL ? example_shown(mpay_payment_status(payment)) : "-");
    if (print_receipts(error) == MPAY_OK && mpay_entry_succeeded(entry)) status = EXIT_SUCCESS;
end:
    mpay_entry_free(entry);
    return status;
}

int main(int argc, char **argv) {
    if (argc < 4) return example_usage("till FILE REFERENCE SUM [again]");
    mpay_error *error = NULL;
    mpay_client *client = example_client(&error);
    mpay_journal *journal = NULL, *derived = NULL;
    int status = EXIT_FAILURE;
    mpay_journal_config *settings = mpay_journal_config_new();
#ifdef WITH_POSTGRESQL
    PGconn *connection = PQconnectdb(argv[1]);
    mpay_journal_config_set_database(settings, MPAY_DIALECT_POSTGRESQL, MPAY_PLACEHOLDERS_NUMBERED, postgresql_run, connection, NULL);
#else
    mpay_journal_config_set_file(settings, argv[1]);
#endif
    mpay_payment_request *request = example_request(argv[3]);
    /* An interruption is for good, so each sale has a handle of its own. */
    if (error == NULL && mpay_journal_open(client, settings, &journal, &error) == MPAY_OK &&
        mpay_journal_derive(journal, &derived, &error) == MPAY_OK) {
        sale = derived;
        watch_button();
        status = sell(argv[2], request, argc > 4 && strcmp(argv[4], "again") == 0, &error);
        leave_button();
    }
    mpay_payment_request_free(request);
    mpay_journal_free(derived);
    mpay_journal_free(journal);
    mpay_journal_config_free(settings);
    mpay_client_free(client);
#ifdef WITH_POSTGRESQL
    PQfinish(connection);
#endif
    return error != NULL ? example_end(error) : status;
}
