/* The journal's functions, with valid and invalid arguments, over a file and over a host's database. The
   driver (../journal_c.rs) passes the services by environment variables and runs this program alone, behind TLS,
   under valgrind and with sanitizers. */
#define _POSIX_C_SOURCE 200809L
#include "journal.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "../../../../examples/c/receiver.h"

/* The longest wait for an event. It is long because valgrind on a busy machine is slow. */
enum { PATIENCE_MS = 120000 };

/* ---- a payment ---- */

static void an_entry_is_what_was_asked_for(const mpay_entry *entry, const char *reference) {
    CHECK(same(mpay_entry_reference(entry), reference) && mpay_entry_attempt(entry) == 1 && !mpay_entry_is_orphan(entry));
    CHECK(same(mpay_entry_sum_asked(entry), "1500.50") && strstr(mpay_entry_json(entry), reference) != NULL);
    CHECK(mpay_entry_created_at_ms(entry) > 1600000000000u && mpay_entry_updated_at_ms(entry) >= mpay_entry_created_at_ms(entry));
    CHECK(mpay_entry_error_code(entry) == MPAY_OK && mpay_entry_error_outcome(entry) == 0 && !mpay_entry_error_description(entry));
    CHECK(mpay_entry_attention(entry, 0) == 0 && mpay_entry_earlier(entry, 0) == NULL && mpay_entry_cancel_state(entry) == 0);
}

/* The texts that the library returns together, separated by NUL; an absent text is the byte 0xFF. */
static void the_fields_are_the_entrys(const mpay_entry *entry, const char *reference) {
    const char *const wanted[] = {
        mpay_entry_json(entry),      "0",       "\xff", "\xff", reference, "1", mpay_entry_standing_name(entry), mpay_entry_order_id(entry),
        mpay_entry_sum_asked(entry), "exactly", "1"};
    size_t len = 0, i;
    const char *fields = mpay_entry_fields(entry, &len), *end = fields + len;
    CHECK(mpay_entry_fields(NULL, NULL) == NULL && fields != NULL && mpay_entry_fields(entry, NULL) == fields);
    for (i = 0; i < sizeof wanted / sizeof *wanted && fields < end; i++) {
        size_t length = strlen(wanted[i]);
        CHECK((size_t)(end - fields) > length && memcmp(fields, wanted[i], length) == 0 && fields[length] == '\0');
        fields += length + 1;
    }
}

/* Takes a payment from its order number to its end. */
static void take(const mpay_journal *journal, const char *reference) {
    mpay_payment_request *request = good_request(), *other = good_request();
    mpay_entry *entry = NULL, *next = NULL;
    mpay_entries *entries = NULL;
    const mpay_entry *one;
    int32_t changed = 0;
    EXPECT(mpay_journal_pay(journal, reference, request, 0, &entry, ERROR), MPAY_OK, 0);
    an_entry_is_what_was_asked_for(entry, reference);
    CHECK(mpay_entry_standing(entry) == MPAY_STANDING_OPEN && same(mpay_entry_standing_name(entry), "open"));
    CHECK(same(mpay_payment_order_id(mpay_entry_credentials(entry)), mpay_entry_order_id(entry)) && mpay_entry_payment(entry) != NULL);
    CHECK(mpay_entry_due_at_ms(entry) != 0 && mpay_entry_paid(entry) == 0 && !mpay_entry_succeeded(entry) &&
          !mpay_entry_confirm_state(entry));

    EXPECT(mpay_journal_pay(journal, reference, request, 0, &next, ERROR), MPAY_OK, 0);
    CHECK(same(mpay_entry_order_id(next), mpay_entry_order_id(entry)));
    mpay_entry_free(next);
    next = NULL;
    CHECK(mpay_payment_request_set_sum(other, "1500.51") == MPAY_OK);
    REFUSED(mpay_journal_pay(journal, reference, other, 0, &next, ERROR)); /* this reference already belongs to another request */

    EXPECT(mpay_journal_confirm(journal, entry, &next, ERROR), MPAY_OK, 0);
    CHECK(mpay_entry_confirm_state(next) == MPAY_INTENT_ACCEPTED);
    mpay_entry_free(next);
    mpay_entry_free(entry);
    EXPECT(mpay_journal_wait(journal, reference, PATIENCE_MS, MPAY_UNTIL_FINAL, &entry, ERROR), MPAY_OK, 0);
    CHECK(mpay_entry_standing(entry) == MPAY_STANDING_FINAL && mpay_entry_succeeded(entry) && mpay_entry_paid(entry) == MPAY_PAID_EXACTLY);
    CHECK(mpay_entry_reported(entry) == MPAY_LEVEL_FINAL && mpay_entry_acknowledged(entry) == MPAY_LEVEL_NONE);
    CHECK(mpay_entry_credentials(entry) == NULL && same(mpay_payment_status(mpay_entry_payment(entry)), "doneSuccess"));
    mpay_entry_free(entry);

    EXPECT(mpay_journal_news(journal, 10, 0, &entries, ERROR), MPAY_OK, 0);
    CHECK(mpay_entries_count(entries) == 1 && mpay_entries_get(entries, 1) == NULL);
    one = mpay_entries_get(entries, 0);
    the_fields_are_the_entrys(one, reference);
    EXPECT(mpay_journal_acknowledge(journal, one, &changed, ERROR), MPAY_OK, 0);
    CHECK(changed == 1);
    EXPECT(mpay_journal_acknowledge(journal, one, &changed, ERROR), MPAY_OK, 0);
    CHECK(changed == 0);
    mpay_entries_free(entries);

    EXPECT(mpay_journal_list(journal, MPAY_STANDING_FINAL, 10, NULL, &entries, ERROR), MPAY_OK, 0);
    CHECK(mpay_entries_count(entries) == 1 && mpay_entry_acknowledged(mpay_entries_get(entries, 0)) == MPAY_LEVEL_FINAL);
    EXPECT(mpay_journal_find(journal, reference, &entry, ERROR), MPAY_OK, 0);
    CHECK(same(mpay_entry_order_id(entry), mpay_entry_order_id(mpay_entries_get(entries, 0))));
    mpay_entries_free(entries);
    EXPECT(mpay_journal_list(journal, 0, 10, entry, &entries, ERROR), MPAY_OK, 0); /* no entry comes after the last entry */
    CHECK(mpay_entries_count(entries) == 0);
    mpay_entries_free(entries);
    EXPECT(mpay_journal_attention(journal, 10, &entries, ERROR), MPAY_OK, 0);
    CHECK(mpay_entries_count(entries) == 0);
    mpay_entries_free(entries);
    mpay_entry_free(entry);
    mpay_payment_request_free(other);
    mpay_payment_request_free(request);
}

static void a_payment_is_taken_once_in_a_file(void) {
    mpay_client *client = sandbox_client(NULL);
    mpay_journal *journal = file_journal(client, "journal.db", NULL);
    mpay_client_free(client); /* the journal keeps the objects that it needs */
    take(journal, "file-1");
    mpay_journal_free(journal);
}

static void a_payment_is_taken_once_in_the_hosts_database(void) {
    struct host host = host_open();
    mpay_client *client = sandbox_client(NULL);
    mpay_journal *journal = host_journal(client, &host);
    take(journal, "host-1");
    CHECK(host.statements > 10);
    mpay_journal_free(journal);
    mpay_client_free(client);
    host_close(&host);
}

/* An attempt whose credentials a customer saw is cancelled, and then replaced. */
static void a_cancelled_attempt_can_be_replaced(void) {
    mpay_client *client = sandbox_client(NULL);
    mpay_journal *journal = file_journal(client, "cancelled.db", NULL);
    mpay_payment_request *request = good_request();
    mpay_entry *first = NULL, *cancelled = NULL, *second = NULL, *found = NULL;
    EXPECT(mpay_journal_pay(journal, "cancel-1", request, 0, &first, ERROR), MPAY_OK, 0);
    EXPECT(mpay_journal_cancel(journal, first, &cancelled, ERROR), MPAY_OK, 0);
    CHECK(mpay_entry_cancel_state(cancelled) == MPAY_INTENT_ACCEPTED && mpay_entry_credentials(cancelled) == NULL);
    EXPECT(mpay_journal_pay(journal, "cancel-1", request, 1, &second, ERROR), MPAY_OK, 0);
    CHECK(mpay_entry_attempt(second) == 2 && mpay_entry_credentials(second) != NULL);
    EXPECT(mpay_journal_find(journal, "cancel-1", &found, ERROR), MPAY_OK, 0);
    CHECK(mpay_entry_attempt(mpay_entry_earlier(found, 0)) == 1 && mpay_entry_earlier(found, 1) == NULL);
    CHECK(same(mpay_entry_order_id(mpay_entry_earlier(found, 0)), mpay_entry_order_id(first)));
    mpay_entry_free(found);
    mpay_entry_free(second);
    mpay_entry_free(cancelled);
    mpay_entry_free(first);
    mpay_payment_request_free(request);
    mpay_journal_free(journal);
    mpay_client_free(client);
}

/* A caller that no longer has the entry passes the entry's values: reference, attempt number and level. */
static void an_attempt_is_confirmed_cancelled_and_acknowledged_by_value(void) {
    struct host host = host_open();
    mpay_client *client = sandbox_client(NULL);
    mpay_journal *journal = host_journal(client, &host);
    mpay_payment_request *request = good_request();
    mpay_entry *entry = NULL;
    mpay_entries *entries = NULL;
    int32_t changed = 7;
    EXPECT(mpay_journal_pay(journal, "value-1", request, 0, &entry, ERROR), MPAY_OK, 0);
    mpay_entry_free(entry);
    REFUSED(mpay_journal_acknowledge_by(journal, "value-1", 1, MPAY_LEVEL_FINAL, &changed, ERROR)); /* this level is not reported yet */
    CHECK(changed == 0);
    REFUSED(mpay_journal_acknowledge_by(journal, "value-1", 2, MPAY_LEVEL_FINAL, &changed, ERROR));
    REFUSED(mpay_journal_acknowledge_by(journal, "value-1", 1, MPAY_LEVEL_NONE, &changed, ERROR));
    REFUSED(mpay_journal_acknowledge_by(journal, "value-1", 1, 77, &changed, ERROR));
    REFUSED(mpay_journal_acknowledge_by(journal, NULL, 1, MPAY_LEVEL_FINAL, &changed, ERROR));
    REFUSED(mpay_journal_confirm_by(journal, "value-2", 1, &entry, ERROR));
    REFUSED(mpay_journal_cancel_by(NULL, "value-1", 1, &entry, ERROR));
    EXPECT(mpay_journal_confirm_by(journal, "value-1", 1, &entry, ERROR), MPAY_OK, 0);
    CHECK(mpay_entry_confirm_state(entry) == MPAY_INTENT_ACCEPTED);
    mpay_entry_free(entry);
    EXPECT(mpay_journal_wait(journal, "value-1", PATIENCE_MS, MPAY_UNTIL_FINAL, &entry, ERROR), MPAY_OK, 0);
    CHECK(mpay_entry_reported(entry) == MPAY_LEVEL_FINAL);
    mpay_entry_free(entry);

    REFUSED(mpay_journal_acknowledge_by_with(journal, "value-1", 1, MPAY_LEVEL_FINAL, run_statement, &host, &changed, ERROR));
    host_execute(&host, "BEGIN IMMEDIATE");
    EXPECT(mpay_journal_acknowledge_by_with(journal, "value-1", 1, MPAY_LEVEL_FINAL, run_statement, &host, &changed, ERROR), MPAY_OK, 0);
    CHECK(changed == 1);
    host_execute(&host, "ROLLBACK");
    EXPECT(mpay_journal_acknowledge_by(journal, "value-1", 1, MPAY_LEVEL_FINAL, &changed, ERROR), MPAY_OK, 0);
    CHECK(changed == 1);
    EXPECT(mpay_journal_acknowledge_by(journal, "value-1", 1, MPAY_LEVEL_FINAL, &changed, ERROR), MPAY_OK, 0);
    CHECK(changed == 0);
    EXPECT(mpay_journal_news(journal, 10, 0, &entries, ERROR), MPAY_OK, 0);
    CHECK(mpay_entries_count(entries) == 0);
    mpay_entries_free(entries);

    EXPECT(mpay_journal_pay(journal, "value-2", request, 0, &entry, ERROR), MPAY_OK, 0);
    mpay_entry_free(entry);
    EXPECT(mpay_journal_cancel_by(journal, "value-2", 1, &entry, ERROR), MPAY_OK, 0);
    CHECK(mpay_entry_cancel_state(entry) == MPAY_INTENT_ACCEPTED);
    mpay_entry_free(entry);
    mpay_payment_request_free(request);
    mpay_journal_free(journal);
    mpay_client_free(client);
    host_close(&host);
}

static void a_journal_is_opened_with_names_and_texts(void) {
    char path[1024];
    mpay_client *client = sandbox_client(NULL);
    mpay_journal_config *config = mpay_journal_config_new();
    mpay_journal *journal = NULL;
    snprintf(path, sizeof path, "%s/by-name.db", setting("SCRATCH"));
    EXPECT(mpay_journal_config_set(config, "file", path, ERROR), MPAY_OK, 0);
    EXPECT(mpay_journal_config_set(config, "create", "1", ERROR), MPAY_OK, 0);
    EXPECT(mpay_journal_config_set(config, "callback_url", "https://shop.example/callback", ERROR), MPAY_OK, 0);
    EXPECT(mpay_journal_config_set(config, "account", NULL, ERROR), MPAY_OK, 0);
    EXPECT(mpay_journal_config_set(config, "timeout_ms", "15000", ERROR), MPAY_OK, 0);
    EXPECT(mpay_journal_config_set(config, "pay_wait_ms", "0", ERROR), MPAY_OK, 0);
    EXPECT(mpay_journal_config_set(config, "calls_per_second", "5", ERROR), MPAY_OK, 0);
    EXPECT(mpay_journal_config_set(config, "durability_vouched", "sync_binlog,fsync", ERROR), MPAY_OK, 0);
    REFUSED(mpay_journal_config_set(config, "folder", "/", ERROR));
    REFUSED(mpay_journal_config_set(NULL, "file", path, ERROR));
    EXPECT(mpay_journal_open(client, config, &journal, ERROR), MPAY_OK, 0);
    mpay_journal_free(journal);
    REFUSED(mpay_journal_config_set(config, "create", "yes", ERROR));
    REFUSED(mpay_journal_open(client, config, &journal, ERROR)); /* the config keeps the error of an invalid setting */
    mpay_journal_config_free(config);
    mpay_client_free(client);
}

static void an_operator_counts_copies_stops_and_erases(void) {
    mpay_client *client = sandbox_client(NULL);
    mpay_journal *journal = file_journal(client, "upkeep.db", NULL), *copy = NULL;
    mpay_payment_request *request = good_request();
    mpay_entry *entry = NULL;
    mpay_entries *entries = NULL;
    mpay_stats *stats = NULL;
    mpay_export *lines = NULL;
    const char *line = NULL;
    char path[4096];
    uint64_t count = 7;
    int32_t imported = 7, found = 7;
    EXPECT(mpay_journal_pay(journal, "upkeep-1", request, 0, &entry, ERROR), MPAY_OK, 0);
    mpay_entry_free(entry);
    REFUSED(mpay_journal_forget(journal, "upkeep-1", &count, ERROR)); /* the payment is still open */
    CHECK(count == 0);
    REFUSED(mpay_journal_purge(journal, -1, &count, ERROR));
    EXPECT(mpay_journal_purge(journal, INT64_MAX, &count, ERROR), MPAY_OK, 0);
    CHECK(count == 0);
    REFUSED(mpay_journal_pause(journal, "", ERROR));
    EXPECT(mpay_journal_pause(journal, "looking", ERROR), MPAY_OK, 0);
    EXPECT(mpay_journal_pay(journal, "upkeep-2", request, 0, &entry, ERROR), MPAY_STORAGE, MPAY_OUTCOME_NOT_SENT);
    EXPECT(mpay_journal_news(journal, 10, 0, &entries, ERROR), MPAY_STORAGE, MPAY_OUTCOME_NOT_SENT);
    EXPECT(mpay_journal_stats(journal, &stats, ERROR), MPAY_OK, 0);
    CHECK(mpay_stats_count(stats, MPAY_STANDING_OPEN) == 1 && mpay_stats_count(stats, 77) == 0);
    /* The attempt's next query becomes due after a short time. */
    CHECK(mpay_stats_attention(stats) == 0 && (mpay_stats_due(stats) == 1 || mpay_stats_overdue_ms(stats) == 0));
    CHECK(strcmp(mpay_stats_pause_note(stats), "looking") == 0 && strstr(mpay_stats_json(stats), "\"open\":1") != NULL);
    mpay_stats_free(stats);

    EXPECT(mpay_journal_export(journal, &lines, ERROR), MPAY_OK, 0);
    EXPECT(mpay_export_next(lines, &found, ERROR), MPAY_OK, 0);
    line = mpay_export_line(lines);
    CHECK(found == 1 && line != NULL && strstr(line, "upkeep-1") != NULL);
    EXPECT(mpay_journal_import(journal, line, &imported, ERROR), MPAY_OK, 0);
    CHECK(imported == 0); /* the row already exists */
    REFUSED(mpay_journal_import(journal, "{}", &imported, ERROR));
    EXPECT(mpay_export_next(lines, &found, ERROR), MPAY_OK, 0);
    CHECK(found == 0 && mpay_export_line(lines) == NULL);
    mpay_export_free(lines);

    REFUSED(mpay_journal_backup(journal, "upkeep-copy.db", ERROR)); /* the path is relative */
    snprintf(path, sizeof path, "%s/upkeep-copy.db", setting("SCRATCH"));
    EXPECT(mpay_journal_backup(journal, path, ERROR), MPAY_OK, 0);
    EXPECT(mpay_journal_backup(journal, path, ERROR), MPAY_STORAGE, MPAY_OUTCOME_NOT_SENT); /* the file already exists */
    EXPECT(mpay_journal_resume(journal, "looked", ERROR), MPAY_OK, 0);
    copy = file_journal(client, "upkeep-copy.db", NULL);
    EXPECT(mpay_journal_pay(copy, "upkeep-1", request, 0, &entry, ERROR), MPAY_STORAGE, MPAY_OUTCOME_NOT_SENT);
    mpay_journal_free(copy);
    mpay_payment_request_free(request);
    mpay_journal_free(journal);
    mpay_client_free(client);
}

static void a_refusal_is_in_the_entry_with_the_services_words(void) {
    mpay_client *client = sandbox_client(NULL);
    mpay_journal *journal = file_journal(client, "refused.db", NULL);
    mpay_payment_request *request = good_request();
    mpay_entry *entry = NULL;
    CHECK(mpay_payment_request_set_customer_account(request, "no-credentials") == MPAY_OK);
    EXPECT(mpay_journal_pay(journal, "refused-1", request, 0, &entry, ERROR), MPAY_OK, 0);
    CHECK(mpay_entry_standing(entry) == MPAY_STANDING_REFUSED && mpay_entry_credentials(entry) == NULL);
    CHECK(mpay_entry_error_code(entry) == MPAY_REJECTED && mpay_entry_error_outcome(entry) == MPAY_OUTCOME_REJECTED);
    CHECK(mpay_entry_error_description(entry) != NULL && mpay_entry_due_at_ms(entry) == 0);
    mpay_entry_free(entry);
    mpay_payment_request_free(request);
    mpay_journal_free(journal);
    mpay_client_free(client);
}

/* ---- unknown outcomes ---- */

static void a_lost_reply_is_unknown_until_a_person_decides(void) {
    mpay_client *client = sandbox_client(setting("SERVICE_DROPS"));
    mpay_journal *journal = file_journal(client, "lost.db", NULL);
    mpay_payment_request *request = good_request();
    mpay_entry *entry = NULL, *again = NULL;
    mpay_entries *entries = NULL;
    int64_t next = 0;
    uint32_t done = 7;
    EXPECT(mpay_journal_pay(journal, "lost-1", request, 0, &entry, ERROR), MPAY_OK, 0);
    CHECK(mpay_entry_standing(entry) == MPAY_STANDING_UNKNOWN && mpay_entry_order_id(entry) == NULL);
    CHECK(mpay_entry_error_code(entry) == MPAY_TRANSPORT && mpay_entry_error_outcome(entry) == MPAY_OUTCOME_UNKNOWN);
    CHECK(mpay_entry_payment(entry) == NULL && mpay_entry_credentials(entry) == NULL);
    EXPECT(mpay_journal_settle(journal, 10, &done, &next, ERROR), MPAY_OK, 0);
    CHECK(done == 0 && next == -1);
    REFUSED(mpay_journal_confirm(journal, entry, &again, ERROR));
    REFUSED(mpay_journal_pay_async(journal, "lost-2", request, 0, &again, ERROR)); /* pay_async needs a callback URL */

    EXPECT(mpay_journal_attention(journal, 10, &entries, ERROR), MPAY_OK, 0);
    CHECK(mpay_entries_count(entries) == 1);
    CHECK(mpay_entry_attention(mpay_entries_get(entries, 0), 0) == MPAY_ATTENTION_UNKNOWN);
    CHECK(mpay_entry_attention(mpay_entries_get(entries, 0), 1) == 0);
    REFUSED(mpay_journal_resolve(journal, entry, 77, NULL, "support", ERROR));
    REFUSED(mpay_journal_resolve(journal, entry, MPAY_RESOLUTION_NO_PAYMENT, NULL, NULL, ERROR));
    REFUSED(mpay_journal_resolve(journal, entry, MPAY_RESOLUTION_ORDER_ID, NULL, "support", ERROR));
    EXPECT(mpay_journal_resolve(journal, entry, MPAY_RESOLUTION_NO_PAYMENT, NULL, "support has none", ERROR), MPAY_OK, 0);
    mpay_entries_free(entries);
    EXPECT(mpay_journal_find(journal, "lost-1", &again, ERROR), MPAY_OK, 0);
    CHECK(mpay_entry_standing(again) == MPAY_STANDING_REFUSED);
    mpay_entry_free(again);
    mpay_entry_free(entry);
    mpay_payment_request_free(request);
    mpay_journal_free(journal);
    mpay_client_free(client);
}

static void an_interruption_ends_a_wait(void) {
    mpay_client *client = sandbox_client(NULL);
    mpay_journal *journal = file_journal(client, "interrupted.db", NULL);
    mpay_payment_request *request = good_request();
    mpay_journal *derived = NULL;
    mpay_entry *entry = NULL, *waited = NULL;
    EXPECT(mpay_journal_pay(journal, "wait-1", request, 0, &entry, ERROR), MPAY_OK, 0);
    /* The wait ends at its timeout, not with an error. */
    EXPECT(mpay_journal_wait(journal, "wait-1", 1, MPAY_UNTIL_FINAL, &waited, ERROR), MPAY_OK, 0);
    CHECK(mpay_entry_standing(waited) == MPAY_STANDING_OPEN);
    mpay_entry_free(waited);
    waited = NULL;
    EXPECT(mpay_journal_derive(journal, &derived, ERROR), MPAY_OK, 0);
    mpay_journal_interrupt(derived);
    CHECK(mpay_journal_wait(derived, "wait-1", PATIENCE_MS, MPAY_UNTIL_FINAL, &waited, NULL) == MPAY_CANCELLED && waited == NULL);
    mpay_journal_free(derived);
    /* The original journal is not interrupted. */
    EXPECT(mpay_journal_wait(journal, "wait-1", 1, MPAY_UNTIL_FINAL, &waited, ERROR), MPAY_OK, 0);
    mpay_entry_free(waited);
    waited = NULL;
    mpay_client_interrupt(client);
    CHECK(mpay_journal_wait(journal, "wait-1", PATIENCE_MS, MPAY_UNTIL_FINAL, &waited, NULL) == MPAY_CANCELLED && waited == NULL);
    mpay_entry_free(entry);
    mpay_payment_request_free(request);
    mpay_journal_free(journal);
    mpay_client_free(client);
}

/* ---- webhooks ---- */

struct shop {
    mpay_journal *journal;
    int applied, refused;
};

static unsigned int receive(void *context, const struct webhook *hook) {
    struct shop *shop = context;
    mpay_entry *entry = NULL;
    int32_t status = 0;
    const int32_t code =
        mpay_journal_receive(shop->journal, hook->path, hook->body, hook->len, hook->signature, hook->key_id, &status, &entry, NULL);
    CHECK((code == MPAY_OK) == (status != 400) && (entry != NULL) == (status == 200));
    shop->applied += status == 200;
    shop->refused += status == 400;
    mpay_entry_free(entry);
    return (unsigned int)status;
}

static void credentials_and_the_end_come_by_webhook(void) {
    struct shop shop = {NULL, 0, 0};
    struct receiver receiver = {receive, &shop, 0, 0, NULL, ""};
    mpay_client *client = sandbox_client(NULL);
    mpay_payment_request *request = good_request();
    mpay_entry *entry = NULL, *found = NULL;
    char order_id[128];
    shop.journal = file_journal(client, "webhooks.db", receiver_listen(&receiver, NULL));
    EXPECT(mpay_journal_pay_async(shop.journal, "async-1", request, 0, &entry, ERROR), MPAY_OK, 0);
    CHECK(mpay_entry_standing(entry) == MPAY_STANDING_OPEN && mpay_entry_order_id(entry) != NULL);
    snprintf(order_id, sizeof order_id, "%s", mpay_entry_order_id(entry) ? mpay_entry_order_id(entry) : "");
    while (shop.applied == 0) receiver_serve(&receiver, -1);
    mpay_entry_free(entry);
    EXPECT(mpay_journal_wait(shop.journal, "async-1", PATIENCE_MS, MPAY_UNTIL_CREDENTIALS, &entry, ERROR), MPAY_OK, 0);
    CHECK(mpay_entry_credentials(entry) != NULL && mpay_entry_reported(entry) == MPAY_LEVEL_CREDENTIALS);
    EXPECT(mpay_journal_confirm(shop.journal, entry, &found, ERROR), MPAY_OK, 0);
    mpay_entry_free(found);
    found = NULL;
    do {
        mpay_entry_free(found);
        receiver_serve(&receiver, 100);
        EXPECT(mpay_journal_find(shop.journal, "async-1", &found, ERROR), MPAY_OK, 0);
    } while (mpay_entry_standing(found) != MPAY_STANDING_FINAL);
    CHECK(mpay_entry_succeeded(found) && same(mpay_entry_order_id(found), order_id) && shop.applied == 2 && shop.refused == 0);
    mpay_entry_free(found);
    mpay_entry_free(entry);
    MHD_stop_daemon(receiver.server);
    mpay_payment_request_free(request);
    mpay_journal_free(shop.journal);
    mpay_client_free(client);
}

static void a_message_that_finds_no_place_is_kept_for_a_person(void) {
    const char *body = setting("WEBHOOK_BODY"), *signature = setting("WEBHOOK_SIGNATURE");
    mpay_client *client = sandbox_client(NULL);
    mpay_journal *journal = file_journal(client, "orphans.db", "http://127.0.0.1:1/hooks");
    mpay_entries *entries = NULL;
    const mpay_entry *orphan;
    int32_t status = 0;
    CHECK(mpay_journal_receive(journal, "/hooks/none", body, strlen(body) - 1, signature, NULL, &status, NULL, NULL) == MPAY_UNVERIFIED);
    CHECK(status == 400);
    CHECK(mpay_journal_receive(journal, NULL, NULL, 0, NULL, NULL, &status, NULL, NULL) == MPAY_UNVERIFIED && status == 400);
    EXPECT(mpay_journal_receive(journal, "/hooks/none", body, strlen(body), signature, NULL, &status, NULL, ERROR), MPAY_OK, 0);
    CHECK(status == 404);
    EXPECT(mpay_journal_attention(journal, 10, &entries, ERROR), MPAY_OK, 0);
    CHECK(mpay_entries_count(entries) == 1);
    orphan = mpay_entries_get(entries, 0);
    CHECK(mpay_entry_is_orphan(orphan) && same(mpay_entry_order_id(orphan), "order-1") && mpay_entry_reference(orphan) == NULL);
    CHECK(mpay_entry_attempt(orphan) == 0 && mpay_entry_standing(orphan) == 0 && mpay_entry_created_at_ms(orphan) > 0);
    CHECK(mpay_entry_json(orphan) != NULL);
    REFUSED(mpay_journal_resolve(journal, orphan, MPAY_RESOLUTION_NO_PAYMENT, NULL, "support", ERROR));
    EXPECT(mpay_journal_resolve(journal, orphan, MPAY_RESOLUTION_SEEN, NULL, "support", ERROR), MPAY_OK, 0);
    mpay_entries_free(entries);
    EXPECT(mpay_journal_attention(journal, 10, &entries, ERROR), MPAY_OK, 0);
    CHECK(mpay_entries_count(entries) == 0);
    mpay_entries_free(entries);
    mpay_journal_free(journal);
    mpay_client_free(client);
}

int main(void) {
    journal_arguments();
    RUN(a_payment_is_taken_once_in_a_file);
    RUN(a_payment_is_taken_once_in_the_hosts_database);
    RUN(a_cancelled_attempt_can_be_replaced);
    RUN(an_attempt_is_confirmed_cancelled_and_acknowledged_by_value);
    RUN(a_journal_is_opened_with_names_and_texts);
    RUN(an_operator_counts_copies_stops_and_erases);
    RUN(a_refusal_is_in_the_entry_with_the_services_words);
    RUN(a_lost_reply_is_unknown_until_a_person_decides);
    RUN(an_interruption_ends_a_wait);
    RUN(credentials_and_the_end_come_by_webhook);
    RUN(a_message_that_finds_no_place_is_kept_for_a_person);
    journal_database();
    return failures() ? 1 : 0;
}
