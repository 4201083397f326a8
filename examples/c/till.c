/* A whole sale at a point of sale: till JOURNAL REFERENCE SUM [again]. JOURNAL is a journal that `merchantpay journal init` has created: a
   file's absolute path, postgresql:// or mysql://. The till has no callback URL, so it asks for the status. Ctrl-C is the cashier's button,
   which ends the waiting. After a power cut, run the program again with the same arguments: it continues the same payment. */
#define _POSIX_C_SOURCE 200112L

#include <merchantpay.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#ifdef _WIN32
#include <windows.h>
#else
#include <pthread.h>
#include <signal.h>
#endif

/* The journal's handle for this sale. The button interrupts this handle. */
static const mpay_journal *sale;

#ifdef _WIN32
/* Windows calls this function on a separate thread. */
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

/* A signal handler must not call mpay_journal_interrupt; a thread that waits for the signal can. This function blocks the signals before
   other threads start, because each new thread inherits the blocked signals. */
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

/* Prints a line immediately, so that a later power cut does not lose it. */
static void say(const char *what, const char *value) {
    printf("%s %s\n", what, value);
    fflush(stdout);
}

static const char *shown(const char *value) {
    return value != NULL && *value != '\0' ? value : "-";
}

static void replace_entry(mpay_entry **entry, mpay_entry *next) {
    mpay_entry_free(*entry);
    *entry = next;
}

/* Returns the payment of this sale: an existing one, or a new one. */
static int32_t pay(const char *reference, const mpay_payment_request *request, int again, mpay_entry **entry, mpay_error **error) {
    mpay_entry *next = NULL;
    int32_t code = mpay_journal_pay(sale, reference, request, entry, error);
    /* After a power cut during the call, the standing stays "sending" until the call's deadline. */
    if (code == MPAY_OK && mpay_entry_standing(*entry) == MPAY_STANDING_SENDING) {
        code = mpay_journal_wait(sale, reference, 60000, MPAY_UNTIL_CREDENTIALS, &next, error);
        if (code == MPAY_OK) replace_entry(entry, next);
    }
    /* The cashier has decided that no customer saw the old credentials, so no customer can use them. */
    if (code == MPAY_OK && again && mpay_entry_credentials(*entry) == NULL && !mpay_entry_succeeded(*entry)) {
        code = mpay_journal_replace(sale, reference, mpay_entry_attempt(*entry), request, &next, error);
        if (code == MPAY_OK) replace_entry(entry, next);
    }
    return code;
}

/* Prints the receipt of a payment that has ended. After a power cut before the receipt, the entry is still not acknowledged. */
static int32_t print_receipt(const mpay_entry *entry, mpay_error **error) {
    const int32_t standing = mpay_entry_standing(entry);
    if ((standing != MPAY_STANDING_FINAL && standing != MPAY_STANDING_REFUSED) || mpay_entry_acknowledged(entry)) return MPAY_OK;
    const char *reference = mpay_entry_reference(entry);
    say(mpay_entry_succeeded(entry) ? "sold" : "not sold", reference);
    return mpay_journal_acknowledge(sale, reference, mpay_entry_attempt(entry), mpay_entry_news(entry), NULL, error);
}

/* Takes the payment, and waits until it has ended. Returns the exit status if there was no error. */
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
        printf("pay %s ", shown(mpay_payment_sum(credentials)));
        say("to", shown(mpay_payment_payee_account(credentials)));
    }
    /* The customer has paid. The journal stores the confirm first, and retries it after a power cut. */
    if (mpay_entry_standing(entry) == MPAY_STANDING_OPEN && mpay_entry_intent(entry) == 0) {
        if (mpay_journal_confirm(sale, reference, mpay_entry_attempt(entry), &next, error) != MPAY_OK) goto end;
        replace_entry(&entry, next);
        say("confirmed", reference);
    }
    if (mpay_journal_wait(sale, reference, 600000, MPAY_UNTIL_FINAL, &next, error) != MPAY_OK) goto end;
    replace_entry(&entry, next);
    say("status", shown(mpay_entry_status(entry)));
    if (print_receipt(entry, error) == MPAY_OK && mpay_entry_succeeded(entry)) status = EXIT_SUCCESS;
end:
    mpay_entry_free(entry);
    return status;
}

int main(int argc, char **argv) {
    if (argc < 4) {
        fprintf(stderr, "usage: till JOURNAL REFERENCE SUM [again]\n");
        return 2;
    }
    mpay_error *error = NULL;
    mpay_client *client = NULL;
    mpay_config *config = mpay_config_new();
    mpay_journal *journal = NULL, *derived = NULL;
    int status = EXIT_FAILURE;
    mpay_journal_config *settings = mpay_journal_config_new();
    mpay_journal_config_set_place(settings, argv[1]);
    mpay_payment_request *request = mpay_payment_request_new();
    mpay_payment_request_set_sum(request, argv[3]);
    mpay_payment_request_set_payment_method(request, "sbp");
    mpay_payment_request_set_customer_account(request, "79001234567");
    /* An interrupted handle stays interrupted, so each sale has its own handle. */
    if (mpay_config_from_env(config, &error) == MPAY_OK && mpay_client_new(config, &client, &error) == MPAY_OK &&
        mpay_journal_open(client, settings, &journal, &error) == MPAY_OK && mpay_journal_derive(journal, &derived, &error) == MPAY_OK) {
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
    mpay_config_free(config);
    if (error != NULL)
        fprintf(stderr, "error %s %s: %s\n", mpay_error_code_name(error), mpay_error_outcome_name(error), mpay_error_message(error));
    mpay_error_free(error);
    return status;
}
