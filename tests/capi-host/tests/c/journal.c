/* What the contract's cases cannot see of the journal in C: who owns what, NULL, settings, interruption. The driver
   (../journal_c.rs) passes the services by environment variables and runs this program alone, behind TLS, under
   valgrind and with sanitizers. */
#include "check.h"

#include <stdio.h>
#include <string.h>

/* The longest wait for an event. It is long because valgrind on a busy machine is slow. */
enum { PATIENCE_MS = 120000 };

/* Settings for a journal in the file with this name, which is created if it is missing. */
static mpay_journal_config *file_config(const char *name) {
    char path[1024];
    mpay_journal_config *config = mpay_journal_config_new();
    snprintf(path, sizeof path, "%s/%s", setting("SCRATCH"), name);
    CHECK(config != NULL && mpay_journal_config_set_place(config, path) == MPAY_OK);
    CHECK(mpay_journal_config_set_timeout_ms(config, 15000) == MPAY_OK && mpay_journal_config_set_create(config, 1) == MPAY_OK);
    return config;
}

static mpay_journal *file_journal(const mpay_client *client, const char *name) {
    mpay_journal_config *config = file_config(name);
    mpay_journal *journal = NULL;
    EXPECT(mpay_journal_open(client, config, &journal, ERROR), MPAY_OK, 0);
    mpay_journal_config_free(config);
    return journal;
}

/* ---- entries ---- */

/* The texts that the library returns together, separated by NUL, are those of the getters; an absent text is the byte 0xFF. */
static void fields_are_the_getters(const mpay_entry *entry) {
    char attempt[16], news[32], created[32];
    const char *wanted[24] = {0};
    size_t len = 0, i;
    const char *fields = mpay_entry_fields(entry, &len), *end = fields + len;
    const int is_orphan = mpay_entry_is_orphan(entry);
    sprintf(attempt, "%u", (unsigned)mpay_entry_attempt(entry));
    sprintf(news, "%ld", (long)mpay_entry_news(entry));
    sprintf(created, "%lld", (long long)mpay_entry_created_at_ms(entry));
    wanted[0] = mpay_entry_json(entry);
    wanted[2] = mpay_entry_error_description(entry);
    wanted[3] = is_orphan ? "1" : "0";
    wanted[4] = mpay_entry_unreadable(entry);
    wanted[6] = mpay_entry_reference(entry);
    wanted[7] = mpay_entry_attempt(entry) ? attempt : NULL;
    wanted[8] = mpay_entry_standing_name(entry);
    wanted[9] = mpay_entry_order_id(entry);
    wanted[10] = mpay_entry_status(entry);
    wanted[11] = mpay_entry_sum_asked(entry);
    wanted[12] = mpay_entry_sum_paid(entry);
    wanted[13] = is_orphan ? NULL : mpay_entry_succeeded(entry) ? "1" : "0";
    wanted[14] = mpay_entry_credentials(entry) ? "1" : NULL;
    wanted[15] = is_orphan ? NULL : news;
    wanted[21] = created;
    for (i = 0; fields < end; i++, fields += strlen(fields) + 1) {
        if (i == 1 || i == 5 || (i > 15 && i != 21)) continue; /* names of lists, for which C has numbers */
        CHECK(same(*fields == '\xff' ? NULL : fields, i < 24 ? wanted[i] : NULL));
    }
    CHECK(i == 23 && mpay_entry_fields(entry, NULL) != NULL);
}

static void entries_outlive_client_config_and_journal(void) {
    mpay_client *client = sandbox_client(NULL);
    mpay_journal *journal = file_journal(client, "owned.db"), *derived = NULL;
    mpay_payment_request *request = good_request();
    mpay_entry *entry = NULL, *confirmed = NULL, *final = NULL;
    mpay_entries *news = NULL, *page = NULL;
    mpay_stats *stats = NULL;
    int32_t acknowledged = 7;
    mpay_client_free(client); /* the journal keeps what it needs */
    EXPECT(mpay_journal_derive(journal, &derived, ERROR), MPAY_OK, 0);
    mpay_journal_free(journal); /* and so does a derived one */
    EXPECT(mpay_journal_pay(derived, "owned-1", request, &entry, ERROR), MPAY_OK, 0);
    EXPECT(mpay_journal_confirm(derived, "owned-1", 1, &confirmed, ERROR), MPAY_OK, 0);
    EXPECT(mpay_journal_wait(derived, "owned-1", PATIENCE_MS, MPAY_UNTIL_FINAL, &final, ERROR), MPAY_OK, 0);
    EXPECT(mpay_journal_news(derived, 10, &news, ERROR), MPAY_OK, 0);
    EXPECT(mpay_journal_list(derived, MPAY_STANDING_FINAL, 10, "owned-1", mpay_entry_created_at_ms(final), &page, ERROR), MPAY_OK, 0);
    CHECK(mpay_entries_count(news) == 1 && mpay_entries_get(news, 1) == NULL && mpay_entries_count(page) == 0);
    EXPECT(mpay_journal_acknowledge(derived, "owned-1", 1, mpay_entry_news(final), &acknowledged, ERROR), MPAY_OK, 0);
    CHECK(acknowledged == 1);
    EXPECT(mpay_journal_acknowledge(derived, "owned-1", 1, mpay_entry_news(final), NULL, ERROR), MPAY_OK, 0);
    EXPECT(mpay_journal_stats(derived, &stats, ERROR), MPAY_OK, 0);
    mpay_journal_free(derived);
    mpay_payment_request_free(request);

    CHECK(mpay_entry_standing(entry) == MPAY_STANDING_OPEN && same(mpay_entry_standing_name(entry), "open"));
    CHECK(same(mpay_payment_order_id(mpay_entry_credentials(entry)), mpay_entry_order_id(entry)) && !mpay_entry_acknowledged(entry));
    CHECK(mpay_entry_intent(entry) == 0 && mpay_entry_intent(confirmed) == MPAY_INTENT_CONFIRM);
    CHECK(mpay_entry_intent_state(confirmed) == MPAY_INTENT_STATE_ACCEPTED);
    CHECK(mpay_entry_succeeded(final) && same(mpay_entry_sum_paid(final), mpay_entry_sum_asked(final)));
    CHECK(mpay_entry_updated_at_ms(final) >= mpay_entry_created_at_ms(final) && mpay_entry_news(final) > mpay_entry_news(entry));
    CHECK(mpay_entry_attention(final, 0) == 0 && mpay_entry_detail(final, 0) == NULL && mpay_entry_error_code(final) == MPAY_OK);
    CHECK(strstr(mpay_entry_acknowledge_sql(entry, MPAY_STYLE_DOLLAR), "reference = $1 AND attempt = $2") != NULL);
    CHECK(mpay_entry_acknowledge_sql(entry, 0) == NULL && mpay_entry_acknowledge_sql(entry, 77) == NULL);
    CHECK(mpay_stats_count(stats, MPAY_STANDING_OPEN) == 0 && mpay_stats_count(stats, 77) == 0 && mpay_stats_attention(stats) == 0);
    CHECK(mpay_stats_due(stats) == 0 && mpay_stats_overdue_ms(stats) == 0 && mpay_stats_news(stats) == 0);
    CHECK(mpay_stats_pause_note(stats) == NULL && strstr(mpay_stats_json(stats), "\"open\":0") != NULL);
    fields_are_the_getters(entry);
    fields_are_the_getters(final);
    fields_are_the_getters(mpay_entries_get(news, 0));
    mpay_stats_free(stats);
    mpay_entries_free(page);
    mpay_entries_free(news);
    mpay_entry_free(final);
    mpay_entry_free(confirmed);
    mpay_entry_free(entry);
}

static void refused_attempt_has_error_of_service(void) {
    mpay_client *client = sandbox_client(NULL);
    mpay_journal *journal = file_journal(client, "refused.db");
    mpay_payment_request *request = good_request();
    mpay_entry *entry = NULL;
    CHECK(mpay_payment_request_set_customer_account(request, "no-credentials") == MPAY_OK);
    EXPECT(mpay_journal_pay(journal, "refused-1", request, &entry, ERROR), MPAY_OK, 0);
    CHECK(mpay_entry_standing(entry) == MPAY_STANDING_REFUSED && mpay_entry_credentials(entry) == NULL);
    CHECK(mpay_entry_error_code(entry) == MPAY_REJECTED && mpay_entry_error_outcome(entry) == MPAY_OUTCOME_REJECTED);
    fields_are_the_getters(entry);
    mpay_entry_free(entry);
    mpay_payment_request_free(request);
    mpay_journal_free(journal);
    mpay_client_free(client);
}

static void webhook_may_lack_everything_and_orphan_is_resolved_by_its_status(void) {
    const char *body = setting("WEBHOOK_BODY"), *signature = setting("WEBHOOK_SIGNATURE");
    mpay_client *client = sandbox_client(NULL);
    mpay_journal *journal = file_journal(client, "orphans.db");
    mpay_entries *entries = NULL;
    mpay_entry *entry = NULL;
    const mpay_entry *orphan;
    int32_t status = 0;
    CHECK(mpay_journal_receive(journal, NULL, NULL, 0, NULL, NULL, &status, NULL, NULL) == MPAY_UNVERIFIED && status == 400);
    CHECK(mpay_journal_receive(journal, "/hooks/none", body, strlen(body) - 1, signature, NULL, NULL, NULL, NULL) == MPAY_UNVERIFIED);
    EXPECT(mpay_journal_receive(journal, "/hooks/none", body, strlen(body), signature, NULL, &status, &entry, ERROR), MPAY_OK, 0);
    CHECK(status == 404 && entry == NULL);
    EXPECT(mpay_journal_attention(journal, 10, &entries, ERROR), MPAY_OK, 0);
    orphan = mpay_entries_get(entries, 0);
    CHECK(mpay_entries_count(entries) == 1 && mpay_entry_is_orphan(orphan) && same(mpay_entry_order_id(orphan), "order-1"));
    CHECK(!mpay_entry_reference(orphan) && !mpay_entry_standing(orphan) && !mpay_entry_standing_name(orphan));
    CHECK(mpay_entry_acknowledge_sql(orphan, MPAY_STYLE_QUESTION) == NULL && mpay_entry_created_at_ms(orphan) > 0);
    fields_are_the_getters(orphan);
    REFUSED(mpay_journal_resolve_orphan(journal, "order-1", "none", "support", ERROR));
    EXPECT(mpay_journal_resolve_orphan(journal, "order-1", mpay_entry_status(orphan), "support", ERROR), MPAY_OK, 0);
    mpay_entries_free(entries);
    EXPECT(mpay_journal_attention(journal, 10, &entries, ERROR), MPAY_OK, 0);
    CHECK(mpay_entries_count(entries) == 0);
    mpay_entries_free(entries);
    mpay_journal_free(journal);
    mpay_client_free(client);
}

static void person_decides_about_a_lost_reply(void) {
    mpay_client *client = sandbox_client(setting("SERVICE_DROPS"));
    mpay_journal *journal = file_journal(client, "lost.db");
    mpay_payment_request *request = good_request();
    mpay_entry *entry = NULL, *decided = NULL;
    int64_t next = 0;
    uint32_t done = 7;
    EXPECT(mpay_journal_pay(journal, "lost-1", request, &entry, ERROR), MPAY_OK, 0);
    CHECK(mpay_entry_standing(entry) == MPAY_STANDING_UNKNOWN && mpay_entry_order_id(entry) == NULL);
    CHECK(mpay_entry_error_code(entry) == MPAY_TRANSPORT && mpay_entry_error_outcome(entry) == MPAY_OUTCOME_UNKNOWN);
    EXPECT(mpay_journal_settle(journal, 10, &done, &next, ERROR), MPAY_OK, 0);
    CHECK(done == 0 && next == -1);
    REFUSED(mpay_journal_pay_async(journal, "lost-2", request, &decided, ERROR)); /* pay_async needs a callback URL */
    REFUSED(mpay_journal_resolve_no_payment(journal, "lost-1", 1, "", &decided, ERROR));
    REFUSED(mpay_journal_resolve_order(journal, "lost-1", 1, NULL, NULL, "support", &decided, ERROR));
    REFUSED(mpay_journal_resolve_order(journal, "lost-1", 1, "order", "much", "support", &decided, ERROR));
    REFUSED(mpay_journal_resolve_seen(journal, "lost-1", 1, "unknown,new", "support", &decided, ERROR));
    REFUSED(mpay_journal_resolve_trusted(journal, "lost-1", 1, "support", &decided, ERROR)); /* it does not come from a backup */
    CHECK(decided == NULL && same(mpay_attention_name(MPAY_ATTENTION_UNKNOWN), "unknown") && mpay_attention_name(77) == NULL);
    EXPECT(mpay_journal_resolve_no_payment(journal, "lost-1", 1, "support has none", &decided, ERROR), MPAY_OK, 0);
    CHECK(mpay_entry_standing(decided) == MPAY_STANDING_REFUSED);
    mpay_entry_free(decided);
    mpay_entry_free(entry);
    mpay_payment_request_free(request);
    mpay_journal_free(journal);
    mpay_client_free(client);
}

static void interrupt_ends_waits_of_a_journal_and_those_derived_from_it(void) {
    mpay_client *client = sandbox_client(NULL);
    mpay_journal *journal = file_journal(client, "interrupted.db"), *derived = NULL;
    mpay_payment_request *request = good_request();
    mpay_entry *entry = NULL, *waited = NULL;
    EXPECT(mpay_journal_pay(journal, "wait-1", request, &entry, ERROR), MPAY_OK, 0);
    EXPECT(mpay_journal_derive(journal, &derived, ERROR), MPAY_OK, 0);
    mpay_journal_interrupt(derived);
    CHECK(mpay_journal_wait(derived, "wait-1", PATIENCE_MS, MPAY_UNTIL_FINAL, &waited, NULL) == MPAY_CANCELLED && waited == NULL);
    mpay_journal_free(derived);
    /* The original journal is not interrupted, and a wait ends at its timeout without an error. */
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

/* ---- NULL ---- */

static void null_handle_is_freed_and_has_no_values(void) {
    mpay_journal_free(NULL);
    mpay_journal_config_free(NULL);
    mpay_entry_free(NULL);
    mpay_entries_free(NULL);
    mpay_stats_free(NULL);
    mpay_journal_interrupt(NULL);
    CHECK(!mpay_entry_reference(NULL) && !mpay_entry_standing_name(NULL) && !mpay_entry_order_id(NULL) && !mpay_entry_sum_asked(NULL));
    CHECK(!mpay_entry_error_description(NULL) && !mpay_entry_json(NULL) && !mpay_entry_credentials(NULL) && !mpay_entry_sum_paid(NULL));
    CHECK(!mpay_entry_attempt(NULL) && !mpay_entry_is_orphan(NULL) && !mpay_entry_standing(NULL) && !mpay_entry_status(NULL));
    CHECK(!mpay_entry_succeeded(NULL) && !mpay_entry_intent(NULL) && !mpay_entry_intent_state(NULL) && !mpay_entry_news(NULL));
    CHECK(!mpay_entry_acknowledged(NULL) && !mpay_entry_error_code(NULL) && !mpay_entry_error_outcome(NULL));
    CHECK(!mpay_entry_attention(NULL, 0) && !mpay_entry_detail(NULL, 0) && !mpay_entries_count(NULL) && !mpay_entries_get(NULL, 0));
    CHECK(!mpay_entry_created_at_ms(NULL) && !mpay_entry_updated_at_ms(NULL) && !mpay_entry_unreadable(NULL));
    CHECK(!mpay_entry_acknowledge_sql(NULL, MPAY_STYLE_AT) && !mpay_entry_fields(NULL, NULL));
    CHECK(!mpay_stats_count(NULL, MPAY_STANDING_OPEN) && !mpay_stats_attention(NULL) && !mpay_stats_due(NULL) && !mpay_stats_news(NULL));
    CHECK(!mpay_stats_overdue_ms(NULL) && !mpay_stats_pause_note(NULL) && !mpay_stats_json(NULL));
}

/* Calls every function with `journal` or with texts and handles that are NULL. */
static void null_is_refused(mpay_journal *journal, const char *text, const mpay_payment_request *request) {
    mpay_journal *opened = NULL;
    mpay_entry *entry = NULL;
    mpay_entries *entries = NULL;
    mpay_stats *stats = NULL;
    int32_t acknowledged = 7;
    REFUSED(mpay_journal_pay(journal, text, request, &entry, ERROR));
    REFUSED(mpay_journal_pay_async(journal, text, request, &entry, ERROR));
    REFUSED(mpay_journal_replace(journal, text, 1, request, &entry, ERROR));
    REFUSED(mpay_journal_confirm(journal, text, 1, &entry, ERROR));
    REFUSED(mpay_journal_cancel(journal, text, 1, &entry, ERROR));
    REFUSED(mpay_journal_find(journal, text, &entry, ERROR));
    REFUSED(mpay_journal_wait(journal, text, 0, MPAY_UNTIL_FINAL, &entry, ERROR));
    REFUSED(mpay_journal_acknowledge(journal, text, 1, 1, &acknowledged, ERROR));
    REFUSED(mpay_journal_resolve_order(journal, text, 1, text, NULL, text, &entry, ERROR));
    REFUSED(mpay_journal_resolve_no_payment(journal, text, 1, text, &entry, ERROR));
    REFUSED(mpay_journal_resolve_seen(journal, text, 1, text, text, &entry, ERROR));
    REFUSED(mpay_journal_resolve_trusted(journal, text, 1, text, &entry, ERROR));
    REFUSED(mpay_journal_resolve_orphan(journal, text, NULL, text, ERROR));
    CHECK(acknowledged == 0);
    if (journal != NULL) return;
    REFUSED(mpay_journal_derive(NULL, &opened, ERROR));
    REFUSED(mpay_journal_settle(NULL, 1, NULL, NULL, ERROR));
    REFUSED(mpay_journal_stats(NULL, &stats, ERROR));
    REFUSED(mpay_journal_list(NULL, 0, 1, NULL, 0, &entries, ERROR));
    REFUSED(mpay_journal_news(NULL, 1, &entries, ERROR));
    REFUSED(mpay_journal_attention(NULL, 1, &entries, ERROR));
    CHECK(mpay_journal_receive(NULL, "/", "{}", 2, NULL, NULL, &acknowledged, &entry, NULL) == MPAY_INVALID_ARGUMENT);
    CHECK(acknowledged == 503 && opened == NULL && entry == NULL && entries == NULL && stats == NULL);
}

static void null_and_unknown_numbers_are_refused_where_a_value_is_needed(void) {
    mpay_client *client = sandbox_client(NULL);
    mpay_payment_request *request = good_request();
    mpay_journal *journal = file_journal(client, "null.db"), *opened = NULL;
    mpay_entry *given = NULL;
    mpay_entries *entries = NULL;
    null_is_refused(NULL, "null-1", request);
    null_is_refused(journal, NULL, request);
    null_is_refused(journal, NULL, NULL);
    REFUSED(mpay_journal_open(NULL, NULL, &opened, ERROR));
    REFUSED(mpay_journal_open(client, NULL, &opened, ERROR));
    REFUSED(mpay_journal_pay(journal, "null-1", NULL, &given, ERROR));
    REFUSED(mpay_journal_wait(journal, "null-1", 0, 77, &given, ERROR));
    REFUSED(mpay_journal_list(journal, 77, 1, NULL, 0, &entries, ERROR));
    REFUSED(mpay_journal_find(journal, "\xff", &given, ERROR));
    REFUSED(mpay_journal_pay(journal, "null-1", request, NULL, ERROR)); /* nobody would know of the payment */
    CHECK(mpay_journal_find(journal, "null-1", &given, NULL) == MPAY_OK && given == NULL);
    mpay_journal_free(journal);
    mpay_payment_request_free(request);
    mpay_client_free(client);
}

/* ---- settings ---- */

static void setting_is_refused_at_once_or_when_the_journal_is_opened(void) {
    mpay_client *client = sandbox_client(NULL);
    mpay_journal *journal = NULL;
    mpay_journal_config *config = mpay_journal_config_new();
    REFUSED(mpay_journal_open(client, config, &journal, ERROR)); /* there is no place */
    CHECK(mpay_journal_config_set_place(NULL, "x") == MPAY_INVALID_ARGUMENT);
    CHECK(mpay_journal_config_set_callback_url(NULL, "x") == MPAY_INVALID_ARGUMENT);
    CHECK(mpay_journal_config_set_password_file(NULL, "x") == MPAY_INVALID_ARGUMENT);
    CHECK(mpay_journal_config_set_timeout_ms(NULL, 1) == MPAY_INVALID_ARGUMENT);
    CHECK(mpay_journal_config_set_pay_wait_ms(NULL, 1) == MPAY_INVALID_ARGUMENT);
    CHECK(mpay_journal_config_set_connections(NULL, 1) == MPAY_INVALID_ARGUMENT);
    CHECK(mpay_journal_config_set_create(NULL, 1) == MPAY_INVALID_ARGUMENT);
    CHECK(mpay_journal_config_add_durability_vouched(NULL, "sync_binlog") == MPAY_INVALID_ARGUMENT);
    REFUSED(mpay_journal_config_set(NULL, "place", "x", ERROR));
    REFUSED(mpay_journal_config_set(config, NULL, "x", ERROR));
    mpay_journal_config_free(config);

    config = file_config("settings.db");
    CHECK(mpay_journal_config_set_timeout_ms(config, 1000) == MPAY_OK);
    REFUSED(mpay_journal_open(client, config, &journal, ERROR)); /* shorter than the service may need */
    EXPECT(mpay_journal_config_set(config, "timeout_ms", NULL, ERROR), MPAY_OK, 0);
    EXPECT(mpay_journal_config_set(config, "pay_wait_ms", "0", ERROR), MPAY_OK, 0);
    CHECK(mpay_journal_config_set_callback_url(config, "no URL") == MPAY_OK);
    CHECK(mpay_journal_config_set_callback_url(config, NULL) == MPAY_OK); /* unset again */
    CHECK(mpay_journal_config_add_durability_vouched(config, "sync_binlog") == MPAY_OK);
    CHECK(mpay_journal_config_add_durability_vouched(config, "synchronous,fuse") == MPAY_OK);
    CHECK(mpay_journal_config_add_durability_vouched(config, NULL) == MPAY_OK);
    EXPECT(mpay_journal_open(client, config, &journal, ERROR), MPAY_OK, 0);
    mpay_journal_free(journal);
    REFUSED(mpay_journal_config_set(config, "folder", "/", ERROR));
    REFUSED(mpay_journal_config_set(config, "pay_wait_ms", "soon", ERROR));
    REFUSED(mpay_journal_open(client, config, &journal, ERROR)); /* the config keeps the error */
    EXPECT(mpay_journal_config_set(config, "pay_wait_ms", "1", ERROR), MPAY_OK, 0);
    EXPECT(mpay_journal_open(client, config, &journal, ERROR), MPAY_OK, 0);
    mpay_journal_free(journal);
    mpay_journal_config_free(config);

    config = file_config("settings.db");
    CHECK(mpay_journal_config_set_create(config, 7) == MPAY_INVALID_ARGUMENT);
    REFUSED(mpay_journal_open(client, config, &journal, ERROR));
    mpay_journal_config_free(config);
    config = file_config("settings.db");
    CHECK(mpay_journal_config_set_place(config, "") == MPAY_INVALID_ARGUMENT);
    REFUSED(mpay_journal_open(client, config, &journal, ERROR));
    mpay_journal_config_free(config);
    mpay_client_free(client);
}

int main(void) {
    RUN(entries_outlive_client_config_and_journal);
    RUN(refused_attempt_has_error_of_service);
    RUN(webhook_may_lack_everything_and_orphan_is_resolved_by_its_status);
    RUN(person_decides_about_a_lost_reply);
    RUN(interrupt_ends_waits_of_a_journal_and_those_derived_from_it);
    RUN(null_handle_is_freed_and_has_no_values);
    RUN(null_and_unknown_numbers_are_refused_where_a_value_is_needed);
    RUN(setting_is_refused_at_once_or_when_the_journal_is_opened);
    return failures() ? 1 : 0;
}
