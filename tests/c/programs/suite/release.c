/* When the user data of callbacks is released. */
#define _POSIX_C_SOURCE 200809L
#include "../check.h"

#include <pthread.h>
#include <string.h>

struct counted {
    pthread_mutex_t lock;
    int calls, releases, calls_after_release;
};

static void count_attempt(void *user_data, const mpay_attempt *attempt) {
    struct counted *counted = user_data;
    const char *fields = mpay_attempt_fields(attempt, NULL);
    CHECK(same(fields, mpay_attempt_line(attempt)) && same(fields + strlen(fields) + 1, mpay_attempt_operation(attempt)));
    pthread_mutex_lock(&counted->lock);
    counted->calls++;
    counted->calls_after_release += counted->releases;
    pthread_mutex_unlock(&counted->lock);
}

static int32_t refuse_to_sign(void *user_data, const void *message, size_t len, void *signature) {
    (void)user_data, (void)message, (void)len, (void)signature;
    return 1;
}

static void MPAY_CALL count_release(void *user_data) {
    struct counted *counted = user_data;
    pthread_mutex_lock(&counted->lock);
    counted->releases++;
    pthread_mutex_unlock(&counted->lock);
}

RULE(failed_setter_releases_user_data_once) {
    struct counted counted = {PTHREAD_MUTEX_INITIALIZER, 0, 0, 0};
    mpay_config *config = mpay_config_new();
    CHECK(mpay_config_set_log_callback(NULL, count_attempt, &counted, count_release) == MPAY_INVALID_ARGUMENT && counted.releases == 1);
    CHECK(mpay_config_set_signer_callback(NULL, NULL, &counted, count_release) == MPAY_INVALID_ARGUMENT && counted.releases == 2);
    CHECK(mpay_config_set_log_callback(config, NULL, &counted, count_release) == MPAY_OK && counted.releases == 3);
    CHECK(mpay_config_set_log_callback(config, count_attempt, &counted, count_release) == MPAY_OK && counted.releases == 3);
    CHECK(mpay_config_set_log_callback(config, count_attempt, &counted, count_release) == MPAY_OK && counted.releases == 4);
    CHECK(mpay_config_set_signer_callback(config, refuse_to_sign, &counted, count_release) == MPAY_OK && counted.releases == 4);
    mpay_config_free(config);
    CHECK(counted.releases == 6);
}

struct owner {
    mpay_client *client;
    int calls;
};

static void *use_and_free(void *pointer) {
    struct owner *owner = pointer;
    mpay_payment *payment = NULL;
    if (owner->calls) (void)!mpay_get_status(owner->client, "no-such-order", &payment, NULL);
    mpay_client_free(owner->client);
    return NULL;
}

RULE(concurrent_frees_release_user_data_once) {
    enum { THREADS = 8 };
    struct counted counted = {PTHREAD_MUTEX_INITIALIZER, 0, 0, 0};
    mpay_config *config = sandbox_config(NULL);
    struct owner owners[THREADS];
    pthread_t threads[THREADS];
    mpay_client *failed = NULL;
    int i;
    CHECK(counted.releases == 0 && mpay_config_set_log_callback(config, count_attempt, &counted, count_release) == MPAY_OK);
    for (i = 0; i < THREADS; i++) {
        owners[i].client = NULL;
        owners[i].calls = i % 2;
        if (i == 0) EXPECT(mpay_client_new(config, &owners[i].client, ERROR), MPAY_OK, 0);
        else EXPECT(mpay_client_derive(owners[0].client, 0, &owners[i].client, ERROR), MPAY_OK, 0);
    }
    CHECK(mpay_config_set_base_url(config, "ftp://shop.example") == MPAY_OK);
    REFUSED(mpay_client_new(config, &failed, ERROR));
    mpay_config_free(config);
    for (i = 0; i < THREADS; i++) CHECK(pthread_create(&threads[i], NULL, use_and_free, &owners[i]) == 0);
    for (i = 0; i < THREADS; i++) CHECK(pthread_join(threads[i], NULL) == 0);
    CHECK(counted.releases == 1 && counted.calls == THREADS / 2 && counted.calls_after_release == 0);
}
