/* The journal's functions, with right and with wrong arguments, over a file and over a database of the host's. The driver (../c.rs)
   gives the services by environment variables and runs this plain, behind TLS, under valgrind and with sanitizers. */
#define _POSIX_C_SOURCE 200809L
#include "journal.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "../../../../examples/c/receiver.h"

/* Only what never comes takes so long: valgrind on a busy machine is slow. */
enum { PATIENCE_MS = 120000 };

/* ---- NULL ---- */

static void freeing_null_does_nothing(void) {
    mpay_journal_free(NULL);
    mpay_journal_config_free(NULL);
    mpay_entry_free(NULL);
    mpay_entries_free(NULL);
    mpay_journal_interrupt(NULL);
}

static void a_getter_of_null_gives_nothing(void) {
    CHECK(!mpay_entry_reference(NULL) && !mpay_entry_standing_name(NULL) && !mpay_entry_order_id(NULL) && !mpay_entry_sum_asked(NULL));
    CHECK(!mpay_entry_error_description(NULL) && !mpay_entry_json(NULL) && !mpay_entry_credentials(NULL) && !mpay_entry_payment(NULL));
    CHECK(!mpay_entry_attempt(NULL) && !mpay_entry_is_orphan(NULL) && !mpay_entry_standing(NULL) && !mpay_entry_paid(NULL));
    CHECK(!mpay_entry_succeeded(NULL) && !mpay_entry_confirm_state(NULL) && !mpay_entry_cancel_state(NULL) && !mpay_entry_reported(NULL));
    CHECK(!mpay_entry_acknowledged(NULL) && !mpay_entry_error_code(NULL) && !mpay_entry_error_outcome(NULL));
    CHECK(!mpay_entry_attention(NULL, 0) && !mpay_entry_earlier(NULL, 0) && !mpay_entries_count(NULL) && !mpay_entries_get(NULL, 0));
    CHECK(!mpay_entry_created_at_ms(NULL) && !mpay_entry_updated_at_ms(NULL) && !mpay_entry_due_at_ms(NULL));
    CHECK(mpay_rows_add(NULL, NULL, 0) == MPAY_INVALID_ARGUMENT && mpay_rows_set_affected(NULL, 1) == MPAY_INVALID_ARGUMENT);
    CHECK(mpay_rows_set_message(NULL, "why") == MPAY_INVALID_ARGUMENT);
}

/* Nothing was sent where this is the reason. */
#define INVALID(call) EXPECT(call, MPAY_INVALID_ARGUMENT, MPAY_OUTCOME_NOT_SENT)

static void null_where_a_value_is_needed_is_an_invalid_argument(void) {
    mpay_client *client = sandbox_client(NULL);
    mpay_payment_request *request = good_request();
    mpay_journal *journal = file_journal(client, "null.db", NULL), *opened = NULL;
    mpay_entry *entry = NULL, *given = NULL;
    mpay_entries *entries = NULL;
    int32_t status = 0, changed = 7;
    EXPECT(mpay_journal_pay(journal, "null-1", request, 0, &entry, ERROR), MPAY_OK, 0);

    INVALID(mpay_journal_open(NULL, NULL, &opened, ERROR));
    INVALID(mpay_journal_open(client, NULL, &opened, ERROR));
    INVALID(mpay_journal_derive(NULL, &opened, ERROR));
    CHECK(opened == NULL);
    INVALID(mpay_journal_pay(NULL, "null-2", request, 0, &given, ERROR));
    INVALID(mpay_journal_pay_async(NULL, "null-2", request, 0, &given, ERROR));
    INVALID(mpay_journal_confirm(NULL, entry, &given, ERROR));
    INVALID(mpay_journal_cancel(NULL, entry, &given, ERROR));
    INVALID(mpay_journal_find(NULL, "null-1", &given, ERROR));
    INVALID(mpay_journal_wait(NULL, "null-1", 0, MPAY_UNTIL_FINAL, &given, ERROR));
    INVALID(mpay_journal_settle(NULL, 1, NULL, NULL, ERROR));
    INVALID(mpay_journal_list(NULL, 0, 1, NULL, &entries, ERROR));
    INVALID(mpay_journal_news(NULL, 1, 0, &entries, ERROR));
    INVALID(mpay_journal_attention(NULL, 1, &entries, ERROR));
    INVALID(mpay_journal_acknowledge(NULL, entry, &changed, ERROR));
    CHECK(changed == 0);
    INVALID(mpay_journal_acknowledge_with(NULL, entry, NULL, NULL, &changed, ERROR));
    INVALID(mpay_journal_resolve(NULL, entry, MPAY_RESOLUTION_SEEN, NULL, "why", ERROR));
    CHECK(mpay_journal_receive(NULL, "/", "{}", 2, NULL, NULL, &status, &given, NULL) == MPAY_INVALID_ARGUMENT && status == 503);
    CHECK(given == NULL && entries == NULL);
    mpay_entry_free(entry);

    INVALID(mpay_journal_pay(journal, NULL, request, 0, &given, ERROR));
    INVALID(mpay_journal_pay(journal, "null-2", NULL, 0, &given, ERROR));
    INVALID(mpay_journal_pay_async(journal, NULL, request, 0, &given, ERROR));
    INVALID(mpay_journal_confirm(journal, NULL, &given, ERROR));
    INVALID(mpay_journal_cancel(journal, NULL, &given, ERROR));
    INVALID(mpay_journal_find(journal, NULL, &given, ERROR));
    INVALID(mpay_journal_wait(journal, NULL, 0, MPAY_UNTIL_FINAL, &given, ERROR));
    INVALID(mpay_journal_wait(journal, "null-1", 0, 77, &given, ERROR));
    INVALID(mpay_journal_list(journal, 77, 1, NULL, &entries, ERROR));
    INVALID(mpay_journal_acknowledge(journal, NULL, &changed, ERROR));
    INVALID(mpay_journal_acknowledge_with(journal, NULL, NULL, NULL, &changed, ERROR));
    INVALID(mpay_journal_resolve(journal, NULL, MPAY_RESOLUTION_SEEN, NULL, "why", ERROR));
    /* Results that nobody wants. */
    CHECK(mpay_journal_pay(journal, "null-1", request, 0, NULL, NULL) != MPAY_OK);
    CHECK(mpay_journal_find(journal, "no-such-reference", &given, NULL) == MPAY_OK && given == NULL);
    mpay_journal_free(journal);
    mpay_payment_request_free(request);
    mpay_client_free(client);
}

static void a_setting_that_cannot_be_right_is_refused_at_once_or_when_it_is_used(void) {
    mpay_client *client = sandbox_client(NULL);
    mpay_journal *journal = NULL;
    mpay_journal_config *config = mpay_journal_config_new();
    INVALID(mpay_journal_open(client, config, &journal, ERROR)); /* no file, and no database */
    CHECK(mpay_journal_config_set_file(NULL, "x") == MPAY_INVALID_ARGUMENT);
    CHECK(mpay_journal_config_set_callback_url(NULL, "x") == MPAY_INVALID_ARGUMENT);
    CHECK(mpay_journal_config_set_account(NULL, "x") == MPAY_INVALID_ARGUMENT);
    CHECK(mpay_journal_config_set_timeout_ms(NULL, 1) == MPAY_INVALID_ARGUMENT);
    CHECK(mpay_journal_config_set_calls_per_second(NULL, 1) == MPAY_INVALID_ARGUMENT);
    CHECK(mpay_journal_config_set_create(NULL, 1) == MPAY_INVALID_ARGUMENT);
    CHECK(mpay_journal_config_set_pay_wait_ms(NULL, 1) == MPAY_INVALID_ARGUMENT);
    CHECK(mpay_journal_config_add_durability_vouched(NULL, "sync_binlog") == MPAY_INVALID_ARGUMENT);
    CHECK(mpay_journal_config_set_check_later(NULL, 1) == MPAY_INVALID_ARGUMENT);
    CHECK(mpay_journal_config_set_database(NULL, MPAY_DIALECT_SQLITE, MPAY_PLACEHOLDERS_QUESTION, run_statement, NULL, NULL) ==
          MPAY_INVALID_ARGUMENT);
    mpay_journal_config_free(config);

    config = mpay_journal_config_new();
    CHECK(mpay_journal_config_set_database(config, 77, MPAY_PLACEHOLDERS_QUESTION, run_statement, NULL, NULL) == MPAY_INVALID_ARGUMENT);
    INVALID(mpay_journal_open(client, config, &journal, ERROR));
    mpay_journal_config_free(config);

    config = file_config("settings.db", NULL);
    CHECK(mpay_journal_config_set_timeout_ms(config, 1000) == MPAY_OK);
    INVALID(mpay_journal_open(client, config, &journal, ERROR)); /* shorter than the service may take */
    CHECK(mpay_journal_config_set_timeout_ms(config, 15000) == MPAY_OK &&
          mpay_journal_config_set_file(config, "") == MPAY_INVALID_ARGUMENT);
    INVALID(mpay_journal_open(client, config, &journal, ERROR));
    mpay_journal_config_free(config);

    config = file_config("unset.db", "https://shop.example/callback");
    CHECK(mpay_journal_config_set_account(config, "till") == MPAY_OK);
    CHECK(mpay_journal_config_set_callback_url(config, NULL) == MPAY_OK && mpay_journal_config_set_account(config, NULL) == MPAY_OK);
    EXPECT(mpay_journal_open(client, config, &journal, ERROR), MPAY_OK, 0);
    mpay_journal_free(journal);
    CHECK(mpay_journal_config_set_callback_url(config, "") == MPAY_INVALID_ARGUMENT);
    INVALID(mpay_journal_open(client, config, &journal, ERROR));
    mpay_journal_config_free(config);

    mpay_client_free(client);
}

static void a_file_that_is_not_a_journal_is_refused(void) {
    static const char *const names[] = {"", "/missing.db", "/dangling.db", "/other.txt", "/no/folder.db"};
    const char *folder = setting("SCRATCH");
    char path[1024];
    mpay_client *client = sandbox_client(NULL);
    mpay_journal *journal = NULL;
    mpay_journal_config *config = mpay_journal_config_new();
    mpay_error *error = NULL;
    FILE *other;
    size_t i;
    snprintf(path, sizeof path, "%s/other.txt", folder);
    CHECK((other = fopen(path, "w")) != NULL && fputs("a file of another program, which has no tables", other) > 0 && fclose(other) == 0);
    snprintf(path, sizeof path, "%s/dangling.db", folder);
    CHECK(symlink("/nowhere/payments.db", path) == 0);
    for (i = 0; i < sizeof names / sizeof *names; i++) {
        snprintf(path, sizeof path, "%s%s", folder, names[i]);
        CHECK(mpay_journal_config_set_file(config, path) == MPAY_OK);
        CHECK(mpay_journal_open(client, config, &journal, &error) == MPAY_STORAGE && journal == NULL);
        CHECK(mpay_error_outcome(error) == MPAY_OUTCOME_NOT_SENT && !mpay_error_is_transient(error));
        CHECK(strstr(mpay_error_message(error), path) != NULL);
        CHECK(i != 1 || strstr(mpay_error_message(error), "merchantpay journal init --journal ") != NULL);
        mpay_error_free(error);
        error = NULL;
    }
    CHECK(mpay_journal_config_set_file(config, "payments.db") == MPAY_OK);
    INVALID(mpay_journal_open(client, config, &journal, ERROR)); /* relative */
    mpay_journal_config_free(config);
    mpay_client_free(client);
}

/* ---- a payment ---- */

static void an_entry_is_what_was_asked_for(const mpay_entry *entry, const char *reference) {
    CHECK(same(mpay_entry_reference(entry), reference) && mpay_entry_attempt(entry) == 1 && !mpay_entry_is_orphan(entry));
    CHECK(same(mpay_entry_sum_asked(entry), "1500.50") && strstr(mpay_entry_json(entry), reference) != NULL);
    CHECK(mpay_entry_created_at_ms(entry) > 1600000000000u && mpay_entry_updated_at_ms(entry) >= mpay_entry_created_at_ms(entry));
    CHECK(mpay_entry_error_code(entry) == MPAY_OK && mpay_entry_error_outcome(entry) == 0 && !mpay_entry_error_description(entry));
    CHECK(mpay_entry_attention(entry, 0) == 0 && mpay_entry_earlier(entry, 0) == NULL && mpay_entry_cancel_state(entry) == 0);
}

/* The texts that are given at once, with a NUL between two; one that is absent is the byte 0xFF. */
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

/* A payment from its order number to its end. */
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
    INVALID(mpay_journal_pay(journal, reference, other, 0, &next, ERROR)); /* this reference is another request's */

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
    EXPECT(mpay_journal_list(journal, 0, 10, entry, &entries, ERROR), MPAY_OK, 0); /* there is none behind the last */
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
    mpay_client_free(client); /* the journal keeps what it needs */
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

/* The attempt whose credentials a customer had is cancelled, and replaced. */
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

/* Whoever keeps no entry names the attempt and the level that it has read. */
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
    INVALID(mpay_journal_acknowledge_by(journal, "value-1", 1, MPAY_LEVEL_FINAL, &changed, ERROR)); /* nobody has reported that */
    CHECK(changed == 0);
    INVALID(mpay_journal_acknowledge_by(journal, "value-1", 2, MPAY_LEVEL_FINAL, &changed, ERROR));
    INVALID(mpay_journal_acknowledge_by(journal, "value-1", 1, MPAY_LEVEL_NONE, &changed, ERROR));
    INVALID(mpay_journal_acknowledge_by(journal, "value-1", 1, 77, &changed, ERROR));
    INVALID(mpay_journal_acknowledge_by(journal, NULL, 1, MPAY_LEVEL_FINAL, &changed, ERROR));
    INVALID(mpay_journal_confirm_by(journal, "value-2", 1, &entry, ERROR));
    INVALID(mpay_journal_cancel_by(NULL, "value-1", 1, &entry, ERROR));
    EXPECT(mpay_journal_confirm_by(journal, "value-1", 1, &entry, ERROR), MPAY_OK, 0);
    CHECK(mpay_entry_confirm_state(entry) == MPAY_INTENT_ACCEPTED);
    mpay_entry_free(entry);
    EXPECT(mpay_journal_wait(journal, "value-1", PATIENCE_MS, MPAY_UNTIL_FINAL, &entry, ERROR), MPAY_OK, 0);
    CHECK(mpay_entry_reported(entry) == MPAY_LEVEL_FINAL);
    mpay_entry_free(entry);

    INVALID(mpay_journal_acknowledge_by_with(journal, "value-1", 1, MPAY_LEVEL_FINAL, run_statement, &host, &changed, ERROR));
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
    INVALID(mpay_journal_config_set(config, "folder", "/", ERROR));
    INVALID(mpay_journal_config_set(NULL, "file", path, ERROR));
    EXPECT(mpay_journal_open(client, config, &journal, ERROR), MPAY_OK, 0);
    mpay_journal_free(journal);
    INVALID(mpay_journal_config_set(config, "create", "yes", ERROR));
    INVALID(mpay_journal_open(client, config, &journal, ERROR)); /* the config remembers */
    mpay_journal_config_free(config);
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

/* ---- what nobody knows ---- */

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
    INVALID(mpay_journal_confirm(journal, entry, &again, ERROR));
    INVALID(mpay_journal_pay_async(journal, "lost-2", request, 0, &again, ERROR)); /* it needs a callback URL */

    EXPECT(mpay_journal_attention(journal, 10, &entries, ERROR), MPAY_OK, 0);
    CHECK(mpay_entries_count(entries) == 1);
    CHECK(mpay_entry_attention(mpay_entries_get(entries, 0), 0) == MPAY_ATTENTION_UNKNOWN);
    CHECK(mpay_entry_attention(mpay_entries_get(entries, 0), 1) == 0);
    INVALID(mpay_journal_resolve(journal, entry, 77, NULL, "support", ERROR));
    INVALID(mpay_journal_resolve(journal, entry, MPAY_RESOLUTION_NO_PAYMENT, NULL, NULL, ERROR));
    INVALID(mpay_journal_resolve(journal, entry, MPAY_RESOLUTION_ORDER_ID, NULL, "support", ERROR));
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
    EXPECT(mpay_journal_wait(journal, "wait-1", 1, MPAY_UNTIL_FINAL, &waited, ERROR), MPAY_OK, 0); /* its time is over */
    CHECK(mpay_entry_standing(waited) == MPAY_STANDING_OPEN);
    mpay_entry_free(waited);
    waited = NULL;
    EXPECT(mpay_journal_derive(journal, &derived, ERROR), MPAY_OK, 0);
    mpay_journal_interrupt(derived);
    CHECK(mpay_journal_wait(derived, "wait-1", PATIENCE_MS, MPAY_UNTIL_FINAL, &waited, NULL) == MPAY_CANCELLED && waited == NULL);
    mpay_journal_free(derived);
    EXPECT(mpay_journal_wait(journal, "wait-1", 1, MPAY_UNTIL_FINAL, &waited, ERROR), MPAY_OK, 0); /* this one goes on */
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
    INVALID(mpay_journal_resolve(journal, orphan, MPAY_RESOLUTION_NO_PAYMENT, NULL, "support", ERROR));
    EXPECT(mpay_journal_resolve(journal, orphan, MPAY_RESOLUTION_SEEN, NULL, "support", ERROR), MPAY_OK, 0);
    mpay_entries_free(entries);
    EXPECT(mpay_journal_attention(journal, 10, &entries, ERROR), MPAY_OK, 0);
    CHECK(mpay_entries_count(entries) == 0);
    mpay_entries_free(entries);
    mpay_journal_free(journal);
    mpay_client_free(client);
}

/* ---- the host's database ---- */

static void an_acknowledgement_in_the_hosts_transaction_fails_the_second_time(void) {
    struct host host = host_open();
    mpay_client *client = sandbox_client(NULL);
    mpay_journal *journal = host_journal(client, &host);
    mpay_payment_request *request = good_request();
    mpay_entry *entry = NULL;
    int32_t changed = 0;
    EXPECT(mpay_journal_pay(journal, "transaction-1", request, 0, &entry, ERROR), MPAY_OK, 0);
    host_execute(&host, "BEGIN");
    EXPECT(mpay_journal_acknowledge_with(journal, entry, run_statement, &host, &changed, ERROR), MPAY_OK, 0);
    CHECK(changed == 1);
    EXPECT(mpay_journal_acknowledge_with(journal, entry, run_statement, &host, &changed, ERROR), MPAY_CONFLICT, MPAY_OUTCOME_NOT_SENT);
    CHECK(changed == 0);
    host_execute(&host, "COMMIT");
    mpay_entry_free(entry);
    mpay_payment_request_free(request);
    mpay_journal_free(journal);
    mpay_client_free(client);
    host_close(&host);
}

static void a_callback_that_fails_sends_nothing_twice(void) {
    /* Each spoils this many INSERTs, UPDATEs and SELECTs in turn. */
    static const char *const words[] = {"INSERT", "UPDATE", "SELECT"};
    int fault;
    size_t word;
    for (fault = FAULT_UNCLEAR; fault < FAULTS; fault++) {
        for (word = 0; word < sizeof words / sizeof *words; word++) {
            struct host host = host_open();
            mpay_client *client = sandbox_client(NULL);
            mpay_journal *journal = host_journal(client, &host);
            mpay_payment_request *request = good_request();
            mpay_entry *entry = NULL, *again = NULL;
            int32_t code;
            host.journal = journal;
            host.word = words[word];
            host.fault = fault;
            host.left = 2;
            code = mpay_journal_pay(journal, "fault-1", request, 0, &entry, NULL);
            CHECK(code == MPAY_OK || code == MPAY_STORAGE);
            host.left = 0;
            EXPECT(mpay_journal_pay(journal, "fault-1", request, 0, &again, ERROR), MPAY_OK, 0);
            CHECK(mpay_entry_attempt(again) == 1);
            CHECK(entry == NULL || mpay_entry_order_id(entry) == NULL || same(mpay_entry_order_id(entry), mpay_entry_order_id(again)));
            mpay_entry_free(again);
            mpay_entry_free(entry);
            mpay_payment_request_free(request);
            mpay_journal_free(journal);
            mpay_client_free(client);
            host_close(&host);
        }
    }
}

static const struct {
    const char *name;
    void (*run)(void);
} tests[] = {
#define TEST(name) {#name, name}
    TEST(freeing_null_does_nothing),
    TEST(a_getter_of_null_gives_nothing),
    TEST(null_where_a_value_is_needed_is_an_invalid_argument),
    TEST(a_setting_that_cannot_be_right_is_refused_at_once_or_when_it_is_used),
    TEST(a_file_that_is_not_a_journal_is_refused),
    TEST(a_payment_is_taken_once_in_a_file),
    TEST(a_payment_is_taken_once_in_the_hosts_database),
    TEST(a_cancelled_attempt_can_be_replaced),
    TEST(an_attempt_is_confirmed_cancelled_and_acknowledged_by_value),
    TEST(a_journal_is_opened_with_names_and_texts),
    TEST(a_refusal_is_in_the_entry_with_the_services_words),
    TEST(a_lost_reply_is_unknown_until_a_person_decides),
    TEST(an_interruption_ends_a_wait),
    TEST(credentials_and_the_end_come_by_webhook),
    TEST(a_message_that_finds_no_place_is_kept_for_a_person),
    TEST(an_acknowledgement_in_the_hosts_transaction_fails_the_second_time),
    TEST(a_callback_that_fails_sends_nothing_twice),
};

int main(void) {
    size_t i;
    for (i = 0; i < sizeof tests / sizeof *tests; i++) {
        int before = failures();
        tests[i].run();
        printf("%s %s\n", failures() == before ? "ok  " : "FAIL", tests[i].name);
        fflush(stdout);
    }
    return failures() ? 1 : 0;
}
