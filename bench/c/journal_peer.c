/* Stores a payment before sending it, without the journal. A careful merchant could write such code around his client, with libpq or
 * libmariadb.
 *
 * The program gives the same guarantees as the journal's `pay`. The row is durable before the first byte of the request is sent. The row
 * contains a random token, which ends the webhook's URL, and a hash of the request in place of the customer's account. It also contains
 * the time from which the attempt is unknown. A random writer and a version identify each write: a write whose result was lost is found
 * again, and a write of another process is not overwritten. The program reads the row back outside any transaction, as other processes see
 * the row, with the earlier attempts. The reply is durable before the program shows the credentials. The row has the columns for webhooks,
 * status queries and acknowledgements, but this program does not write these columns later. The table has the indexes for due attempts, for
 * news and for attention. The program does not handle failures. */
#include "journal_database.h"

#include "by_hand.h"

static char new_url[256];

#define NUMBER_OF(array) (sizeof(array) / sizeof *(array))

/* The result of a statement: the first values of the row that it returned, and the number of rows that it wrote. */
struct answer {
    char values[3][256];
    unsigned long long affected;
};

struct mpay_rows {
    struct answer *answer;
};

int32_t mpay_rows_add(mpay_rows *rows, const char *const *values, size_t count) {
    for (size_t place = 0; place < count && place < NUMBER_OF(rows->answer->values); place++)
        if (values[place]) snprintf(rows->answer->values[place], sizeof *rows->answer->values, "%s", values[place]);
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

/* `run` ends the program at any failure, so the kind of the failure does not matter. */
int32_t mpay_database_failure(int32_t dialect, const char *code) {
    (void)dialect;
    (void)code;
    return MPAY_DATABASE_FAILED;
}

/* Runs a statement with the functions of the examples. The program journal_ours.c uses these functions too. */
static struct answer run(const char *sql, const char *const *parameters, size_t count) {
    struct answer answer;
    mpay_rows rows = {&answer};
    int32_t code;
    memset(&answer, 0, sizeof answer);
    code = postgresql ? postgresql_run(postgresql, sql, parameters, count, &rows) : mariadb_run(&mariadb, sql, parameters, count, &rows);
    if (code) fail("a statement");
    return answer;
}

/* The statements in the database's syntax. The program composes these texts once, at the start. */
static char look_up[1024], insert[1024], stored[1024], update[1024];

/* Composes a statement in the database's syntax. In `text`, `?` is a parameter, `~` is the database's clock in milliseconds, and `^` is 1
 * if the connection is in a transaction, and 0 if not. */
static void prepare(char *sql, size_t room, const char *text) {
    size_t length = 0;
    int number = 0;
    for (; *text && length < room; text++)
        if (*text == '~')
            length += (size_t)snprintf(sql + length, room - length, "%s",
                                       postgresql ? "CAST(EXTRACT(EPOCH FROM clock_timestamp()) * 1000 AS BIGINT)"
                                                  : "CAST(UNIX_TIMESTAMP(NOW(3)) * 1000 AS SIGNED)");
        else if (*text == '^')
            length += (size_t)snprintf(sql + length, room - length, "%s",
                                       postgresql ? "CASE WHEN txid_current_if_assigned() IS NULL THEN 0 ELSE 1 END" : "@@in_transaction");
        else if (*text == '?' && postgresql) length += (size_t)snprintf(sql + length, room - length, "$%d", ++number);
        else sql[length++] = *text;
    if (length >= room) fail("a statement is too long");
    sql[length] = 0;
}

static void make_statements(void) {
    prepare(look_up, sizeof look_up,
            "SELECT ~, p.account, p.record FROM (SELECT 1 AS one) AS o LEFT JOIN (SELECT account, record FROM payments WHERE reference = ? "
            "ORDER BY attempt DESC LIMIT 1) AS p ON 1 = 1");
    prepare(
        insert, sizeof insert,
        "INSERT INTO payments (reference, attempt, account, standing, sum_asked, reported, acknowledged, due_at, created_at, updated_at, "
        "version, writer, token, record) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)");
    prepare(
        stored, sizeof stored,
        "SELECT (SELECT writer FROM payments WHERE reference = ? AND attempt = ?), (SELECT COUNT(*) FROM payments WHERE reference = ? AND "
        "attempt < ? AND standing NOT IN ('superseded', 'final')), ^");
    prepare(
        update, sizeof update,
        "UPDATE payments SET standing = ?, order_id = ?, status = ?, sum_paid = ?, reported = ?, due_at = ?, updated_at = ?, version = ?, "
        "writer = ?, record = ? WHERE reference = ? AND attempt = ? AND version = ?");
}

static void make_table(void) {
    const char *const key = postgresql ? "TEXT COLLATE \"C\"" : "VARBINARY(480)";
    const char *const text = postgresql ? "TEXT" : "LONGTEXT CHARACTER SET utf8mb4";
    char sql[2048];
    snprintf(
        sql, sizeof sql,
        "CREATE TABLE IF NOT EXISTS payments (reference %s NOT NULL, attempt BIGINT NOT NULL, account %s NOT NULL, standing %s NOT NULL, "
        "order_id %s UNIQUE, status %s, sum_asked %s NOT NULL, sum_paid %s, reported BIGINT NOT NULL, acknowledged BIGINT NOT NULL, "
        "attention %s, due_at BIGINT, created_at BIGINT NOT NULL, updated_at BIGINT NOT NULL, version BIGINT NOT NULL, writer %s NOT "
        "NULL, token %s NOT NULL UNIQUE, record %s NOT NULL, PRIMARY KEY (reference, attempt))",
        key, key, key, key, key, key, key, key, key, key, text);
    run(sql, NULL, 0);
    /* MariaDB has no partial indexes, so its indexes contain all rows. */
    run(postgresql ? "CREATE INDEX IF NOT EXISTS payments_due ON payments (due_at) WHERE due_at IS NOT NULL"
                   : "CREATE INDEX IF NOT EXISTS payments_due ON payments (due_at)",
        NULL, 0);
    run(postgresql ? "CREATE INDEX IF NOT EXISTS payments_news ON payments (updated_at) WHERE reported > acknowledged"
                   : "CREATE INDEX IF NOT EXISTS payments_news ON payments (acknowledged, reported)",
        NULL, 0);
    run(postgresql ? "CREATE INDEX IF NOT EXISTS payments_attention ON payments (created_at) WHERE attention IS NOT NULL"
                   : "CREATE INDEX IF NOT EXISTS payments_attention ON payments (attention)",
        NULL, 0);
}

/* Writes 128 random bits as hexadecimal digits. */
static void random_text(char text[33]) {
    unsigned char random[16];
    randombytes_buf(random, sizeof random);
    sodium_bin2hex(text, 33, random, sizeof random);
}

static void pay(void) {
    char reference[64], token[33], writer[33], fields[512], body[1024], hash[65], record[4096], now[32], due[32], paid[32];
    unsigned char digest[crypto_auth_hmacsha256_BYTES];
    const cJSON *id, *account, *status, *sum;
    cJSON *payment;
    struct answer answer;
    long long clock;
    new_reference(reference, sizeof reference);
    answer = run(look_up, (const char *const[]){reference}, 1);
    if (*answer.values[1]) fail("it is there");
    clock = strtoll(answer.values[0], NULL, 10);
    snprintf(now, sizeof now, "%lld", clock);
    snprintf(due, sizeof due, "%lld", clock + 40000);
    random_text(token);
    random_text(writer);
    snprintf(fields, sizeof fields, "\"sum\":1500.50,\"currency\":\"RUB\",\"paymentMethod\":\"sbp\",\"customerAccount\":\"79001234567\"");
    crypto_auth_hmacsha256(digest, (const unsigned char *)fields, strlen(fields), (const unsigned char *)token);
    sodium_bin2hex(hash, sizeof hash, digest, sizeof digest);
    snprintf(record, sizeof record, "{\"requestHash\":\"%s\",\"paymentMethod\":\"sbp\"}", hash);
    run(insert, (const char *const[]){reference, "1", "shop", "sending", "1500.50", "0", "0", due, now, now, "1", writer, token, record},
        14);
    answer = run(stored, (const char *const[]){reference, "1", reference, "1"}, 4);
    if (strcmp(answer.values[0], writer) || strcmp(answer.values[1], "0") || strcmp(answer.values[2], "0")) fail("it is not stored");
    snprintf(body, sizeof body, "{%s,\"merchantId\":\"%s\",\"statusWebhookUrl\":\"https://shop.example/pay/callback/%s\"}", fields,
             reference, token);
    post(new_url, body);
    payment = verified(reply, reply_size, reply_signature);
    id = cJSON_GetObjectItemCaseSensitive(payment, "orderId");
    account = cJSON_GetObjectItemCaseSensitive(payment, "payeeAccount");
    status = cJSON_GetObjectItemCaseSensitive(payment, "status");
    sum = cJSON_GetObjectItemCaseSensitive(payment, "sum");
    if (!cJSON_IsString(id) || !cJSON_IsString(account)) fail("payment");
    if (cJSON_IsNumber(sum)) snprintf(paid, sizeof paid, "%.2f", sum->valuedouble);
    snprintf(due, sizeof due, "%lld", clock + 2000);
    random_text(writer);
    snprintf(record, sizeof record, "{\"requestHash\":\"%s\",\"paymentMethod\":\"sbp\",\"payment\":%.*s}", hash, (int)reply_size, reply);
    answer = run(update,
                 (const char *const[]){"open", id->valuestring, cJSON_GetStringValue(status), cJSON_IsNumber(sum) ? paid : NULL, "1", due,
                                       now, "2", writer, record, reference, "1", "1"},
                 13);
    if (answer.affected != 1) fail("another process has it");
    cJSON_Delete(payment);
}

int main(int argc, char **argv) {
    static const struct task tasks[] = {{"pay", pay}, {"status", pay}, {NULL, NULL}};
    open_database();
    begin();
    set_url(new_url, sizeof new_url, "new");
    make_statements();
    make_table();
    return serve(argc, argv, tasks);
}
