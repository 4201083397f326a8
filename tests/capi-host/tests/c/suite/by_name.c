/* Settings by names and texts, fields returned together, and the time at which user data is released. */
#define _POSIX_C_SOURCE 200809L
#include "../suite.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Checks that the call fails before anything is sent, and that the error's message contains these words. */
#define REFUSED_FOR(call, code, words)                                                      \
    do {                                                                                    \
        mpay_error *why = NULL, **refused = &why;                                           \
        CHECK((call) == (code) && mpay_error_outcome(why) == MPAY_OUTCOME_NOT_SENT);        \
        CHECK(mpay_error_message(why) && strstr(mpay_error_message(why), (words)) != NULL); \
        mpay_error_free(*refused);                                                          \
    } while (0)

static mpay_config *config_by_name(void) {
    static const char *const names[] = {"key_id", "private_key", "server_public_key"};
    static const char *const values[] = {"MERCHANTPAY_KEY_ID", "MERCHANTPAY_PRIVATE_KEY", "MERCHANTPAY_SERVER_PUBLIC_KEY"};
    mpay_config *config = mpay_config_new();
    size_t i;
    set_service(config, setting("MERCHANTPAY_BASE_URL"));
    EXPECT(mpay_config_set(config, "base_url", setting("MERCHANTPAY_BASE_URL"), ERROR), MPAY_OK, 0);
    for (i = 0; i < sizeof names / sizeof *names; i++) {
        EXPECT(mpay_config_set(config, names[i], setting(values[i]), ERROR), MPAY_OK, 0);
    }
    return config;
}

static void a_client_and_a_request_are_made_of_names_and_texts(void) {
    static const char *const settings[][2] = {
        {"timeout_ms", "20000"}, {"max_retries", "0"}, {"max_reply_bytes", "65536"}, {"allow_http", "0"}, {"user_agent", "till/1"},
        {"server_key_id", NULL}, {"proxy", NULL},      {"connect_idle_ms", "5"},
    };
    static const char *const fields[][2] = {
        {"sum", "1500.50"},
        {"payment_method", "sbp"},
        {"customer_account", "79001234567"},
        {"payer_bank", NULL},
    };
    mpay_config *config = config_by_name();
    mpay_client *client = NULL;
    mpay_payment_request *request = mpay_payment_request_new();
    mpay_payment *payment = NULL;
    size_t i;
    for (i = 0; i < sizeof settings / sizeof *settings; i++) {
        EXPECT(mpay_config_set(config, settings[i][0], settings[i][1], ERROR), MPAY_OK, 0);
    }
    for (i = 0; i < sizeof fields / sizeof *fields; i++) {
        EXPECT(mpay_payment_request_set(request, fields[i][0], fields[i][1], ERROR), MPAY_OK, 0);
    }
    EXPECT(mpay_client_new(config, &client, ERROR), MPAY_OK, 0);
    EXPECT(mpay_new_payment(client, request, &payment, ERROR), MPAY_OK, 0);
    CHECK(same(mpay_payment_sum(payment), "1500.50"));
    mpay_payment_free(payment);
    mpay_payment_request_free(request);
    mpay_client_free(client);
    mpay_config_free(config);
}

static void a_wrong_name_or_text_is_refused_with_the_name(void) {
    mpay_config *config = config_by_name();
    mpay_client *client = NULL;
    mpay_payment_request *request = mpay_payment_request_new();
    REFUSED_FOR(mpay_config_set(config, "time_out", "1", refused), MPAY_INVALID_ARGUMENT, "time_out");
    REFUSED_FOR(mpay_config_set(config, NULL, "1", refused), MPAY_INVALID_ARGUMENT, "name");
    REFUSED_FOR(mpay_config_set(NULL, "key_id", "1", refused), MPAY_INVALID_ARGUMENT, "config");
    EXPECT(mpay_client_new(config, &client, ERROR), MPAY_OK, 0); /* the refused calls changed no setting */
    mpay_client_free(client);
    REFUSED_FOR(mpay_config_set(config, "timeout_ms", "soon", refused), MPAY_INVALID_ARGUMENT, "timeout_ms");
    REFUSED_FOR(mpay_config_set(config, "timeout_ms", "4294967296", refused), MPAY_INVALID_ARGUMENT, "timeout_ms");
    REFUSED_FOR(mpay_config_set(config, "allow_http", "yes", refused), MPAY_INVALID_ARGUMENT, "allow_http");
    REFUSED_FOR(mpay_config_set(config, "key_id", "", refused), MPAY_INVALID_ARGUMENT, "key_id");
    REFUSED_FOR(mpay_config_set(config, "key_id", NOT_UTF8, refused), MPAY_INVALID_ARGUMENT, "key_id");
    REFUSED_FOR(mpay_config_set(config, "private_key", "bad", refused), MPAY_INVALID_KEY, "private_key");
    REFUSED_FOR(mpay_config_set(config, "server_public_key", "bad", refused), MPAY_INVALID_KEY, "server_public_key");
    /* The config keeps the error of each invalid setting until it gets a valid value. */
    EXPECT(mpay_client_new(config, &client, ERROR), MPAY_INVALID_ARGUMENT, MPAY_OUTCOME_NOT_SENT);
    EXPECT(mpay_config_set(config, "key_id", "merchant-1", ERROR), MPAY_OK, 0);
    EXPECT(mpay_client_new(config, &client, ERROR), MPAY_INVALID_KEY, MPAY_OUTCOME_NOT_SENT);
    REFUSED_FOR(mpay_payment_request_set(request, "amount", "1", refused), MPAY_INVALID_ARGUMENT, "amount");
    REFUSED_FOR(mpay_payment_request_set(request, "sum", "1,5", refused), MPAY_INVALID_ARGUMENT, "sum");
    REFUSED_FOR(mpay_payment_request_set(request, "payment_method", "cash", refused), MPAY_INVALID_ARGUMENT, "payment_method");
    REFUSED_FOR(mpay_payment_request_set(request, "payer_bank", NOT_UTF8, refused), MPAY_INVALID_ARGUMENT, "payer_bank");
    REFUSED_FOR(mpay_payment_request_set(NULL, "sum", "1", refused), MPAY_INVALID_ARGUMENT, "request");
    mpay_payment_request_free(request);
    mpay_config_free(config);
}

static void a_client_a_protocol_and_a_verifier_are_made_of_the_environment(void) {
    mpay_config *config = mpay_config_new();
    mpay_client *client = NULL;
    mpay_protocol *protocol = NULL;
    mpay_verifier *verifier = NULL;
    mpay_payment *payment = NULL;
    EXPECT(mpay_config_from_env(config, ERROR), MPAY_OK, 0);
    CHECK(mpay_config_set_ca_file(config, getenv("SERVICE_CA_FILE")) == MPAY_OK);
    EXPECT(mpay_client_new(config, &client, ERROR), MPAY_OK, 0);
    EXPECT(mpay_get_status(client, "no-such-order", &payment, ERROR), MPAY_REJECTED, MPAY_OUTCOME_REJECTED);
    mpay_client_free(client);
    EXPECT(mpay_protocol_new(config, &protocol, ERROR), MPAY_OK, 0);
    mpay_protocol_free(protocol);
    EXPECT(mpay_verifier_new(config, &verifier, ERROR), MPAY_OK, 0);
    mpay_verifier_free(verifier);
    CHECK(setenv("MERCHANTPAY_TIMEOUT_MS", "soon", 1) == 0);
    REFUSED_FOR(mpay_config_from_env(config, refused), MPAY_INVALID_ARGUMENT, "MERCHANTPAY_TIMEOUT_MS");
    CHECK(unsetenv("MERCHANTPAY_TIMEOUT_MS") == 0);
    REFUSED(mpay_config_from_env(NULL, ERROR));
    mpay_config_free(config);
}

/* The texts that the library returns together, separated by NUL. */
static const char *text_at(const char *texts, size_t len, size_t place) {
    const char *end = texts + len;
    while (place-- > 0 && texts != NULL) {
        const char *next = memchr(texts, 0, (size_t)(end - texts));
        texts = next ? next + 1 : NULL;
    }
    return texts;
}

static void the_fields_of_an_error_are_those_of_its_getters(void) {
    mpay_client *client = sandbox_client(NULL);
    mpay_payment *payment = NULL;
    mpay_error *error = NULL;
    size_t len = 1, place;
    const char *fields;
    CHECK(mpay_error_fields(NULL, &len) == NULL && len == 0);
    CHECK(mpay_get_status(client, "no-such-order", &payment, &error) == MPAY_REJECTED);
    fields = mpay_error_fields(error, &len);
    {
        const char *const wanted[] = {
            mpay_error_code_name(error),
            mpay_error_outcome_name(error),
            mpay_error_is_transient(error) ? "1" : "0",
            NULL,
            mpay_error_message(error),
            mpay_error_description(error),
            mpay_error_reason(error),
            mpay_error_order_id(error),
        };
        for (place = 0; place < sizeof wanted / sizeof *wanted; place++) {
            CHECK(wanted[place] == NULL || same(text_at(fields, len, place), wanted[place]));
        }
    }
    CHECK(atoi(text_at(fields, len, 3)) == mpay_error_http_status(error));
    CHECK(text_at(fields, len, 10) != NULL && text_at(fields, len, 11) == NULL);
    mpay_error_free(error);
    mpay_client_free(client);
}

/* ---- releases ---- */

struct counted {
    pthread_mutex_t lock;
    int calls, releases, calls_after_release;
    size_t fields;
};

static void count_attempt(void *user_data, const mpay_attempt *attempt) {
    struct counted *counted = user_data;
    size_t len = 0;
    const char *fields = mpay_attempt_fields(attempt, &len);
    pthread_mutex_lock(&counted->lock);
    counted->calls++;
    counted->calls_after_release += counted->releases;
    counted->fields += same(text_at(fields, len, 0), mpay_attempt_line(attempt)) && same(text_at(fields, len, 1), "getStatus");
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

static void user_data_is_released_once_also_if_the_setter_fails(void) {
    struct counted counted = {PTHREAD_MUTEX_INITIALIZER, 0, 0, 0, 0};
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

/* Frees the config and the three clients in every order, each client on its own thread. The last owner releases the user data. */
static void user_data_is_released_by_the_last_owner_in_whatever_order(void) {
    enum { OWNERS = 4, ORDERS = 24 };
    int order;
    for (order = 0; order < ORDERS; order++) {
        struct counted counted = {PTHREAD_MUTEX_INITIALIZER, 0, 0, 0, 0};
        mpay_config *config = sandbox_config(NULL);
        struct owner owners[OWNERS - 1] = {{NULL, 0}, {NULL, 0}, {NULL, 0}};
        pthread_t threads[OWNERS - 1];
        mpay_client *failed = NULL;
        int left = OWNERS, number = order, freed[OWNERS] = {0, 0, 0, 0}, step;
        CHECK(mpay_config_set_log_callback(config, count_attempt, &counted, count_release) == MPAY_OK);
        EXPECT(mpay_client_new(config, &owners[0].client, ERROR), MPAY_OK, 0);
        EXPECT(mpay_client_derive(owners[0].client, 0, &owners[1].client, ERROR), MPAY_OK, 0);
        EXPECT(mpay_client_new(config, &owners[2].client, ERROR), MPAY_OK, 0);
        owners[order % (OWNERS - 1)].calls = 1;
        CHECK(mpay_config_set_base_url(config, "ftp://shop.example") == MPAY_OK);
        REFUSED(mpay_client_new(config, &failed, ERROR));
        for (step = 0; step < OWNERS; step++) {
            int skip = number % left, owner = 0;
            number /= left--;
            while (freed[owner] || skip-- > 0) owner++;
            freed[owner] = 1;
            CHECK(counted.releases == 0);
            if (owner == OWNERS - 1) mpay_config_free(config);
            else {
                CHECK(pthread_create(&threads[owner], NULL, use_and_free, &owners[owner]) == 0);
                CHECK(pthread_join(threads[owner], NULL) == 0);
            }
        }
        CHECK(counted.releases == 1 && counted.calls == 1 && counted.fields == 1 && counted.calls_after_release == 0);
    }
}

static void threads_that_free_at_once_release_user_data_once(void) {
    enum { THREADS = 8 };
    struct counted counted = {PTHREAD_MUTEX_INITIALIZER, 0, 0, 0, 0};
    mpay_config *config = sandbox_config(NULL);
    struct owner owners[THREADS];
    pthread_t threads[THREADS];
    int i;
    CHECK(mpay_config_set_log_callback(config, count_attempt, &counted, count_release) == MPAY_OK);
    for (i = 0; i < THREADS; i++) {
        owners[i].client = NULL;
        owners[i].calls = i % 2;
        if (i == 0) EXPECT(mpay_client_new(config, &owners[i].client, ERROR), MPAY_OK, 0);
        else EXPECT(mpay_client_derive(owners[0].client, 0, &owners[i].client, ERROR), MPAY_OK, 0);
    }
    mpay_config_free(config);
    for (i = 0; i < THREADS; i++) CHECK(pthread_create(&threads[i], NULL, use_and_free, &owners[i]) == 0);
    for (i = 0; i < THREADS; i++) CHECK(pthread_join(threads[i], NULL) == 0);
    CHECK(counted.releases == 1 && counted.calls == THREADS / 2 && counted.calls_after_release == 0);
}

void suite_by_name(void) {
    RUN(a_client_and_a_request_are_made_of_names_and_texts);
    RUN(a_wrong_name_or_text_is_refused_with_the_name);
    RUN(a_client_a_protocol_and_a_verifier_are_made_of_the_environment);
    RUN(the_fields_of_an_error_are_those_of_its_getters);
    RUN(user_data_is_released_once_also_if_the_setter_fails);
    RUN(user_data_is_released_by_the_last_owner_in_whatever_order);
    RUN(threads_that_free_at_once_release_user_data_once);
}
