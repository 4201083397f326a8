/* One of the paying processes, in C: it works like src/journal/worker.rs and shop.rs, with PostgreSQL through
   libpq or MariaDB through libmariadb. One thread serves the callbacks between its calls. */
#define _POSIX_C_SOURCE 200809L
#include "../../../examples/c/mariadb.h"
#include "../../../examples/c/postgresql.h"

#include <fcntl.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdio.h>
#include <time.h>
#include <unistd.h>

#include "../../../examples/c/receiver.h"

enum { WORKERS = 8, PATIENCE_S = 60 };

static const mpay_journal *journal;
static struct receiver receiver;
static int log_file;

static void fail(const char *what, const mpay_error *error) {
    fprintf(stderr, "worker in C: %s: %s\n", what, error != NULL ? mpay_error_message(error) : "");
    _exit(1);
}

static const char *variable(const char *name) {
    const char *value = getenv(name);
    if (value == NULL) fail(name, NULL);
    return value;
}

/* Each line is one write, so that a kill leaves no half line. */
static void note(const char *format, ...) {
    char line[512];
    va_list values;
    va_start(values, format);
    const int length = vsnprintf(line, sizeof line, format, values);
    va_end(values);
    if (length < 0 || (size_t)length >= sizeof line || write(log_file, line, (size_t)length) != length) fail("the log", NULL);
}

/* The number of the payment that this process had reached before it was killed. */
static long reached(const char *path) {
    FILE *file = fopen(path, "r");
    char line[512];
    long number = 0, found;
    while (file != NULL && fgets(line, sizeof line, file) != NULL)
        if (sscanf(line, "done %ld", &found) == 1) number = found + 1;
    if (file != NULL) fclose(file);
    return number;
}

/* True if a failed call must be repeated, because the journal or its database is busy. */
static int again(int32_t code, mpay_error **error, time_t end) {
    const struct timespec pause = {0, 20 * 1000 * 1000};
    if (code == MPAY_OK) return 0;
    if (!mpay_error_is_transient(*error) || time(NULL) > end) fail("a call", *error);
    mpay_error_free(*error);
    *error = NULL;
    nanosleep(&pause, NULL);
    return 1;
}

#define STEADILY(call)                                                 \
    do {                                                               \
        const time_t end = time(NULL) + PATIENCE_S;                    \
        mpay_error *error = NULL;                                      \
        while (again(call, &error, end)) receiver_serve(&receiver, 0); \
    } while (0)

static unsigned int receive(void *context, const struct webhook *hook) {
    int32_t status = 0;
    (void)context;
    mpay_error *error = NULL; /* The error is not read: the status is enough. */
    if (mpay_journal_receive(journal, hook->path, hook->body, hook->len, hook->signature, hook->key_id, &status, NULL, &error) != MPAY_OK)
        mpay_error_free(error);
    return (unsigned int)status;
}

static long number_of(const mpay_entry *entry) {
    long number = -1;
    if (sscanf(mpay_entry_reference(entry), "order-%ld", &number) != 1) fail("another reference", NULL);
    return number;
}

/* Each payment has a different sum. */
static mpay_entry *pay(long number, uint32_t replace) {
    mpay_payment_request *request = mpay_payment_request_new();
    mpay_entry *entry = NULL;
    char sum[32], reference[32];
    const long minor = 10010 + 10 * number, kind = number % 40;
    snprintf(sum, sizeof sum, "%ld.%02ld", minor / 100, minor % 100);
    snprintf(reference, sizeof reference, "order-%ld", number);
    mpay_payment_request_set_sum(request, sum);
    mpay_payment_request_set_payment_method(request, "sbp");
    mpay_payment_request_set_customer_account(request, kind == 3   ? "no-credentials"
                                                       : kind == 5 ? "pays-less"
                                                       : kind == 9 ? "payment-fails"
                                                                   : "79001234567");
    if (number % 2 == 0) STEADILY(mpay_journal_pay(journal, reference, request, replace, &entry, &error));
    else STEADILY(mpay_journal_pay_async(journal, reference, request, replace, &entry, &error));
    mpay_payment_request_free(request);
    return entry;
}

/* Gives the credentials, if any, to a customer who pays immediately. For one customer in fifty the shop
 * cancels the payment and makes another one. */
static void serve(const mpay_entry *entry) {
    mpay_entry *next = NULL;
    const char *reference = mpay_entry_reference(entry);
    const uint32_t attempt = mpay_entry_attempt(entry);
    if (mpay_entry_order_id(entry) == NULL || mpay_entry_credentials(entry) == NULL) return;
    note("handed %s %u %s\n", reference, (unsigned int)attempt, mpay_entry_order_id(entry));
    if (number_of(entry) % 50 == 7 && attempt == 1) {
        STEADILY(mpay_journal_cancel(journal, entry, &next, &error));
        if (mpay_entry_cancel_state(next) == MPAY_INTENT_ACCEPTED) {
            note("cancelled %s %u\n", reference, (unsigned int)attempt);
            mpay_entry *replaced = pay(number_of(entry), attempt);
            serve(replaced);
            mpay_entry_free(replaced);
        }
    } else if (mpay_entry_confirm_state(entry) == 0) {
        STEADILY(mpay_journal_confirm(journal, entry, &next, &error));
    }
    mpay_entry_free(next);
}

/* Creates a payment. A cashier replaces one third of the payments whose reply is lost. */
static void take(long number) {
    mpay_entry *entry = pay(number, 0);
    serve(entry);
    if (mpay_entry_standing(entry) == MPAY_STANDING_UNKNOWN && number % 3 == 0) {
        mpay_entry *replaced = pay(number, mpay_entry_attempt(entry));
        serve(replaced);
        mpay_entry_free(replaced);
    }
    mpay_entry_free(entry);
}

/* Handles some reported changes (news), and settles some due attempts. Returns whether there was anything to do. */
static int turn(uint32_t limit) {
    mpay_entries *news = NULL;
    uint32_t done = 0;
    STEADILY(mpay_journal_news(journal, limit, 0, &news, &error));
    const size_t count = mpay_entries_count(news);
    for (size_t i = 0; i < count; i++) {
        const mpay_entry *entry = mpay_entries_get(news, i);
        int32_t changed = 0;
        serve(entry);
        STEADILY(mpay_journal_acknowledge(journal, entry, &changed, &error));
        if (changed && mpay_entry_succeeded(entry)) note("shipped %s\n", mpay_entry_reference(entry));
    }
    mpay_entries_free(news);
    STEADILY(mpay_journal_settle(journal, limit, &done, NULL, &error));
    receiver_serve(&receiver, 0);
    return count > 0 || done > 0;
}

/* At the end of the run the parent closes this process's input. */
static void *wait_for_the_end(void *unused) {
    char byte;
    while (read(STDIN_FILENO, &byte, 1) > 0) continue;
    _exit(0);
    return unused;
}

static mpay_journal *open_journal(void) {
    static struct mariadb mariadb;
    mpay_config *config = mpay_config_new();
    mpay_journal_config *settings = mpay_journal_config_new();
    mpay_client *client = NULL;
    mpay_journal *opened = NULL;
    mpay_error *error = NULL;
    const char *socket = variable("SOCKET"), *database = variable("DATABASE");
    mpay_config_set_base_url(config, variable("MERCHANTPAY_BASE_URL"));
    mpay_config_set_key_id(config, variable("MERCHANTPAY_KEY_ID"));
    mpay_config_set_private_key(config, variable("MERCHANTPAY_PRIVATE_KEY"));
    mpay_config_add_server_public_key(config, variable("MERCHANTPAY_SERVER_PUBLIC_KEY"));
    if (strcmp(variable("STORE"), "mariadb") == 0) {
        mariadb.socket = socket;
        mariadb.user = "root";
        mariadb.database = database;
        mpay_journal_config_set_database(settings, MPAY_DIALECT_MYSQL, MPAY_PLACEHOLDERS_QUESTION, mariadb_run, &mariadb, NULL);
    } else {
        const char *const names[] = {"host", "user", "dbname", NULL}, *values[] = {socket, "shop", database, NULL};
        PGconn *connection = PQconnectdbParams(names, values, 0);
        mpay_journal_config_set_database(settings, MPAY_DIALECT_POSTGRESQL, MPAY_PLACEHOLDERS_NUMBERED, postgresql_run, connection, NULL);
    }
    mpay_journal_config_set_callback_url(settings, variable("HOOKS"));
    mpay_journal_config_set_timeout_ms(settings, 15000);
    mpay_journal_config_set_calls_per_second(settings, 1000);
    if (mpay_client_new(config, &client, &error) != MPAY_OK || mpay_journal_open(client, settings, &opened, &error) != MPAY_OK)
        fail("the journal does not open", error);
    mpay_client_free(client);
    mpay_journal_config_free(settings);
    mpay_config_free(config);
    return opened;
}

int main(void) {
    const long worker = strtol(variable("WORKER"), NULL, 10), payments = strtol(variable("PAYMENTS"), NULL, 10);
    const char *path = variable("LOG");
    pthread_t thread;
    long number;
    log_file = open(path, O_WRONLY | O_CREAT | O_APPEND, 0600);
    if (log_file < 0 || pthread_create(&thread, NULL, wait_for_the_end, NULL) != 0) fail("the log", NULL);
    journal = open_journal();
    receiver.receive = receive;
    receiver_listen(&receiver, NULL);
    for (number = reached(path); number < payments; number++) {
        if (number % WORKERS != worker && number % WORKERS != (worker + 1) % WORKERS) continue;
        take(number);
        turn(4);
        note("done %ld\n", number);
    }
    printf("finished\n");
    for (;;)
        if (!turn(20)) receiver_serve(&receiver, 50);
}
