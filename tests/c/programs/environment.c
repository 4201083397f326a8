/* A host may change its environment while another thread is in a call: only mpay_client_new reads it. */
#include "check.h"

#include <stdio.h>
#include <string.h>

extern char **environ;

static int watching, reads;

/* Replaces the C library's function, for the tested library too. */
char *getenv(const char *name) {
    size_t length = strlen(name);
    char **entry;
    if (watching) {
        fprintf(stderr, "%s was read\n", name);
        reads++;
    }
    for (entry = environ; *entry; entry++) {
        if (strncmp(*entry, name, length) == 0 && (*entry)[length] == '=') return *entry + length + 1;
    }
    return NULL;
}

RULE(only_a_new_client_reads_the_environment) {
    mpay_client *client, *by_name;
    mpay_payment *payment = NULL;
    mpay_payment_request *request = good_request();
    mpay_config *config = sandbox_config(NULL);
    mpay_verifier *verifier = NULL;
    mpay_keypair *pair = NULL;

    watching = 1;
    EXPECT(mpay_client_new(config, &client, ERROR), MPAY_OK, 0);
    CHECK(reads > 0); /* without a read this test would prove nothing */
    watching = 0;
    by_name = sandbox_client(setting("SERVICE_BY_NAME"));

    reads = 0;
    watching = 1;
    CHECK(mpay_new_payment(client, request, &payment, NULL) == MPAY_OK);
    mpay_payment_free(payment);
    CHECK(mpay_get_status(client, "no-such-order", &payment, NULL) == MPAY_REJECTED);
    CHECK(mpay_get_status(by_name, "no-such-order", &payment, NULL) == MPAY_REJECTED);
    CHECK(mpay_verifier_new(config, &verifier, NULL) == MPAY_OK);
    CHECK(mpay_keypair_generate(&pair, NULL) == MPAY_OK);
    watching = 0;
    CHECK(reads == 0);

    mpay_keypair_free(pair);
    mpay_verifier_free(verifier);
    mpay_payment_request_free(request);
    mpay_client_free(by_name);
    mpay_client_free(client);
    mpay_config_free(config);
}
