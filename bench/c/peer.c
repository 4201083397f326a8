/* Makes the measured calls by hand, with libcurl, libsodium and cJSON.
 *
 * The library does more than this program: exact money (cJSON only has doubles), checks of key ids, of duplicate names in JSON and of the
 * fields' types, a limit of the reply's size, retries, and outcomes. Here one handle serves one thread at a time. */
#include "command.h"

#include <cjson/cJSON.h>
#include <curl/curl.h>
#include <sodium.h>

/* An ed25519 signature in base64. */
#define SIGNATURE_CHARS 88

static unsigned char private_key[crypto_sign_SECRETKEYBYTES], server_public_key[crypto_sign_PUBLICKEYBYTES];
static const char *order_id, *webhook_body, *webhook_signature;
static CURL *curl;
static char reply[65536], reply_signature[SIGNATURE_CHARS + 1];
static size_t reply_size;

static void from_base64(unsigned char *bytes, size_t size, const char *text) {
    size_t length;
    if (sodium_base642bin(bytes, size, text, strlen(text), NULL, &length, NULL, sodium_base64_VARIANT_ORIGINAL) || length != size)
        fail("base64");
}

static void read_reply(const char *body, size_t size, const char *signature) {
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

static size_t on_body(char *data, size_t size, size_t count, void *unused) {
    (void)unused;
    size *= count;
    if (size >= sizeof reply - reply_size) return 0;
    memcpy(reply + reply_size, data, size);
    reply_size += size;
    return size;
}

static size_t on_header(char *data, size_t size, size_t count, void *unused) {
    (void)unused;
    size *= count;
    if (size >= 13 + SIGNATURE_CHARS && !strncasecmp(data, "X-Signature: ", 13)) memcpy(reply_signature, data + 13, SIGNATURE_CHARS);
    return size;
}

static void call(const char *path, const char *body) {
    unsigned char signature[crypto_sign_BYTES];
    char url[256], text[SIGNATURE_CHARS + 1], header[128];
    struct curl_slist *headers = NULL;
    size_t size = strlen(body);
    crypto_sign_detached(signature, NULL, (const unsigned char *)body, size, private_key);
    sodium_bin2base64(text, sizeof text, signature, sizeof signature, sodium_base64_VARIANT_ORIGINAL);
    snprintf(url, sizeof url, "%s/api/v1/merchant/pay/%s", setting("BENCH_URL"), path);
    snprintf(header, sizeof header, "X-Signature: %s", text);
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
    read_reply(reply, reply_size, reply_signature);
}

static void webhook(void) {
    read_reply(webhook_body, strlen(webhook_body), webhook_signature);
}

static void status(void) {
    char body[256];
    snprintf(body, sizeof body, "{\"orderId\":\"%s\"}", order_id);
    call("status", body);
}

static void new_payment(void) {
    call("new", "{\"sum\":1500.50,\"currency\":\"RUB\",\"paymentMethod\":\"sbp\",\"customerAccount\":\"79001234567\"}");
}

int main(void) {
    static const struct task tasks[] = {{"webhook", webhook}, {"status", status}, {"new", new_payment}, {NULL, NULL}};
    order_id = setting("BENCH_ORDER_ID");
    webhook_signature = setting("BENCH_SIGNATURE");
    webhook_body = setting("BENCH_WEBHOOK");
    if (sodium_init() < 0) fail("sodium");
    from_base64(private_key, sizeof private_key, setting("BENCH_PRIVATE_KEY"));
    from_base64(server_public_key, sizeof server_public_key, setting("BENCH_SERVER_PUBLIC_KEY"));
    curl_global_init(CURL_GLOBAL_DEFAULT);
    curl = curl_easy_init();
    curl_easy_setopt(curl, CURLOPT_TIMEOUT_MS, 30000L);
    curl_easy_setopt(curl, CURLOPT_NOSIGNAL, 1L);
    curl_easy_setopt(curl, CURLOPT_WRITEFUNCTION, on_body);
    curl_easy_setopt(curl, CURLOPT_HEADERFUNCTION, on_header);
    if (getenv("BENCH_CA")) curl_easy_setopt(curl, CURLOPT_CAINFO, getenv("BENCH_CA"));
    return serve(tasks);
}
