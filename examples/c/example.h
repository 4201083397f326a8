/* The common code of the examples. Include this file first, because it defines _POSIX_C_SOURCE. */
#ifndef EXAMPLE_H
#define EXAMPLE_H

#define _POSIX_C_SOURCE 200112L

#include <merchantpay.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#ifdef _WIN32
#include <windows.h>
#else
#include <time.h>
#endif

/* Settings from the environment. NULL means that a setting is absent. A wrong setting is reported when the settings are used. */
static inline mpay_config *example_config(void) {
    mpay_config *config = mpay_config_new();
    mpay_config_set_base_url(config, getenv("MERCHANTPAY_BASE_URL"));
    mpay_config_set_key_id(config, getenv("MERCHANTPAY_KEY_ID"));
    mpay_config_set_private_key(config, getenv("MERCHANTPAY_PRIVATE_KEY"));
    mpay_config_add_server_public_key(config, getenv("MERCHANTPAY_SERVER_PUBLIC_KEY"));
    mpay_config_add_server_key_id(config, getenv("MERCHANTPAY_SERVER_KEY_ID"));
    return config;
}

/* Makes a client with these settings. Returns NULL and an error if a setting is wrong. */
static inline mpay_client *example_client(mpay_error **error) {
    mpay_client *client = NULL;
    mpay_config *config = example_config();
    const int32_t code = mpay_client_new(config, &client, error);
    mpay_config_free(config);
    return code == MPAY_OK ? client : NULL;
}

/* Makes a request for a payment of this sum. */
static inline mpay_payment_request *example_request(const char *sum) {
    mpay_payment_request *request = mpay_payment_request_new();
    mpay_payment_request_set_sum(request, sum);
    mpay_payment_request_set_payment_method(request, "sbp");
    mpay_payment_request_set_customer_account(request, "79001234567");
    return request;
}

/* Prints how to call a program. Returns main's exit status. */
static inline int example_usage(const char *usage) {
    fprintf(stderr, "usage: %s\n", usage);
    return 2;
}

/* Prints and frees an error, if there is one. Returns main's exit status. */
static inline int example_end(mpay_error *error) {
    if (error == NULL) return EXIT_SUCCESS;
    fprintf(stderr, "error %s %s: %s\n", mpay_error_code_name(error), mpay_error_outcome_name(error), mpay_error_message(error));
    if (mpay_error_description(error) != NULL) fprintf(stderr, "the service says: %s\n", mpay_error_description(error));
    mpay_error_free(error);
    return EXIT_FAILURE;
}

/* Prints a field, unless it is absent or empty. */
static inline void example_print(const char *name, const char *value) {
    if (value != NULL && *value != '\0') printf("%s %s\n", name, value);
}

/* Returns a field, or "-" if it is absent. Only the order id is always present. */
static inline const char *example_shown(const char *value) {
    return value != NULL && *value != '\0' ? value : "-";
}

static inline void example_pause(void) {
#ifdef _WIN32
    Sleep(200);
#else
    const struct timespec pause = {0, 200 * 1000 * 1000};
    nanosleep(&pause, NULL);
#endif
}

/* Asks for the status until the status is final or equal to `wanted` (NULL for none), and prints the status. A shop uses webhooks instead;
   without webhooks it asks every few seconds. */
static inline int32_t example_wait(const mpay_client *client, const char *order_id, const char *wanted, mpay_payment **out,
                                   mpay_error **error) {
    for (;;) {
        const int32_t code = mpay_get_status(client, order_id, out, error);
        if (code != MPAY_OK) return code;
        const char *status = mpay_payment_status(*out);
        if (mpay_payment_is_final(*out) || (wanted != NULL && status != NULL && strcmp(status, wanted) == 0)) {
            printf("status %s\n", status);
            return MPAY_OK;
        }
        mpay_payment_free(*out);
        *out = NULL;
        example_pause();
    }
}

#endif
