/* The journals of the tests in C: in files of the driver's folder, and in a host's database. */
#ifndef JOURNAL_H
#define JOURNAL_H

#include "check.h"

#include <sqlite3.h>

/* Settings for a journal in the file with this name. The file is created if it is missing. `callback_url` may be NULL. */
mpay_journal_config *file_config(const char *name, const char *callback_url);
/* A journal in the file with this name, with the settings of file_config. */
mpay_journal *file_journal(const mpay_client *client, const char *name, const char *callback_url);

/* The faults of the host's callback. */
enum fault {
    FAULT_NONE,
    FAULT_UNCLEAR,        /* runs the statement, and returns MPAY_DATABASE_UNCLEAR */
    FAULT_UNKNOWN_NUMBER, /* runs the statement, and returns an unknown number */
    FAULT_FAILED,         /* runs nothing, and reports the failure */
    FAULT_DOES_NOTHING,   /* runs nothing, and reports a success */
    FAULT_DUPLICATE,      /* runs the statement, and reports a duplicate key */
    FAULT_COUNTS,         /* reports too many affected rows */
    FAULT_NULL_ROW,       /* adds a row that is NULL */
    FAULT_LONG_ROW,       /* adds a row with too many columns */
    FAULT_CALLS_BACK,     /* calls the journal from within the callback */
    FAULTS
};

/* A host's own database, with a callback. */
struct host {
    sqlite3 *database;
    int statements;
    /* The fault hits the next `left` statements that begin with `word`. */
    const char *word;
    enum fault fault;
    int left;
    const mpay_journal *journal;
};

struct host host_open(void);
void host_close(struct host *host);
void host_execute(struct host *host, const char *sql);
/* The callback; its user_data is the host. */
int32_t run_statement(void *user_data, const char *sql, const char *const *parameters, size_t count, mpay_rows *out);
mpay_journal *host_journal(const mpay_client *client, struct host *host);

/* The parts of the program with their own files. */
void journal_arguments(void);
void journal_database(void);

#endif
