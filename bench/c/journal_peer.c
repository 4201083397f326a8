/* A payment that is stored before it is sent, by hand: what a careful merchant writes around his client, over libpq or libmariadb.
 *
 * A row is durable before the first byte leaves, with a random token that is the end of its webhook's URL, and is read back, as others
 * see it and outside any transaction; the reply is durable before its credentials are shown. A reference that is there is not paid
 * again. The deadline of the whole is that of the call. What the journal does beside that and this does not: a row whose process died
 * or whose reply was lost reads as `unknown` after a deadline, a write whose answer was lost, a second attempt, the hash of the
 * request, webhooks, the questions about what is open, what is not acknowledged, and what a person must look at. */
#include "journal_database.h"

#include "by_hand.h"

static char new_url[256];

/* What a statement gave: its first value, and how many rows it wrote. */
struct answer {
    char text[256];
    unsigned long long affected;
};

struct mpay_rows {
    struct answer *answer;
};

int32_t mpay_rows_add(mpay_rows *rows, const char *const *values, size_t count) {
    if (count && values[0]) snprintf(rows->answer->text, sizeof rows->answer->text, "%s", values[0]);
    return 0;
}

int32_t mpay_rows_set_affected(mpay_rows *rows, uint64_t affected) {
    rows->answer->affected = affected;
    return 0;
}

int32_t mpay_rows_set_message(mpay_rows *rows, const char *message) {
    (void)rows;
    fprintf(stderr, "%s\n", message);
    return 0;
}

/* The driver's calls are those of the examples, which the library's program uses too. */
static struct answer run(const char *of_postgresql, const char *of_mariadb, const char *const *parameters, size_t count) {
    struct answer answer = {"", 0};
    mpay_rows rows = {&answer};
    const int32_t code = postgresql ? postgresql_run(postgresql, of_postgresql, parameters, count, &rows)
                                    : mariadb_run(&mariadb, of_mariadb, parameters, count, &rows);
    if (code) fail("a statement");
    return answer;
}

static void make_table(void) {
    run("CREATE TABLE IF NOT EXISTS payments (reference TEXT COLLATE \"C\" PRIMARY KEY, state TEXT NOT NULL, token TEXT NOT NULL UNIQUE, "
        "request "
        "TEXT NOT NULL, order_id TEXT UNIQUE, reply TEXT, created_at TIMESTAMPTZ NOT NULL, updated_at TIMESTAMPTZ NOT NULL)",
        "CREATE TABLE IF NOT EXISTS payments (reference VARBINARY(480) PRIMARY KEY, state VARBINARY(64) NOT NULL, token VARBINARY(64) NOT "
        "NULL "
        "UNIQUE, request LONGTEXT NOT NULL, order_id VARBINARY(512) UNIQUE, reply LONGTEXT, created_at TIMESTAMP(3) NOT NULL, updated_at "
        "TIMESTAMP(3) NOT NULL) ENGINE = InnoDB",
        NULL, 0);
}

static void pay(void) {
    char reference[64], token[33], body[1024];
    unsigned char random[16];
    const cJSON *id, *account;
    cJSON *payment;
    struct answer answer;
    new_reference(reference, sizeof reference);
    answer = run("SELECT reply FROM payments WHERE reference = $1", "SELECT reply FROM payments WHERE reference = ?",
                 (const char *const[]){reference}, 1);
    if (*answer.text) fail("it is there");
    randombytes_buf(random, sizeof random);
    sodium_bin2hex(token, sizeof token, random, sizeof random);
    snprintf(body, sizeof body,
             "{\"sum\":1500.50,\"currency\":\"RUB\",\"paymentMethod\":\"sbp\",\"customerAccount\":\"79001234567\",\"merchantId\":\"%s\","
             "\"statusWebhookUrl\":\"https://shop.example/pay/callback/%s\"}",
             reference, token);
    run("INSERT INTO payments (reference, state, token, request, created_at, updated_at) VALUES ($1, 'sending', $2, $3, now(), now())",
        "INSERT INTO payments (reference, state, token, request, created_at, updated_at) VALUES (?, 'sending', ?, ?, NOW(3), NOW(3))",
        (const char *const[]){reference, token, body}, 3);
    answer =
        run("SELECT CASE WHEN txid_current_if_assigned() IS NULL THEN token END FROM payments WHERE reference = $1",
            "SELECT CASE WHEN @@in_transaction = 0 THEN token END FROM payments WHERE reference = ?", (const char *const[]){reference}, 1);
    if (strcmp(answer.text, token)) fail("it is not stored");
    post(new_url, body);
    payment = verified(reply, reply_size, reply_signature);
    id = cJSON_GetObjectItemCaseSensitive(payment, "orderId");
    account = cJSON_GetObjectItemCaseSensitive(payment, "payeeAccount");
    if (!cJSON_IsString(id) || !cJSON_IsString(account)) fail("payment");
    reply[reply_size] = 0;
    answer =
        run("UPDATE payments SET state = 'open', order_id = $1, reply = $2, updated_at = now() WHERE reference = $3 AND state = 'sending'",
            "UPDATE payments SET state = 'open', order_id = ?, reply = ?, updated_at = NOW(3) WHERE reference = ? AND state = 'sending'",
            (const char *const[]){id->valuestring, reply, reference}, 3);
    if (answer.affected != 1) fail("another process has it");
    cJSON_Delete(payment);
}

int main(int argc, char **argv) {
    static const struct task tasks[] = {{"pay", pay}, {"status", pay}, {NULL, NULL}};
    open_database();
    begin();
    set_url(new_url, sizeof new_url, "new");
    make_table();
    return serve(argc, argv, tasks);
}
