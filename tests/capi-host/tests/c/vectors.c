/* The vectors that every language is held against, from the standard input as flat.h has them. Prints how many there were of
 * each kind, and how many C cannot say, because a text in them has a NUL. */
#include "check.h"
#include "flat.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static flat_case it;

/* Whether something holds for this case; prints its name if not. */
static int holds(int condition, const char *what) {
    if (!condition) fprintf(stderr, "%s: %s: ", flat_text(&it, "file"), flat_text(&it, "name"));
    check(condition, what, __FILE__, __LINE__);
    return condition;
}

static int is(const char *text, const char *path) {
    return same(text, flat_text(&it, path));
}

static int is_true(const char *path) {
    return same(flat_text(&it, path), "true");
}

/* A failure that says what is expected of it; or that a success was expected. Frees the error. */
static void settle(int32_t code, mpay_error *error) {
    if (!flat_text(&it, "expected.error.code")) {
        if (!holds(code == MPAY_OK && !error, "it succeeds")) fprintf(stderr, "  %s\n", error ? mpay_error_message(error) : "no error");
    } else {
        holds(code != MPAY_OK && code == mpay_error_code(error), "it fails, with an error of its code");
        holds(is(mpay_error_code_name(error), "expected.error.code"), "code");
        holds(is(mpay_error_outcome_name(error), "expected.error.outcome"), "outcome");
    }
    mpay_error_free(error);
}

/* The same for what came from outside: everything that the error reports. */
static void settle_all(int32_t code, mpay_error *error, const flat_field *body) {
    if (error) {
        int kept = code == MPAY_MALFORMED || code == MPAY_REJECTED;
        char status[16] = "";
        sprintf(status, "%d", (int)mpay_error_http_status(error));
        holds(is(mpay_error_description(error), "expected.error.description"), "description");
        holds(is(mpay_error_reason(error), "expected.error.reason"), "reason");
        holds(is(mpay_error_order_id(error), "expected.error.order_id"), "order_id");
        holds(is(mpay_error_http_status(error) ? status : NULL, "expected.error.http_status"), "http_status");
        holds((mpay_error_body(error) != NULL) == kept, "a body where it is the service's");
        if (kept) {
            holds(mpay_error_body_len(error) == body->len, "the length of its body");
            holds(memcmp(mpay_error_body(error), body->value, body->len) == 0, "its body");
        }
    }
    settle(code, error);
}

static mpay_config *config_of(int whole) {
    mpay_config *config = mpay_config_new();
    const char *text;
    /* What cannot be taken is reported by what is made of the config. */
    if ((text = flat_text(&it, "settings.key_id"))) mpay_config_set_key_id(config, text);
    for (int at = 0; (text = flat_text(&it, "settings.server_public_keys.%d", at)); at++) mpay_config_add_server_public_key(config, text);
    for (int at = 0; (text = flat_text(&it, "settings.server_key_ids.%d", at)); at++) mpay_config_add_server_key_id(config, text);
    if (whole) {
        mpay_config_set_base_url(config, flat_text(&it, "settings.base_url"));
        mpay_config_set_private_key(config, flat_text(&it, "settings.private_key"));
    }
    return config;
}

static int32_t make_protocol(mpay_protocol **out, mpay_error **error) {
    mpay_config *config = config_of(1);
    int32_t code = mpay_protocol_new(config, out, error);
    mpay_config_free(config);
    return code;
}

static int32_t make_verifier(mpay_verifier **out, mpay_error **error) {
    mpay_config *config = config_of(0);
    int32_t code = mpay_verifier_new(config, out, error);
    mpay_config_free(config);
    return code;
}

static mpay_payment_request *request_of(void) {
    static const struct {
        const char *path;
        int32_t (*set)(mpay_payment_request *, const char *);
    } fields[] = {
        {"arguments.sum", mpay_payment_request_set_sum},
        {"arguments.currency", mpay_payment_request_set_currency},
        {"arguments.paymentMethod", mpay_payment_request_set_payment_method},
        {"arguments.customerAccount", mpay_payment_request_set_customer_account},
        {"arguments.payerBank", mpay_payment_request_set_payer_bank},
        {"arguments.merchantId", mpay_payment_request_set_merchant_id},
        {"arguments.statusWebhookUrl", mpay_payment_request_set_status_webhook_url},
        {"arguments.credentialsWebhookUrl", mpay_payment_request_set_credentials_webhook_url},
        {"arguments.sumDriftUp", mpay_payment_request_set_sum_drift_up},
        {"arguments.sumDriftDown", mpay_payment_request_set_sum_drift_down},
    };
    mpay_payment_request *request = mpay_payment_request_new();
    for (size_t at = 0; at < sizeof fields / sizeof fields[0]; at++) {
        const char *text = flat_text(&it, fields[at].path);
        if (text) fields[at].set(request, text);
    }
    return request;
}

/* A receipt with the files of the case; or the failure of the first that is not taken. */
static int32_t make_receipt(const char *order_id, mpay_receipt **out, mpay_error **error) {
    int32_t code = MPAY_OK;
    const char *name;
    *out = mpay_receipt_new(order_id);
    for (int at = 0; code == MPAY_OK && (name = flat_text(&it, "arguments.files.%d.name", at)); at++) {
        const flat_field *data = flat_field_at(&it, "arguments.files.%d.data", at);
        code = mpay_receipt_add_bytes(*out, name, flat_text(&it, "arguments.files.%d.content_type", at), data->value, data->len, error);
    }
    return code;
}

static int32_t prepare_with(const mpay_protocol *protocol, const char *operation, const char *order_id, mpay_http_request **out,
                            mpay_error **error) {
    int32_t code;
    if (same(operation, "confirm")) return mpay_prepare_confirm(protocol, order_id, out, error);
    if (same(operation, "cancel")) return mpay_prepare_cancel(protocol, order_id, out, error);
    if (same(operation, "getStatus")) return mpay_prepare_get_status(protocol, order_id, out, error);
    if (same(operation, "attachReceipt")) {
        mpay_receipt *receipt = NULL;
        code = make_receipt(order_id, &receipt, error);
        if (code == MPAY_OK) code = mpay_prepare_attach_receipt(protocol, receipt, out, error);
        mpay_receipt_free(receipt);
        return code;
    }
    mpay_payment_request *request = request_of();
    if (same(operation, "getAvailableAmounts")) {
        code = mpay_prepare_get_available_amounts(protocol, request, out, error);
    } else if (same(operation, "newPayment")) {
        code = mpay_prepare_new_payment(protocol, request, out, error);
    } else {
        holds(same(operation, "newPaymentAsync"), "an operation that this program knows");
        code = mpay_prepare_new_payment_async(protocol, request, out, error);
    }
    mpay_payment_request_free(request);
    return code;
}

static int32_t prepare(const char *operation, const char *order_id, mpay_http_request **out, mpay_error **error) {
    mpay_protocol *protocol = NULL;
    int32_t code = make_protocol(&protocol, error);
    *out = NULL;
    if (holds(code == MPAY_OK, "the settings are right")) code = prepare_with(protocol, operation, order_id, out, error);
    mpay_protocol_free(protocol);
    return code;
}

static const char *header(const mpay_http_request *request, const char *name) {
    for (size_t at = 0; at < mpay_http_request_header_count(request); at++)
        if (same(mpay_http_request_header_name(request, at), name)) return mpay_http_request_header_value(request, at);
    return NULL;
}

static int is_body(const mpay_http_request *sent, const flat_field *wanted) {
    return mpay_http_request_body_len(sent) == wanted->len && memcmp(mpay_http_request_body(sent), wanted->value, wanted->len) == 0;
}

static void settings(void) {
    const char *made;
    for (int at = 0; (made = flat_text(&it, "makes.%d", at)); at++) {
        mpay_protocol *protocol = NULL;
        mpay_verifier *verifier = NULL;
        mpay_error *error = NULL;
        int32_t code;
        if (same(made, "protocol")) {
            code = make_protocol(&protocol, &error);
        } else {
            holds(same(made, "verifier"), "what this program can make");
            code = make_verifier(&verifier, &error);
        }
        settle(code, error);
        if (protocol && flat_text(&it, "expected.signature")) {
            mpay_http_request *sent = NULL;
            code = prepare_with(protocol, "confirm", flat_text(&it, "expected.arguments.orderId"), &sent, NULL);
            holds(code == MPAY_OK && is(header(sent, "X-Signature"), "expected.signature"), "signature");
            holds(is_body(sent, flat_field_at(&it, "expected.body")), "body");
            mpay_http_request_free(sent);
        }
        mpay_protocol_free(protocol);
        mpay_verifier_free(verifier);
    }
}

static void request(void) {
    mpay_http_request *sent = NULL;
    mpay_error *error = NULL;
    int32_t code = prepare(flat_text(&it, "operation"), flat_text(&it, "arguments.orderId"), &sent, &error);
    settle(code, error);
    if (sent) {
        size_t at = 0;
        holds(is(mpay_http_request_url(sent), "expected.url"), "url");
        for (; flat_text(&it, "expected.headers.%d.0", (int)at); at++) {
            holds(same(mpay_http_request_header_name(sent, at), flat_text(&it, "expected.headers.%d.0", (int)at)), "a header's name");
            holds(same(mpay_http_request_header_value(sent, at), flat_text(&it, "expected.headers.%d.1", (int)at)), "a header's value");
        }
        holds(at == 3 && mpay_http_request_header_count(sent) == at, "three headers");
        holds(is_body(sent, flat_field_at(&it, "expected.body")), "body");
    }
    mpay_http_request_free(sent);
}

/* Whether the bytes are the expected ones with the boundary in the place of its mark. */
static int is_with_boundary(const char *made, size_t len, const flat_field *wanted, const char *boundary) {
    static const char mark[] = "@boundary@";
    size_t at = 0, mark_len = sizeof mark - 1, boundary_len = strlen(boundary);
    for (size_t from = 0; from < wanted->len;) {
        int marked = wanted->len - from >= mark_len && memcmp(wanted->value + from, mark, mark_len) == 0;
        const char *piece = marked ? boundary : wanted->value + from;
        size_t piece_len = marked ? boundary_len : 1;
        if (len - at < piece_len || memcmp(made + at, piece, piece_len) != 0) return 0;
        at += piece_len;
        from += marked ? mark_len : 1;
    }
    return at == len;
}

/* Whether a signature is the merchant's own. C has no function that only verifies; but a verifier that takes the merchant's key
 * for the service's calls what is signed by it malformed, as a receipt is not a webhook, and everything else unverified. */
static int is_signed(const mpay_http_request *sent) {
    mpay_config *config = mpay_config_new();
    mpay_verifier *verifier = NULL;
    mpay_event *event = NULL;
    mpay_config_add_server_public_key(config, flat_text(&it, "settings.public_key"));
    holds(mpay_verifier_new(config, &verifier, NULL) == MPAY_OK, "a verifier");
    int32_t code = mpay_verify_webhook(verifier, mpay_http_request_body(sent), mpay_http_request_body_len(sent),
                                       header(sent, "X-Signature"), NULL, &event, NULL);
    mpay_verifier_free(verifier);
    mpay_config_free(config);
    return code == MPAY_MALFORMED && !event;
}

static void receipt(void) {
    mpay_http_request *sent = NULL;
    mpay_error *error = NULL;
    int32_t code = prepare("attachReceipt", flat_text(&it, "arguments.orderId"), &sent, &error);
    settle(code, error);
    if (sent) {
        const char *type = header(sent, "Content-Type");
        const char *boundary = strstr(type, "boundary=") + strlen("boundary=");
        holds(is(mpay_http_request_url(sent), "expected.url"), "url");
        holds(is_with_boundary(type, strlen(type), flat_field_at(&it, "expected.headers.0.1"), boundary), "the content type");
        holds(is(header(sent, "X-KeyId"), "expected.headers.1.1") && mpay_http_request_header_count(sent) == 3, "the other headers");
        holds(
            is_with_boundary(mpay_http_request_body(sent), mpay_http_request_body_len(sent), flat_field_at(&it, "expected.body"), boundary),
            "body");
        holds(is_signed(sent), "signature");
    }
    mpay_http_request_free(sent);
}

static void amount_text(void) {
    mpay_protocol *protocol = NULL;
    mpay_http_request *sent = NULL;
    mpay_error *error = NULL;
    mpay_payment_request *request = mpay_payment_request_new();
    holds(make_protocol(&protocol, NULL) == MPAY_OK, "the settings are right");
    mpay_payment_request_set_sum(request, flat_text(&it, "text"));
    mpay_payment_request_set_payment_method(request, "card");
    int32_t code = mpay_prepare_get_available_amounts(protocol, request, &sent, &error);
    settle(code, error);
    mpay_http_request_free(sent);
    mpay_payment_request_free(request);
    mpay_protocol_free(protocol);
}

static void payment_is(const mpay_payment *payment, const flat_field *body) {
    const flat_field *minor = flat_field_at(&it, "expected.sum_minor");
    size_t fields = 0;
    holds(is(mpay_payment_order_id(payment), "expected.payment.orderId"), "orderId");
    holds(is(mpay_payment_sum(payment), "expected.payment.sum"), "sum");
    holds(is(mpay_payment_currency(payment), "expected.payment.currency"), "currency");
    holds(is(mpay_payment_payee_account(payment), "expected.payment.payeeAccount"), "payeeAccount");
    holds(is(mpay_payment_payee_account_bank(payment), "expected.payment.payeeAccountBank"), "payeeAccountBank");
    holds(is(mpay_payment_payee_name(payment), "expected.payment.payeeName"), "payeeName");
    holds(is(mpay_payment_deal_sum(payment), "expected.payment.dealSum"), "dealSum");
    holds(is(mpay_payment_deal_currency(payment), "expected.payment.dealCurrency"), "dealCurrency");
    holds(is(mpay_payment_deal_rate(payment), "expected.payment.dealRate"), "dealRate");
    holds(is(mpay_payment_deeplink(payment), "expected.payment.deeplink"), "deeplink");
    holds(is(mpay_payment_status(payment), "expected.payment.status"), "status");
    holds(mpay_payment_is_final(payment) == is_true("expected.final"), "final");
    holds(strlen(mpay_payment_json(payment)) == body->len && same(mpay_payment_json(payment), body->value), "json");
    if (minor) holds(mpay_payment_sum_minor(payment) == (minor->value ? strtoll(minor->value, NULL, 10) : MPAY_NO_MINOR), "sum_minor");
    for (size_t at = 0; at < it.count; at++) fields += strncmp(it.fields[at].path, "expected.payment.", strlen("expected.payment.")) == 0;
    holds(fields >= 1 && fields <= 11, "no field that this program does not know");
}

static void amounts_are(const mpay_amounts *amounts, const flat_field *body) {
    size_t at = 0;
    for (; flat_text(&it, "expected.amounts.%d", (int)at); at++)
        holds(same(mpay_amounts_get(amounts, at), flat_text(&it, "expected.amounts.%d", (int)at)), "an amount");
    holds(mpay_amounts_count(amounts) == at, "the number of amounts");
    holds(mpay_amounts_other_possible(amounts) == is_true("expected.other_amounts_possible"), "other_amounts_possible");
    holds(same(mpay_amounts_json(amounts), body->value), "json");
}

static mpay_http_response *response_of(void) {
    const flat_field *body = flat_field_at(&it, "reply.body");
    mpay_http_response *response = mpay_http_response_new();
    const char *name;
    mpay_http_response_set_status(response, (int32_t)atoi(flat_text(&it, "reply.status")));
    for (int at = 0; (name = flat_text(&it, "reply.headers.%d.0", at)); at++)
        mpay_http_response_add_header(response, name, flat_text(&it, "reply.headers.%d.1", at));
    mpay_http_response_set_body(response, body->value, body->len);
    return response;
}

static void reply(void) {
    const flat_field *body = flat_field_at(&it, "reply.body");
    const char *operation = flat_text(&it, "operation");
    mpay_http_request *sent = NULL;
    mpay_http_response *response = response_of();
    mpay_payment *payment = NULL;
    mpay_amounts *amounts = NULL;
    mpay_error *error = NULL;
    int32_t code;
    holds(prepare(operation, flat_text(&it, "arguments.orderId"), &sent, NULL) == MPAY_OK, "the request is right");
    if (same(operation, "getAvailableAmounts")) code = mpay_open_get_available_amounts(sent, response, &amounts, &error);
    else if (same(operation, "newPayment")) code = mpay_open_new_payment(sent, response, &payment, &error);
    else if (same(operation, "newPaymentAsync")) code = mpay_open_new_payment_async(sent, response, &payment, &error);
    else if (same(operation, "getStatus")) code = mpay_open_get_status(sent, response, &payment, &error);
    else if (same(operation, "confirm")) code = mpay_open_confirm(sent, response, &error);
    else if (same(operation, "cancel")) code = mpay_open_cancel(sent, response, &error);
    else code = mpay_open_attach_receipt(sent, response, &error);
    settle_all(code, error, body);
    if (payment) payment_is(payment, body);
    if (amounts) amounts_are(amounts, body);
    holds(code != MPAY_OK || payment || amounts || flat_text(&it, "arguments.orderId"), "a result where there is one");
    mpay_payment_free(payment);
    mpay_amounts_free(amounts);
    mpay_http_response_free(response);
    mpay_http_request_free(sent);
}

static void status(void) {
    mpay_http_request *sent = NULL;
    mpay_http_response *response = response_of();
    mpay_payment *payment = NULL;
    holds(prepare("getStatus", "o-1", &sent, NULL) == MPAY_OK, "the request is right");
    if (holds(mpay_open_get_status(sent, response, &payment, NULL) == MPAY_OK, "it is opened")) {
        holds(is(mpay_payment_status(payment), "text"), "status");
        holds(mpay_payment_is_final(payment) == is_true("final"), "final");
    }
    mpay_payment_free(payment);
    mpay_http_response_free(response);
    mpay_http_request_free(sent);
}

static void webhook(void) {
    static const char *const kinds[] = {"", "credentials", "credentials_failed", "status"};
    const flat_field *body = flat_field_at(&it, "webhook.body");
    mpay_verifier *verifier = NULL;
    mpay_event *event = NULL;
    mpay_error *error = NULL;
    holds(make_verifier(&verifier, NULL) == MPAY_OK, "the settings are right");
    int32_t code = mpay_verify_webhook(verifier, body->value, body->len, flat_text(&it, "webhook.signature"),
                                       flat_text(&it, "webhook.key_id"), &event, &error);
    settle_all(code, error, body);
    if (event) {
        holds(is(kinds[mpay_event_kind(event)], "expected.event"), "event");
        payment_is(mpay_event_payment(event), body);
    }
    mpay_event_free(event);
    mpay_verifier_free(verifier);
}

/* Whether a text that would be an argument or a header has a NUL in it. */
static int cannot_be_said(void) {
    static const char *const bytes[] = {"expected.", "reply.body", "webhook.body"};
    for (size_t at = 0; at < it.count; at++) {
        const flat_field *field = &it.fields[at];
        const char *end = strrchr(field->path, '.');
        int is_bytes = end && same(end, ".data");
        for (size_t other = 0; other < 3; other++) is_bytes |= strncmp(field->path, bytes[other], strlen(bytes[other])) == 0;
        if (!is_bytes && field->value && strlen(field->value) != field->len) return 1;
    }
    return 0;
}

int main(void) {
    static const struct {
        const char *kind;
        void (*run)(void);
    } kinds[] = {{"settings", settings}, {"request", request}, {"receipt", receipt}, {"amount_text", amount_text},
                 {"reply", reply},       {"status", status},   {"webhook", webhook}};
    enum { KINDS = sizeof kinds / sizeof kinds[0] };
    size_t counts[KINDS] = {0}, unsaid = 0;
    while (flat_next(&it)) {
        size_t at = 0;
        while (at < KINDS && !is(kinds[at].kind, "kind")) at++;
        if (!holds(at < KINDS, "a kind that this program knows")) continue;
        counts[at]++;
        if (cannot_be_said()) unsaid++;
        else kinds[at].run();
    }
    for (size_t at = 0; at < KINDS; at++) printf("%s %lu\n", kinds[at].kind, (unsigned long)counts[at]);
    printf("unsaid %lu\n", (unsigned long)unsaid);
    return failures() == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
