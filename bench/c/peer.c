/* Makes the measured calls without the library, with libcurl, libsodium and cJSON. The reply must be about the order of the request.
 *
 * The library does more than this program: exact money (cJSON only has doubles), checks of key ids, of duplicate names in JSON and of the
 * fields' types, a limit of the reply's size, retries, and outcomes. Here one handle serves one thread at a time. */
#include "by_hand.h"

static const char *order_id, *webhook_signature;
static char status_url[256], available_url[256], new_url[256], confirm_url[256];

static void open_signed(const char *body, size_t size, const char *signature) {
    const cJSON *id, *state, *sum;
    cJSON *payment = verified(body, size, signature);
    id = cJSON_GetObjectItemCaseSensitive(payment, "orderId");
    if (!cJSON_IsString(id) || strcmp(id->valuestring, order_id)) fail("another order");
    state = cJSON_GetObjectItemCaseSensitive(payment, "status");
    sum = cJSON_GetObjectItemCaseSensitive(payment, "sum");
    if (!cJSON_IsString(state) || strcmp(state->valuestring, "doneSuccess") || !cJSON_IsNumber(sum) || sum->valuedouble <= 0)
        fail("payment");
    cJSON_Delete(payment);
}

static void webhook(void) {
    open_signed(webhook_body, webhook_size, webhook_signature);
}

static void call(const char *url, const char *body) {
    post(url, body);
    open_signed(reply, reply_size, reply_signature);
}

static void about_order(const char *url) {
    char body[256];
    snprintf(body, sizeof body, "{\"orderId\":\"%s\"}", order_id);
    call(url, body);
}

static void status(void) {
    about_order(status_url);
}

static void new_payment(void) {
    call(new_url, "{\"sum\":1500.50,\"currency\":\"RUB\",\"paymentMethod\":\"sbp\",\"customerAccount\":\"79001234567\"}");
}

/* Makes the three calls of a payment one after another. */
static void sale(void) {
    call(available_url, "{\"sum\":1500.50,\"currency\":\"RUB\",\"paymentMethod\":\"sbp\"}");
    new_payment();
    about_order(confirm_url);
}

static void cold(void) {
    new_handle();
    new_payment();
}

/* Attaches a receipt like a merchant's program: reads the file into the multipart body, and signs the body. */
static void receipt(void) {
    static const char middle[] =
        "\r\n--boundary-of-the-bench\r\nContent-Disposition: form-data; name=\"file\"; filename=\"receipt.pdf\"\r\n"
        "Content-Type: application/pdf\r\n\r\n";
    static const char end[] = "\r\n--boundary-of-the-bench--\r\n";
    const char *path = setting("BENCH_RECEIPT");
    char start[256], signature[128];
    int head = snprintf(start, sizeof start, "--boundary-of-the-bench\r\nContent-Disposition: form-data; name=\"orderId\"\r\n\r\n%s%s",
                        order_id, middle);
    FILE *file = fopen(path, "rb");
    size_t size;
    char *body;
    if (!file || head < 0 || fseek(file, 0, SEEK_END)) fail(path);
    size = (size_t)ftell(file);
    rewind(file);
    body = malloc((size_t)head + size + sizeof end);
    if (!body || fread(body + head, 1, size, file) != size) fail(path);
    fclose(file);
    memcpy(body, start, (size_t)head);
    memcpy(body + head + size, end, sizeof end - 1);
    sign(signature, sizeof signature, body, (size_t)head + size + sizeof end - 1);
    free(body);
}

int main(int argc, char **argv) {
    static const struct task tasks[] = {
        {"webhook", webhook}, {"status", status}, {"receipt", receipt}, {"new", new_payment}, {"sale", sale}, {"cold", cold}, {NULL, NULL},
    };
    order_id = setting("BENCH_ORDER_ID");
    webhook_signature = setting("BENCH_SIGNATURE");
    set_url(status_url, sizeof status_url, "status");
    set_url(available_url, sizeof available_url, "available");
    set_url(new_url, sizeof new_url, "new");
    set_url(confirm_url, sizeof confirm_url, "confirm");
    begin();
    return serve(argc, argv, tasks);
}
