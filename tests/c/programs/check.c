#include "check.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int failed;

void check(int holds, const char *what, const char *file, int line) {
    if (!holds) {
        fprintf(stderr, "%s:%d: %s\n", file, line, what);
        failed++;
    }
}

int failures(void) {
    return failed;
}

static struct rule *rules;

void add(struct rule *rule) {
    rule->next = rules;
    rules = rule;
}

int main(void) {
    for (; rules; rules = rules->next) {
        int before = failed;
        rules->check();
        printf("%s %s\n", failed == before ? "ok  " : "FAIL", rules->name);
        fflush(stdout);
    }
    return failed ? 1 : 0;
}

int same(const char *one, const char *other) {
    return one == other || (one && other && strcmp(one, other) == 0);
}

void expect(int32_t code, mpay_error *error, int32_t wanted_code, int32_t wanted_outcome, const char *file, int line) {
    int right = code == wanted_code && mpay_error_code(error) == wanted_code && mpay_error_outcome(error) == wanted_outcome;
    if (!right) {
        const char *message = mpay_error_message(error);
        fprintf(stderr, "%s:%d: code %d and outcome %d instead of %d and %d: %s\n", file, line, (int)code, (int)mpay_error_outcome(error),
                (int)wanted_code, (int)wanted_outcome, message ? message : "no error");
        failed++;
    }
    check((error != NULL) == (code != MPAY_OK), "an error is given if and only if the call failed", file, line);
    if (error) {
        const char *secret = getenv("MERCHANTPAY_PRIVATE_KEY");
        check(mpay_error_message(error) && mpay_error_code_name(error) && mpay_error_outcome_name(error), "it has texts", file, line);
        check(!secret || !strstr(mpay_error_message(error), secret), "no key is in a message", file, line);
        check(!strstr(mpay_error_message(error), "79001234567"), "no account is in a message", file, line);
    }
    mpay_error_free(error);
}

const char *setting(const char *name) {
    const char *value = getenv(name);
    if (!value) {
        fprintf(stderr, "%s is not set\n", name);
        exit(2);
    }
    return value;
}

mpay_config *sandbox_config(const char *base_url) {
    mpay_config *config = mpay_config_new();
    EXPECT(mpay_config_from_env(config, ERROR), MPAY_OK, 0);
    if (base_url) CHECK(mpay_config_set_base_url(config, base_url) == MPAY_OK);
    return config;
}

mpay_client *sandbox_client(const char *base_url) {
    mpay_config *config = sandbox_config(base_url);
    mpay_client *client = NULL;
    EXPECT(mpay_client_new(config, &client, ERROR), MPAY_OK, 0);
    mpay_config_free(config);
    if (!client) exit(2);
    return client;
}

mpay_payment_request *good_request(void) {
    mpay_payment_request *request = mpay_payment_request_new();
    CHECK(request != NULL);
    CHECK(mpay_payment_request_set_sum(request, "1500.50") == MPAY_OK);
    CHECK(mpay_payment_request_set_payment_method(request, "sbp") == MPAY_OK);
    CHECK(mpay_payment_request_set_customer_account(request, "79001234567") == MPAY_OK);
    return request;
}

void new_order(const mpay_client *client, const char *account, char *order_id, size_t size) {
    mpay_payment_request *request = good_request();
    mpay_payment *payment = NULL;
    CHECK(mpay_payment_request_set_customer_account(request, account) == MPAY_OK);
    EXPECT(mpay_new_payment(client, request, &payment, ERROR), MPAY_OK, 0);
    CHECK(mpay_payment_order_id(payment) != NULL);
    snprintf(order_id, size, "%s", mpay_payment_order_id(payment) ? mpay_payment_order_id(payment) : "");
    mpay_payment_free(payment);
    mpay_payment_request_free(request);
}

mpay_journal_config *journal_settings(const char *name) {
    char path[1024];
    mpay_journal_config *config = mpay_journal_config_new();
    snprintf(path, sizeof path, "%s/%s", setting("SCRATCH"), name);
    CHECK(config != NULL && mpay_journal_config_set_place(config, path) == MPAY_OK);
    CHECK(mpay_journal_config_set_timeout_ms(config, 60000) == MPAY_OK && mpay_journal_config_set_create(config, 1) == MPAY_OK);
    return config;
}

mpay_journal *journal_in(const char *name, const mpay_client *client) {
    mpay_journal_config *config = journal_settings(name);
    mpay_journal *journal = NULL;
    EXPECT(mpay_journal_open(client, config, &journal, ERROR), MPAY_OK, 0);
    mpay_journal_config_free(config);
    return journal;
}
