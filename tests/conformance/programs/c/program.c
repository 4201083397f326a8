/* The program of the conformance suite in C: a command a line on stdin, its result as a line on stdout. See ../../README.md. */
#include "fields.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_FIELDS = 64 };

typedef struct {
    const char *name;
    char *value; /* NUL-terminated, and may hold more of them */
    size_t len;
} field;

static field fields[MOST_FIELDS];
static size_t field_count;

static int hex(char c) {
    return c <= '9' ? c - '0' : (c | 0x20) - 'a' + 10;
}

static size_t decode(char *text) {
    char *to = text;
    const char *from = text;
    while (*from != '\0') {
        if (*from == '%') {
            *to++ = (char)(hex(from[1]) * 16 + hex(from[2]));
            from += 3;
        } else {
            *to++ = *from++;
        }
    }
    *to = '\0';
    return (size_t)(to - text);
}

static void parse(char *line) {
    char *word;
    field_count = 0;
    for (word = strtok(line, " \n"); word != NULL && field_count < MOST_FIELDS; word = strtok(NULL, " \n")) {
        char *value = strchr(word, '=');
        if (value == NULL) continue;
        *value++ = '\0';
        fields[field_count].name = word;
        fields[field_count].value = value;
        fields[field_count++].len = decode(value);
    }
}

static const field *find(const char *name) {
    size_t i;
    for (i = 0; i < field_count; i++) {
        if (strcmp(fields[i].name, name) == 0) return &fields[i];
    }
    return NULL;
}

static const char *text(const char *name) {
    const field *found = find(name);
    return found != NULL ? found->value : NULL;
}

static uint32_t number(const char *name) {
    return (uint32_t)strtoul(text(name), NULL, 10);
}

static void put(const char *name, const char *value) {
    if (value == NULL) return;
    printf(" %s=", name);
    for (; *value != '\0'; value++) {
        if (strchr("0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz.-_~/:,", *value) != NULL) {
            putchar(*value);
        } else {
            printf("%%%02X", (unsigned char)*value);
        }
    }
}

static mpay_config *settings(void) {
    mpay_config *config = mpay_config_new();
    size_t i;
    mpay_config_set_base_url(config, text("base_url"));
    mpay_config_set_key_id(config, text("key_id"));
    mpay_config_set_private_key(config, text("private_key"));
    mpay_config_set_ca_file(config, text("ca_file"));
    mpay_config_set_proxy(config, text("proxy"));
    for (i = 0; i < field_count; i++) {
        if (strcmp(fields[i].name, "server_public_key") == 0) mpay_config_add_server_public_key(config, fields[i].value);
        if (strcmp(fields[i].name, "server_key_id") == 0) mpay_config_add_server_key_id(config, fields[i].value);
    }
    if (find("timeout_ms")) mpay_config_set_timeout_ms(config, number("timeout_ms"));
    if (find("connect_timeout_ms")) mpay_config_set_connect_timeout_ms(config, number("connect_timeout_ms"));
    if (find("max_retries")) mpay_config_set_max_retries(config, number("max_retries"));
    if (find("max_reply_bytes")) mpay_config_set_max_reply_bytes(config, number("max_reply_bytes"));
    return config;
}

static mpay_payment_request *request(void) {
    mpay_payment_request *request = mpay_payment_request_new();
    size_t i;
    for (i = 0; i < sizeof request_fields / sizeof *request_fields; i++) request_fields[i].set(request, text(request_fields[i].name));
    return request;
}

static void put_payment(const mpay_payment *payment) {
    size_t i;
    for (i = 0; i < sizeof payment_fields / sizeof *payment_fields; i++) put(payment_fields[i].name, payment_fields[i].get(payment));
    if (mpay_payment_status(payment) != NULL) put("final", mpay_payment_is_final(payment) ? "1" : "0");
}

static void put_amounts(const mpay_amounts *amounts) {
    size_t i;
    /* Amounts have no characters that would have to be encoded. */
    printf(" amounts=");
    for (i = 0; i < mpay_amounts_count(amounts); i++) printf("%s%s", i > 0 ? "," : "", mpay_amounts_get(amounts, i));
    put("other", mpay_amounts_other_possible(amounts) ? "1" : "0");
}

static const char *kind_name(int32_t kind) {
    if (kind == MPAY_EVENT_CREDENTIALS) return "credentials";
    if (kind == MPAY_EVENT_CREDENTIALS_FAILED) return "credentials_failed";
    return kind == MPAY_EVENT_STATUS ? "status" : "unknown";
}

static int32_t attach(const mpay_client *client, mpay_error **error) {
    mpay_receipt *receipt = mpay_receipt_new(text("order_id"));
    int32_t code = MPAY_OK;
    size_t i;
    for (i = 0; i < field_count && code == MPAY_OK; i++) {
        if (strcmp(fields[i].name, "file") == 0) code = mpay_receipt_add_file(receipt, fields[i].value, error);
    }
    if (code == MPAY_OK && find("file_data") != NULL) {
        const field *data = find("file_data");
        code = mpay_receipt_add_bytes(receipt, text("file_name"), text("file_type"), data->value, data->len, error);
    }
    if (code == MPAY_OK) code = mpay_attach_receipt(client, receipt, error);
    mpay_receipt_free(receipt);
    return code;
}

/* One call. What succeeds is printed if it is the last one. */
static int32_t call(const mpay_client *client, const char *command, int last, mpay_error **error) {
    mpay_payment_request *asked = request();
    mpay_amounts *amounts = NULL;
    mpay_payment *payment = NULL;
    int32_t code;
    if (strcmp(command, "get_available_amounts") == 0) {
        code = mpay_get_available_amounts(client, asked, &amounts, error);
    } else if (strcmp(command, "new_payment") == 0) {
        code = mpay_new_payment(client, asked, &payment, error);
    } else if (strcmp(command, "new_payment_async") == 0) {
        code = mpay_new_payment_async(client, asked, &payment, error);
    } else if (strcmp(command, "confirm") == 0) {
        code = mpay_confirm(client, text("order_id"), error);
    } else if (strcmp(command, "cancel") == 0) {
        code = mpay_cancel(client, text("order_id"), error);
    } else if (strcmp(command, "get_status") == 0) {
        code = mpay_get_status(client, text("order_id"), &payment, error);
    } else {
        code = attach(client, error);
    }
    if (code == MPAY_OK && last) {
        printf("ok=1");
        if (amounts != NULL) put_amounts(amounts);
        if (payment != NULL && strcmp(command, "new_payment_async") == 0) {
            put("order_id", mpay_payment_order_id(payment));
        } else if (payment != NULL) {
            put_payment(payment);
        }
    }
    mpay_amounts_free(amounts);
    mpay_payment_free(payment);
    mpay_payment_request_free(asked);
    return code;
}

static int32_t verify(const mpay_config *config, mpay_error **error) {
    const field *body = find("body");
    mpay_verifier *verifier = NULL;
    mpay_event *event = NULL;
    int32_t code = mpay_verifier_new(config, &verifier, error);
    if (code == MPAY_OK)
        code = mpay_verify_webhook(verifier, body->value, body->len, text("signature"), text("webhook_key_id"), &event, error);
    if (code == MPAY_OK) {
        printf("ok=1");
        put("kind", kind_name(mpay_event_kind(event)));
        put_payment(mpay_event_payment(event));
    }
    mpay_event_free(event);
    mpay_verifier_free(verifier);
    return code;
}

static int32_t dispatch(mpay_error **error) {
    const char *command = text("do");
    mpay_config *config = settings();
    mpay_client *client = NULL;
    int32_t code;
    uint32_t i, repeat = find("repeat") ? number("repeat") : 1;
    if (strcmp(command, "verify_webhook") == 0) {
        code = verify(config, error);
    } else {
        code = mpay_client_new(config, &client, error);
        for (i = 1; code == MPAY_OK && i <= repeat; i++) code = call(client, command, i == repeat, error);
    }
    mpay_client_free(client);
    mpay_config_free(config);
    return code;
}

int main(void) {
    size_t room = 8 * 1024 * 1024;
    char *line = malloc(room), status[16];
    while (line != NULL && fgets(line, (int)room, stdin) != NULL) {
        mpay_error *error = NULL;
        parse(line);
        if (dispatch(&error) != MPAY_OK) {
            printf("ok=0");
            put("code", mpay_error_code_name(error));
            put("outcome", mpay_error_outcome_name(error));
            put("description", mpay_error_description(error));
            put("reason", mpay_error_reason(error));
            put("order_id", mpay_error_order_id(error));
            sprintf(status, "%d", (int)mpay_error_http_status(error));
            if (mpay_error_http_status(error) != 0) put("http_status", status);
        }
        mpay_error_free(error);
        putchar('\n');
        fflush(stdout);
    }
    free(line);
    return 0;
}
