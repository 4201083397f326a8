/* One client and one verifier, shared by 8 threads, and calls that another thread interrupts. */
#ifdef RACE
#define _POSIX_C_SOURCE 200809L /* declares the barriers */
#endif

#include "check.h"

#include <pthread.h>
#include <stdio.h>
#include <string.h>

enum { THREADS = 8, CALLS = 12, ROUNDS = 5 };

struct shared {
    const mpay_client *client;
    const mpay_verifier *verifier;
    const mpay_payment_request *request;
};

#ifdef RACE
static volatile int unguarded;
static pthread_barrier_t start;
#endif

static void *work(void *pointer) {
    const struct shared *shared = pointer;
    const char *body = setting("WEBHOOK_BODY"), *signature = setting("WEBHOOK_SIGNATURE");
    char order_id[128] = "";
    long wrong = 0;
    int i;
#ifdef RACE
    /* After the barrier the order of the threads is random. */
    pthread_barrier_wait(&start);
    for (i = 0; i < 1000000; i++) unguarded++; /* so long that the threads overlap even on a busy machine */
#endif
    for (i = 0; i < CALLS; i++) {
        mpay_payment *payment = NULL;
        mpay_event *event = NULL;
        mpay_error *error = NULL;
        if (i == 0) {
            wrong += mpay_new_payment(shared->client, shared->request, &payment, NULL) != MPAY_OK;
            snprintf(order_id, sizeof order_id, "%s", payment ? mpay_payment_order_id(payment) : "");
        } else {
            wrong += mpay_get_status(shared->client, order_id, &payment, NULL) != MPAY_OK;
            wrong += !same(mpay_payment_order_id(payment), order_id);
        }
        mpay_payment_free(payment);
        wrong += mpay_verify_webhook(shared->verifier, body, strlen(body), signature, NULL, &event, NULL) != MPAY_OK;
        mpay_event_free(event);
        wrong += mpay_get_status(shared->client, "no-such-order", &payment, &error) != MPAY_REJECTED;
        wrong += !same(mpay_error_reason(error), "order_not_found");
        mpay_error_free(error);
    }
    return (void *)wrong;
}

struct handle {
    const mpay_client *client;
    pthread_mutex_t mutex;
    pthread_cond_t called;
    int calls;
};

/* Calls the service until the client is interrupted. */
static void *ask(void *pointer) {
    struct handle *handle = pointer;
    mpay_payment *payment = NULL;
    int32_t code;
    for (;;) {
        code = mpay_get_status(handle->client, "no-such-order", &payment, NULL);
        if (code != MPAY_REJECTED) return code == MPAY_CANCELLED ? NULL : (void *)1;
        pthread_mutex_lock(&handle->mutex);
        handle->calls++;
        pthread_cond_signal(&handle->called);
        pthread_mutex_unlock(&handle->mutex);
    }
}

static void an_interruption_ends_every_call_of_a_handle_and_no_other(const mpay_client *client) {
    mpay_client *sale = NULL;
    mpay_payment *payment = NULL;
    struct handle handle = {NULL, PTHREAD_MUTEX_INITIALIZER, PTHREAD_COND_INITIALIZER, 0};
    pthread_t threads[THREADS];
    int i;
    EXPECT(mpay_client_derive(client, 0, &sale, ERROR), MPAY_OK, 0);
    handle.client = sale;
    for (i = 0; i < THREADS; i++) CHECK(pthread_create(&threads[i], NULL, ask, &handle) == 0);
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

int main(void) {
    struct shared shared;
    mpay_config *config = sandbox_config(NULL);
    mpay_client *client = NULL;
    mpay_verifier *verifier = NULL;
    mpay_payment_request *request = good_request();
    pthread_t threads[THREADS];
    int i;
#ifdef RACE
    CHECK(pthread_barrier_init(&start, NULL, THREADS) == 0);
#endif
    EXPECT(mpay_client_new(config, &client, ERROR), MPAY_OK, 0);
    EXPECT(mpay_verifier_new(config, &verifier, ERROR), MPAY_OK, 0);
    shared.client = client;
    shared.verifier = verifier;
    shared.request = request;
    for (i = 0; i < THREADS; i++) CHECK(pthread_create(&threads[i], NULL, work, &shared) == 0);
    for (i = 0; i < THREADS; i++) {
        void *wrong = NULL;
        CHECK(pthread_join(threads[i], &wrong) == 0 && wrong == NULL);
    }
    for (i = 0; i < ROUNDS; i++) an_interruption_ends_every_call_of_a_handle_and_no_other(client);
    mpay_payment_request_free(request);
    mpay_verifier_free(verifier);
    mpay_client_free(client);
    mpay_config_free(config);
    return failures() ? 1 : 0;
}
