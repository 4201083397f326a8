/* One client, one verifier and one journal, shared by threads, and calls that another thread interrupts. */
#ifdef RACE
#define _POSIX_C_SOURCE 200809L /* declares the barriers */
#endif

#include "check.h"

#include <pthread.h>
#include <stdio.h>
#include <string.h>

enum { THREADS = 8, CALLS = 12, ROUNDS = 5, OWN = 2, COMMON = 3 };

struct shared {
    const mpay_client *client;
    const mpay_verifier *verifier;
    const mpay_journal *journal;
    const mpay_payment_request *request;
    int number;
    /* The order ids of the journal's payments that all threads take. */
    char orders[COMMON][128];
    long wrong, acknowledged;
};

#ifdef RACE
static volatile int unguarded;
static pthread_barrier_t start;
#endif

static long ask(const struct shared *shared) {
    const char *body = setting("WEBHOOK_BODY"), *signature = setting("WEBHOOK_SIGNATURE");
    mpay_payment *payment = NULL;
    mpay_event *event = NULL;
    mpay_error *error = NULL;
    long wrong = mpay_verify_webhook(shared->verifier, body, strlen(body), signature, NULL, &event, NULL) != MPAY_OK;
    mpay_event_free(event);
    wrong += mpay_get_status(shared->client, "no-such-order", &payment, &error) != MPAY_REJECTED;
    wrong += !same(mpay_error_reason(error), "order_not_found");
    mpay_error_free(error);
    return wrong;
}

/* Of several threads one takes the payment; the others get it after the call has ended. */
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

/* Also acknowledges news of all threads' payments. */
static long finish(struct shared *shared, const char *reference) {
    mpay_entry *entry = NULL;
    mpay_entries *entries = NULL;
    int32_t changed = 0;
    size_t i;
    long wrong = mpay_journal_confirm(shared->journal, reference, 1, &entry, NULL) != MPAY_OK;
    mpay_entry_free(entry);
    wrong += mpay_journal_wait(shared->journal, reference, 60000, MPAY_UNTIL_FINAL, &entry, NULL) != MPAY_OK;
    wrong += !mpay_entry_succeeded(entry);
    mpay_entry_free(entry);
    wrong += mpay_journal_settle(shared->journal, 3, NULL, NULL, NULL) != MPAY_OK;
    wrong += mpay_journal_news(shared->journal, 3, &entries, NULL) != MPAY_OK;
    for (i = 0; i < mpay_entries_count(entries); i++) {
        const mpay_entry *news = mpay_entries_get(entries, i);
        wrong += mpay_journal_acknowledge(shared->journal, mpay_entry_reference(news), mpay_entry_attempt(news), mpay_entry_news(news),
                                          &changed, NULL) != MPAY_OK;
        shared->acknowledged += changed && mpay_entry_succeeded(news);
    }
    mpay_entries_free(entries);
    return wrong;
}

static void *work(void *pointer) {
    struct shared *shared = pointer;
    char reference[32], order_id[128];
    int i;
#ifdef RACE
    /* After the barrier the order of the threads is random. */
    pthread_barrier_wait(&start);
    for (i = 0; i < 1000000; i++) unguarded++; /* so long that the threads overlap even on a busy machine */
#endif
    for (i = 0; i < CALLS; i++) shared->wrong += ask(shared);
    for (i = 0; i < OWN; i++) {
        snprintf(reference, sizeof reference, "own-%d-%d", shared->number, i);
        shared->wrong += take(shared, reference, order_id) + finish(shared, reference);
    }
    for (i = 0; i < COMMON; i++) {
        snprintf(reference, sizeof reference, "common-%d", i);
        shared->wrong += take(shared, reference, shared->orders[i]);
    }
    return NULL;
}

struct handle {
    const mpay_client *client;
    pthread_mutex_t mutex;
    pthread_cond_t called;
    int calls;
};

static void *call_until_interrupted(void *pointer) {
    struct handle *handle = pointer;
    mpay_payment *payment = NULL;
    int32_t code;
    while ((code = mpay_get_status(handle->client, "no-such-order", &payment, NULL)) == MPAY_REJECTED) {
        pthread_mutex_lock(&handle->mutex);
        handle->calls++;
        pthread_cond_signal(&handle->called);
        pthread_mutex_unlock(&handle->mutex);
    }
    return code == MPAY_CANCELLED ? NULL : (void *)1;
}

static void an_interruption_ends_every_call_of_a_handle_and_no_other(const mpay_client *client) {
    mpay_client *sale = NULL;
    mpay_payment *payment = NULL;
    struct handle handle = {NULL, PTHREAD_MUTEX_INITIALIZER, PTHREAD_COND_INITIALIZER, 0};
    pthread_t threads[THREADS];
    int i;
    EXPECT(mpay_client_derive(client, 0, &sale, ERROR), MPAY_OK, 0);
    handle.client = sale;
    for (i = 0; i < THREADS; i++) CHECK(pthread_create(&threads[i], NULL, call_until_interrupted, &handle) == 0);
    pthread_mutex_lock(&handle.mutex);
    while (handle.calls < 2 * THREADS) pthread_cond_wait(&handle.called, &handle.mutex);
    pthread_mutex_unlock(&handle.mutex);
    mpay_client_interrupt(sale);
    for (i = 0; i < THREADS; i++) {
        void *wrong = NULL;
        CHECK(pthread_join(threads[i], &wrong) == 0 && wrong == NULL);
    }
    mpay_client_free(sale);
    EXPECT(mpay_get_status(client, "no-such-order", &payment, ERROR), MPAY_REJECTED, MPAY_OUTCOME_REJECTED);
}

RULE(threads_share_a_client_a_verifier_and_a_journal) {
    struct shared shared[THREADS];
    mpay_config *config = sandbox_config(NULL);
    mpay_client *client = sandbox_client(NULL);
    mpay_verifier *verifier = NULL;
    mpay_journal *journal = journal_in("threads.db", client);
    mpay_payment_request *request = good_request();
    mpay_entries *entries = NULL;
    pthread_t threads[THREADS];
    long acknowledged = 0;
    int i, order;
#ifdef RACE
    CHECK(pthread_barrier_init(&start, NULL, THREADS) == 0);
#endif
    EXPECT(mpay_verifier_new(config, &verifier, ERROR), MPAY_OK, 0);
    memset(shared, 0, sizeof shared);
    for (i = 0; i < THREADS; i++) {
        shared[i].client = client;
        shared[i].verifier = verifier;
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
    for (i = 0; i < ROUNDS; i++) an_interruption_ends_every_call_of_a_handle_and_no_other(client);
    mpay_payment_request_free(request);
    mpay_journal_free(journal);
    mpay_verifier_free(verifier);
    mpay_client_free(client);
    mpay_config_free(config);
}
