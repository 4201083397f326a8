/* One journal in a file, shared by threads: each thread takes payments of its own, and all threads also take the same common payments. */
#include "check.h"

#include <pthread.h>
#include <stdio.h>
#include <string.h>

enum { THREADS = 6, OWN = 3, COMMON = 3 };

struct shared {
    const mpay_journal *journal;
    const mpay_payment_request *request;
    int number;
    /* The order ids of the payments that all threads take. */
    char orders[COMMON][128];
    long wrong, acknowledged;
};

/* Takes a payment, or returns the existing one after another thread's call has ended. */
static long take(struct shared *shared, const char *reference, char *order_id) {
    mpay_entry *entry = NULL, *next = NULL;
    long wrong = mpay_journal_pay(shared->journal, reference, shared->request, &entry, NULL) != MPAY_OK;
    wrong += mpay_journal_wait(shared->journal, reference, 60000, MPAY_UNTIL_CREDENTIALS, &next, NULL) != MPAY_OK;
    wrong += !same(mpay_entry_reference(next), reference) || mpay_entry_attempt(next) != 1 || mpay_entry_order_id(next) == NULL;
    snprintf(order_id, sizeof shared->orders[0], "%s", mpay_entry_order_id(next) ? mpay_entry_order_id(next) : "");
    mpay_entry_free(entry);
    mpay_entry_free(next);
    return wrong;
}

/* Confirms a payment and waits for its end. */
static long finish(struct shared *shared, const char *reference) {
    mpay_entry *entry = NULL;
    long wrong = mpay_journal_confirm(shared->journal, reference, 1, &entry, NULL) != MPAY_OK;
    mpay_entry_free(entry);
    wrong += mpay_journal_wait(shared->journal, reference, 60000, MPAY_UNTIL_FINAL, &entry, NULL) != MPAY_OK;
    wrong += !mpay_entry_succeeded(entry);
    mpay_entry_free(entry);
    return wrong;
}

/* Acknowledges the entries that mpay_journal_news returns, and lists all entries. */
static long look(struct shared *shared) {
    mpay_entries *entries = NULL;
    int32_t changed = 0, status = 0;
    size_t i;
    long wrong = mpay_journal_settle(shared->journal, 3, NULL, NULL, NULL) != MPAY_OK;
    wrong += mpay_journal_news(shared->journal, 3, &entries, NULL) != MPAY_OK;
    for (i = 0; i < mpay_entries_count(entries); i++) {
        const mpay_entry *entry = mpay_entries_get(entries, i);
        wrong += mpay_journal_acknowledge(shared->journal, mpay_entry_reference(entry), mpay_entry_attempt(entry), mpay_entry_news(entry),
                                          &changed, NULL) != MPAY_OK;
        shared->acknowledged += changed && mpay_entry_succeeded(entry);
    }
    mpay_entries_free(entries);
    wrong += mpay_journal_list(shared->journal, 0, 100, NULL, 0, &entries, NULL) != MPAY_OK;
    mpay_entries_free(entries);
    wrong += mpay_journal_attention(shared->journal, 100, &entries, NULL) != MPAY_OK;
    mpay_entries_free(entries);
    wrong += mpay_journal_receive(shared->journal, "/hooks/none", "{}", 2, "AAAA", NULL, &status, NULL, NULL) != MPAY_UNVERIFIED;
    return wrong + (status != 400);
}

static void *work(void *pointer) {
    struct shared *shared = pointer;
    char reference[32], order_id[128];
    int i;
    for (i = 0; i < OWN; i++) {
        snprintf(reference, sizeof reference, "own-%d-%d", shared->number, i);
        shared->wrong += take(shared, reference, order_id);
        shared->wrong += finish(shared, reference);
        shared->wrong += look(shared);
        snprintf(reference, sizeof reference, "common-%d", i);
        shared->wrong += take(shared, reference, shared->orders[i]);
    }
    return NULL;
}

int main(void) {
    struct shared shared[THREADS];
    mpay_client *client = sandbox_client(NULL);
    mpay_journal_config *config = mpay_journal_config_new();
    mpay_journal *journal = NULL;
    mpay_entries *entries = NULL;
    mpay_payment_request *request = good_request();
    pthread_t threads[THREADS];
    char path[1024];
    long acknowledged = 0;
    int i, order;
    snprintf(path, sizeof path, "%s/threads.db", setting("SCRATCH"));
    CHECK(mpay_journal_config_set_place(config, path) == MPAY_OK && mpay_journal_config_set_timeout_ms(config, 60000) == MPAY_OK);
    CHECK(mpay_journal_config_set_create(config, 1) == MPAY_OK);
    EXPECT(mpay_journal_open(client, config, &journal, ERROR), MPAY_OK, 0);
    memset(shared, 0, sizeof shared);
    for (i = 0; i < THREADS; i++) {
        shared[i].journal = journal;
        shared[i].request = request;
        shared[i].number = i;
        CHECK(pthread_create(&threads[i], NULL, work, &shared[i]) == 0);
    }
    for (i = 0; i < THREADS; i++) {
        CHECK(pthread_join(threads[i], NULL) == 0 && shared[i].wrong == 0);
        for (order = 0; order < COMMON; order++) CHECK(same(shared[i].orders[order], shared[0].orders[order]));
        acknowledged += shared[i].acknowledged;
    }
    /* Each acknowledgement that succeeded belongs to one thread. Entries that no thread claimed in time are not acknowledged. */
    EXPECT(mpay_journal_list(journal, MPAY_STANDING_FINAL, 100, NULL, 0, &entries, ERROR), MPAY_OK, 0);
    CHECK(mpay_entries_count(entries) == THREADS * OWN);
    for (i = 0; i < THREADS * OWN; i++) acknowledged -= mpay_entry_acknowledged(mpay_entries_get(entries, (size_t)i));
    CHECK(acknowledged == 0);
    mpay_entries_free(entries);
    EXPECT(mpay_journal_list(journal, MPAY_STANDING_OPEN, 100, NULL, 0, &entries, ERROR), MPAY_OK, 0);
    CHECK(mpay_entries_count(entries) == COMMON);
    mpay_entries_free(entries);
    mpay_payment_request_free(request);
    mpay_journal_free(journal);
    mpay_journal_config_free(config);
    mpay_client_free(client);
    return failures() ? 1 : 0;
}
