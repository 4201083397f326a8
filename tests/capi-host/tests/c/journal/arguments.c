/* Invalid arguments and settings of the journal's functions. */
#define _POSIX_C_SOURCE 200809L
#include "../journal.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

/* ---- NULL ---- */

static void freeing_null_does_nothing(void) {
    mpay_journal_free(NULL);
    mpay_journal_config_free(NULL);
    mpay_entry_free(NULL);
    mpay_entries_free(NULL);
    mpay_stats_free(NULL);
    mpay_export_free(NULL);
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
    CHECK(!mpay_stats_count(NULL, MPAY_STANDING_FINAL) && !mpay_stats_attention(NULL) && !mpay_stats_due(NULL));
    CHECK(!mpay_stats_overdue_ms(NULL) && !mpay_stats_pause_note(NULL) && !mpay_stats_json(NULL) && !mpay_export_line(NULL));
    CHECK(mpay_rows_add(NULL, NULL, 0) == MPAY_INVALID_ARGUMENT && mpay_rows_set_affected(NULL, 1) == MPAY_INVALID_ARGUMENT);
    CHECK(mpay_rows_set_message(NULL, "why") == MPAY_INVALID_ARGUMENT);
}

static void an_error_code_of_the_database_says_what_it_leaves_known(void) {
    CHECK(mpay_database_failure(MPAY_DIALECT_POSTGRESQL, "23505") == MPAY_DATABASE_DUPLICATE);
    CHECK(mpay_database_failure(MPAY_DIALECT_POSTGRESQL, "40P01") == MPAY_DATABASE_FAILED);
    CHECK(mpay_database_failure(MPAY_DIALECT_MYSQL, "1062") == MPAY_DATABASE_DUPLICATE);
    CHECK(mpay_database_failure(MPAY_DIALECT_MYSQL, "2013") == MPAY_DATABASE_UNCLEAR);
    CHECK(mpay_database_failure(MPAY_DIALECT_SQLITE, "2067") == MPAY_DATABASE_DUPLICATE);
    CHECK(mpay_database_failure(MPAY_DIALECT_POSTGRESQL, NULL) == MPAY_DATABASE_UNCLEAR);
    CHECK(mpay_database_failure(MPAY_DIALECT_POSTGRESQL, "\xff") == MPAY_DATABASE_UNCLEAR);
    CHECK(mpay_database_failure(0, "23505") == MPAY_DATABASE_UNCLEAR);
}

static void null_where_a_value_is_needed_is_an_invalid_argument(void) {
    mpay_client *client = sandbox_client(NULL);
    mpay_payment_request *request = good_request();
    mpay_journal *journal = file_journal(client, "null.db", NULL), *opened = NULL;
    mpay_entry *entry = NULL, *given = NULL;
    mpay_entries *entries = NULL;
    int32_t status = 0, changed = 7;
    EXPECT(mpay_journal_pay(journal, "null-1", request, 0, &entry, ERROR), MPAY_OK, 0);

    REFUSED(mpay_journal_open(NULL, NULL, &opened, ERROR));
    REFUSED(mpay_journal_open(client, NULL, &opened, ERROR));
    REFUSED(mpay_journal_derive(NULL, &opened, ERROR));
    CHECK(opened == NULL);
    REFUSED(mpay_journal_pay(NULL, "null-2", request, 0, &given, ERROR));
    REFUSED(mpay_journal_pay_async(NULL, "null-2", request, 0, &given, ERROR));
    REFUSED(mpay_journal_confirm(NULL, entry, &given, ERROR));
    REFUSED(mpay_journal_cancel(NULL, entry, &given, ERROR));
    REFUSED(mpay_journal_find(NULL, "null-1", &given, ERROR));
    REFUSED(mpay_journal_wait(NULL, "null-1", 0, MPAY_UNTIL_FINAL, &given, ERROR));
    REFUSED(mpay_journal_settle(NULL, 1, NULL, NULL, ERROR));
    REFUSED(mpay_journal_stats(NULL, NULL, ERROR));
    REFUSED(mpay_journal_purge(NULL, 0, NULL, ERROR));
    REFUSED(mpay_journal_forget(NULL, "null-1", NULL, ERROR));
    REFUSED(mpay_journal_forget(journal, NULL, NULL, ERROR));
    REFUSED(mpay_journal_export(NULL, NULL, ERROR));
    REFUSED(mpay_export_next(NULL, NULL, ERROR));
    REFUSED(mpay_journal_import(journal, NULL, NULL, ERROR));
    REFUSED(mpay_journal_pause(journal, NULL, ERROR));
    REFUSED(mpay_journal_resume(NULL, "why", ERROR));
    REFUSED(mpay_journal_backup(journal, NULL, ERROR));
    REFUSED(mpay_journal_list(NULL, 0, 1, NULL, &entries, ERROR));
    REFUSED(mpay_journal_news(NULL, 1, 0, &entries, ERROR));
    REFUSED(mpay_journal_attention(NULL, 1, &entries, ERROR));
    REFUSED(mpay_journal_acknowledge(NULL, entry, &changed, ERROR));
    CHECK(changed == 0);
    REFUSED(mpay_journal_acknowledge_with(NULL, entry, NULL, NULL, &changed, ERROR));
    REFUSED(mpay_journal_resolve(NULL, entry, MPAY_RESOLUTION_SEEN, NULL, "why", ERROR));
    CHECK(mpay_journal_receive(NULL, "/", "{}", 2, NULL, NULL, &status, &given, NULL) == MPAY_INVALID_ARGUMENT && status == 503);
    CHECK(given == NULL && entries == NULL);
    mpay_entry_free(entry);

    REFUSED(mpay_journal_pay(journal, NULL, request, 0, &given, ERROR));
    REFUSED(mpay_journal_pay(journal, "null-2", NULL, 0, &given, ERROR));
    REFUSED(mpay_journal_pay_async(journal, NULL, request, 0, &given, ERROR));
    REFUSED(mpay_journal_confirm(journal, NULL, &given, ERROR));
    REFUSED(mpay_journal_cancel(journal, NULL, &given, ERROR));
    REFUSED(mpay_journal_find(journal, NULL, &given, ERROR));
    REFUSED(mpay_journal_wait(journal, NULL, 0, MPAY_UNTIL_FINAL, &given, ERROR));
    REFUSED(mpay_journal_wait(journal, "null-1", 0, 77, &given, ERROR));
    REFUSED(mpay_journal_list(journal, 77, 1, NULL, &entries, ERROR));
    REFUSED(mpay_journal_acknowledge(journal, NULL, &changed, ERROR));
    REFUSED(mpay_journal_acknowledge_with(journal, NULL, NULL, NULL, &changed, ERROR));
    REFUSED(mpay_journal_resolve(journal, NULL, MPAY_RESOLUTION_SEEN, NULL, "why", ERROR));
    /* The caller passes NULL for results that it does not need. */
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
    REFUSED(mpay_journal_open(client, config, &journal, ERROR)); /* neither a file nor a database is set */
    CHECK(mpay_journal_config_set_file(NULL, "x") == MPAY_INVALID_ARGUMENT);
    CHECK(mpay_journal_config_set_callback_url(NULL, "x") == MPAY_INVALID_ARGUMENT);
    CHECK(mpay_journal_config_set_account(NULL, "x") == MPAY_INVALID_ARGUMENT);
    CHECK(mpay_journal_config_set_timeout_ms(NULL, 1) == MPAY_INVALID_ARGUMENT);
    CHECK(mpay_journal_config_set_calls_per_second(NULL, 1) == MPAY_INVALID_ARGUMENT);
    CHECK(mpay_journal_config_set_calls_at_once(NULL, 1) == MPAY_INVALID_ARGUMENT);
    CHECK(mpay_journal_config_set_create(NULL, 1) == MPAY_INVALID_ARGUMENT);
    CHECK(mpay_journal_config_set_pay_wait_ms(NULL, 1) == MPAY_INVALID_ARGUMENT);
    CHECK(mpay_journal_config_add_durability_vouched(NULL, "sync_binlog") == MPAY_INVALID_ARGUMENT);
    CHECK(mpay_journal_config_set_check_later(NULL, 1) == MPAY_INVALID_ARGUMENT);
    CHECK(mpay_journal_config_set_database(NULL, MPAY_DIALECT_SQLITE, MPAY_PLACEHOLDERS_QUESTION, run_statement, NULL, NULL) ==
          MPAY_INVALID_ARGUMENT);
    mpay_journal_config_free(config);

    config = mpay_journal_config_new();
    CHECK(mpay_journal_config_set_database(config, 77, MPAY_PLACEHOLDERS_QUESTION, run_statement, NULL, NULL) == MPAY_INVALID_ARGUMENT);
    REFUSED(mpay_journal_open(client, config, &journal, ERROR));
    mpay_journal_config_free(config);

    config = file_config("settings.db", NULL);
    CHECK(mpay_journal_config_set_timeout_ms(config, 1000) == MPAY_OK);
    REFUSED(mpay_journal_open(client, config, &journal, ERROR)); /* the timeout is shorter than the time that the service may need */
    CHECK(mpay_journal_config_set_timeout_ms(config, 15000) == MPAY_OK &&
          mpay_journal_config_set_file(config, "") == MPAY_INVALID_ARGUMENT);
    REFUSED(mpay_journal_open(client, config, &journal, ERROR));
    mpay_journal_config_free(config);

    config = file_config("unset.db", "https://shop.example/callback");
    CHECK(mpay_journal_config_set_account(config, "till") == MPAY_OK);
    CHECK(mpay_journal_config_set_callback_url(config, NULL) == MPAY_OK && mpay_journal_config_set_account(config, NULL) == MPAY_OK);
    EXPECT(mpay_journal_open(client, config, &journal, ERROR), MPAY_OK, 0);
    mpay_journal_free(journal);
    CHECK(mpay_journal_config_set_callback_url(config, "") == MPAY_INVALID_ARGUMENT);
    REFUSED(mpay_journal_open(client, config, &journal, ERROR));
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
    REFUSED(mpay_journal_open(client, config, &journal, ERROR)); /* the path is relative */
    mpay_journal_config_free(config);
    mpay_client_free(client);
}

void journal_arguments(void) {
    RUN(freeing_null_does_nothing);
    RUN(a_getter_of_null_gives_nothing);
    RUN(an_error_code_of_the_database_says_what_it_leaves_known);
    RUN(null_where_a_value_is_needed_is_an_invalid_argument);
    RUN(a_setting_that_cannot_be_right_is_refused_at_once_or_when_it_is_used);
    RUN(a_file_that_is_not_a_journal_is_refused);
}
