/* A program without built-in settings: each line of its input is a name and a text, such as `client
   timeout_ms 30000`. The program takes a payment through the journal, waits for the end, and acknowledges
   by the reference and two numbers. */
#include <merchantpay.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The news that were read, stored as a script would store them: a text and two numbers. */
struct news {
    char reference[128];
    uint32_t attempt;
    int64_t number;
};

static int failed(mpay_error *error) {
    if (error == NULL) return 0;
    fprintf(stderr, "%s (%s): %s\n", mpay_error_code_name(error), mpay_error_outcome_name(error), mpay_error_message(error));
    mpay_error_free(error);
    return 1;
}

static int read_settings(mpay_config *client, mpay_journal_config *journal, mpay_payment_request *request) {
    char line[4096];
    while (fgets(line, sizeof line, stdin) != NULL) {
        mpay_error *error = NULL;
        int32_t code = MPAY_OK;
        char *name = strchr(line, ' '), *text = name ? strchr(name + 1, ' ') : NULL;
        line[strcspn(line, "\n")] = '\0';
        if (name == NULL || text == NULL) continue;
        *name++ = '\0';
        *text++ = '\0';
        if (strcmp(line, "client") == 0) code = mpay_config_set(client, name, text, &error);
        if (strcmp(line, "journal") == 0) code = mpay_journal_config_set(journal, name, text, &error);
        if (strcmp(line, "request") == 0) code = mpay_payment_request_set(request, name, text, &error);
        if (code != MPAY_OK) {
            failed(error);
            return 0;
        }
    }
    return 1;
}

static int pay(const mpay_journal *journal, const char *reference, const mpay_payment_request *request, mpay_error **error) {
    mpay_entry *entry = NULL, *confirmed = NULL;
    int32_t code = mpay_journal_pay(journal, reference, request, &entry, error);
    if (code == MPAY_OK) {
        printf("%s %u %s\n", mpay_entry_reference(entry), (unsigned)mpay_entry_attempt(entry), mpay_entry_standing_name(entry));
        code = mpay_journal_confirm(journal, reference, mpay_entry_attempt(entry), &confirmed, error);
    }
    mpay_entry_free(confirmed);
    mpay_entry_free(entry);
    if (code != MPAY_OK) return 0;
    entry = NULL;
    code = mpay_journal_wait(journal, reference, 60000, MPAY_UNTIL_FINAL, &entry, error);
    mpay_entry_free(entry);
    return code == MPAY_OK;
}

static int read_news(const mpay_journal *journal, struct news *news, mpay_error **error) {
    mpay_entries *entries = NULL;
    const mpay_entry *entry;
    if (mpay_journal_news(journal, 1, &entries, error) != MPAY_OK) return 0;
    entry = mpay_entries_get(entries, 0);
    if (entry != NULL) {
        snprintf(news->reference, sizeof news->reference, "%s", mpay_entry_reference(entry));
        news->attempt = mpay_entry_attempt(entry);
        news->number = mpay_entry_news(entry);
    }
    mpay_entries_free(entries);
    return entry != NULL;
}

int main(int argc, char **argv) {
    mpay_config *settings = mpay_config_new();
    mpay_journal_config *journal_settings = mpay_journal_config_new();
    mpay_payment_request *request = mpay_payment_request_new();
    mpay_client *client = NULL;
    mpay_journal *journal = NULL;
    mpay_error *error = NULL;
    struct news news = {"", 0, 0};
    int32_t changed = 0;
    if (argc == 2 && read_settings(settings, journal_settings, request) && mpay_client_new(settings, &client, &error) == MPAY_OK &&
        mpay_journal_open(client, journal_settings, &journal, &error) == MPAY_OK && pay(journal, argv[1], request, &error) &&
        read_news(journal, &news, &error) &&
        mpay_journal_acknowledge(journal, news.reference, news.attempt, news.number, &changed, &error) == MPAY_OK) {
        printf("acknowledged %s %u: %d\n", news.reference, (unsigned)news.attempt, (int)changed);
    }
    mpay_journal_free(journal);
    mpay_client_free(client);
    mpay_payment_request_free(request);
    mpay_journal_config_free(journal_settings);
    mpay_config_free(settings);
    return failed(error) || !changed ? EXIT_FAILURE : EXIT_SUCCESS;
}
