/* Calls the service without the library: with libcurl, libsodium and cJSON. libcurl's handle keeps the connection open. The program signs
 * exactly the body that it sends, and verifies a reply before it parses the reply. */
#ifndef BENCH_BY_HAND_H
#define BENCH_BY_HAND_H

#include "command.h"

#include <cjson/cJSON.h>
#include <curl/curl.h>
#include <sodium.h>

static unsigned char private_key[crypto_sign_SECRETKEYBYTES], server_public_key[crypto_sign_PUBLICKEYBYTES];
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

/* Verifies a reply and returns the parsed reply. The caller deletes the result. */
static cJSON *verified(const char *body, size_t size, const char *signature) {
    unsigned char bytes[crypto_sign_BYTES];
    cJSON *payment;
    from_base64(bytes, sizeof bytes, signature);
    if (crypto_sign_verify_detached(bytes, (const unsigned char *)body, size, server_public_key)) fail("signature");
    payment = cJSON_ParseWithLength(body, size);
    if (!cJSON_IsTrue(cJSON_GetObjectItemCaseSensitive(payment, "success"))) fail("refused");
    return payment;
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

/* Signs the body and sends it. Afterwards the reply is in `reply` and `reply_signature`. */
static void post(const char *url, const char *body) {
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

static void set_url(char *url, size_t room, const char *path) {
    snprintf(url, room, "%s/api/v1/merchant/pay/%s", setting("BENCH_URL"), path);
}

/* Prepares a program for its first call. */
static void begin(void) {
    if (sodium_init() < 0) fail("sodium");
    from_base64(private_key, sizeof private_key, setting("BENCH_PRIVATE_KEY"));
    from_base64(server_public_key, sizeof server_public_key, setting("BENCH_SERVER_PUBLIC_KEY"));
    curl_global_init(CURL_GLOBAL_DEFAULT);
    new_handle();
}

#endif
