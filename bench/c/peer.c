/* The same by hand: libcurl, libsodium, cJSON. The handle keeps its connection, the body is signed as it is sent, the reply is
 * verified before it is parsed and must be about the same order.
 *
 * What the library does beside that and this does not: exact money (cJSON has doubles alone), key ids, duplicate names in JSON,
 * types of fields, a limit of the reply's size, retries, outcomes; a handle serves one thread at a time. */
#include "command.h"

#include <cjson/cJSON.h>
#include <curl/curl.h>
#include <sodium.h>

static unsigned char private_key[crypto_sign_SECRETKEYBYTES], server_public_key[crypto_sign_PUBLICKEYBYTES];
static const char *order_id, *webhook_signature;
static char status_url[256], available_url[256], new_url[256], confirm_url[256];
static CURL *curl;
static char reply[65536], reply_signature[128];
static size_t reply_size;

static void from_base64(unsigned char *bytes, size_t size, const char *text) {
    size_t length;
    if (sodium_base642bin(bytes, size, text, strlen(text), NULL, &length, NULL, sodium_base64_VARIANT_ORIGINAL) || length != size)
        fail("base64");
}

static void sign(char *text, size_t room, const void *body, size_t size) {
    unsigned char signature[crypto_sign_BYTES];
    crypto_sign_detached(signature, NULL, body, size, private_key);
    sodium_bin2base64(text, room, signature, sizeof signature, sodium_base64_VARIANT_ORIGINAL);
}

static void open_signed(const char *body, size_t size, const char *signature) {
    unsigned char bytes[crypto_sign_BYTES];
    const cJSON *id, *state, *sum;
    cJSON *payment;
    from_base64(bytes, sizeof bytes, signature);
    if (crypto_sign_verify_detached(bytes, (const unsigned char *)body, size, server_public_key)) fail("signature");
    payment = cJSON_ParseWithLength(body, size);
    if (!cJSON_IsTrue(cJSON_GetObjectItemCaseSensitive(payment, "success"))) fail("refused");
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

static size_t on_body(char *data, size_t size, size_t count, void *unused) {
    (void)unused;
    size *= count;
    if (size > sizeof reply - reply_size) return 0;
    memcpy(reply + reply_size, data, size);
    reply_size += size;
    return size;
}

static size_t on_header(char *data, size_t size, size_t count, void *unused) {
    static const char name[] = "X-Signature: ";
    (void)unused;
    size *= count;
    if (size > sizeof name && !strncasecmp(data, name, sizeof name - 1)) {
        size_t length = size - (sizeof name - 1);
        while (length && (data[sizeof name - 2 + length] == '\n' || data[sizeof name - 2 + length] == '\r')) length--;
        if (length >= sizeof reply_signature) return 0;
        memcpy(reply_signature, data + sizeof name - 1, length);
        reply_signature[length] = 0;
    }
    return size;
}

/* The body is signed and sent, the reply verified, parsed and compared. */
static void call(const char *url, const char *body) {
    char signature[128], header[160];
    struct curl_slist *headers = NULL;
    size_t size = strlen(body);
    sign(signature, sizeof signature, body, size);
    snprintf(header, sizeof header, "X-Signature: %s", signature);
    headers = curl_slist_append(headers, "Content-Type: application/json");
    headers = curl_slist_append(headers, "X-KeyId: " KEY_ID);
    headers = curl_slist_append(headers, header);
    curl_easy_setopt(curl, CURLOPT_URL, url);
    curl_easy_setopt(curl, CURLOPT_HTTPHEADER, headers);
    curl_easy_setopt(curl, CURLOPT_POSTFIELDS, body);
    curl_easy_setopt(curl, CURLOPT_POSTFIELDSIZE, (long)size);
    reply_size = 0;
    reply_signature[0] = 0;
    if (curl_easy_perform(curl)) fail("curl");
    curl_slist_free_all(headers);
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

/* The three calls of a payment, in a row. */
static void sale(void) {
    call(available_url, "{\"sum\":1500.50,\"currency\":\"RUB\",\"paymentMethod\":\"sbp\"}");
    new_payment();
    about_order(confirm_url);
}

static void new_handle(void) {
    curl_easy_cleanup(curl);
    curl = curl_easy_init();
    curl_easy_setopt(curl, CURLOPT_TIMEOUT_MS, 30000L);
    curl_easy_setopt(curl, CURLOPT_NOSIGNAL, 1L);
    curl_easy_setopt(curl, CURLOPT_WRITEFUNCTION, on_body);
    curl_easy_setopt(curl, CURLOPT_HEADERFUNCTION, on_header);
    if (getenv("BENCH_CA")) curl_easy_setopt(curl, CURLOPT_CAINFO, getenv("BENCH_CA"));
}

static void cold(void) {
    new_handle();
    new_payment();
}

/* As a merchant would: the file is read into the multipart body, which is signed. */
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

static void set_url(char *url, size_t room, const char *path) {
    snprintf(url, room, "%s/api/v1/merchant/pay/%s", setting("BENCH_URL"), path);
}

int main(int argc, char **argv) {
    static const struct task tasks[] = {
        {"webhook", webhook}, {"status", status}, {"receipt", receipt}, {"new", new_payment}, {"sale", sale}, {"cold", cold}, {NULL, NULL},
    };
    if (sodium_init() < 0) fail("sodium");
    order_id = setting("BENCH_ORDER_ID");
    webhook_signature = setting("BENCH_SIGNATURE");
    from_base64(private_key, sizeof private_key, setting("BENCH_PRIVATE_KEY"));
    from_base64(server_public_key, sizeof server_public_key, setting("BENCH_SERVER_PUBLIC_KEY"));
    set_url(status_url, sizeof status_url, "status");
    set_url(available_url, sizeof available_url, "available");
    set_url(new_url, sizeof new_url, "new");
    set_url(confirm_url, sizeof confirm_url, "confirm");
    curl_global_init(CURL_GLOBAL_DEFAULT);
    new_handle();
    return serve(argc, argv, tasks);
}
