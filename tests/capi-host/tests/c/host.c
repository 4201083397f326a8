#include "journal.h"

#include <stdio.h>
#include <string.h>

static const char *path_of(const char *name, char *path, size_t size) {
    snprintf(path, size, "%s/%s", setting("SCRATCH"), name);
    return path;
}

mpay_journal_config *file_config(const char *name, const char *callback_url) {
    char path[1024];
    mpay_journal_config *config = mpay_journal_config_new();
    CHECK(config != NULL && mpay_journal_config_set_file(config, path_of(name, path, sizeof path)) == MPAY_OK);
    CHECK(mpay_journal_config_set_timeout_ms(config, 15000) == MPAY_OK && mpay_journal_config_set_account(config, "shop") == MPAY_OK);
    CHECK(mpay_journal_config_set_calls_per_second(config, 1000) == MPAY_OK && mpay_journal_config_set_calls_at_once(config, 8) == MPAY_OK);
    CHECK(mpay_journal_config_set_create(config, 1) == MPAY_OK);
    CHECK(callback_url == NULL || mpay_journal_config_set_callback_url(config, callback_url) == MPAY_OK);
    return config;
}

mpay_journal *file_journal(const mpay_client *client, const char *name, const char *callback_url) {
    mpay_journal_config *config = file_config(name, callback_url);
    mpay_journal *journal = NULL;
    EXPECT(mpay_journal_open(client, config, &journal, ERROR), MPAY_OK, 0);
    mpay_journal_config_free(config);
    return journal;
}

struct host host_open(void) {
    struct host host = {NULL, 0, "", FAULT_NONE, 0, NULL};
    static int count;
    char name[32], path[1024];
    snprintf(name, sizeof name, "host-%d.db", count++);
    remove(path_of(name, path, sizeof path));
    CHECK(sqlite3_open(path, &host.database) == SQLITE_OK);
    host_execute(&host, "PRAGMA journal_mode = WAL"); /* the journal requires a durable database */
    return host;
}

void host_close(struct host *host) {
    CHECK(sqlite3_close(host->database) == SQLITE_OK);
}

void host_execute(struct host *host, const char *sql) {
    CHECK(sqlite3_exec(host->database, sql, NULL, NULL, NULL) == SQLITE_OK);
}

static int32_t run_well(struct host *host, const char *sql, const char *const *parameters, size_t count, mpay_rows *out) {
    const char *values[64];
    sqlite3_stmt *statement = NULL;
    int step, column;
    size_t i;
    /* Within a transaction SQLite refuses the journal's PRAGMA here: so the journal detects the transaction. */
    if (sqlite3_prepare_v2(host->database, sql, -1, &statement, NULL) != SQLITE_OK) return MPAY_DATABASE_FAILED;
    for (i = 0; i < count; i++) sqlite3_bind_text(statement, (int)i + 1, parameters[i], -1, SQLITE_TRANSIENT);
    while ((step = sqlite3_step(statement)) == SQLITE_ROW) {
        const int columns = sqlite3_column_count(statement);
        for (column = 0; column < columns; column++) values[column] = (const char *)sqlite3_column_text(statement, column);
        CHECK(mpay_rows_add(out, values, (size_t)columns) == MPAY_OK);
    }
    sqlite3_finalize(statement);
    if (step == SQLITE_CONSTRAINT) return MPAY_DATABASE_DUPLICATE;
    if (step != SQLITE_DONE) return MPAY_DATABASE_FAILED;
    CHECK(mpay_rows_set_affected(out, (uint64_t)sqlite3_changes(host->database)) == MPAY_OK);
    return MPAY_DATABASE_OK;
}

/* Calls the journal from within its own callback. */
static void call_back(struct host *host) {
    const mpay_journal *journal = host->journal;
    mpay_entry *entry = NULL;
    if (journal == NULL) return;
    host->journal = NULL; /* this call's own statements must not call back again */
    EXPECT(mpay_journal_find(journal, "another", &entry, ERROR), MPAY_OK, 0);
    CHECK(entry == NULL);
    host->journal = journal;
}

int32_t run_statement(void *user_data, const char *sql, const char *const *parameters, size_t count, mpay_rows *out) {
    static const char *const row[] = {NULL};
    struct host *host = user_data;
    int32_t code;
    host->statements++;
    if (host->left == 0 || strncmp(sql, host->word, strlen(host->word)) != 0) return run_well(host, sql, parameters, count, out);
    host->left--;
    switch (host->fault) {
    case FAULT_FAILED:
        CHECK(mpay_rows_set_message(out, "no such connection") == MPAY_OK && mpay_rows_set_message(out, "\xff not UTF-8") == MPAY_OK);
        return MPAY_DATABASE_FAILED;
    case FAULT_DOES_NOTHING:
        return MPAY_DATABASE_OK;
    case FAULT_NULL_ROW:
        CHECK(mpay_rows_add(out, NULL, 3) == MPAY_INVALID_ARGUMENT);
        break;
    case FAULT_LONG_ROW:
        CHECK(mpay_rows_add(out, row, (size_t)-1) == MPAY_INVALID_ARGUMENT);
        break;
    case FAULT_CALLS_BACK:
        call_back(host);
        break;
    default:
        break;
    }
    code = run_well(host, sql, parameters, count, out);
    if (host->fault == FAULT_COUNTS) CHECK(mpay_rows_set_affected(out, 77) == MPAY_OK);
    return host->fault == FAULT_UNCLEAR          ? MPAY_DATABASE_UNCLEAR
           : host->fault == FAULT_UNKNOWN_NUMBER ? -77
           : host->fault == FAULT_DUPLICATE      ? MPAY_DATABASE_DUPLICATE
                                                 : code;
}

mpay_journal *host_journal(const mpay_client *client, struct host *host) {
    mpay_journal_config *config = mpay_journal_config_new();
    mpay_journal *journal = NULL;
    CHECK(mpay_journal_config_set_database(config, MPAY_DIALECT_SQLITE, MPAY_PLACEHOLDERS_QUESTION, run_statement, host, NULL) == MPAY_OK);
    CHECK(mpay_journal_config_set(config, "file", NULL, NULL) == MPAY_OK); /* unsetting the file keeps the database */
    CHECK(mpay_journal_config_set_check_later(config, 0) == MPAY_OK);
    CHECK(mpay_journal_config_set_create(config, 1) == MPAY_OK && mpay_journal_config_set_timeout_ms(config, 15000) == MPAY_OK);
    EXPECT(mpay_journal_open(client, config, &journal, ERROR), MPAY_OK, 0);
    mpay_journal_config_free(config);
    return journal;
}
