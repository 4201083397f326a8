/* Interruptions, and the host's callbacks. */
#define _POSIX_C_SOURCE 200809L
#include "../suite.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

/* Listens on this machine and never answers. */
static int listening(char *url, size_t size) {
    struct sockaddr_in address;
    socklen_t len = sizeof address;
    int listener = socket(AF_INET, SOCK_STREAM, 0);
    memset(&address, 0, sizeof address);
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    CHECK(bind(listener, (const struct sockaddr *)&address, len) == 0 && listen(listener, 8) == 0);
    CHECK(getsockname(listener, (struct sockaddr *)&address, &len) == 0);
    snprintf(url, size, "http://127.0.0.1:%d", ntohs(address.sin_port));
    return listener;
}

struct call {
    const mpay_client *client;
    mpay_error *error;
    int32_t code;
};

static void *confirm(void *pointer) {
    struct call *call = pointer;
    call->code = mpay_confirm(call->client, "o-1", &call->error);
    return NULL;
}

static void an_interruption_ends_the_calls_that_run_and_lets_no_more_start(void) {
    char url[64], byte;
    int listener = listening(url, sizeof url), i;
    mpay_client *client = sandbox_client(url), *sale = NULL, *hurried = NULL, *later = NULL;
    struct call calls[2] = {{NULL, NULL, 0}, {NULL, NULL, 0}};
    pthread_t threads[2];
    int connections[2];
    EXPECT(mpay_client_derive(client, 0, &sale, ERROR), MPAY_OK, 0);
    EXPECT(mpay_client_derive(sale, 20000, &hurried, ERROR), MPAY_OK, 0);
    calls[0].client = sale;
    calls[1].client = hurried;
    for (i = 0; i < 2; i++) CHECK(pthread_create(&threads[i], NULL, confirm, &calls[i]) == 0);
    for (i = 0; i < 2; i++) {
        connections[i] = accept(listener, NULL, NULL);
        CHECK(read(connections[i], &byte, 1) == 1); /* from now on the request may take effect */
    }
    mpay_client_interrupt(NULL);
    mpay_client_interrupt(sale);
    for (i = 0; i < 2; i++) {
        CHECK(pthread_join(threads[i], NULL) == 0);
        CHECK(same(mpay_error_code_name(calls[i].error), "cancelled") && same(mpay_error_order_id(calls[i].error), "o-1"));
        expect(calls[i].code, calls[i].error, MPAY_CANCELLED, MPAY_OUTCOME_UNKNOWN, __FILE__, __LINE__);
        while (read(connections[i], &byte, 1) > 0) {
        }
        close(connections[i]); /* if the call still ran, read() would not have returned */
    }
    mpay_client_interrupt(sale);
    EXPECT(mpay_client_derive(sale, 0, &later, ERROR), MPAY_OK, 0);
    EXPECT(mpay_confirm(sale, "o-1", ERROR), MPAY_CANCELLED, MPAY_OUTCOME_NOT_SENT);
    EXPECT(mpay_confirm(hurried, "o-1", ERROR), MPAY_CANCELLED, MPAY_OUTCOME_NOT_SENT);
    EXPECT(mpay_confirm(later, "o-1", ERROR), MPAY_CANCELLED, MPAY_OUTCOME_NOT_SENT);
    close(listener);
    /* The original client still works, but no server listens. */
    EXPECT(mpay_confirm(client, "o-1", ERROR), MPAY_TRANSPORT, MPAY_OUTCOME_NOT_SENT);
    mpay_client_free(sale);
    mpay_client_free(hurried);
    mpay_client_free(later);
    mpay_client_free(client);
}

struct log_lines {
    char text[2048];
    int lines;
    int32_t code, outcome, http_status;
};

static void keep_line(void *user_data, const mpay_attempt *attempt) {
    struct log_lines *log = user_data;
    size_t used = strlen(log->text);
    CHECK(mpay_attempt_operation(attempt) != NULL && mpay_attempt_number(attempt) >= 1 && mpay_attempt_elapsed_ms(attempt) < 60000);
    snprintf(log->text + used, sizeof log->text - used, "%s %s\n", mpay_attempt_operation(attempt), mpay_attempt_line(attempt));
    log->lines++;
    log->code = mpay_attempt_code(attempt);
    log->outcome = mpay_attempt_outcome(attempt);
    log->http_status = mpay_attempt_http_status(attempt);
    if (same(mpay_attempt_operation(attempt), "getStatus")) CHECK(same(mpay_attempt_order_id(attempt), "no-such-order"));
}

static void the_log_is_told_of_every_attempt_and_of_no_secret(void) {
    struct log_lines log = {"", 0, 0, 0, 0};
    mpay_config *config = sandbox_config(NULL);
    mpay_client *client = NULL;
    mpay_payment *payment = NULL;
    char order_id[128];
    CHECK(mpay_config_set_log_callback(config, keep_line, &log, NULL) == MPAY_OK);
    EXPECT(mpay_client_new(config, &client, ERROR), MPAY_OK, 0);
    new_order(client, "79001234567", order_id, sizeof order_id);
    CHECK(log.lines == 1 && log.code == MPAY_OK && log.outcome == 0 && log.http_status == 200);
    EXPECT(mpay_get_status(client, "no-such-order", &payment, ERROR), MPAY_REJECTED, MPAY_OUTCOME_REJECTED);
    CHECK(log.lines == 2 && log.code == MPAY_REJECTED && log.outcome == MPAY_OUTCOME_REJECTED);
    CHECK(strstr(log.text, "newPayment") && strstr(log.text, "no-such-order") && strstr(log.text, "rejected"));
    CHECK(!strstr(log.text, "79001234567") && !strstr(log.text, setting("MERCHANTPAY_PRIVATE_KEY")));
    mpay_client_free(client);
    CHECK(mpay_config_set_log_callback(config, NULL, NULL, NULL) == MPAY_OK);
    EXPECT(mpay_client_new(config, &client, ERROR), MPAY_OK, 0);
    EXPECT(mpay_get_status(client, "no-such-order", &payment, ERROR), MPAY_REJECTED, MPAY_OUTCOME_REJECTED);
    CHECK(log.lines == 2);
    mpay_client_free(client);
    mpay_config_free(config);
}

/* An HSM that knows one signature. */
struct hsm {
    int32_t answer;
    unsigned char signature[64];
    char message[256];
    int calls;
};

static int32_t hsm_sign(void *user_data, const void *message, size_t len, void *signature) {
    struct hsm *hsm = user_data;
    hsm->calls++;
    if (len < sizeof hsm->message) {
        memcpy(hsm->message, message, len);
        hsm->message[len] = 0;
    }
    memcpy(signature, hsm->signature, 64);
    return hsm->answer;
}

static size_t from_base64(const char *text, unsigned char *bytes) {
    static const char alphabet[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    uint32_t bits = 0;
    unsigned held = 0;
    size_t length = 0;
    for (; *text && *text != '='; text++) {
        bits = (bits << 6 | (uint32_t)(strchr(alphabet, *text) - alphabet)) & 0xffff;
        held += 6;
        if (held >= 8) {
            held -= 8;
            bytes[length++] = (unsigned char)(bits >> held);
        }
    }
    return length;
}

static void a_callback_signs_and_its_signature_is_checked_before_anything_is_sent(void) {
    struct hsm hsm = {0, {0}, "", 0};
    mpay_config *config = mpay_config_new();
    mpay_client *client = NULL;
    mpay_protocol *protocol = NULL;
    mpay_http_request *request = NULL;
    mpay_payment *payment = NULL;

    set_service(config, setting("MERCHANTPAY_BASE_URL"));
    CHECK(mpay_config_set_key_id(config, setting("MERCHANTPAY_KEY_ID")) == MPAY_OK);
    CHECK(mpay_config_add_server_public_key(config, setting("MERCHANTPAY_SERVER_PUBLIC_KEY")) == MPAY_OK);
    CHECK(mpay_config_set_signer_callback(config, hsm_sign, &hsm, NULL) == MPAY_OK);
    EXPECT(mpay_client_new(config, &client, ERROR), MPAY_INVALID_ARGUMENT, MPAY_OUTCOME_NOT_SENT); /* the public key is missing */
    CHECK(mpay_config_set_public_key(config, setting("MERCHANT_PUBLIC_KEY")) == MPAY_OK);
    EXPECT(mpay_client_new(config, &client, ERROR), MPAY_OK, 0);
    EXPECT(mpay_protocol_new(config, &protocol, ERROR), MPAY_OK, 0);

    EXPECT(mpay_get_status(client, "no-such-order", &payment, ERROR), MPAY_INVALID_KEY, MPAY_OUTCOME_NOT_SENT);
    CHECK(hsm.calls == 1 && same(hsm.message, "{\"orderId\":\"no-such-order\"}"));
    CHECK(from_base64(setting("SIGNATURE_OF_NO_SUCH_ORDER"), hsm.signature) == 64);
    EXPECT(mpay_get_status(client, "no-such-order", &payment, ERROR), MPAY_REJECTED, MPAY_OUTCOME_REJECTED);
    EXPECT(mpay_prepare_get_status(protocol, "no-such-order", &request, ERROR), MPAY_OK, 0);
    mpay_http_request_free(request);
    hsm.answer = -7;
    EXPECT(mpay_get_status(client, "no-such-order", &payment, ERROR), MPAY_SIGNER, MPAY_OUTCOME_NOT_SENT);
    mpay_client_free(client);
    mpay_protocol_free(protocol);

    CHECK(mpay_config_set_private_key(config, setting("MERCHANTPAY_PRIVATE_KEY")) == MPAY_OK);
    /* Both a private key and a signer are set. */
    EXPECT(mpay_client_new(config, &client, ERROR), MPAY_INVALID_ARGUMENT, MPAY_OUTCOME_NOT_SENT);
    CHECK(mpay_config_set_signer_callback(config, NULL, NULL, NULL) == MPAY_OK);
    EXPECT(mpay_client_new(config, &client, ERROR), MPAY_OK, 0);
    mpay_client_free(client);
    mpay_config_free(config);
}

void suite_callbacks(void) {
    RUN(an_interruption_ends_the_calls_that_run_and_lets_no_more_start);
    RUN(the_log_is_told_of_every_attempt_and_of_no_secret);
    RUN(a_callback_signs_and_its_signature_is_checked_before_anything_is_sent);
}
